//! A file's lines, prepared once for all hunks of a patch.

use std::ops::Range;
use std::sync::OnceLock;

use super::nesting::{Kind, Nesting};
use crate::edit::ladder::cuts_word;
use crate::edit::occurrences::Occurrences;
use crate::edit::view::{View, collapse, key, trim};
use crate::edit::windows;

/// So many lines may be compared one by one to find a run.
const FEW: usize = 1 << 18;

/// So many hunks are looked for in a pass of their own.
const MOST_PASSES: usize = 8;

/// Where lines are, by their text.
pub(super) struct Index<'v> {
    pub(super) view: &'v View<'v>,
    /// Whether hunks are so few that equal lines are found faster by a pass for each.
    pub(super) has_few: bool,
    /// Lines by the hash of their collapsed text, sorted.
    by_key: OnceLock<Vec<(u64, u32)>>,
    collapsed: OnceLock<Collapsed>,
    kind: Kind,
    nesting: OnceLock<Nesting>,
}

/// All lines with each run of white space as one space, as one text to search in.
struct Collapsed {
    text: String,
    starts: Vec<usize>,
}

/// How alike lines are, in the order in which it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alike {
    Equal,
    Trimmed,
    Collapsed,
}

impl Alike {
    pub(super) const ALL: [Self; 3] = [Self::Equal, Self::Trimmed, Self::Collapsed];

    fn holds(self, one: &str, other: &str) -> bool {
        match self {
            Self::Equal => one == other,
            Self::Trimmed => trim(one) == trim(other),
            Self::Collapsed => collapse(one) == collapse(other),
        }
    }
}

impl<'v> Index<'v> {
    pub(super) fn new(view: &'v View<'v>, hunks: usize, kind: Kind) -> Self {
        Self {
            view,
            has_few: hunks <= MOST_PASSES,
            by_key: OnceLock::new(),
            collapsed: OnceLock::new(),
            kind,
            nesting: OnceLock::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.view.line_count()
    }

    /// The first lines of all runs that are equal, found without reading the file line by line.
    pub(super) fn equal_runs(&self, old: &[&str]) -> Vec<usize> {
        let (text, old) = (self.view.text(), old.join("\n"));
        let is_end = |at: usize| text.as_bytes().get(at).is_none_or(|byte| *byte == b'\n');
        let is_run = |at: &usize| at.checked_sub(1).is_none_or(is_end) && is_end(at + old.len());
        let places = Occurrences::new(text, &old).filter(is_run);
        places.map(|at| self.view.line_at(self.view.original(at..at).start)).collect()
    }

    /// The first lines of all runs that differ from `old` in white space only. `fits` says whether one is within bounds.
    ///
    /// Where `old` has a rare line only its places are looked at, so a thousand hunks do not read the file a thousand
    /// times.
    pub(super) fn runs(&self, old: &[&str], fits: impl Fn(usize) -> bool) -> Vec<usize> {
        let places = |line: &str| self.places(key(&collapse(line)));
        let rarest = old.iter().map(|line| places(line)).enumerate().min_by_key(|(_, places)| places.len());
        let Some((offset, places)) = rarest else { return Vec::new() };
        if places.len().saturating_mul(old.len()) > FEW {
            return windows::find(self.view, old, fits);
        }
        let starts = places.iter().filter_map(|(_, line)| (*line as usize).checked_sub(offset));
        let is_run = |start: &usize| start + old.len() <= self.len() && windows::is_equal(self.view, old, *start);
        starts.filter(is_run).filter(|start| fits(*start)).collect()
    }

    /// The lines with a hash, in order.
    fn places(&self, key: u64) -> &[(u64, u32)] {
        let by_key = self.by_key.get_or_init(|| {
            let mut by_key: Vec<(u64, u32)> = self.view.keys().iter().copied().zip(0..).collect();
            by_key.sort_unstable();
            by_key
        });
        let from = by_key.partition_point(|(other, _)| *other < key);
        let rest = &by_key[from..];
        &rest[..rest.partition_point(|(other, _)| *other == key)]
    }

    /// Whether a run is alike line by line.
    pub(super) fn is_alike(&self, old: &[&str], start: usize, how: Alike) -> bool {
        old.iter().zip(start..).all(|(old, line)| how.holds(old, self.view.line(line)))
    }

    /// The lines that an anchor may name: equal ones, else those that begin with it, else those that hold it.
    pub(super) fn named(&self, anchor: &str, within: &[Range<usize>]) -> Vec<usize> {
        let is_inside = |line: usize| holds(within, &(line..line + 1));
        let alike = self.runs(&[anchor], is_inside);
        let is_trimmed = |line: &usize| self.is_alike(&[anchor], *line, Alike::Trimmed);
        let trimmed: Vec<usize> = alike.iter().copied().filter(is_trimmed).collect();
        let found = if trimmed.is_empty() { alike } else { trimmed };
        if !found.is_empty() {
            return found;
        }
        let mut holding = self.holding(anchor);
        holding.retain(|(line, _)| is_inside(*line));
        let begins = holding.iter().any(|(_, first)| *first);
        let mut lines: Vec<usize> =
            holding.iter().filter(|(_, first)| *first == begins).map(|(line, _)| *line).collect();
        lines.dedup();
        lines
    }

    /// The lines that hold a text as whole words, and whether they begin with it.
    fn holding(&self, text: &str) -> Vec<(usize, bool)> {
        let text = collapse(text);
        let all = self.collapsed.get_or_init(|| Collapsed::of(self.view));
        memchr::memmem::find_iter(all.text.as_bytes(), text.as_bytes())
            .filter(|at| !cuts_word(&all.text, *at) && !cuts_word(&all.text, at + text.len()))
            .map(|at| {
                let line = all.starts.partition_point(|start| *start <= at) - 1;
                (line, all.starts[line] == at)
            })
            .collect()
    }

    /// The lines beneath a line, its own part first: see [`Nesting::beneath`].
    pub(super) fn beneath(&self, line: usize) -> [Range<usize>; 2] {
        self.nesting.get_or_init(|| Nesting::of(self.view, self.kind)).beneath(line)
    }
}

impl Collapsed {
    fn of(view: &View<'_>) -> Self {
        let mut text = String::with_capacity(view.body().len());
        let mut starts = Vec::with_capacity(view.line_count());
        for line in 0..view.line_count() {
            starts.push(text.len());
            text += &collapse(view.line(line));
            text.push('\n');
        }
        Self { text, starts }
    }
}

/// Whether some range holds another one. The ranges are in order and do not touch.
pub(super) fn holds(ranges: &[Range<usize>], inner: &Range<usize>) -> bool {
    let next = ranges.partition_point(|range| range.start <= inner.start);
    next > 0 && inner.end <= ranges[next - 1].end
}
