//! From a place to the exact bytes to put there: line endings, indentation, and context that keeps its bytes.

use std::ops::Range;

use super::Rung;
use super::changes::{Change, Changes};
use super::doubt::Doubt;
use super::indent::{Pair, Reindent};
use super::ladder::Replacement;
use super::needle::Block;
use super::view::{View, indent, is_blank};

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
    let Range { start: first, end } = found.lines.clone();
    let reindent = Reindent::measure(region.pairs(), block).ok_or(Doubt::Columns { line: first })?;
    let pieces = region.pieces();
    if let Some(new) = pieces.iter().filter_map(Piece::written).find(|new| reindent.is_contradicted(block, *new)) {
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
