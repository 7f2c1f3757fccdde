//! The ladder: from exact to block anchor, the first rung with a match decides, and more than one there is ambiguous.

use std::ops::Range;
use std::sync::Arc;

use super::anchor::{self, Anchored};
use super::changes::Changes;
use super::doubt::Doubt;
use super::exact::Exact;
use super::nearest::{self, NotFoundHelp};
use super::needle::{Block, Needle};
use super::occurrences::{Occurrences, Tally, tally_each};
use super::rewrite::{Found, span, whole_lines};
use super::view::View;
use super::{Match, Rung, windows};

/// What to look for and what to put there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// The text to be replaced.
    pub old: &'a str,
    /// Its replacement, which is literal.
    pub new: &'a str,
}

/// One place and the bytes to put there.
#[derive(Debug, Clone, PartialEq)]
pub struct Replacement {
    /// The bytes of the original body that are replaced.
    pub range: Range<usize>,
    /// What is put there: indented for the file, each line with its ending. Equal ones of a search are shared.
    pub text: Arc<str>,
    /// The rung that decided.
    pub rung: Rung,
    /// How alike the place is: 1 but for a block found by its anchors.
    pub score: f64,
    /// First and last line of the range, counted from 1.
    pub lines: (usize, usize),
    /// Lines of the block that `old_string` does not have, up to 200. They stay: only a block that is found by its anchors
    /// can have some.
    pub unseen: Box<[String]>,
}

/// Why nothing is replaced.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Miss {
    /// There is nothing to look for.
    #[error("`old_string` is empty")]
    EmptyOld,
    /// The text would stay as it is.
    #[error("`new_string` changes nothing")]
    Noop,
    /// No rung has a match.
    #[error("`old_string` is not in the text")]
    NotFound(NotFoundHelp),
    /// The deciding rung has more than one.
    #[error("`old_string` matches {count} places")]
    Ambiguous {
        /// The deciding rung.
        rung: Rung,
        /// How many places, overlapping ones too; at most 100,000 are counted.
        count: usize,
        /// Lines on which the first ten begin, counted from 1.
        lines: Vec<usize>,
    },
}

/// The one place of a text. It must lie within one of the ranges of bytes.
///
/// # Errors
/// [`Miss`], with what helps to ask better.
pub fn find_one(
    view: &View<'_>,
    wanted: &Wanted<'_>,
    how: Match,
    within: &[Range<usize>],
) -> Result<Replacement, Miss> {
    let needle = Needle::of(*wanted)?;
    let is_within = |span: &Range<usize>| within.iter().any(|range| range.start <= span.start && span.end <= range.end);
    let size = needle.old.len();
    let exact = Occurrences::new(view.text(), &needle.old).filter(|&at| is_within(&view.original(at..at + size)));
    decide(view, &needle, how, Candidates { exact: Tally::of(exact), is_within: &is_within })
}

/// All places of a text that do not overlap, from left to right, on the first rung that has one.
///
/// A block that is found by its anchors must be one: which of several look-alikes are meant cannot be known.
///
/// # Errors
/// [`Miss`], but never [`Miss::Ambiguous`] on another rung than the last.
pub fn find_all(view: &View<'_>, wanted: &Wanted<'_>, how: Match) -> Result<Vec<Replacement>, Miss> {
    let needle = Needle::of(*wanted)?;
    let exact = Exact::new(&needle);
    let doubtful = |doubt| Miss::NotFound(nearest::help(view, &needle, how).with_doubt(Some(doubt)));
    let places = || memchr::memmem::find_iter(view.text().as_bytes(), needle.old.as_bytes());
    // Counted first: a list of 200,000 that grows as it goes takes half as much memory again.
    let mut found: Vec<Replacement> = Vec::with_capacity(places().count());
    let mut shared: Arc<str> = Arc::default();
    for at in places() {
        let one = exact.at(view, at).map_err(doubtful)?;
        if one.text != shared {
            shared = Arc::clone(&one.text);
        }
        found.push(Replacement { text: Arc::clone(&shared), ..one });
    }
    if found.is_empty() && is_loose(&needle, how) {
        found = all_whole_lines(view, &Block::of(&needle)).map_err(doubtful)?;
    }
    if found.is_empty() {
        let candidates = Candidates { exact: Tally::default(), is_within: &|_| true };
        return decide(view, &needle, how, candidates).map(|one| vec![one]);
    }
    if found.iter().all(|replacement| changes_nothing(view, replacement)) { Err(Miss::Noop) } else { Ok(found) }
}

/// Which parts of lines an exact place may begin or end with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parts {
    /// Any.
    Any,
    /// Whole words: `x = 1` is not in `max = 1`.
    Words,
}

