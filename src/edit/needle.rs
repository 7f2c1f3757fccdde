//! What is looked for and what is put there, read as a whole and line by line.

use std::borrow::Cow;
use std::ops::Range;

use super::changes::{Change, Changes, Reach};
use super::ladder::{Miss, Wanted};
use super::view::{is_blank, unify};

/// The two strings of an edit with LF for CRLF: not empty, and not equal.
#[derive(Debug)]
pub(super) struct Needle<'a> {
    pub(super) old: Cow<'a, str>,
    pub(super) new: Cow<'a, str>,
}

impl<'a> Needle<'a> {
    /// Reads a request.
    pub(super) fn of(wanted: Wanted<'a>) -> Result<Self, Miss> {
        let (old, new) = (unify(wanted.old), unify(wanted.new));
        if old.is_empty() {
            return Err(Miss::EmptyOld);
        }
        if old == new {
            return Err(Miss::Noop);
        }
        Ok(Self { old, new })
    }
}

/// The two strings of an edit as whole lines.
///
/// A final line end belongs to the line that it ends: it opens no further, empty line.
#[derive(Debug)]
pub(super) struct Block<'n> {
    pub(super) old: Vec<&'n str>,
    pub(super) new: Vec<&'n str>,
    /// Whether `old_string` takes the ending of its last line with it.
    pub(super) ended: bool,
    /// What is to happen to the lines.
    pub(super) changes: Changes,
    /// Whether the request itself says which of several equal lines it means.
    is_marked: bool,
}

impl<'n> Block<'n> {
    pub(super) fn of(needle: &'n Needle<'_>) -> Self {
        let lines = |text: &'n str| text.strip_suffix('\n').unwrap_or(text).split('\n').collect::<Vec<_>>();
        let old = lines(&needle.old);
        let ended = needle.old.ends_with('\n');
        if !ended && needle.new.ends_with('\n') {
            // Unless the empty line at the end is one that `old_string` has, too: then it stays.
            let new: Vec<&str> = needle.new.split('\n').collect();
            let changes = Changes::between(&old, &new);
            let is_kept = || changes.0.last().is_none_or(|last| !last.new.contains(&(new.len() - 1)));
            if old.last().is_some_and(|line| is_blank(line)) || is_kept() {
                return Self { old, new, ended, changes, is_marked: false };
            }
        }
        let new = if needle.new.is_empty() { Vec::new() } else { lines(&needle.new) };
        let changes = Changes::between(&old, &new);
        Self { old, new, ended, changes, is_marked: false }
    }

    /// With changes that are known, as those of a hunk whose lines say what happens to them.
    pub(super) fn with_changes(self, changes: Vec<Change>) -> Self {
        Self { changes: Changes(changes), is_marked: true, ..self }
    }

    /// The lines of `old_string` to which each change may be meant, and whether it has only that one place.
    pub(super) fn reaches(&self) -> impl Iterator<Item = (Range<usize>, bool)> {
        self.changes.0.iter().map(|change| {
            let wide = if self.is_marked { change.old.clone() } else { Reach::of(change, &self.old, &self.new).old };
            let is_fixed = wide == change.old && !change.old.is_empty();
            (wide, is_fixed)
        })
    }
}
