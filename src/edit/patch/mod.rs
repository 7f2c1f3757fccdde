//! Patches of several files in two dialects: what `apply_patch` takes.
//!
//! ```text
//! patch    = [ "*** Begin Patch" ] section { section } [ "*** End Patch" ]
//! section  = "*** Add File: " path    body
//!          | "*** Update File: " path [ "*** Move to: " path ] { hunk }
//!          | "*** Move File: " path " -> " path { hunk }
//!          | "*** Delete File: " path
//! ```
//!
//! Headers stand at column 0; white space at their end does not count. CRLF is read as LF. Everything that is not
//! understood is refused with its line: nothing of a patch is ever skipped, except blank lines between its parts.
//!
//! # The block dialect
//!
//! A hunk is `@@`, the old lines, `===`, and the new lines. The old lines go through the ladder of `edit_file`, so they
//! may begin and end within a line. No new lines at all delete the old ones.
//!
//! - **Another separator.** `@@ =====` (four or more `=`) says that this run separates the hunk, so that `===` is text.
//! - **Escape.** A line that would be read as a marker (`*** …`, `@@…`, or only `=`, three or more) is text when a
//!   backslash stands before it: `\*** Add File: x`, `\@@`, `\===`. One backslash is taken away, so `\\===` is the text
//!   `\===`. This holds in hunks and in the bodies of `Add File`, where only `*** …` has to be escaped.
//! - **Blank lines at the end of a hunk** are text up to as many as end the old lines; the others are the layout of the
//!   patch, and [`Hunk::layout`] counts them. A blank line is added on purpose by writing the line after it too.
//! - **A body of `Add File`** is literal, blank lines included, and every line of it ends with LF.
//!
//! # V4A
//!
//! Lines of a hunk begin with a space, `-` or `+`; an empty line is an empty line of context. `@@ text` names a line
//! above the hunk, and several of them in a row nest. `*** End of File` says that the hunk ends the file. The numbers
//! of `@@ -1,3 +1,4 @@ text` are not believed. The first `@@` may be left out. Lines are matched as whole lines only.
//! An `Add File` of which every line begins with `+` is V4A too; a file of such lines is added with `++`.
//!
//! # Which one it is
//!
//! A section with a line `===` at column 0, or with `@@ ====`, is in the block dialect; every other one is V4A. A hunk
//! that could be meant in both is refused.

mod error;
mod index;
mod line;
mod narrow;
mod nesting;
mod parse;
mod resolve;
mod seed;
mod update;
mod v4a;
mod whole;

#[cfg(test)]
mod tests;

use super::changes::Change;

pub use error::{PatchError, Reason};
pub use nesting::Kind;
pub use parse::parse;
pub use resolve::{HunkError, resolve};

/// How many sections a patch may have.
pub const MOST_SECTIONS: usize = 1_000;

/// A patch as it was written: nothing is looked up yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// Its sections, in the order of the patch; never empty.
    pub sections: Vec<Section>,
}

/// What is to happen with one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The line of the header in the patch, from 1.
    pub line: usize,
    /// The path of the header; not empty, and otherwise not checked.
    pub path: String,
    /// The change.
    pub change: SectionChange,
}

/// The kinds of sections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SectionChange {
    /// A new file.
    Add {
        /// All of its text; every line ends with LF.
        content: String,
    },
    /// Another text, and perhaps another path.
    Update {
        /// The hunks, in the order of the patch; never empty.
        hunks: Vec<Hunk>,
        /// Where the file is moved to.
        move_to: Option<String>,
    },
    /// The file goes.
    Delete,
    /// Another path and the same text.
    Move {
        /// Where the file is moved to.
        to: String,
    },
}

/// The form in which a hunk is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Old lines, `===`, new lines.
    Blocks,
    /// Lines with a prefix; these are matched as whole lines only.
    V4a,
}

/// A block of lines and what takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The line of its first `@@` in the patch, or of its first line where `@@` is left out.
    pub line: usize,
    /// The form in which it is written.
    pub dialect: Dialect,
    /// The lines to find, each ended by LF; empty where lines are only inserted.
    pub old: String,
    /// The lines that take their place, each ended by LF; empty where lines are only deleted.
    pub new: String,
    /// What its prefixes say happens to the lines; empty in the block dialect, where both sides are compared.
    pub changes: Vec<Change>,
    /// The lines that stand above it, from the outermost to the innermost.
    pub anchors: Vec<String>,
    /// Whether it has to match at the end of the file.
    pub at_end: bool,
    /// How many blank lines at its end were taken as the layout of the patch.
    pub layout: usize,
}