/// The one place of each of many texts in the same body, each as [`find_one`] finds it in the whole body.
pub fn find_each(view: &View<'_>, wanted: &[Wanted<'_>], how: Match, parts: Parts) -> Vec<Result<Replacement, Miss>> {
    let needles: Vec<_> = wanted.iter().map(|wanted| Needle::of(*wanted)).collect();
    let olds: Vec<&str> = needles.iter().flatten().map(|needle| &*needle.old).collect();
    let is_part = |place: &Range<usize>| match parts {
        Parts::Any => true,
        Parts::Words => !cuts_word(view.text(), place.start) && !cuts_word(view.text(), place.end),
    };
    let mut tallies = tally_each(view.text(), &olds, is_part).into_iter();
    let one = |needle: Result<Needle<'_>, Miss>| {
        let needle = needle?;
        let exact = tallies.next().expect("each needle was tallied");
        decide(view, &needle, how, Candidates { exact, is_within: &|_| true })
    };
    needles.into_iter().map(one).collect()
}

/// Whether the characters around a place are of one word.
pub(super) fn cuts_word(text: &str, at: usize) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let (before, after) = text.split_at(at);
    before.chars().next_back().is_some_and(is_word) && after.chars().next().is_some_and(is_word)
}

/// What is known before the looser rungs are looked at.
struct Candidates<'c> {
    /// Exact places, as positions in the view's text.
    exact: Tally,
    is_within: &'c dyn Fn(&Range<usize>) -> bool,
}

/// Walks up the rungs.
fn decide(view: &View<'_>, needle: &Needle<'_>, how: Match, candidates: Candidates<'_>) -> Result<Replacement, Miss> {
    let Candidates { exact: Tally { count, first }, is_within } = candidates;
    let taken = |found: Result<Replacement, Doubt>| match found {
        Ok(replacement) if changes_nothing(view, &replacement) => Err(Miss::Noop),
        Ok(replacement) => Ok(replacement),
        Err(doubt) => Err(Miss::NotFound(nearest::help(view, needle, how).with_doubt(Some(doubt)))),
    };
    if let [at, ..] = first[..] {
        if count == 1 {
            return taken(Exact::new(needle).at(view, at));
        }
        let lines = first.iter().map(|&at| view.line_at(view.original(at..at).start) + 1).collect();
        return Err(Miss::Ambiguous { rung: Rung::Exact, count, lines });
    }
    if !is_loose(needle, how) {
        return Err(Miss::NotFound(nearest::help(view, needle, how)));
    }
    let block = Block::of(needle);
    let fits = |lines: &Range<usize>| is_within(&span(view, &block, lines));
    let starts = windows::find(view, &block.old, |first| fits(&(first..first + block.old.len())));
    if let [start] = starts[..] {
        return taken(whole_lines(view, &block, &run(view, &block, start)));
    }
    if let [start, ..] = starts[..] {
        return Err(ambiguous(windows::name(view, &block.old, start), &starts));
    }
    if how < Match::Fuzzy {
        return Err(Miss::NotFound(nearest::help(view, needle, how)));
    }
    match anchor::find(view, &block, fits) {
        Anchored::One(found) => taken(whole_lines(view, &block, &found)),
        Anchored::Several(starts) => Err(ambiguous(Rung::BlockAnchor, &starts)),
        Anchored::Doubtful(doubt) => taken(Err(doubt)),
        Anchored::None => Err(Miss::NotFound(nearest::help(view, needle, how))),
    }
}

/// Whether the rungs above the first may be tried. White space alone is found as it is or not at all.
fn is_loose(needle: &Needle<'_>, how: Match) -> bool {
    how > Match::Exact && !needle.old.trim().is_empty()
}

fn all_whole_lines(view: &View<'_>, block: &Block<'_>) -> Result<Vec<Replacement>, Doubt> {
    let size = block.old.len();
    let mut free = 0;
    let mut found = Vec::new();
    for start in windows::find(view, &block.old, |_| true) {
        if start >= free && windows::is_equal(view, &block.old, start) {
            found.push(whole_lines(view, block, &run(view, block, start))?);
            free = start + size;
        }
    }
    Ok(found)
}

fn run(view: &View<'_>, block: &Block<'_>, start: usize) -> Found {
    Found {
        lines: start..start + block.old.len(),
        rung: windows::name(view, &block.old, start),
        score: 1.0,
        drift: Changes::default(),
    }
}

fn ambiguous(rung: Rung, starts: &[usize]) -> Miss {
    Miss::Ambiguous { rung, count: starts.len(), lines: starts.iter().take(10).map(|start| start + 1).collect() }
}

fn changes_nothing(view: &View<'_>, replacement: &Replacement) -> bool {
    view.body()[replacement.range.clone()] == *replacement.text
}
