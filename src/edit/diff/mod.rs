//! Unified diffs of bounded size, as `patch -p1` and `git apply` take them while they are whole.
//!
//! Lines end at LF, and a CR before it is part of the line, so a change of line endings alone is visible. The time is
//! about linear, also for files of a few lines that repeat: what both texts begin and end with is set aside, and the
//! rest is compared by the histogram algorithm, which falls back to Myers with its bounds.

mod brief;
mod edits;
mod large;
mod unified;

#[cfg(test)]
mod tests;

use super::changes::Change;
use super::ladder::Replacement;

pub use brief::brief;

/// What a path is when there is no file before or after.
pub const NO_FILE: &str = "/dev/null";

/// The last line of a diff that was cut.
const CUT: &str = "... (diff truncated)\n";

/// A unified diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diff {
    /// The text, with its two header lines; empty when nothing changes. Not more bytes than were allowed, except that a
    /// cut one always says so.
    pub text: String,
    /// Whether it was cut.
    pub truncated: bool,
    /// How many lines are new, whether shown or not.
    pub added: usize,
    /// How many lines are gone, whether shown or not.
    pub removed: usize,
}

/// The paths and the size of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The path before, or [`NO_FILE`].
    pub before: &'a str,
    /// The path after, or [`NO_FILE`].
    pub after: &'a str,
    /// How many bytes the text may have.
    pub limit: usize,
}

/// Which lines differ, in order, with what lies between them equal.
pub(super) fn lines(old: &[&str], new: &[&str]) -> impl Iterator<Item = Change> {
    let mut input = imara_diff::InternedInput::default();
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    let range = |lines: std::ops::Range<u32>| lines.start as usize..lines.end as usize;
    edits::hunks(&input).into_iter().map(move |hunk| Change { old: range(hunk.before), new: range(hunk.after) })
}

/// The diff of two texts.
#[must_use]
pub fn full(frame: &Frame<'_>, before: &str, after: &str) -> Diff {
    let middle = edits::middle(before, after);
    let place = edits::Place { byte: middle.start, line: edits::line_ends(&before[..middle.start]) };
    let edits = edits::between(place, &before[middle.start..middle.before], &after[middle.start..middle.after]);
    unified::render(frame, before, &edits)
}

/// The same diff where the changes are known already: only lines around them are compared.
///
/// The replacements must not overlap; they may come in any order.
#[must_use]
pub fn of_replacements(frame: &Frame<'_>, before: &str, replacements: &[Replacement]) -> Diff {
    let mut edits: Vec<edits::Edit<'static>> = Vec::new();
    let mut shown = 0;
    for group in edits::groups(before, replacements) {
        for edit in edits::between(group.place, &before[group.old.clone()], &group.new) {
            // Once the page is full, new lines are only counted.
            let new = if shown > frame.limit { String::new() } else { edit.new.into_owned() };
            shown += edit.old.len() + new.len();
            edits.push(edits::Edit { new: new.into(), ..edit });
        }
    }
    unified::render(frame, before, &edits)
}
