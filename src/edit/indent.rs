//! Indentation of new lines by the measured difference between the file and what was looked for.
//!
//! Each matched pair of lines says which indentation of the file one of `old_string` stands for. A new line whose
//! indentation occurs there gets what it stands for; a deeper or shallower one gets that of its nearest known ancestor
//! or descendant, and the difference is kept, retyped in the file's unit.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use super::changes::Changes;
use super::needle::Block;
use super::syntax::is_aside;
use super::view::{BLANKS, indent, is_blank};

/// So many lines above and below are looked at for how deep a block is.
const MOST_SIBLINGS: usize = 100;

/// The indentation of a line of `old_string` and of the file's line that it matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair<'t> {
    /// Which line of `old_string`.
    pub(super) at: usize,
    pub(super) old: &'t str,
    pub(super) file: &'t str,
}

/// How new lines are to be indented.
#[derive(Debug)]
pub(super) enum Reindent<'t> {
    /// As they are: they are written in the file's own columns.
    Verbatim,
    /// By the pairs.
    Translated {
        known: Vec<Known<'t>>,
        /// The same of comments and words for a preprocessor alone, which say nothing about lines of another kind.
        asides: Vec<Known<'t>>,
        /// Where only the first line of `old_string` had lost its indentation: that of the file, and up to which line of
        /// `new_string` lines have lost it, too.
        first: Option<(&'t str, usize)>,
        step: Step,
    },
}

/// What an indentation of the request is in the file, and in which lines of `old_string`, in rising order.
#[derive(Debug)]
pub(super) struct Known<'t> {
    old: &'t str,
    file: &'t str,
    at: Vec<usize>,
}

/// What one step of indentation in the request is in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    old: String,
    file: String,
}

impl<'t> Reindent<'t> {
    /// Measures the difference between matched lines; blank lines say nothing. Nothing where that leaves a doubt.
    pub(super) fn measure(pairs: Vec<Pair<'t>>, block: &Block<'_>) -> Option<Self> {
        let Block { old, new, changes, .. } = block;
        if pairs.iter().all(|pair| pair.old == pair.file) || is_in_file_columns(&pairs, old, new) {
            return Some(Self::Verbatim);
        }
        let (first, pairs) = match pairs.split_first() {
            Some((first, rest)) if has_lost_its_own(*first, rest) => {
                (Some((first.file, last_bare(first.file, (old, new), changes)?)), rest.to_vec())
            }
            _ => (None, pairs),
        };
        let (mut asides, mut pairs): (Vec<_>, Vec<_>) = pairs.into_iter().partition(|pair| is_aside(old[pair.at]));
        if pairs.is_empty() {
            pairs = std::mem::take(&mut asides);
        }
        let step = Step::measure(&pairs, new);
        Some(Self::Translated { known: Known::of(&pairs), asides: Known::of(&asides), first, step })
    }

    /// By the one line that was looked for, and found within the indentation of a line.
    pub(super) fn of_line(old: &'t str, file: &'t str, new: &[&str]) -> Self {
        let pairs = [Pair { at: 0, old, file }];
        Self::Translated { known: Known::of(&pairs), asides: Vec::new(), first: None, step: Step::measure(&pairs, new) }
    }

    /// Whether the depth of a line of `new_string` is, in `old_string`, that of lines which have several depths in the file,
    /// and nothing says which of them: then the two do not nest alike, and no depth would be right.
    ///
    /// A line in the place of one that is as deep as itself, in both texts, is as deep as that; any other, as those of the
    /// block that it comes into. Lines that have lost all indentation nest nowhere, so each takes the depth of its
    /// neighbour.
    pub(super) fn is_contradicted(&self, block: &Block<'_>, new: usize) -> bool {
        let line = block.new[new];
        let known = self.known(line);
        let is_nested = known.windows(2).any(|two| two[0].old != two[1].old);
        let equal: Vec<_> = known.iter().filter(|known| known.old == indent(line)).collect();
        if is_blank(line) || !is_nested || equal.len() < 2 {
            return false;
        }
        let replaced = block.changes.replaced(new);
        if replaced.is_some_and(|old| equal.iter().any(|known| known.old == known.file && known.distance(old) == 0)) {
            return false;
        }
        let near = siblings(&block.old, block.changes.counterpart(new), indent(line));
        equal.iter().filter(|known| known.is_within(&near)).count() != 1
    }

    /// What tells about a line of this kind.
    fn known(&self, line: &str) -> &[Known<'t>] {
        match self {
            Self::Translated { asides, .. } if is_aside(line) && !asides.is_empty() => asides,
            Self::Translated { known, .. } => known,
            Self::Verbatim => &[],
        }
    }

    /// A new line with its indentation for the file. `index` is its own place, `at` that of its nearest old line.
    pub(super) fn apply(&self, line: &str, index: usize, at: usize) -> String {
        match self {
            Self::Translated { first, step, .. } if !is_blank(line) => {
                let own = indent(line);
                let indentation = match first {
                    Some((first, last)) if index <= *last && (index > 0 || own.is_empty()) => (*first).to_owned() + own,
                    Some(_) | None => translate(self.known(line), step, own, at),
                };
                indentation + &line[own.len()..]
            }
            Self::Translated { .. } | Self::Verbatim => line.to_owned(),
        }
    }
}

