//! The fifth rung: a block between an equal first and last line that is alike enough, and clearly more than any other.

use std::collections::HashMap;
use std::ops::Range;

use super::Rung;
use super::changes::{Changes, Drift, Reach};
use super::doubt::Doubt;
use super::needle::Block;
use super::rewrite::Found;
use super::similar::{Budget, Exhausted, Symbol, Target, quotient};
use super::syntax::{defines, leads};
use super::view::{View, collapse, indent, is_blank, key, trim};

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
    /// One that is not taken.
    Doubtful(Doubt),
}

/// Looks for the block; `fits` says whether a run of lines is within bounds.
pub(super) fn find(view: &View<'_>, block: &Block<'_>, fits: impl Fn(&Range<usize>) -> bool) -> Anchored {
    match alike(view, block, fits) {
        Ok(Verdict::None) => Anchored::None,
        Ok(Verdict::Several(starts)) => Anchored::Several(starts),
        Ok(Verdict::One(score, lines)) => settle(view, block, score, lines),
        Err(Exhausted) => Anchored::Doubtful(Doubt::TooMany),
    }
}

/// What the scores alone say.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    None,
    One(f64, Range<usize>),
    Several(Vec<usize>),
}

/// Compares all blocks between equal first and last lines.
pub(super) fn alike(
    view: &View<'_>,
    block: &Block<'_>,
    fits: impl Fn(&Range<usize>) -> bool,
) -> Result<Verdict, Exhausted> {
    let [first, interior @ .., last] = &block.old[..] else { return Ok(Verdict::None) };
    if is_blank(first) || is_blank(last) || interior.iter().all(|line| is_blank(line)) {
        return Ok(Verdict::None);
    }
    let starts = lines_like(view, first);
    let ends = lines_like(view, last);
    let mut scores = Scores::new(view, block);
    starts.iter().try_for_each(|start| scores.blocks_from(*start, &ends, &fits))?;
    Ok(scores.verdict())
}

/// Takes the block if it is the one that is meant, and if what is to be changed in it is there.
fn settle(view: &View<'_>, block: &Block<'_>, score: f64, lines: Range<usize>) -> Anchored {
    let Drift { changes: drift, reach } = Changes::of_file(view, &block.old, &lines);
    let sides = Sides { view, block, start: lines.start, drift: &drift };
    let doubt = sides.another(&lines).or_else(|| sides.common(&lines)).or_else(|| sides.touched(&reach));
    match doubt {
        Some(doubt) => Anchored::Doubtful(doubt),
        None => Anchored::One(Found { lines, rung: Rung::BlockAnchor, score, drift }),
    }
}

/// A block of the file beside the one that is looked for.
struct Sides<'s, 'a> {
    view: &'s View<'a>,
    block: &'s Block<'a>,
    start: usize,
    drift: &'s Changes,
}

impl Sides<'_, '_> {
    /// Lines at the outermost depth that others are deeper beneath name what these do: with another name it is another
    /// block.
    fn another(&self, lines: &Range<usize>) -> Option<Doubt> {
        let file: Vec<&str> = lines.clone().map(|line| self.view.line(line)).collect();
        let (named_old, named_file) = (Named::of(&self.block.old), Named::of(&file));
        let change = self.drift.0.iter().find(|change| {
            change.old.clone().any(|line| named_old.holds(line))
                || change.new.clone().any(|line| named_file.holds(line))
        })?;
        Some(Doubt::Another { line: self.start + change.new.start })
    }

    /// Something that both have must stand nowhere else in the file.
    fn common(&self, lines: &Range<usize>) -> Option<Doubt> {
        let keys = self.view.keys();
        let shared = (0..self.block.old.len()).filter_map(|old| Some(self.start + self.drift.equal(old)?));
        let tells = |line: &usize| self.view.line(*line).contains(char::is_alphanumeric);
        let mut counts: HashMap<u64, usize> = shared.filter(tells).map(|line| (keys[line], 0)).collect();
        for key in keys {
            if let Some(count) = counts.get_mut(key) {
                *count += 1;
            }
        }
        let is_named = counts.values().any(|count| *count == 1);
        (!is_named).then_some(Doubt::Common { lines: (lines.start, lines.end) })
    }

    /// As in every three-way merge, changes of both sides to the same lines, or to neighbours, are for a person.
    /// Blank lines only matter where nothing but their place says which lines are meant.
    fn touched(&self, drift: &[Reach]) -> Option<Doubt> {
        let meets = |reach: &&Reach| {
            self.block.reaches().any(|(old, is_fixed)| {
                old.start <= reach.old.end && reach.old.start <= old.end && !(reach.is_blank && is_fixed)
            })
        };
        let reach = drift.iter().find(meets)?;
        Some(Doubt::Touched { line: self.start + reach.file.start })
    }
}

/// Which lines of a block name what is beneath them.
struct Named<'l> {
    lines: &'l [&'l str],
    /// The outermost depth, where there are deeper ones.
    outer: Option<usize>,
}

impl<'l> Named<'l> {
    fn of(lines: &'l [&'l str]) -> Self {
        let depths = || lines.iter().filter(|line| !is_blank(line)).map(|line| indent(line).len());
        let outer = depths().min().filter(|outer| depths().max() != Some(*outer));
        Self { lines, outer }
    }

    fn holds(&self, at: usize) -> bool {
        let line = self.lines[at];
        let is_outer = |line: &str| Some(indent(line).len()) == self.outer;
        if is_blank(line) || !is_outer(line) || leads(line) {
            return false;
        }
        let next = self.lines[at + 1..].iter().find(|line| !is_blank(line));
        let has_deeper = next.is_some_and(|next| !is_outer(next) || trim(next) == "{");
        has_deeper || defines(line) || trim(line).starts_with(['@', '#'])
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
    fn verdict(mut self) -> Verdict {
        let best = self.best;
        self.blocks.retain(|(score, _)| best - score < MARGIN - 1e-9);
        if !self.blocks.iter().any(|(score, _)| *score >= LEAST_SCORE) {
            return Verdict::None;
        }
        match &self.blocks[..] {
            [(score, lines)] => Verdict::One(*score, lines.clone()),
            blocks => Verdict::Several(blocks.iter().map(|(_, lines)| lines.start).collect()),
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
