//! The part of a line around a match.

/// A part of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    /// The text, with `…` where something is missing.
    pub(super) text: String,
    /// Characters of the whole line before the match.
    pub(super) column: usize,
    /// Whether something is missing.
    pub(super) cut: bool,
}

/// At most `most` characters of a line around the byte `at`, of which a quarter stands before it. What is not UTF-8 is
/// shown as U+FFFD. The line may be very long: it is looked through, never copied.
pub(super) fn excerpt(line: &[u8], at: usize, most: usize) -> Excerpt {
    let (before, rest) = line.split_at(at);
    let column = characters(before).count();
    let total = column + characters(rest).take(most.saturating_add(1)).count();
    // Without a cut before the match, what follows it decides.
    if total <= most {
        return Excerpt { text: characters(before).chain(characters(rest)).collect(), column, cut: false };
    }
    let behind = total - column;
    let lead = column.min((most / 4).max(most.saturating_sub(behind)));
    let mut text = String::new();
    if lead < column {
        text.push('…');
    }
    text.extend(characters(before).skip(column - lead));
    text.extend(characters(rest).take(most - lead));
    if behind > most - lead {
        text.push('…');
    }
    Excerpt { text, column, cut: true }
}

/// The characters as `String::from_utf8_lossy` has them.
fn characters(bytes: &[u8]) -> impl Iterator<Item = char> {
    bytes.utf8_chunks().flat_map(|chunk| {
        let invalid = !chunk.invalid().is_empty();
        chunk.valid().chars().chain(invalid.then_some(char::REPLACEMENT_CHARACTER))
    })
}

#[cfg(test)]
mod tests {
    use super::{Excerpt, excerpt};

    fn cut(text: &str, column: usize) -> Excerpt {
        Excerpt { text: text.to_owned(), column, cut: true }
    }

    #[test]
    fn a_line_that_fits_is_whole() {
        for (line, at, column) in [("0123456789", 3, 3), ("äö", 2, 1), ("", 0, 0)] {
            let whole = Excerpt { text: line.to_owned(), column, cut: false };
            assert_eq!(excerpt(line.as_bytes(), at, 10), whole);
        }
    }

    #[test]
    fn a_long_line_is_cut_around_the_match() {
        let line = b"0123456789abcdefghij";
        assert_eq!(excerpt(line, 0, 8), cut("01234567…", 0));
        assert_eq!(excerpt(line, 1, 8), cut("01234567…", 1));
        assert_eq!(excerpt(line, 10, 8), cut("…89abcdef…", 10));
        assert_eq!(excerpt(line, 19, 8), cut("…cdefghij", 19));
        assert_eq!(excerpt(line, 20, 8), cut("…cdefghij", 20));
        assert_eq!(excerpt("ääääääääää".as_bytes(), 10, 4), cut("…ääää…", 5));
    }

    #[test]
    fn bytes_that_are_no_text_count_as_one_character_each() {
        let whole = Excerpt { text: "a\u{fffd}\u{fffd}b".to_owned(), column: 3, cut: false };
        assert_eq!(excerpt(b"a\xff\xfeb", 3, 10), whole);
    }
}
