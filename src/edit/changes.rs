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

    /// How a run of a file's lines differs from `old` in more than white space, read from the top and from the bottom.
    /// The file's lines are counted from the first of the run.
    pub(super) fn of_file(view: &View<'_>, old: &[&str], lines: &Range<usize>) -> Drift {
        let old: Vec<_> = old.iter().map(|line| collapse(line)).collect();
        let file: Vec<_> = lines.clone().map(|line| collapse(view.line(line))).collect();
        let [mut old, mut file] = [&old, &file].map(|lines| lines.iter().map(|line| &**line).collect::<Vec<_>>());
        let changes = Self::between(&old, &file);
        let mut reach: Vec<Reach> = changes.0.iter().map(|change| Reach::of(change, &old, &file)).collect();
        old.reverse();
        file.reverse();
        let (old_count, count) = (old.len(), file.len());
        reach.extend(Self::between(&old, &file).0.iter().map(|change| {
            let Reach { old, file, is_blank } = Reach::of(change, &old[..], &file[..]);
            Reach {
                old: old_count - old.end..old_count - old.start,
                file: count - file.end..count - file.start,
                is_blank,
            }
        }));
        Drift { changes, reach }
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

    /// The line before in whose place a line after stands; nothing for one that comes in or is kept.
    pub(super) fn replaced(&self, new: usize) -> Option<usize> {
        let change = &self.0[self.0.partition_point(|change| change.new.start <= new).checked_sub(1)?];
        Some(change.old.start + new - change.new.start).filter(|old| new < change.new.end && *old < change.old.end)
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
}

/// How a run of a file's lines differs from those that were looked for.
pub(super) struct Drift {
    pub(super) changes: Changes,
    /// Where each difference may be: a line that is missing among equal ones may be any of them.
    pub(super) reach: Vec<Reach>,
}

/// Lines within which a difference may be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reach {
    pub(super) old: Range<usize>,
    pub(super) file: Range<usize>,
    /// Whether only blank lines come and go.
    pub(super) is_blank: bool,
}

impl Reach {
    pub(super) fn of(change: &Change, old: &[&str], file: &[&str]) -> Self {
        let is_blank = old[change.old.clone()].iter().chain(&file[change.new.clone()]).all(|line| line.is_empty());
        let (up, down) = match (change.old.is_empty(), change.new.is_empty()) {
            (true, _) => slide(&change.new, file),
            (_, true) => slide(&change.old, old),
            (false, false) => (0, 0),
        };
        let wider = |lines: &Range<usize>, most: usize| lines.start.saturating_sub(up)..(lines.end + down).min(most);
        Self { old: wider(&change.old, old.len()), file: wider(&change.new, file.len()), is_blank }
    }
}

/// By how many lines a run may move up and down among lines that are equal to it.
fn slide(run: &Range<usize>, lines: &[&str]) -> (usize, usize) {
    let up = (0..run.start).take_while(|by| lines[run.start - 1 - by] == lines[run.end - 1 - by]).count();
    let down = (run.end..lines.len()).take_while(|at| lines[*at] == lines[at - run.len()]).count();
    (up, down)
}
