//! Which lines differ.

use std::borrow::Cow;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, Hunk, InternedInput};

use super::large;
use crate::edit::ladder::Replacement;

/// Lines of the text before, and the lines that take their place.
#[derive(Debug)]
pub(super) struct Edit<'t> {
    /// Bytes of the text before.
    pub(super) old: Range<usize>,
    /// How many lines stand before it there.
    pub(super) line: usize,
    pub(super) removed: usize,
    pub(super) new: Cow<'t, str>,
    pub(super) added: usize,
}

/// Where a line begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) byte: usize,
    /// How many lines stand before it.
    pub(super) line: usize,
}

/// Whole lines that replacements touch, and the lines that take their place.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) place: Place,
    pub(super) old: Range<usize>,
    pub(super) new: String,
}

/// What is left between the lines that two texts begin and end with.
#[derive(Debug)]
pub(super) struct Middle {
    pub(super) start: usize,
    /// Its end in the text before.
    pub(super) before: usize,
    /// Its end in the text after.
    pub(super) after: usize,
}

/// So many equal lines stay around a change, because it may be shown better further up or down.
const SLACK: usize = 32;

/// So many bytes of one group are enough to compare at a time.
const MOST_GROUPED: usize = 1 << 20;

/// Of more lines than these the best diff may take too long.
const LARGE: usize = 10_000;

/// The edits between two runs of whole lines, the first of which stands at a place.
pub(super) fn between<'t>(place: Place, old: &str, new: &'t str) -> Vec<Edit<'t>> {
    let input = InternedInput::new(old, new);
    let (old, starts) = (starts(old), starts(new));
    let edit = |hunk: Hunk| {
        let bytes = |starts: &[usize], lines: &Range<u32>| starts[lines.start as usize]..starts[lines.end as usize];
        let (removed, added) = (bytes(&old, &hunk.before), bytes(&starts, &hunk.after));
        Edit {
            old: place.byte + removed.start..place.byte + removed.end,
            line: place.line + hunk.before.start as usize,
            removed: hunk.before.len(),
            new: Cow::Borrowed(&new[added]),
            added: hunk.after.len(),
        }
    };
    hunks(&input).into_iter().map(edit).collect()
}

pub(super) fn hunks(input: &InternedInput<&str>) -> Vec<Hunk> {
    if input.before.len() + input.after.len() > LARGE {
        return large::compare(&input.before, &input.after, input.interner.num_tokens());
    }
    let mut diff = Diff::compute(Algorithm::Histogram, input);
    diff.postprocess_lines(input);
    diff.hunks().collect()
}

/// Where each line begins, and the end of the text.
fn starts(text: &str) -> Vec<usize> {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1);
    let unended = (!text.is_empty() && !text.ends_with('\n')).then_some(text.len());
    std::iter::once(0).chain(ends).chain(unended).collect()
}

/// How many lines end in a text.
pub(super) fn line_ends(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}

/// Where the line of a byte begins.
fn line_start(text: &str, at: usize) -> usize {
    memchr::memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |end| end + 1)
}

/// Where the line of a byte ends, with its ending.
fn line_end(text: &str, at: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end + 1)
}

/// Where the lines before the start of a line begin.
pub(super) fn lines_back(text: &str, start: usize, lines: usize) -> usize {
    (0..lines).fold(start, |start, _| line_start(text, start.saturating_sub(1)))
}

/// Where the lines after the end of a line end.
pub(super) fn lines_on(text: &str, end: usize, lines: usize) -> usize {
    (0..lines).fold(end, |end, _| line_end(text, end))
}

/// Sets equal lines at both ends aside.
pub(super) fn middle(before: &str, after: &str) -> Middle {
    let same = common(before.as_bytes().chunks(CHUNK), after.as_bytes().chunks(CHUNK), Side::Start);
    let start = line_start(before, same);
    let (old, new) = (&before.as_bytes()[start..], &after.as_bytes()[start..]);
    let same = common(old.rchunks(CHUNK), new.rchunks(CHUNK), Side::End);
    // What is equal may begin within a line.
    let end = before.len() - memchr::memchr(b'\n', &old[old.len() - same..]).map_or(0, |first| same - first - 1);
    let start = lines_back(before, start, SLACK);
    let kept = before.len() - lines_on(before, end, SLACK);
    Middle { start, before: before.len() - kept, after: after.len() - kept }
}

const CHUNK: usize = 1 << 12;

#[derive(Clone, Copy)]
enum Side {
    Start,
    End,
}

/// How many bytes are equal, chunk by chunk, since equal memory is compared much faster than bytes are counted.
fn common<'t>(mut one: impl Iterator<Item = &'t [u8]>, mut other: impl Iterator<Item = &'t [u8]>, side: Side) -> usize {
    let mut same = 0;
    while let (Some(one), Some(other)) = (one.next(), other.next()) {
        if one == other {
            same += one.len();
            continue;
        }
        let equal = |(one, other): &(&u8, &u8)| one == other;
        return same
            + match side {
                Side::Start => one.iter().zip(other).take_while(equal).count(),
                Side::End => one.iter().rev().zip(other.iter().rev()).take_while(equal).count(),
            };
    }
    same
}

/// The lines that replacements touch and some around them, in order; those that would share a line are one group.
///
/// A group that grows beyond [`MOST_GROUPED`] ends before the next line that is touched, so that a replacement of
/// everything needs no second copy of a large text.
pub(super) fn groups<'t>(before: &'t str, replacements: &'t [Replacement]) -> impl Iterator<Item = Group> {
    let mut sorted: Vec<&Replacement> = replacements.iter().collect();
    sorted.sort_by_key(|replacement| (replacement.range.start, replacement.range.end));
    let mut rest = sorted.into_iter().peekable();
    let mut end = Place { byte: 0, line: 0 };
    let mut cut = 0;
    std::iter::from_fn(move || {
        let first = rest.next()?;
        let byte = lines_back(before, line_start(before, first.range.start), SLACK).max(cut);
        end = Place { byte, line: end.line + line_ends(&before[end.byte..byte]) };
        let mut group = Group { place: end, old: byte..byte, new: String::new() };
        group.add(before, first);
        while let Some(next) = rest.peek() {
            let between = &before[group.old.end..next.range.start];
            if line_ends(between) > 2 * SLACK {
                break;
            }
            if group.new.len() > MOST_GROUPED && between.contains('\n') {
                cut = line_start(before, next.range.start);
                group.close_at(before, cut);
                return Some(group);
            }
            group.add(before, next);
            rest.next();
        }
        group.close(before);
        Some(group)
    })
}

impl Group {
    fn add(&mut self, before: &str, replacement: &Replacement) {
        self.new += &before[self.old.end..replacement.range.start];
        self.new += &replacement.text;
        self.old.end = replacement.range.end;
    }

    /// Goes on to the end of a line on both sides, and then some lines further.
    fn close(&mut self, before: &str) {
        self.close_at(before, lines_on(before, line_end(before, self.old.end), SLACK));
    }

    fn close_at(&mut self, before: &str, end: usize) {
        self.new += &before[self.old.end..end];
        self.old.end = end;
    }
}
