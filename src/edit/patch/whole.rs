//! The ladder for V4A: whole lines only, and beneath the lines that a hunk names.

use std::ops::Range;

use super::index::{Alike, Index, holds};
use super::narrow::{Narrow, from_first_to_last};
use super::resolve::HunkError;
use super::{Hunk, resolve};
use crate::edit::anchor::{self, Anchored};
use crate::edit::changes::Changes;
use crate::edit::ladder::{Replacement, Wanted};
use crate::edit::needle::{Block, Needle};
use crate::edit::rewrite::{Found, whole_lines};
use crate::edit::{Match, Rung, nearest, windows};

/// So many lines of look-alikes are compared; more than these are ambiguous even if one of them is equal.
const MOST_COMPARED: usize = 20_000_000;

/// Where a hunk may be.
struct Scope<'s> {
    /// Ranges of lines, in order, none of which touch: what changes lies in one of them.
    ranges: Vec<Range<usize>>,
    /// Lines, in order: with one of them among its own, a hunk may change others, too.
    named: &'s [usize],
}

impl Scope<'_> {
    fn holds(&self, lines: &Range<usize>, changed: &Range<usize>) -> bool {
        holds(&self.ranges, changed) || self.has_named(lines)
    }

    fn meets(&self, lines: &Range<usize>) -> bool {
        let next = self.ranges.partition_point(|range| range.end <= lines.start);
        self.ranges.get(next).is_some_and(|range| range.start < lines.end)
    }

    fn has_named(&self, lines: &Range<usize>) -> bool {
        self.named.get(self.named.partition_point(|line| *line < lines.start)).is_some_and(|line| *line < lines.end)
    }
}

/// Finds the one place of a hunk.
pub(super) fn locate(index: &Index<'_>, hunk: &Hunk, how: Match) -> Result<Narrow, HunkError> {
    let named = named(index, hunk)?;
    if hunk.old.is_empty() {
        return insert(index, hunk, &named).map(|one| Narrow { reach: one.range.clone(), replacement: one });
    }
    let wanted = Wanted { old: &hunk.old, new: &hunk.new };
    let needle = Needle::of(wanted).map_err(|miss| resolve::missed(hunk, miss))?;
    let block = Block::of(&needle).with_changes(hunk.changes.clone());
    let mut doubt = None;
    for scope in scopes(index, &named) {
        match find(index, hunk, &block, (how, &scope))? {
            Anchored::One(found) => match whole_lines(index.view, &block, &found) {
                Ok(one) => return Ok(from_first_to_last(index.view, changed(&block, &found), one)),
                Err(found) => doubt = doubt.or(Some(found)),
            },
            Anchored::Doubtful(found) => doubt = doubt.or(Some(found)),
            Anchored::Several(starts) => return Err(ambiguous(hunk, &starts)),
            Anchored::None => {}
        }
    }
    let help = nearest::help(index.view, &needle, how).with_doubt(doubt);
    Err(HunkError::NotFound { line: hunk.line, preview: hunk.preview(50), help })
}

/// The file's lines from the first to the last that changes.
fn changed(block: &Block<'_>, found: &Found) -> Range<usize> {
    match (block.changes.0.first(), block.changes.0.last()) {
        (Some(first), Some(last)) => found.lines_of(first).start..found.lines_of(last).end,
        (None, _) | (_, None) => found.lines.clone(),
    }
}

/// The lines that the innermost anchor may mean; none without anchors.
fn named(index: &Index<'_>, hunk: &Hunk) -> Result<Vec<usize>, HunkError> {
    let mut lines = Vec::new();
    for anchor in &hunk.anchors {
        let found = scopes(index, &lines)
            .into_iter()
            .map(|scope| index.named(anchor, &scope.ranges))
            .find(|lines| !lines.is_empty());
        lines = found.ok_or_else(|| HunkError::AnchorNotFound { line: hunk.line, anchor: anchor.clone() })?;
    }
    Ok(lines)
}

/// Where to look, in turn: right beneath the named lines, in all that goes on with them, then with these themselves,
/// since models repeat them as context.
fn scopes<'s>(index: &Index<'_>, named: &'s [usize]) -> Vec<Scope<'s>> {
    if named.is_empty() {
        return vec![Scope { ranges: std::iter::once(0..index.len()).collect(), named }];
    }
    let from = |range: &dyn Fn(usize) -> Range<usize>| {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for block in named.iter().map(|line| range(*line)) {
            match ranges.last_mut() {
                Some(last) if block.start <= last.end => last.end = last.end.max(block.end),
                Some(_) | None => ranges.push(block),
            }
        }
        ranges
    };
    let beneath = |line| index.beneath(line);
    let mut scopes: Vec<Scope<'_>> = vec![
        Scope { ranges: from(&|line| beneath(line)[0].clone()), named: &[] },
        Scope { ranges: from(&|line| beneath(line)[1].clone()), named: &[] },
        Scope { ranges: from(&|line| line..beneath(line)[1].end), named },
    ];
    scopes.dedup_by(|one, other| one.ranges == other.ranges);
    scopes
}

