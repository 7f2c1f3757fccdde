//! From a place to the exact bytes to put there: line endings, indentation, and context that keeps its bytes.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::Rung;
use super::indent::{Pair, Reindent};
use super::ladder::Replacement;
use super::needle::{Alignment, Block, Needle};
use super::view::{View, collapse, indent, is_blank};

/// So many replaced lines that were not in `old_string` are told.
const MOST_UNSEEN: usize = 200;

/// A run of whole lines, counted from 0.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) lines: Range<usize>,
    pub(super) rung: Rung,
    pub(super) score: f64,
}

/// The replacement of exact matches, prepared once for all of them.
pub(super) struct Exact<'n> {
    old: usize,
    /// The white space before a single line of `old_string`; nothing when there are several lines or no such space.
    lead: &'n str,
    new: Vec<&'n str>,
    alignment: Alignment,
}

impl<'n> Exact<'n> {
    pub(super) fn new(needle: &'n Needle<'_>) -> Self {
        let old: Vec<&str> = needle.old.split('\n').collect();
        let new: Vec<&str> = needle.new.split('\n').collect();
        let single = matches!(old.as_slice(), [_] | [_, ""]) && !is_blank(old[0]);
        let lead = if single { indent(old[0]) } else { "" };
        Self { old: needle.old.len(), lead, alignment: Alignment::of(&old, &new), new }
    }

    /// The replacement of the match at a position of the view's text: `new_string` as it is, but for line endings, and
    /// for indentation that `old_string` has only in part.
    pub(super) fn at(&self, view: &View<'_>, position: usize) -> Replacement {
        let range = view.original(position..position + self.old);
        let (first, last) = (view.line_at(range.start), view.line_at(range.end - 1));
        let mut text = String::with_capacity(self.new.iter().map(|line| line.len() + 2).sum());
        let missing = self.missing(view, first, range.start);
        for (index, line) in self.new.iter().enumerate() {
            if index > 0 && !is_blank(line) {
                text += missing;
            }
            text += line;
            if index + 1 < self.new.len() {
                text += view.ending((first + self.alignment.counterpart(index)).min(last));
            }
        }
        let lines = (first + 1, last + 1);
        Replacement { range, text: text.into(), rung: Rung::Exact, score: 1.0, lines, unseen: Vec::new() }
    }
}

impl Exact<'_> {
    /// The white space that the file has before the match, when `old_string` is a line with less indentation than the
    /// file's: the further lines of `new_string` lack it too.
    fn missing<'v>(&self, view: &View<'v>, line: usize, start: usize) -> &'v str {
        let before = &view.body()[view.line_range(line).start..start];
        if self.lead.is_empty() || !is_blank(before) { "" } else { before }
    }
}

/// The bytes that are replaced with a run of whole lines: with the last ending where `old_string` had one too.
pub(super) fn span(view: &View<'_>, block: &Block<'_>, lines: &Range<usize>) -> Range<usize> {
    let last = view.line_range(lines.end - 1);
    let end = if block.ended { last.end } else { last.start + view.line(lines.end - 1).len() };
    view.line_range(lines.start).start..end
}

/// The replacement of a run of whole lines.
pub(super) fn whole_lines(view: &View<'_>, block: &Block<'_>, found: &Found) -> Replacement {
    let region = Region::of(view, block, &found.lines);
    let reindent = Reindent::measure(region.pairs(), &block.new);
    let Range { start: first, end } = found.lines.clone();
    let pieces = region.pieces();
    let mut text = String::new();
    for (index, piece) in pieces.iter().enumerate() {
        let source = match *piece {
            Piece::Kept { file } => {
                text += view.line(file);
                file
            }
            Piece::Written { new } => {
                let counterpart = block.alignment.counterpart(new);
                text += &reindent.apply(block.new[new], new, counterpart);
                (first + counterpart).min(end - 1)
            }
        };
        if index + 1 < pieces.len() {
            text += view.ending(source);
        } else if block.ended {
            // What follows the region follows this ending; a last line of the file that had none gets none.
            text += view.terminator(end - 1);
        }
    }
    let unseen = if found.rung == Rung::BlockAnchor { region.unseen(&pieces) } else { Vec::new() };
    let range = span(view, block, &found.lines);
    Replacement { range, text: text.into(), rung: found.rung, score: found.score, lines: (first + 1, end), unseen }
}

/// A line of what is put into a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// A line of the file that the change does not touch.
    Kept { file: usize },
    /// A line of `new_string`.
    Written { new: usize },
}