/// Whether `old_string` had lost its indentation and `new_string` has the file's.
///
/// A line of both that is as deep in the one as in the other shows that it has not.
fn is_in_file_columns(pairs: &[Pair<'_>], old: &[&str], new: &[&str]) -> bool {
    let base = pairs.iter().map(|pair| pair.file).min_by_key(|file| file.len()).unwrap_or_default();
    let shifted: HashSet<&str> =
        pairs.iter().filter(|pair| pair.old != pair.file).map(|pair| trim_end(old[pair.at])).collect();
    let mut new = new.iter().filter(|line| !is_blank(line));
    pairs.iter().any(|pair| pair.old.is_empty())
        && !base.is_empty()
        && new.all(|line| indent(line).starts_with(base) && !shifted.contains(trim_end(line)))
}

fn trim_end(line: &str) -> &str {
    line.trim_end_matches(BLANKS)
}

/// Whether only the first line of `old_string` had lost its indentation, as when a block is copied from its first word.
fn has_lost_its_own(first: Pair<'_>, rest: &[Pair<'_>]) -> bool {
    let lost = first.at == 0 && first.old.is_empty() && !first.file.is_empty();
    // Retyped, but far too wide for what the first line's difference leaves: a tab is at most eight columns.
    let too_wide = |pair: &Pair<'_>| {
        let more = pair.file.strip_prefix(first.file).unwrap_or(pair.file);
        pair.file.contains('\t') && !pair.old.contains('\t') && pair.old.len() > 8 * more.len()
    };
    lost && !rest.is_empty()
        && rest.iter().all(|pair| !pair.old.is_empty())
        && (rest.iter().all(|pair| pair.old == pair.file) || rest.iter().any(too_wide))
}

/// The last line of `new_string` up to which its lines have lost what the first line of `old_string` has lost: the one
/// that is that line itself, or only the first one. Nothing where that cannot be told: where all could as well be
/// written from column 0 in steps of four, and happen to fit a file with steps of two.
pub(super) fn last_bare(lost: &str, (old, new): (&[&str], &[&str]), changes: &Changes) -> Option<usize> {
    let last = changes.equal(0).unwrap_or(0);
    let written = |lines: &[&str]| -> Vec<usize> {
        lines.iter().filter(|line| !is_blank(line)).map(|line| indent(line).len()).collect()
    };
    let is_by_four = |depths: &[usize]| depths.iter().all(|depth| depth.is_multiple_of(4));
    let (further, added) = (written(&old[1..]), written(new.get(last + 1..).unwrap_or_default()));
    let is_doubtful = lost == "  "
        && !further.is_empty()
        && !further.contains(&0)
        && is_by_four(&further)
        && is_by_four(&written(new))
        && added.contains(&0);
    (!is_doubtful).then_some(last)
}

/// The lines of the block around a line of `old_string` that are at least as deep as an indentation.
fn siblings(old: &[&str], line: usize, indentation: &str) -> Range<usize> {
    let is_inside = |line: &usize| is_blank(old[*line]) || indent(old[*line]).len() >= indentation.len();
    let above = (0..line).rev().take(MOST_SIBLINGS).take_while(is_inside).count();
    let below = (line + 1..old.len()).take(MOST_SIBLINGS).take_while(is_inside).count();
    line - above..line + below + 1
}

impl<'t> Known<'t> {
    /// Those of all pairs, in order of depth: few, however many lines there are.
    fn of(pairs: &[Pair<'t>]) -> Vec<Self> {
        let mut at: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for pair in pairs {
            at.entry((pair.old.len(), pair.old, pair.file)).or_default().push(pair.at);
        }
        at.into_iter().map(|((_, old, file), at)| Self { old, file, at }).collect()
    }

    fn is_within(&self, lines: &Range<usize>) -> bool {
        self.at.get(self.at.partition_point(|at| *at < lines.start)).is_some_and(|at| *at < lines.end)
    }

    /// How far the nearest of its lines is.
    fn distance(&self, line: usize) -> usize {
        let after = self.at.partition_point(|&at| at < line);
        let around = &self.at[after.saturating_sub(1)..(after + 1).min(self.at.len())];
        around.iter().map(|at| at.abs_diff(line)).min().unwrap_or(usize::MAX)
    }
}

fn translate(known: &[Known<'_>], step: &Step, own: &str, at: usize) -> String {
    let equal = known.iter().filter(|known| known.old == own);
    if let Some(equal) = equal.min_by_key(|known| known.distance(at)) {
        return equal.file.to_owned();
    }
    // A whole number of steps away comes first: the odd depth of an aligned line is no ancestor.
    let remoteness = |known: &&Known<'_>| {
        let columns = own.len().abs_diff(known.old.len());
        (!columns.is_multiple_of(step.old.len()), columns, known.distance(at))
    };
    if let Some(above) = known.iter().filter(|known| own.starts_with(known.old)).min_by_key(remoteness) {
        return above.file.to_owned() + &step.retype(&own[above.old.len()..]);
    }
    if let Some(below) = known.iter().filter(|known| known.old.starts_with(own)).min_by_key(remoteness) {
        return shed(below.file, &step.retype(&below.old[own.len()..])).to_owned();
    }
    own.to_owned()
}

/// An indentation without its innermost part; nothing when it is not that deep.
fn shed<'t>(indentation: &'t str, part: &str) -> &'t str {
    let kept = indentation.len().saturating_sub(part.len());
    indentation.strip_suffix(part).unwrap_or(&indentation[..kept])
}

