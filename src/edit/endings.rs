//! The line endings of a whole text that takes the place of another.

/// `new`, whose lines end with LF, with the endings of the lines of `old` that it keeps at its beginning and its end;
/// between them, lines end as the line before does.
#[must_use]
pub fn with_endings_of(old: &str, new: &str) -> String {
    let old: Vec<(&str, &str)> = lines(old).collect();
    let new: Vec<(&str, &str)> = lines(new).collect();
    let same = |(a, b): &(&(&str, &str), &(&str, &str))| a.0 == b.0;
    let head = old.iter().zip(&new).take_while(same).count();
    let room = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(room).take_while(same).count();
    let usual = old.first().map_or("\n", |(_, end)| if end.is_empty() { "\n" } else { end });
    let mut written = String::new();
    let mut last = usual;
    for (at, (line, end)) in new.iter().enumerate() {
        written.push_str(line);
        if end.is_empty() {
            continue;
        }
        let kept = if at < head {
            old[at].1
        } else if at >= new.len() - tail {
            old[old.len() - (new.len() - at)].1
        } else {
            last
        };
        last = if kept.is_empty() { usual } else { kept };
        written.push_str(last);
    }
    written
}

/// Lines, each with its ending.
fn lines(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split_inclusive('\n').map(|line| {
        let body = line.strip_suffix("\r\n").or_else(|| line.strip_suffix('\n')).unwrap_or(line);
        line.split_at(body.len())
    })
}

#[cfg(test)]
mod tests {
    use super::with_endings_of;

    #[test]
    fn kept_lines_keep_their_endings_and_new_ones_follow() {
        for (old, new, written) in [
            ("a\r\nb\r\n", "a\nB\n", "a\r\nB\r\n"),
            ("a\r\nb\r\nc\nd\n", "a\nb\nx\nc\nd\n", "a\r\nb\r\nx\r\nc\nd\n"),
            ("a\r\nb\nc\r\n", "a\nb\nc\nd\n", "a\r\nb\nc\r\nd\r\n"),
            ("a\r\nb", "a\nb\n", "a\r\nb\r\n"),
            ("a\r\nb\r\n", "a\nb", "a\r\nb"),
            ("\r\n", "", ""),
            ("a\r\n", "x\ny\n", "x\r\ny\r\n"),
        ] {
            assert_eq!(with_endings_of(old, new), written, "{old:?} {new:?}");
        }
    }
}
