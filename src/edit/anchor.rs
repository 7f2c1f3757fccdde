//! The fifth rung: a block between an equal first and last line that is alike enough, and clearly more than any other.

use std::ops::Range;

use super::Rung;
use super::needle::Block;
use super::rewrite::Found;
use super::similar::{Budget, Exhausted, Symbol, Target, quotient};
use super::view::{View, collapse, is_blank, key, trim};

/// What is alike enough.
const LEAST_SCORE: f64 = 0.7;

/// How much better than the runner-up the best must be.
const MARGIN: f64 = 0.05;

/// The work of one search, in steps of about a nanosecond: files of look-alike blocks stay within it or get no answer.
const WORK: usize = 60_000_000;

/// What the rung found.
#[derive(Debug, PartialEq)]
pub(super) enum Anchored {
    /// No block, or none that is alike enough.
    None,
    /// One block, clearly.
    One(Found),
    /// First lines, counted from 0, of blocks of which none is clearly the best.
    Several(Vec<usize>),
    /// Too many look-alikes to compare all, so none is picked.
    TooMany,
}

/// Looks for the block; `fits` says whether a run of lines is within bounds.
pub(super) fn find(view: &View<'_>, block: &Block<'_>, fits: impl Fn(&Range<usize>) -> bool) -> Anchored {
    let [first, interior @ .., last] = &block.old[..] else { return Anchored::None };
    if is_blank(first) || is_blank(last) || interior.iter().all(|line| is_blank(line)) {
        return Anchored::None;
    }
    let starts = lines_like(view, first);
    let ends = lines_like(view, last);
    let mut scores = Scores::new(view, block);
    let searched = starts.iter().try_for_each(|start| scores.blocks_from(*start, &ends, &fits));
    match searched {
        Ok(()) => scores.verdict(),
        Err(Exhausted) => Anchored::TooMany,
    }
}

fn lines_like(view: &View<'_>, wanted: &str) -> Vec<usize> {
    let wanted_key = key(&collapse(wanted));
    let keys = view.keys().iter().enumerate();
    keys.filter(|(index, key)| **key == wanted_key && trim(view.line(*index)) == trim(wanted))
        .map(|(index, _)| index)
        .collect()
}

/// The blocks compared so far.
struct Scores<'v> {
    view: &'v View<'v>,
    target: Target,
    counts: Vec<usize>,
    /// How many lines a block may have.
    sizes: Range<usize>,
    budget: Budget,
    best: f64,
    blocks: Vec<(f64, Range<usize>)>,
}

impl<'v> Scores<'v> {
    fn new(view: &'v View<'v>, block: &Block<'_>) -> Self {
        let trimmed: Vec<&str> = block.old.iter().map(|line| trim(line)).collect();
        let target = Target::new(&trimmed.join("\n"));
        let counts = target.counts();
        let lines = block.old.len();
        let sizes = lines.div_ceil(2).max(2)..2 * lines + 1;
        Self { view, target, counts, sizes, budget: Budget(WORK), best: LEAST_SCORE, blocks: Vec::new() }
    }

    /// Compares all blocks that begin at a line. The text grows line by line, so that each is read once.
    fn blocks_from(
        &mut self,
        start: usize,
        ends: &[usize],
        fits: impl Fn(&Range<usize>) -> bool,
    ) -> Result<(), Exhausted> {
        let sizes = self.sizes.clone();
        let from = ends.partition_point(|&end| end < start + sizes.start - 1);
        let ends = ends[from..].iter().take_while(|&&end| end < start + sizes.end - 1);
        let mut text = Growing { symbols: Vec::new(), left: Vec::new(), shared: 0 };
        let mut read = start;
        for &end in ends {
            let lines = start..end + 1;
            if text.left.is_empty() {
                self.budget.spend(self.counts.len())?;
                text.left.clone_from(&self.counts);
            }
            while read < lines.end {
                self.budget.spend(8 + self.view.line(read).len())?;
                text.push(&self.target, trim(self.view.line(read)));
                read += 1;
            }
            let worth = self.best - MARGIN;
            let total = text.symbols.len() + self.target.len();
            if text.symbols.len() > self.target.len() && quotient(self.target.len(), total) < worth {
                break;
            }
            if quotient(text.shared, total) >= worth && fits(&lines) {
                let score = self.target.ratio(&text.symbols, &mut self.budget)?;
                self.best = self.best.max(score);
                self.blocks.push((score, lines));
            }
        }
        Ok(())
    }

    /// Decides. A runner-up within the margin counts even where it is not alike enough itself.
    fn verdict(mut self) -> Anchored {
        let best = self.best;
        self.blocks.retain(|(score, _)| best - score < MARGIN - 1e-9);
        if !self.blocks.iter().any(|(score, _)| *score >= LEAST_SCORE) {
            return Anchored::None;
        }
        match &self.blocks[..] {
            [(score, lines)] => Anchored::One(Found { lines: lines.clone(), rung: Rung::BlockAnchor, score: *score }),
            blocks => Anchored::Several(blocks.iter().map(|(_, lines)| lines.start).collect()),
        }
    }
}

/// The text of a block that is read line by line, and how many of its characters the target has too.
struct Growing {
    symbols: Vec<Symbol>,
    /// How often each symbol of the target has not been met yet.
    left: Vec<usize>,
    /// An upper bound of what can be matched.
    shared: usize,
}

impl Growing {
    fn push(&mut self, target: &Target, line: &str) {
        let separator = (!self.symbols.is_empty()).then_some('\n');
        for character in separator.into_iter().chain(line.chars()) {
            let symbol = target.symbol(character);
            self.symbols.push(symbol);
            if let Some(left) = self.left.get_mut(symbol as usize).filter(|left| **left > 0) {
                *left -= 1;
                self.shared += 1;
            }
        }
    }
}
