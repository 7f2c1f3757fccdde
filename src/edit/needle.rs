//! What is looked for and what is put there, read as a whole and line by line.

use std::borrow::Cow;

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
    pub(super) alignment: Alignment,
}

impl<'n> Block<'n> {
    pub(super) fn of(needle: &'n Needle<'_>) -> Self {
        let lines = |text: &'n str| text.strip_suffix('\n').unwrap_or(text).split('\n').collect::<Vec<_>>();
        let old = lines(&needle.old);
        let new = if needle.new.is_empty() { Vec::new() } else { lines(&needle.new) };
        let alignment = Alignment::of(&old, &new);
        Self { old, new, ended: needle.old.ends_with('\n'), alignment }
    }
}

/// Which lines an edit leaves alone: equal ones before and after the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Alignment {
    pub(super) before: usize,
    pub(super) after: usize,
    old: usize,
    new: usize,
}

impl Alignment {
    pub(super) fn of(old: &[&str], new: &[&str]) -> Self {
        let before = old.iter().zip(new).take_while(|(old, new)| old == new).count();
        let rest = old[before..].iter().rev().zip(new[before..].iter().rev());
        let after = rest.take_while(|(old, new)| old == new).count();
        Self { before, after, old: old.len(), new: new.len() }
    }

    /// The old line in whose place a new line stands, or the nearest one.
    pub(super) fn counterpart(&self, new: usize) -> usize {
        let from_end = self.new - new;
        if from_end <= self.after {
            return self.old - from_end;
        }
        new.min((self.old - self.after).saturating_sub(1))
    }
}