/// A run of whole lines beside those of `old_string`.
struct Region<'r, 'a> {
    view: &'r View<'a>,
    block: &'r Block<'a>,
    lines: Range<usize>,
    /// How many lines match one by one from the top.
    top: usize,
    /// How many of the others match from the bottom.
    bottom: usize,
}

impl<'r, 'a> Region<'r, 'a> {
    fn of(view: &'r View<'a>, block: &'r Block<'a>, lines: &Range<usize>) -> Self {
        let alike = |(old, index): &(&&str, usize)| collapse(old) == collapse(view.line(*index));
        let top = block.old.iter().zip(lines.clone()).take_while(alike).count();
        let most = block.old.len().min(lines.len()) - top;
        let bottom = block.old.iter().rev().zip(lines.clone().rev()).take(most).take_while(alike).count();
        Self { view, block, lines: lines.clone(), top, bottom }
    }

    /// The file's line that matches a line of `old_string`.
    fn matching(&self, old: usize) -> Option<usize> {
        let from_end = self.block.old.len() - old;
        if old < self.top {
            Some(self.lines.start + old)
        } else if from_end <= self.bottom {
            Some(self.lines.end - from_end)
        } else {
            None
        }
    }

    /// The line of `old_string` that a new line repeats, since the change is elsewhere.
    fn context(&self, new: usize) -> Option<usize> {
        let Block { old, new: lines, alignment, .. } = self.block;
        let is_before = new < alignment.before;
        let is_after = lines.len() - new <= alignment.after;
        // As many lines as before: those between two changed ones are context, too.
        let is_between = old.len() == lines.len() && old[new] == lines[new];
        (is_before || is_after || is_between).then(|| alignment.counterpart(new))
    }

    /// Where the file has other lines than `old_string`, between those that match: theirs and its own.
    ///
    /// Nothing unless the change is elsewhere; then the file's lines are right, and what the request recalled is wrong.
    fn drifted(&self) -> Option<(Range<usize>, Range<usize>)> {
        let old = self.top..self.block.old.len() - self.bottom;
        let is_before_change = old.end < self.block.alignment.before;
        let is_after_change = old.start > self.block.old.len() - self.block.alignment.after;
        let file = self.lines.start + self.top..self.lines.end - self.bottom;
        (is_before_change || is_after_change).then_some((old, file))
    }

    fn pieces(&self) -> Vec<Piece> {
        let drifted = self.drifted();
        let mut pieces = Vec::with_capacity(self.block.new.len());
        for new in 0..self.block.new.len() {
            let old = self.context(new);
            match (old.and_then(|old| self.matching(old)), &drifted) {
                (Some(file), Some((_, theirs))) if file + 1 == theirs.start => {
                    pieces.extend((file..theirs.end).map(|file| Piece::Kept { file }));
                }
                (Some(file), _) => pieces.push(Piece::Kept { file }),
                (None, Some((own, _))) if old.is_some_and(|old| own.contains(&old)) => {}
                (None, _) => pieces.push(Piece::Written { new }),
            }
        }
        pieces
    }

    /// The indentations of matching lines.
    fn pairs(&self) -> Vec<Pair<'a>> {
        let matching = |(at, old): (usize, &&'a str)| {
            let file = self.matching(at).filter(|_| !is_blank(old))?;
            Some(Pair { at, old: indent(old), file: indent(self.view.line(file)) })
        };
        self.block.old.iter().enumerate().filter_map(matching).collect()
    }

    /// The replaced lines that `old_string` did not have, each as often as it did not have it.
    fn unseen(&self, pieces: &[Piece]) -> Vec<String> {
        let mut seen: HashMap<String, usize> = HashMap::new();
        for line in &self.block.old {
            *seen.entry(collapse(line).into_owned()).or_default() += 1;
        }
        let is_unseen = |file: &usize| match seen.get_mut(&*collapse(self.view.line(*file))) {
            Some(left) if *left > 0 => {
                *left -= 1;
                false
            }
            Some(_) | None => !is_blank(self.view.line(*file)),
        };
        let unseen = self.lines.clone().filter(is_unseen);
        let kept: HashSet<usize> = pieces.iter().filter_map(Piece::file).collect();
        let lost = unseen.filter(|file| !kept.contains(file));
        lost.map(|file| self.view.line(file).to_owned()).take(MOST_UNSEEN).collect()
    }
}

impl Piece {
    fn file(&self) -> Option<usize> {
        match self {
            Self::Kept { file } => Some(*file),
            Self::Written { .. } => None,
        }
    }
}
