//! Replacements of no more lines than change, so that hunks may share their context.

use std::ops::Range;

use super::Hunk;
use crate::edit::ladder::Replacement;
use crate::edit::view::View;

/// A change, and the bytes in which it may as well be meant: a line that comes in among equal ones has several places.
#[derive(Debug, PartialEq)]
pub(super) struct Narrow {
    pub(super) replacement: Replacement,
    pub(super) reach: Range<usize>,
}

/// The same change without equal lines at its start and end.
///
/// Old lines that go without new ones take their last line end with them; else an empty line would be left.
pub(super) fn narrow(view: &View<'_>, hunk: &Hunk, mut replacement: Replacement) -> Narrow {
    let mut text = replacement.text.to_string();
    if let Some(ending) = ending_after(view, &replacement.range) {
        replacement.range.end += ending.len();
        if !hunk.new.is_empty() {
            text += ending;
        }
    }
    let start = replacement.range.start;
    let old = &view.body()[replacement.range.clone()];
    let (before, after) = shared(old, &text);
    let range = start + before..replacement.range.end - after;
    // Read from the other end, the change may begin further up.
    let first = old.len().min(text.len()) - shared_end(old, &text);
    let reach = start + before.min(first)..range.end;
    let text = text[before..text.len() - after].into();
    Narrow { replacement: Replacement { range, text, ..replacement }, reach }
}

/// The same change from the first to the last line that the hunk says changes.
pub(super) fn from_first_to_last(view: &View<'_>, lines: Range<usize>, replacement: Replacement) -> Narrow {
    let start = |line: usize| if line < view.line_count() { view.line_range(line).start } else { view.body().len() };
    let range = start(lines.start)..start(lines.end);
    let Range { start, end } = replacement.range;
    let rest = replacement.text.len() - (end - range.end);
    // Where the end of the file goes, the text ends without the line end that stays.
    let text = replacement.text[(range.start - start).min(rest)..rest].into();
    Narrow { reach: range.clone(), replacement: Replacement { range, text, ..replacement } }
}

/// The line end after a range of whole lines that leaves the last one out.
fn ending_after<'v>(view: &View<'v>, range: &Range<usize>) -> Option<&'v str> {
    let body = view.body();
    let starts_line = range.start == 0 || body[..range.start].ends_with('\n');
    if !starts_line || range.is_empty() || body[range.clone()].ends_with('\n') {
        return None;
    }
    ["\n", "\r\n"].into_iter().find_map(|ending| body[range.end..].get(..ending.len()).filter(|next| *next == ending))
}

/// How many bytes of equal lines both texts begin with, and how many of others they end with.
fn shared(old: &str, new: &str) -> (usize, usize) {
    let lines = |text| str::split_inclusive(text, '\n');
    let equal = |(old, new): &(&str, &str)| old == new;
    let size = |(old, _): (&str, &str)| old.len();
    let before: usize = lines(old).zip(lines(new)).take_while(equal).map(size).sum();
    (before, shared_end(&old[before..], &new[before..]))
}

/// How many bytes of equal lines both texts end with.
fn shared_end(old: &str, new: &str) -> usize {
    let lines = |text| str::split_inclusive(text, '\n').rev();
    lines(old).zip(lines(new)).take_while(|(old, new)| old == new).map(|(old, _)| old.len()).sum()
}
