//! The first rung: text that stands in the file as it is, and is replaced literally but for line endings and for
//! indentation that `old_string` has only in part.

use super::Rung;
use super::changes::Changes;
use super::doubt::Doubt;
use super::indent::{Reindent, Step, last_bare};
use super::ladder::Replacement;
use super::needle::Needle;
use super::syntax::{defines, is_item, opens};
use super::view::{View, indent, is_blank, trim};

/// The replacement of exact matches, prepared once for all of them.
pub(super) struct Exact<'n> {
    size: usize,
    old: Vec<&'n str>,
    new: Vec<&'n str>,
    changes: Changes,
    /// Whether `old_string` is one line, which is not blank.
    is_single: bool,
}

impl<'n> Exact<'n> {
    pub(super) fn new(needle: &'n Needle<'_>) -> Self {
        let old: Vec<&str> = needle.old.split('\n').collect();
        let new: Vec<&str> = needle.new.split('\n').collect();
        let is_single = matches!(old.as_slice(), [_] | [_, ""]) && !is_blank(old[0]);
        Self { size: needle.old.len(), is_single, changes: Changes::between(&old, &new), new, old }
    }

    /// The replacement of the match at a position of the view's text.
    ///
    /// # Errors
    /// [`Doubt::Columns`] where the match begins within the indentation of its line and how deep further lines of
    /// `new_string` are meant to be cannot be told.
    pub(super) fn at(&self, view: &View<'_>, position: usize) -> Result<Replacement, Doubt> {
        let range = view.original(position..position + self.size);
        let (first, last) = (view.line_at(range.start), view.line_at(range.end - 1));
        let columns = self.columns(view, first, range.start).ok_or(Doubt::Columns { line: first })?;
        let mut text = String::with_capacity(self.new.iter().map(|line| line.len() + 2).sum());
        for (index, line) in self.new.iter().enumerate() {
            match &columns {
                _ if index == 0 || is_blank(line) => text += line,
                Columns::File => text += line,
                Columns::Retyped(step) => {
                    text += &step.retype(indent(line));
                    text += trim_start(line);
                }
                Columns::BareTo { last, lost } => {
                    text += if index <= *last { lost } else { "" };
                    text += line;
                }
                Columns::Own(reindent) => text += &reindent.apply(line, index, 0),
            }
            if index + 1 < self.new.len() {
                text += view.ending((first + self.changes.counterpart(index)).min(last));
            }
        }
        let lines = (first + 1, last + 1);
        Ok(Replacement { range, text: text.into(), rung: Rung::Exact, score: 1.0, lines, unseen: Box::default() })
    }

    /// In whose columns the further lines of `new_string` are written, for a match that begins on a line.
    fn columns<'v>(&self, view: &View<'v>, line: usize, start: usize) -> Option<Columns<'v>>
    where
        'n: 'v,
    {
        let lost = &view.body()[view.line_range(line).start..start];
        if self.new.len() == 1 || lost.is_empty() || !is_blank(lost) || is_blank(self.old[0]) {
            return Some(Columns::File);
        }
        if !self.is_single {
            // The further lines of `old_string` stand in the file as they are.
            let last = last_bare(lost, (&self.old, &self.new), &self.changes)?;
            return Some(Columns::BareTo { last, lost });
        }
        let own = indent(self.old[0]);
        let further: Vec<&str> = self.new[1..].iter().filter(|line| !is_blank(line)).map(|line| indent(line)).collect();
        let file = &view.line(line)[..lost.len() + own.len()];
        let step = Step::by_width(&further, &[file], &[]);
        let retyped =
            |line: &str| step.as_ref().map_or_else(|| indent(line).to_owned(), |step| step.retype(indent(line)));
        if own.is_empty() && self.leaves_its_block() {
            return None;
        }
        if own.is_empty() && self.is_in_file_columns(view, line, lost, retyped) {
            return Some(step.map_or(Columns::File, Columns::Retyped));
        }
        Some(Columns::Own(Reindent::of_line(own, file, &self.new)))
    }

    /// Whether a definition at column 0 follows on something else: it may be meant to stand outside of all blocks.
    fn leaves_its_block(&self) -> bool {
        let begins = |at: &usize| defines(self.new[*at]) && indent(self.new[*at]).is_empty();
        let is_apart = |at: usize| is_blank(self.new[at - 1]);
        !defines(self.old[0]) && !defines(self.new[0]) && (1..self.new.len()).filter(begins).any(is_apart)
    }

    /// Whether only the first line of `new_string` lacks what the match lacks.
    ///
    /// A line without any indentation beside others, or a line that goes on with or is opened by the first one and would
    /// not be deeper, shows that the whole of it is written from column 0. So does a depth that no line around has.
    fn is_in_file_columns(&self, view: &View<'_>, line: usize, lost: &str, retyped: impl Fn(&str) -> String) -> bool {
        let further = || self.new[1..].iter().filter(|line| !is_blank(line));
        let Some(next) = further().next() else { return true };
        let is_missing = has_deeper(self.new[0], next) && retyped(next).len() <= lost.len();
        let is_known = |line_of_new: &&str| {
            let indentation = retyped(line_of_new);
            indentation.starts_with(lost) || is_around(view, line, &indentation)
        };
        !is_missing && !further().any(|line| indent(line).is_empty()) && further().all(is_known)
    }
}

/// In whose columns the lines of `new_string` after the first one are written.
enum Columns<'v> {
    /// In the file's.
    File,
    /// In the file's, with other white space.
    Retyped(Step),
    /// In the file's after one of them; up to that one all lack what the first one lacks.
    BareTo { last: usize, lost: &'v str },
    /// From the column of the first one.
    Own(Reindent<'v>),
}

/// Whether a line is deeper than the one before, by what both are.
fn has_deeper(line: &str, next: &str) -> bool {
    /// Lines that begin with these go on with what the line before has begun.
    const CONTINUING: [char; 7] = ['.', '+', '-', '*', '&', '|', '?'];
    match (is_item(line), is_item(next)) {
        (true, false) => true,
        (false | true, true) => opens(line),
        (false, false) => opens(line) || trim(next).starts_with(CONTINUING),
    }
}

fn trim_start(line: &str) -> &str {
    &line[indent(line).len()..]
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
