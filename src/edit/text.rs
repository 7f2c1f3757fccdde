//! Bytes as text: only UTF-8, and nothing is decoded lossily.

/// Why bytes are not text that can be edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotText {
    /// A byte order mark of UTF-16 or UTF-32.
    #[error("UTF-16 encoding is not supported. Please convert the file to UTF-8.")]
    Utf16,
    /// An invalid sequence.
    #[error("the file is not UTF-8: invalid at byte {0}")]
    Utf8(usize),
    /// A NUL byte.
    #[error("the file is binary: a NUL byte at byte {0}")]
    Binary(usize),
}

/// A file's text without its byte order mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text<'a> {
    /// Whether a UTF-8 byte order mark stands before it.
    pub bom: bool,
    /// The text.
    pub body: &'a str,
}

/// The line endings of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Endings {
    /// No line ends.
    None,
    /// All lines end with LF.
    Lf,
    /// All lines end with CRLF.
    Crlf,
    /// Some end with LF, some with CRLF.
    Mixed,
}

/// What is told of a text's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines {
    /// How many; what follows the last line end counts when it is not empty.
    pub count: usize,
    /// How they end.
    pub endings: Endings,
    /// Whether the last one is not ended.
    pub is_open: bool,
}

/// The UTF-8 byte order mark.
const BOM: &str = "\u{feff}";

impl<'a> Text<'a> {
    /// Reads bytes as text.
    ///
    /// # Errors
    /// [`NotText`], with the first byte at fault.
    pub fn of(bytes: &'a [u8]) -> Result<Self, NotText> {
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            return Err(NotText::Utf16);
        }
        if let Some(at) = memchr::memchr(0, bytes) {
            return Err(NotText::Binary(at));
        }
        let bom = bytes.starts_with(BOM.as_bytes());
        let rest = if bom { &bytes[BOM.len()..] } else { bytes };
        let offset = bytes.len() - rest.len();
        let body = std::str::from_utf8(rest).map_err(|error| NotText::Utf8(error.valid_up_to() + offset))?;
        Ok(Self { bom, body })
    }

    /// The bytes of a changed body, with the byte order mark where there was one.
    #[must_use]
    pub fn with_body(&self, body: &str) -> Vec<u8> {
        [self.mark(), body].concat().into_bytes()
    }

    /// The byte order mark, or nothing.
    #[must_use]
    pub const fn mark(&self) -> &'static str {
        if self.bom { BOM } else { "" }
    }

    /// Which line endings the body has.
    #[must_use]
    pub fn endings(&self) -> Endings {
        Lines::of(&mut std::iter::once(self.body.as_bytes())).endings
    }
}

impl Lines {
    /// Looks through a text that comes in pieces, which may begin and end anywhere.
    #[must_use]
    pub fn of(pieces: &mut dyn Iterator<Item = &[u8]>) -> Self {
        let (mut ends, mut last) = (0, b'\n');
        let (mut lf, mut crlf) = (false, false);
        for piece in pieces {
            let [first, rest @ ..] = piece else { continue };
            ends += memchr::memchr_iter(b'\n', piece).count();
            lf |= *first == b'\n' && last != b'\r';
            crlf |= *first == b'\n' && last == b'\r';
            // Most texts have no CRLF at all, and one search for it is much faster than a look at every line end.
            if memchr::memmem::find(piece, b"\r\n").is_none() {
                lf |= memchr::memchr(b'\n', rest).is_some();
            } else {
                crlf = true;
                lf = lf || memchr::memchr_iter(b'\n', rest).any(|at| piece[at] != b'\r');
            }
            last = piece[piece.len() - 1];
        }
        let endings = match (lf, crlf) {
            (false, false) => Endings::None,
            (true, false) => Endings::Lf,
            (false, true) => Endings::Crlf,
            (true, true) => Endings::Mixed,
        };
        let is_open = last != b'\n';
        Self { count: ends + usize::from(is_open), endings, is_open }
    }
}

#[cfg(test)]
mod tests {
    use super::{Endings, Lines, NotText, Text};

    #[test]
    fn lines_are_the_same_in_pieces() {
        for text in ["", "a", "\n", "a\r\n\r\nb", "a\r\nb\n", "\n\r\n", "\r\r\n\ra\n", "a\n\n\nb\r"] {
            let bytes = text.as_bytes();
            let whole = Lines::of(&mut std::iter::once(bytes));
            assert_eq!(whole.count, text.split_inclusive('\n').count(), "{text:?}");
            for first in 0..=bytes.len() {
                for second in first..=bytes.len() {
                    let pieces = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                    assert_eq!(Lines::of(&mut pieces.into_iter()), whole, "{text:?} at {first} and {second}");
                }
            }
        }
    }

    #[test]
    fn only_utf8_without_nul_is_text() {
        assert_eq!(Text::of(b"\xff\xfeh\0"), Err(NotText::Utf16));
        assert_eq!(Text::of(b"\xfe\xff\0h"), Err(NotText::Utf16));
        assert_eq!(Text::of(b"h\0"), Err(NotText::Binary(1)));
        assert_eq!(Text::of(b"\xef\xbb\xbfa\xe9"), Err(NotText::Utf8(4)));
        let text = Text::of(b"\xef\xbb\xbfa\n").expect("text");
        assert_eq!((text.bom, text.body), (true, "a\n"));
        assert_eq!(text.with_body("b\n"), b"\xef\xbb\xbfb\n");
    }

    #[test]
    fn endings_are_lf_or_crlf_and_a_lone_cr_is_data() {
        let of = |body| Text { bom: false, body }.endings();
        assert_eq!(of("a\rb"), Endings::None);
        assert_eq!(of("a\n"), Endings::Lf);
        assert_eq!(of("a\r\nb\r\n"), Endings::Crlf);
        assert_eq!(of("\r\n\r\n"), Endings::Crlf);
        for mixed in ["a\r\nb\n", "a\nb\r\n", "\r\n\n", "\n\r\n", "\r\nc\r\n\n\r\n"] {
            assert_eq!(of(mixed), Endings::Mixed, "{mixed:?}");
        }
    }
}
