//! From the hunks of a file to the bytes that change, all found in the original text.

use std::ops::Range;

use super::index::Index;
use super::narrow::{Narrow, narrow};
use super::nesting::Kind;
use super::{Dialect, Hunk, whole};
use crate::edit::Match;
use crate::edit::ladder::{Miss, Parts, Replacement, Wanted, find_each};
use crate::edit::nearest::NotFoundHelp;
use crate::edit::view::View;

/// Why hunks do not fit the text of their file. `line` is that of the hunk in the patch.
#[derive(Debug, Clone, PartialEq)]
pub enum HunkError {
    /// Lines are only inserted, and nothing says where.
    Empty {
        /// The hunk.
        line: usize,
    },
    /// Nothing would change.
    Noop {
        /// The hunk.
        line: usize,
    },
    /// The old lines are nowhere.
    NotFound {
        /// The hunk.
        line: usize,
        /// How the old lines begin.
        preview: String,
        /// Where something like them stands.
        help: NotFoundHelp,
    },
    /// The old lines are in several places.
    Ambiguous {
        /// The hunk.
        line: usize,
        /// How the old lines begin, or the new ones where there are no old ones.
        preview: String,
        /// How many places.
        count: usize,
        /// Lines of the file on which the first ten begin.
        lines: Vec<usize>,
    },
    /// A `@@ text` names no line of the file, or none beneath the one named before it.
    AnchorNotFound {
        /// The hunk.
        line: usize,
        /// The text.
        anchor: String,
    },
    /// Two hunks change the same lines, or insert at the same place.
    Overlap {
        /// The hunk that comes first in the patch.
        first_line: usize,
        /// The other one.
        second_line: usize,
    },
}

impl HunkError {
    /// What is wrong, in the words of the seed where it has some. `verb` is `update` or `move`.
    #[must_use]
    pub fn message(&self, verb: &str, path: &str) -> String {
        match self {
            Self::Empty { line } => format!("Empty hunk in {verb} for '{path}' (line {line})"),
            Self::Noop { line } => format!("Hunk changes nothing in '{path}' (line {line})"),
            Self::NotFound { line, preview, help: _ } => {
                format!("Hunk not found in '{path}': '{preview}' (line {line})")
            }
            Self::Ambiguous { line, preview, count, lines: _ } => {
                format!("Ambiguous hunk in '{path}': '{preview}' matches {count} locations (line {line})")
            }
            Self::AnchorNotFound { line, anchor } => format!("Context not found in '{path}': '{anchor}' (line {line})"),
            Self::Overlap { first_line, second_line } => {
                format!("Overlapping hunks in '{path}' (lines {first_line} and {second_line})")
            }
        }
    }
}

/// Finds all hunks in a body, which is that of the file as it is: no hunk sees what another one does.
///
/// Guarantees: the replacements are in the order of the text, do not overlap, and do not hold equal lines at their
/// ends. The order of the hunks makes no difference.
///
/// # Errors
/// [`HunkError`], of the first hunk that does not fit.
pub fn resolve(body: &str, hunks: &[&Hunk], (how, kind): (Match, Kind)) -> Result<Vec<Replacement>, HunkError> {
    let view = View::new(body);
    let index = Index::new(&view, hunks.len(), kind);
    let wanted: Vec<Wanted<'_>> =
        hunks.iter().filter(|hunk| hunk.dialect == Dialect::Blocks).map(|hunk| hunk.wanted()).collect();
    let mut blocks = find_each(&view, &wanted, how, Parts::Words).into_iter();
    let mut found = Vec::with_capacity(hunks.len());
    for hunk in hunks {
        let narrowed = match hunk.dialect {
            Dialect::Blocks => {
                let block = blocks.next().expect("one answer for each hunk of this dialect");
                narrow(&view, hunk, block.map_err(|miss| missed(hunk, miss))?)
            }
            Dialect::V4a => whole::locate(&index, hunk, how)?,
        };
        let Replacement { range, text, .. } = &narrowed.replacement;
        if body[range.clone()] == **text {
            return Err(HunkError::Noop { line: hunk.line });
        }
        found.push((hunk.line, narrowed));
    }
    in_order(found)
}

fn in_order(mut found: Vec<(usize, Narrow)>) -> Result<Vec<Replacement>, HunkError> {
    found.sort_by_key(|(_, one)| (one.replacement.range.start, one.replacement.range.end));
    let meet = |one: &Range<usize>, other: &Range<usize>| one.end > other.start && other.end > one.start;
    // Reaches are as long as a run of equal lines: only neighbours can meet, unless those meet, too.
    for two in found.windows(2) {
        let [(first_line, first), (second_line, second)] = two else { continue };
        let (one, other) = (&first.replacement.range, &second.replacement.range);
        // Which of two insertions comes first would be a guess.
        let is_guess = one == other || meet(&first.reach, other) || meet(one, &second.reach);
        if one.end > other.start || is_guess {
            return Err(HunkError::Overlap {
                first_line: *first_line.min(second_line),
                second_line: *first_line.max(second_line),
            });
        }
    }
    Ok(found.into_iter().map(|(_, one)| one.replacement).collect())
}

/// A miss of the ladder as one of a hunk.
pub(super) fn missed(hunk: &Hunk, miss: Miss) -> HunkError {
    let line = hunk.line;
    match miss {
        Miss::EmptyOld => HunkError::Empty { line },
        Miss::Noop => HunkError::Noop { line },
        Miss::NotFound(help) => HunkError::NotFound { line, preview: hunk.preview(50), help },
        Miss::Ambiguous { rung: _, count, lines } => {
            HunkError::Ambiguous { line, preview: hunk.preview(30), count, lines }
        }
    }
}

impl Hunk {
    /// As the ladder takes it: the last line end is left out, so that a match may end within a line.
    fn wanted(&self) -> Wanted<'_> {
        let open = |text: &'_ str| text.len() - usize::from(text.ends_with('\n'));
        Wanted { old: &self.old[..open(&self.old)], new: &self.new[..open(&self.new)] }
    }

    /// How its old lines begin, or its new ones where it has no old ones.
    pub(super) fn preview(&self, characters: usize) -> String {
        let shown = if self.old.is_empty() { &self.new } else { &self.old };
        shown.trim_end_matches('\n').chars().take(characters).collect()
    }
}
