//! Pure text: finding what is to be replaced, replacing it without touching anything else, patches, and bounded diffs.
//!
//! Nothing here reads or writes a file. Positions are byte offsets into the text as it is on disk, the byte order mark
//! apart. Lines end at LF or CRLF only; a lone CR, U+2028, U+2029, U+0085, VT and FF are data.

mod anchor;
mod changes;
mod diff;
mod doubt;
mod endings;
mod exact;
mod explain;
mod indent;
mod ladder;
mod lookalike;
mod nearest;
mod needle;
mod occurrences;
mod patch;
mod rewrite;
mod similar;
mod splice;
mod syntax;
#[cfg(test)]
mod tests;
mod text;
mod view;
mod windows;

pub use changes::Change;
pub use diff::{Diff, Frame, NO_FILE, brief, full, of_replacements};
pub use endings::with_endings_of;
pub use ladder::{Miss, Parts, Replacement, Wanted, find_all, find_each, find_one};
pub use nearest::{Near, NotFoundHelp};
pub use patch::{
    Dialect, Hunk, HunkError, Kind, MOST_SECTIONS, Patch, PatchError, Reason, Section, SectionChange, parse, resolve,
};
pub use splice::{Overlap, in_order, splice};
pub use text::{Endings, Lines, NotText, Text};
pub use view::View;

/// How far a match may be from the text that was asked for.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Match {
    /// Character by character; only line endings may differ.
    Exact,
    /// White space may differ too: the first four rungs.
    Whitespace,
    /// All five rungs: a block may also be found by its first and last line.
    #[default]
    Fuzzy,
}

/// The rung of the ladder on which a match was found, strictest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    /// Equal but for line endings; may begin and end within a line.
    Exact,
    /// Whole lines, equal but for white space at their ends.
    LineTrimmed,
    /// Whole lines, equal when every run of white space counts as one space.
    WhitespaceNormalised,
    /// Whole lines that differ in tabs, spaces or depth of their indentation only.
    IndentationFlexible,
    /// Whole lines between an equal first and last line, alike to at least 0.7.
    BlockAnchor,
}
