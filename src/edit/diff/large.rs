//! Which lines differ in texts of very many lines, in about linear time.
//!
//! The algorithms of the library need quadratic time where few lines repeat often: half a minute for 10 MB of a hundred
//! lines. So lines that occur once on both sides cut the texts into pieces, and long pieces are compared through a
//! window that moves on. The result is right but not always the shortest.

use std::ops::RangeInclusive;

use imara_diff::{Algorithm, Diff, Hunk, Token};

/// How many lines of each side are compared at a time, at least and at most.
const WINDOW: RangeInclusive<usize> = 64..=1024;

/// The time of a window grows with its square, so this bounds the lines times the lines of a window.
const WORK: usize = 500_000_000;

/// Compares lines. `kinds` says how many different lines there are.
pub(super) fn compare(before: &[Token], after: &[Token], kinds: u32) -> Vec<Hunk> {
    let window = (WORK / (before.len() + after.len()).max(1)).clamp(*WINDOW.start(), *WINDOW.end());
    let mut pieces = Pieces { window, kinds, diff: Diff::default(), hunks: Vec::new() };
    let (mut old, mut new) = (0, 0);
    let end = (before.len(), after.len());
    for (same_old, same_new) in fixed_points(before, after, kinds).into_iter().chain([end]) {
        pieces.compare((&before[old..same_old], old), (&after[new..same_new], new));
        (old, new) = (same_old + 1, same_new + 1);
    }
    pieces.hunks
}

/// The differences found so far.
struct Pieces {
    window: usize,
    kinds: u32,
    diff: Diff,
    hunks: Vec<Hunk>,
}

impl Pieces {
    /// Compares two pieces, each with its place in its text.
    fn compare(&mut self, (mut old, mut old_at): (&[Token], usize), (mut new, mut new_at): (&[Token], usize)) {
        while !old.is_empty() && !new.is_empty() {
            let shown = (&old[..old.len().min(self.window)], &new[..new.len().min(self.window)]);
            let is_last = shown.0.len() == old.len() && shown.1.len() == new.len();
            self.diff.compute_with(Algorithm::Myers, shown.0, shown.1, self.kinds);
            let mut found: Vec<Hunk> = self.diff.hunks().collect();
            let (mut seen_old, mut seen_new) = (shown.0.len(), shown.1.len());
            // What differs at the end of the window may be equal to what comes after it.
            let open = found.pop_if(|last| {
                let (start_old, start_new) = (last.before.start as usize, last.after.start as usize);
                let is_open = last.before.end as usize == seen_old || last.after.end as usize == seen_new;
                !is_last && is_open && start_old + start_new >= self.window / 2
            });
            if let Some(open) = open {
                (seen_old, seen_new) = (open.before.start as usize, open.after.start as usize);
            }
            for hunk in found {
                self.push((old_at, hunk.before.start, hunk.before.end), (new_at, hunk.after.start, hunk.after.end));
            }
            (old, new) = (&old[seen_old..], &new[seen_new..]);
            (old_at, new_at) = (old_at + seen_old, new_at + seen_new);
        }
        if !old.is_empty() || !new.is_empty() {
            self.push((old_at, 0, index(old.len())), (new_at, 0, index(new.len())));
        }
    }

    /// Adds a hunk, or makes the last one longer.
    fn push(&mut self, old: (usize, u32, u32), new: (usize, u32, u32)) {
        let range = |(at, start, end): (usize, u32, u32)| index(at) + start..index(at) + end;
        let hunk = Hunk { before: range(old), after: range(new) };
        match self.hunks.last_mut() {
            Some(last) if last.before.end == hunk.before.start && last.after.end == hunk.after.start => {
                (last.before.end, last.after.end) = (hunk.before.end, hunk.after.end);
            }
            Some(_) | None => self.hunks.push(hunk),
        }
    }
}

/// Lines that occur once on both sides, in the longest selection that has the same order on both.
fn fixed_points(before: &[Token], after: &[Token], kinds: u32) -> Vec<(usize, usize)> {
    let in_after = once(after, kinds);
    let pairs: Vec<(u32, u32)> =
        once(before, kinds).into_iter().zip(in_after).filter_map(|(old, new)| old.only().zip(new.only())).collect();
    in_order(pairs)
}

/// How often a line occurs. Small, since 10 MB that are rewritten have half a million different lines.
#[derive(Debug, Clone, Copy)]
enum Count {
    None,
    Once(u32),
    Often,
}

impl Count {
    fn only(self) -> Option<u32> {
        match self {
            Self::Once(at) => Some(at),
            Self::None | Self::Often => None,
        }
    }
}

fn once(lines: &[Token], kinds: u32) -> Vec<Count> {
    let mut counts = vec![Count::None; kinds as usize];
    for (at, line) in (0..).zip(lines) {
        let count = &mut counts[line.0 as usize];
        *count = match count {
            Count::None => Count::Once(at),
            Count::Once(_) | Count::Often => Count::Often,
        };
    }
    counts
}

/// The longest selection of pairs that rises on both sides, by patience sorting.
fn in_order(mut pairs: Vec<(u32, u32)>) -> Vec<(usize, usize)> {
    pairs.sort_unstable();
    // The last pair of the best selection of each length, and for each pair the one before it.
    let mut ends: Vec<u32> = Vec::new();
    let mut previous = vec![None; pairs.len()];
    for (at, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end as usize].1 < pair.1);
        previous[at] = length.checked_sub(1).map(|shorter| ends[shorter]);
        match ends.get_mut(length) {
            Some(end) => *end = index(at),
            None => ends.push(index(at)),
        }
    }
    let mut selected: Vec<(usize, usize)> = std::iter::successors(ends.last().copied(), |at| previous[*at as usize])
        .map(|at| pairs[at as usize])
        .map(|(old, new)| (old as usize, new as usize))
        .collect();
    selected.reverse();
    selected
}

fn index(lines: usize) -> u32 {
    u32::try_from(lines).expect("a text is far below 4 GiB, since the limit for files is 64 MiB")
}
