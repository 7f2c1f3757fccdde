//! From a place to the exact bytes to put there: line endings, indentation, and context that keeps its bytes.

use std::ops::Range;

use super::Rung;
use super::anchor::Doubt;
use super::changes::{Change, Changes};
use super::indent::{Pair, Reindent, opens, opens_in_own_columns};
use super::ladder::Replacement;
use super::needle::{Block, Needle};
use super::view::{View, indent, is_blank, trim};

/// So many lines that `old_string` does not have are told.
const MOST_UNSEEN: usize = 200;

/// A run of whole lines, counted from 0.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) lines: Range<usize>,
    pub(super) rung: Rung,
    pub(super) score: f64,
    /// How the file differs there from `old_string`, in more than white space: only below the last rung it does not.
    pub(super) drift: Changes,
}

impl Found {
    /// The file's line at the end of the first `old` lines of `old_string`: see [`Changes::place`].
    pub(super) fn place(&self, old: usize, past_added: bool) -> usize {
        self.lines.start + self.drift.place(old, past_added)
    }

    /// The file's lines in whose place a change puts others: lines that the file has before them stay before them.
    pub(super) fn lines_of(&self, change: &Change) -> Range<usize> {
        let start = self.place(change.old.start, true);
        start..self.place(change.old.end, change.old.is_empty()).max(start)
    }
}

/// The replacement of exact matches, prepared once for all of them.
pub(super) struct Exact<'n> {
    old: usize,
    /// Whether `old_string` is one line, which is not blank.
    single: bool,
    /// Whether it begins with white space.
    is_indented: bool,
    new: Vec<&'n str>,
    changes: Changes,
    /// Both texts as whole lines, where they are written from column 0 although the match is exact.
    own_columns: Option<Block<'n>>,
}

impl<'n> Exact<'n> {
    pub(super) fn new(needle: &'n Needle<'_>) -> Self {
        let old: Vec<&str> = needle.old.split('\n').collect();
        let new: Vec<&str> = needle.new.split('\n').collect();
        let single = matches!(old.as_slice(), [_] | [_, ""]) && !is_blank(old[0]);
        let is_indented = !indent(old[0]).is_empty();
        let own_columns = (!single && opens_in_own_columns(&old, &new)).then(|| Block::of(needle));
        Self { old: needle.old.len(), single, is_indented, changes: Changes::between(&old, &new), new, own_columns }
    }

    /// The replacement of the match at a position of the view's text: `new_string` as it is, but for line endings, and
    /// for indentation that `old_string` has only in part.
    ///
    /// # Errors
    /// As [`whole_lines`] has them, where that decides.
    pub(super) fn at(&self, view: &View<'_>, position: usize) -> Result<Replacement, Doubt> {
        let range = view.original(position..position + self.old);
        let (first, last) = (view.line_at(range.start), view.line_at(range.end - 1));
        if let Some(block) = &self.own_columns
            && view.line_range(first).start < range.start
            && is_blank(&view.body()[view.line_range(first).start..range.start])
            && [view.line_range(last).end, view.line_range(last).start + view.line(last).len()].contains(&range.end)
        {
            let found = Found { lines: first..last + 1, rung: Rung::Exact, score: 1.0, drift: Changes::default() };
            return whole_lines(view, block, &found);
        }
        let mut text = String::with_capacity(self.new.iter().map(|line| line.len() + 2).sum());
        let missing = self.missing(view, first, range.start);
        for (index, line) in self.new.iter().enumerate() {
            if index > 0 && !is_blank(line) {
                text += missing;
            }
            text += line;
            if index + 1 < self.new.len() {
                text += view.ending((first + self.changes.counterpart(index)).min(last));
            }
        }
        let lines = (first + 1, last + 1);
        Ok(Replacement { range, text: text.into(), rung: Rung::Exact, score: 1.0, lines, unseen: Box::default() })
    }
}

impl Exact<'_> {
    /// The white space that the file has before the match and further lines of `new_string` lack, when `old_string` is
    /// one line with less indentation than the file's.
    fn missing<'v>(&self, view: &View<'v>, line: usize, start: usize) -> &'v str {
        let before = &view.body()[view.line_range(line).start..start];
        let is_own = || self.is_indented || !self.is_in_file_columns(view, line, before);
        if self.single && self.new.len() > 1 && is_blank(before) && is_own() { before } else { "" }
    }

    /// Whether only the first line of `new_string` lacks what stands before the match.
    ///
    /// A line without any indentation beside others, or a line that goes on with or is opened by the first one and would
    /// not be deeper, shows that the whole of it is written from column 0. So does a depth that no line around has.
    fn is_in_file_columns(&self, view: &View<'_>, line: usize, before: &str) -> bool {
        let mut further = self.new[1..].iter().filter(|line| !is_blank(line)).map(|line| indent(line));
        let Some(next) = self.new[1..].iter().find(|line| !is_blank(line)) else { return true };
        let is_deeper = opens(self.new[0]) || trim(next).starts_with(CONTINUING);
        let is_known = |indentation: &str| indentation.starts_with(before) || is_around(view, line, indentation);
        let is_missing = is_deeper && indent(next).len() <= before.len();
        let is_own = is_missing || further.clone().any(str::is_empty);
        !is_own && further.all(is_known)
    }
}

