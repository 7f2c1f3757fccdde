//! Commit text: a subject on a single line, and a body.

use super::{BODY_FORMAT, SUBJECT_FORMAT, text_value};

const MAX_SUBJECT: usize = 500;
const MAX_BODY: usize = 20_000;

/// A commit's subject: 1 to 500 characters on a single line, not only white space, no control characters but tab.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Subject(String);

/// A commit's body: 1 to 20,000 characters, not only white space, no control characters but tab and line ends.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Body(String);

/// Why a text cannot be commit text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// Nothing, or only white space: gt refuses it after it has started.
    #[error("the text is empty or only white space")]
    Blank,
    /// Over the limit.
    #[error("the text has at most {0} characters")]
    TooLong(usize),
    /// A subject with a line end.
    #[error("the subject must be a single line")]
    SeveralLines,
    /// A control character: gt stores it and later prints it raw to a terminal.
    #[error("the text holds the control character U+{0:04X}")]
    Control(u32),
}

impl Subject {
    fn check(text: &str) -> Result<(), TextError> {
        if text.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}', '\u{b}', '\u{c}']) {
            return Err(TextError::SeveralLines);
        }
        check(text, MAX_SUBJECT, &['\t'])
    }
}

impl Body {
    fn check(text: &str) -> Result<(), TextError> {
        check(text, MAX_BODY, &['\t', '\n', '\r'])
    }
}

fn check(text: &str, max: usize, allowed: &[char]) -> Result<(), TextError> {
    if text.trim().is_empty() {
        return Err(TextError::Blank);
    }
    if text.chars().count() > max {
        return Err(TextError::TooLong(max));
    }
    match text.chars().find(|c| c.is_control() && !allowed.contains(c)) {
        Some(c) => Err(TextError::Control(u32::from(c))),
        None => Ok(()),
    }
}

text_value!(Subject, TextError, SUBJECT_FORMAT, "Subject", MAX_SUBJECT, "The commit's subject, a single line.");
text_value!(Body, TextError, BODY_FORMAT, "Body", MAX_BODY, "The commit's body.");

#[cfg(test)]
mod tests {
    use super::{Body, Subject, TextError};

    #[test]
    fn a_subject_is_one_line_within_the_limit() {
        let parse = |s: &str| Subject::try_from(s.to_owned()).map(|_| ());
        assert_eq!(parse("-rf --force"), Ok(()));
        assert_eq!(parse(&"é".repeat(500)), Ok(()));
        assert_eq!(parse(&"é".repeat(501)), Err(TextError::TooLong(500)));
        assert_eq!(parse(" \t"), Err(TextError::Blank));
        for text in ["a\nb", "a\rb", "a\u{2028}b"] {
            assert_eq!(parse(text), Err(TextError::SeveralLines), "{text:?}");
        }
        assert_eq!(parse("a\0b"), Err(TextError::Control(0)));
        assert_eq!(parse("a\u{1b}[31mb"), Err(TextError::Control(0x1b)));
    }

    #[test]
    fn a_body_may_have_lines_but_no_escapes() {
        let parse = |s: &str| Body::try_from(s.to_owned()).map(|_| ());
        assert_eq!(parse("a\r\n\n# b\n--no-verify"), Ok(()));
        assert_eq!(parse(&"x".repeat(20_001)), Err(TextError::TooLong(20_000)));
        assert_eq!(parse("\n \n"), Err(TextError::Blank));
        assert_eq!(parse("a\u{7}"), Err(TextError::Control(7)));
    }
}
