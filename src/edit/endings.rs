//! The line endings of a whole text that takes the place of another.

use super::changes::Changes;

/// `new`, whose lines end with LF, with the endings of the lines of `old` that it keeps or that it puts others in the
/// place of; further lines end as the line before does.
#[must_use]
pub fn with_endings_of(old: &str, new: &str) -> String {
    let [(old, ends), (new, wanted)] = [old, new].map(|text| lines(text).unzip::<_, _, Vec<&str>, Vec<&str>>());
    let changes = Changes::between(&old, &new);
    let usual = ends.first().copied().filter(|end| !end.is_empty()).unwrap_or("\n");
    let mut written = String::new();
    for (at, line) in new.iter().enumerate() {
        written.push_str(line);
        if !wanted[at].is_empty() {
            let own = ends.get(changes.counterpart(at)).copied().filter(|end| !end.is_empty());
            written.push_str(own.unwrap_or(usual));
        }
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
            ("a\nb\r\nc\nd\r\ne\n", "A\nb\nc\nd\nE\n", "A\nb\r\nc\nd\r\nE\n"),
            ("a\nb\r\nc\n", "a\nB\nx\nc\n", "a\nB\r\nx\r\nc\n"),
            ("a\r\nb", "a\nb\n", "a\r\nb\r\n"),
            ("a\r\nb\r\n", "a\nb", "a\r\nb"),
            ("\r\n", "", ""),
            ("a\r\n", "x\ny\n", "x\r\ny\r\n"),
        ] {
            assert_eq!(with_endings_of(old, new), written, "{old:?} {new:?}");
        }
    }
}