/// Whether a line above, on the way out of the blocks around a line, has this indentation.
fn is_around(view: &View<'_>, line: usize, indentation: &str) -> bool {
    let mut depth = indent(view.line(line)).len();
    for above in (0..line).rev().map(|above| view.line(above)).filter(|line| !is_blank(line)) {
        let own = indent(above);
        if own.len() < depth {
            depth = own.len();
            if own == indentation {
                return true;
            }
        }
        if depth <= indentation.len() {
            return false;
        }
    }
    false
}

/// Lines that begin with these go on, deeper, with what the line before has begun.
const CONTINUING: [char; 7] = ['.', '+', '-', '*', '&', '|', '?'];

/// The bytes that are replaced with a run of whole lines: with the last ending where `old_string` had one too.
pub(super) fn span(view: &View<'_>, block: &Block<'_>, lines: &Range<usize>) -> Range<usize> {
    let last = view.line_range(lines.end - 1);
    let end = if block.ended { last.end } else { last.start + view.line(lines.end - 1).len() };
    view.line_range(lines.start).start..end
}

/// The replacement of a run of whole lines: a three-way merge, where `old_string` is what the file and `new_string` come
/// from. Where the two meet there is no merge, and the last rung has found nothing.
///
/// # Errors
/// [`Doubt`] where lines that change nest otherwise in the file than in `old_string`.
pub(super) fn whole_lines(view: &View<'_>, block: &Block<'_>, found: &Found) -> Result<Replacement, Doubt> {
    let region = Region { view, block, found };
    let reindent = Reindent::measure(region.pairs(), &block.old, &block.new);
    let Range { start: first, end } = found.lines.clone();
    let pieces = region.pieces();
    if let Some(new) = pieces.iter().filter_map(Piece::written).find(|new| reindent.is_contradicted(block.new[*new])) {
        let line = found.place(block.changes.counterpart(new), true).min(end - 1);
        return Err(Doubt::Nesting { line });
    }
    let mut text = String::new();
    for (index, piece) in pieces.iter().enumerate() {
        let source = match *piece {
            Piece::Kept { file } => {
                text += view.line(file);
                file
            }
            Piece::Written { new } => {
                let counterpart = block.changes.counterpart(new);
                text += &reindent.apply(block.new[new], new, counterpart);
                found.place(counterpart, true).min(end - 1)
            }
        };
        if index + 1 < pieces.len() {
            text += view.ending(source);
        } else if block.ended {
            // What follows the region follows this ending; a last line of the file that had none gets none.
            text += view.terminator(end - 1);
        }
    }
    let Found { rung, score, .. } = *found;
    let range = span(view, block, &found.lines);
    Ok(Replacement { range, text: text.into(), rung, score, lines: (first + 1, end), unseen: region.unseen() })
}

/// A line of what is put into a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// A line of the file that the change does not touch.
    Kept { file: usize },
    /// A line of `new_string`.
    Written { new: usize },
}

impl Piece {
    fn written(&self) -> Option<usize> {
        match self {
            Self::Written { new } => Some(*new),
            Self::Kept { .. } => None,
        }
    }
}

/// A run of whole lines beside those of `old_string`.
struct Region<'r, 'a> {
    view: &'r View<'a>,
    block: &'r Block<'a>,
    found: &'r Found,
}

impl<'a> Region<'_, 'a> {
    fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Vec::with_capacity(self.block.new.len());
        let mut file = self.found.lines.start;
        for change in &self.block.changes.0 {
            let gone = self.found.lines_of(change);
            pieces.extend((file..gone.start).map(|file| Piece::Kept { file }));
            pieces.extend(change.new.clone().map(|new| Piece::Written { new }));
            file = gone.end;
        }
        pieces.extend((file..self.found.lines.end).map(|file| Piece::Kept { file }));
        pieces
    }

    /// The indentations of matching lines.
    fn pairs(&self) -> Vec<Pair<'a>> {
        let matching = |(at, old): (usize, &&'a str)| {
            let file = self.found.drift.equal(at).filter(|_| !is_blank(old))?;
            Some(Pair { at, old: indent(old), file: indent(self.view.line(self.found.lines.start + file)) })
        };
        self.block.old.iter().enumerate().filter_map(matching).collect()
    }

    /// The lines that `old_string` does not have. They stay.
    fn unseen(&self) -> Box<[String]> {
        let lines = self.found.drift.0.iter().flat_map(|change| change.new.clone());
        let texts = lines.map(|line| self.view.line(self.found.lines.start + line)).filter(|line| !is_blank(line));
        texts.map(str::to_owned).take(MOST_UNSEEN).collect()
    }
}