/// The first rung with a match decides.
fn find(
    index: &Index<'_>,
    hunk: &Hunk,
    block: &Block<'_>,
    (how, scope): (Match, &Scope<'_>),
) -> Result<Anchored, HunkError> {
    let is_at_end =
        |lines: &Range<usize>| if hunk.at_end { lines.end == index.len() } else { lines.end <= index.len() };
    let fits = |found: &Found| is_at_end(&found.lines) && scope.holds(&found.lines, &changed(block, found));
    let size = block.old.len();
    let is_blank = hunk.old.trim().is_empty();
    let run = |start: usize, rung| Found { lines: start..start + size, rung, score: 1.0, drift: Changes::default() };
    let is_inside = |start: usize| fits(&run(start, Rung::Exact));
    let mut runs = Vec::new();
    if index.has_few && !is_blank {
        // Equal runs alone decide the first rung, and need no index.
        runs = index.equal_runs(&block.old);
        runs.retain(|start| is_inside(*start));
    }
    if runs.is_empty() {
        runs = index.runs(&block.old, is_inside);
    }
    if runs.len().saturating_mul(size) > MOST_COMPARED {
        return Err(ambiguous(hunk, &runs));
    }
    let is_loose = how > Match::Exact && !is_blank;
    for alike in if is_loose { &Alike::ALL[..] } else { &[Alike::Equal] } {
        let found: Vec<usize> =
            runs.iter().copied().filter(|start| index.is_alike(&block.old, *start, *alike)).collect();
        match found[..] {
            [] => {}
            [start] => {
                let rung =
                    if *alike == Alike::Equal { Rung::Exact } else { windows::name(index.view, &block.old, start) };
                return Ok(Anchored::One(run(start, rung)));
            }
            [..] => return Err(ambiguous(hunk, &found)),
        }
    }
    if !is_loose || how < Match::Fuzzy {
        return Ok(Anchored::None);
    }
    // Which lines change is known once the block is found; until then, it has to meet the scope.
    let may_fit = |lines: &Range<usize>| is_at_end(lines) && (scope.meets(lines) || scope.has_named(lines));
    Ok(match anchor::find(index.view, block, may_fit) {
        Anchored::One(found) if !fits(&found) => Anchored::None,
        found => found,
    })
}

fn ambiguous(hunk: &Hunk, starts: &[usize]) -> HunkError {
    let lines = starts.iter().take(10).map(|start| start + 1).collect();
    HunkError::Ambiguous { line: hunk.line, preview: hunk.preview(30), count: starts.len(), lines }
}

/// Lines that only come in: at the end of the file, or right beneath the one line that is named.
fn insert(index: &Index<'_>, hunk: &Hunk, named: &[usize]) -> Result<Replacement, HunkError> {
    let is_last = |line: &usize| index.beneath(*line)[1].end == index.len();
    match named {
        _ if hunk.at_end || index.len() == 0 => {
            if !named.is_empty() && !named.iter().any(is_last) {
                let anchor = hunk.anchors.last().cloned().unwrap_or_default();
                let anchor = format!("{anchor} … *** End of File");
                return Err(HunkError::AnchorNotFound { line: hunk.line, anchor });
            }
            Ok(insert_after(index, hunk, index.len().checked_sub(1)))
        }
        [line] => Ok(insert_after(index, hunk, Some(*line))),
        [] => Err(HunkError::Empty { line: hunk.line }),
        [..] => Err(ambiguous(hunk, named)),
    }
}

/// Keeps a missing line end at the end of the file missing.
fn insert_after(index: &Index<'_>, hunk: &Hunk, line: Option<usize>) -> Replacement {
    let view = index.view;
    let ending = line.map_or("\n", |line| view.ending(line));
    let lines: String = hunk.new.split_terminator('\n').flat_map(|line| [line, ending]).collect();
    let is_unended = line.is_some_and(|line| view.terminator(line).is_empty());
    let text = if is_unended { ending.to_owned() + lines.strip_suffix(ending).unwrap_or(&lines) } else { lines };
    let at = line.map_or(0, |line| view.line_range(line).end);
    let number = line.map_or(1, |line| line + 1);
    Replacement {
        range: at..at,
        text: text.into(),
        rung: Rung::Exact,
        score: 1.0,
        lines: (number, number),
        unseen: Box::default(),
    }
}