impl Step {
    /// Lines of two depths, one below the other, show it; else a difference of tabs and spaces is resolved by the widths
    /// in use.
    fn measure(pairs: &[Pair<'_>], new: &[&str]) -> Self {
        Self::shown(pairs)
            .or_else(|| {
                let mut old: Vec<&str> = pairs.iter().map(|pair| pair.old).collect();
                old.extend(new.iter().filter(|line| !is_blank(line)).map(|line| indent(line)));
                let file: Vec<&str> = pairs.iter().map(|pair| pair.file).collect();
                Self::by_width(&old, &file, pairs)
            })
            .unwrap_or_else(|| Self { old: " ".into(), file: " ".into() })
    }

    /// What most neighbours of two depths show: a single odd one shows nothing.
    fn shown(pairs: &[Pair<'_>]) -> Option<Self> {
        let mut votes: Vec<(Self, usize)> = Vec::new();
        for two in pairs.windows(2) {
            let [one, other] = if two[0].old.len() < two[1].old.len() { [two[0], two[1]] } else { [two[1], two[0]] };
            let part = |deep: &'_ str, shallow: &str| {
                deep.strip_prefix(shallow).filter(|part| is_uniform(part)).map(str::to_owned)
            };
            let (Some(old), Some(file)) = (part(other.old, one.old), part(other.file, one.file)) else { continue };
            let shared = gcd(old.len(), file.len());
            let step = Self { old: old[..old.len() / shared].into(), file: file[..file.len() / shared].into() };
            match votes.iter_mut().find(|(other, _)| *other == step) {
                Some((_, count)) => *count += 1,
                None => votes.push((step, 1)),
            }
        }
        // The first one of the most.
        let (step, _) = votes.into_iter().rev().max_by_key(|(_, count)| *count)?;
        (step.old != step.file).then_some(step)
    }

    pub(super) fn by_width(old: &[&str], file: &[&str], known: &[Pair<'_>]) -> Option<Self> {
        let tabs = |indents: &[&str]| indents.iter().any(|indent| indent.contains('\t'));
        match (tabs(old), tabs(file)) {
            (false, true) => {
                let shown = known.iter().filter_map(|known| width(known.old, known.file));
                Some(Self { old: " ".repeat(unit(old, shown)?), file: "\t".into() })
            }
            (true, false) => {
                let shown = known.iter().filter_map(|known| width(known.file, known.old));
                Some(Self { old: "\t".into(), file: " ".repeat(unit(file, shown)?) })
            }
            (false, false) | (true, true) => None,
        }
    }

    /// A part of an indentation, in the file's unit; what is less than a unit, as an alignment is, stays.
    pub(super) fn retype(&self, part: &str) -> String {
        let mut rest = part;
        let mut retyped = String::new();
        while let Some(less) = rest.strip_prefix(&*self.old) {
            retyped += &self.file;
            rest = less;
        }
        retyped + rest
    }
}

/// How many spaces stand for a tab, where a line has only spaces on one side and only tabs on the other.
fn width(spaces: &str, tabs: &str) -> Option<usize> {
    let is_all = |text: &str, character| text.chars().all(|other| other == character);
    (!tabs.is_empty() && is_all(spaces, ' ') && is_all(tabs, '\t') && spaces.len().is_multiple_of(tabs.len()))
        .then(|| spaces.len() / tabs.len())
}

/// The width of one step where indentation is by spaces: what all depths are a multiple of.
///
/// A single odd one, as in `" * text"`, would make that 1; then it is the smallest depth. Depths of 8, 12 or 16 alone
/// are steps of 4, unless a line that was matched shows that they are wider.
fn unit(indents: &[&str], mut shown: impl Iterator<Item = usize>) -> Option<usize> {
    let widths = || indents.iter().filter(|indent| !indent.contains('\t')).map(|indent| indent.len());
    let smallest = widths().filter(|width| *width > 1).min()?;
    match widths().fold(0, gcd) {
        1 => Some(smallest),
        shared if shared > 4 && shared % 4 == 0 => {
            Some(shown.find(|width| *width > 4 && shared.is_multiple_of(*width)).unwrap_or(4))
        }
        shared => Some(shared),
    }
}

fn is_uniform(part: &str) -> bool {
    part.chars().next().is_some_and(|first| part.chars().all(|character| character == first))
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
