//! Replacements of no more lines than change, so that hunks may share their context.

use std::ops::Range;

use super::Hunk;
use crate::edit::ladder::Replacement;
use crate::edit::view::View;

/// The same change without equal lines at its start and end.
///
/// Old lines that go without new ones take their last line end with them; else an empty line would be left.
pub(super) fn narrow(view: &View<'_>, hunk: &Hunk, mut replacement: Replacement) -> Replacement {
    let mut text = replacement.text.to_string();
    if let Some(ending) = ending_after(view, &replacement.range) {
        replacement.range.end += ending.len();
        if !hunk.new.is_empty() {
            text += ending;
        }
    }
    let old = &view.body()[replacement.range.clone()];
    let (before, after) = shared(old, &text);
    let range = replacement.range.start + before..replacement.range.end - after;
    let text = text[before..text.len() - after].into();
    Replacement { range, text, ..replacement }
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
    let (old, new) = (&old[before..], &new[before..]);
    let after = lines(old).rev().zip(lines(new).rev()).take_while(equal).map(size).sum();
    (before, after)
}
