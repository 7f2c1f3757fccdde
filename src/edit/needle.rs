//! What is looked for and what is put there, read as a whole and line by line.

use std::borrow::Cow;

use super::changes::{Change, Changes};
use super::ladder::{Miss, Wanted};
use super::view::unify;

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
}

impl<'n> Block<'n> {
    pub(super) fn of(needle: &'n Needle<'_>) -> Self {
        let lines = |text: &'n str| text.strip_suffix('\n').unwrap_or(text).split('\n').collect::<Vec<_>>();
        let old = lines(&needle.old);
        let ended = needle.old.ends_with('\n');
        if !ended && needle.new.ends_with('\n') {
            // Unless the empty line at the end is one that `old_string` has: then it stays.
            let new: Vec<&str> = needle.new.split('\n').collect();
            let changes = Changes::between(&old, &new);
            if changes.0.last().is_none_or(|last| !last.new.contains(&(new.len() - 1))) {
                return Self { old, new, ended, changes };
            }
        }
        let new = if needle.new.is_empty() { Vec::new() } else { lines(&needle.new) };
        let changes = Changes::between(&old, &new);
        Self { old, new, ended, changes }
    }

    /// With changes that are known, as those of a hunk whose lines say what happens to them.
    pub(super) fn with_changes(self, changes: Vec<Change>) -> Self {
        Self { changes: Changes(changes), ..self }
    }
}
