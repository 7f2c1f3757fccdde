//! Every place of an exact text, also where places overlap, in time that grows with the text alone.

use std::ops::Range;

use aho_corasick::AhoCorasick;
use memchr::memmem;

/// More places than these are not counted: the answer is the same, and texts of one repeated character stay cheap.
pub(super) const MOST_COUNTED: usize = 100_000;

/// Needles of one automaton, in bytes: bounds its memory.
const BATCH_BYTES: usize = 1 << 20;

/// Below this many needles each is found faster on its own.
const FEW: usize = 8;

/// The places of a needle from left to right, overlapping ones too.
pub(super) struct Occurrences<'t> {
    text: &'t [u8],
    needle: &'t [u8],
    finder: memmem::Finder<'t>,
    last: Option<usize>,
    /// The needle's period, while places follow each other at that distance.
    ///
    /// Without it a needle of a thousand equal lines would be compared a thousand bytes at a time at each line.
    period: Option<usize>,
}

impl<'t> Occurrences<'t> {
    pub(super) fn new(text: &'t str, needle: &'t str) -> Self {
        let (text, needle) = (text.as_bytes(), needle.as_bytes());
        Self { text, needle, finder: memmem::Finder::new(needle), last: None, period: None }
    }
}

impl Iterator for Occurrences<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let size = self.needle.len();
        if let (Some(last), Some(period)) = (self.last, self.period) {
            let end = last + size;
            if self.text.get(end..end + period) == Some(&self.needle[size - period..]) {
                self.last = Some(last + period);
                return self.last;
            }
            self.period = None;
        }
        let from = self.last.map_or(0, |last| last + 1);
        let at = from + self.finder.find(self.text.get(from..)?)?;
        // Two places less than half a needle apart are one smallest period apart, so none lies between them.
        self.period = self.last.map(|last| at - last).filter(|distance| *distance <= size / 2);
        self.last = Some(at);
        self.last
    }
}

/// The places of one needle: how many, up to [`MOST_COUNTED`], and the first ten.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) count: usize,
    pub(super) first: Vec<usize>,
}

impl Tally {
    pub(super) fn of(places: impl Iterator<Item = usize>) -> Self {
        let mut tally = Self::default();
        places.take(MOST_COUNTED).for_each(|at| tally.add(at));
        tally
    }

    fn add(&mut self, at: usize) {
        if self.count < MOST_COUNTED {
            self.count += 1;
        }
        if self.first.len() < 10 {
            self.first.push(at);
        }
    }
}

/// The places of each of many needles, none of which is empty. `fits` says whether a place counts.
pub(super) fn tally_each(text: &str, needles: &[&str], fits: impl Fn(&Range<usize>) -> bool) -> Vec<Tally> {
    let mut tallies = Vec::with_capacity(needles.len());
    let mut rest = needles;
    while !rest.is_empty() {
        let mut bytes = 0;
        let small = rest.iter().take_while(|needle| {
            bytes += needle.len();
            bytes <= BATCH_BYTES
        });
        let (batch, later) = rest.split_at(small.count().max(1));
        let found = if batch.len() < FEW { None } else { together(text, batch, &fits) };
        tallies.extend(found.unwrap_or_else(|| alone(text, batch, &fits)));
        rest = later;
    }
    tallies
}

fn alone(text: &str, needles: &[&str], fits: impl Fn(&Range<usize>) -> bool) -> Vec<Tally> {
    let of = |needle: &&str| {
        let size = needle.len();
        Tally::of(Occurrences::new(text, needle).filter(|&at| fits(&(at..at + size))))
    };
    needles.iter().map(of).collect()
}

/// One pass for all; nothing when they match so often that one by one is cheaper.
fn together(text: &str, needles: &[&str], fits: impl Fn(&Range<usize>) -> bool) -> Option<Vec<Tally>> {
    let automaton = AhoCorasick::new(needles).ok()?;
    let mut tallies = vec![Tally::default(); needles.len()];
    for (seen, found) in automaton.find_overlapping_iter(text).enumerate() {
        if seen > text.len() {
            return None;
        }
        if fits(&found.range()) {
            tallies[found.pattern().as_usize()].add(found.start());
        }
    }
    Some(tallies)
}
