//! Which lines of one text take the place of which of another, and how two such comparisons meet.

use std::ops::Range;

use super::diff;
use super::view::{View, collapse};

/// Lines that are replaced and the lines that take their place; one of the two may be none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Lines before, counted from 0.
    pub old: Range<usize>,
    /// Lines after, counted from 0.
    pub new: Range<usize>,
}

/// The changes between two runs of lines, in order: what lies between them is equal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Changes(pub(super) Vec<Change>);

impl Changes {
    /// Compares lines byte by byte.
    pub(super) fn between(old: &[&str], new: &[&str]) -> Self {
        let before = old.iter().zip(new).take_while(|(old, new)| old == new).count();
        let rest = old[before..].iter().rev().zip(new[before..].iter().rev());
        let after = rest.take_while(|(old, new)| old == new).count();
        let (removed, added) = (before..old.len() - after, before..new.len() - after);
        if removed.is_empty() && added.is_empty() {
            return Self::default();
        }
        let shift = |change: Change| Change {
            old: change.old.start + before..change.old.end + before,
            new: change.new.start + before..change.new.end + before,
        };
        Self(diff::lines(&old[removed], &new[added]).map(shift).collect())
    }

    /// How a run of a file's lines differs from `old` in more than white space. `new` is counted from its first line.
    pub(super) fn of_file(view: &View<'_>, old: &[&str], lines: &Range<usize>) -> Self {
        let old: Vec<_> = old.iter().map(|line| collapse(line)).collect();
        let file: Vec<_> = lines.clone().map(|line| collapse(view.line(line))).collect();
        let [old, file] = [&old, &file].map(|lines| lines.iter().map(|line| &**line).collect::<Vec<_>>());
        Self::between(&old, &file)
    }

    /// The line before in whose place a line after stands, or the nearest one above.
    pub(super) fn counterpart(&self, new: usize) -> usize {
        let next = self.0.partition_point(|change| change.new.start <= new);
        match next.checked_sub(1).map(|last| &self.0[last]) {
            Some(change) if new < change.new.end => {
                let in_place = change.old.start + new - change.new.start;
                in_place.min(change.old.end.saturating_sub(1))
            }
            Some(change) => new - change.new.end + change.old.end,
            None => new,
        }
    }

    /// Where the end of the first `old` lines is in the lines after: past lines that come in right there, or not.
    pub(super) fn place(&self, old: usize, past_added: bool) -> usize {
        let end = |change: &Change| change.old.start + usize::from(!(past_added && change.old.is_empty()));
        let begins_before = |change: &Change| end(change) <= old;
        let next = self.0.partition_point(begins_before);
        match next.checked_sub(1).map(|last| &self.0[last]) {
            Some(change) if old < change.old.end => (change.new.start + old - change.old.start).min(change.new.end),
            Some(change) => old - change.old.end + change.new.end,
            None => old,
        }
    }

    /// The line after that is equal to a line before; nothing for one that is replaced.
    pub(super) fn equal(&self, old: usize) -> Option<usize> {
        let next = self.0.partition_point(|change| change.old.end <= old);
        let is_replaced = self.0.get(next).is_some_and(|change| change.old.contains(&old));
        (!is_replaced).then(|| self.place(old, true))
    }

    /// Whether a change is to some of these lines, or right beside them.
    pub(super) fn touches(&self, old: &Range<usize>) -> bool {
        let next = self.0.partition_point(|change| change.old.end < old.start);
        self.0.get(next).is_some_and(|change| change.old.start <= old.end)
    }
}
