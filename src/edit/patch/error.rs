//! Why a patch cannot be read.

use super::line::Line;

/// The rule that a patch breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// There is no section in it.
    NoOperations,
    /// Text stands where a header belongs.
    UnexpectedLine,
    /// A line looks like a header and is none, or stands where it may not.
    BadHeader,
    /// A header without a path.
    EmptyPath,
    /// A `Move File` header that does not name exactly two paths.
    MalformedMove,
    /// Text after `*** End Patch`.
    TextAfterEnd,
    /// The patch stands in a Markdown fence or a here-document.
    Wrapped,
    /// A unified diff with `---` and `+++` headers.
    UnifiedDiff,
    /// An `Update File` that changes nothing.
    NoHunks,
    /// Text between the header and the first `@@`.
    TextBeforeHunk,
    /// A `@@` line with something after it that does not belong there.
    BadHunkHeader,
    /// A hunk without its separator.
    MissingSeparator,
    /// A hunk with two separators.
    SecondSeparator,
    /// A hunk that has nothing to find, or that changes nothing.
    EmptyHunk,
    /// A line of a V4A hunk without a prefix.
    BadHunkLine,
    /// Text that could be meant in both dialects.
    BothDialects,
    /// A `Delete File` with text after it.
    DeleteWithBody,
    /// More sections than [`super::MOST_SECTIONS`].
    TooManySections,
}

impl Reason {
    /// What to do about it, as one sentence.
    #[must_use]
    pub const fn hint(self) -> &'static str {
        match self {
            Self::NoOperations => {
                "Write at least one `*** Add File: `, `*** Update File: ` or `*** Delete File: ` section."
            }
            Self::UnexpectedLine => "Begin the patch with a section header such as `*** Update File: path`.",
            Self::BadHeader => r"Correct the header, or write `\***` when the line is text of a file.",
            Self::EmptyPath => "Write the path after the colon of the header.",
            Self::MalformedMove => "Write `*** Move File: old -> new`.",
            Self::TextAfterEnd => "Move everything before `*** End Patch`.",
            Self::Wrapped => "Send the patch alone, without the fence or the here-document around it.",
            Self::UnifiedDiff => {
                "Write `*** Update File: path` instead of the `---` and `+++` lines; the `@@` hunks may stay as they are."
            }
            Self::NoHunks => "Write at least one hunk after the header.",
            Self::TextBeforeHunk => "Write `@@` on a line of its own before the old lines.",
            Self::BadHunkHeader => {
                r"Write `@@` on a line of its own, `@@ ====` for another separator, or `\@@` when the line is text."
            }
            Self::MissingSeparator => {
                "Write the old lines, `===` at column 0 and the new lines, or prefix every line with a space, `-` or `+`."
            }
            Self::SecondSeparator => {
                r"Begin the hunk with `@@ =====` and separate it by that run, or write `\===` for a line of text."
            }
            Self::EmptyHunk => "Write the lines to be replaced, with enough around them to be found once.",
            Self::BadHunkLine => "Begin every line of the hunk with a space, `-` or `+`.",
            Self::BothDialects => {
                "Use one dialect: prefixed lines under `@@ text`, or old and new lines separated as `@@ =====` says."
            }
            Self::DeleteWithBody => "Leave the lines after `*** Delete File: path` out.",
            Self::TooManySections => "Split the patch into several ones.",
        }
    }
}

/// A patch that cannot be read: which rule it breaks, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PatchError {
    /// The rule.
    pub reason: Reason,
    /// The line of the patch, from 1.
    pub line: usize,
    /// One line of text that names the line, in the words of the seed where it has some.
    pub message: String,
}

impl PatchError {
    /// What to do about it, as one sentence.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        self.reason.hint()
    }

    pub(super) fn no_operations() -> Self {
        Self { reason: Reason::NoOperations, line: 1, message: "Patch contains no operations".to_owned() }
    }

    /// An `Invalid patch: `, with its line at the end.
    pub(super) fn invalid(reason: Reason, line: usize, what: &str) -> Self {
        Self { reason, line, message: format!("Invalid patch: {what} (line {line})") }
    }

    /// A line that does not belong where it stands.
    pub(super) fn unexpected(reason: Reason, line: &Line<'_>) -> Self {
        let what = format!("Unexpected line in patch (expected a section header): {}", line.quoted());
        Self::invalid(reason, line.number, &what)
    }
}
