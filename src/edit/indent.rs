//! Indentation of new lines by the measured difference between the file and what was looked for.
//!
//! Each matched pair of lines says which indentation of the file one of `old_string` stands for. A new line whose
//! indentation occurs there gets what it stands for; a deeper or shallower one gets that of its nearest known ancestor
//! or descendant, and the difference is kept, retyped in the file's unit.

use std::collections::{BTreeMap, HashSet};

use super::view::{BLANKS, indent, is_blank, trim};

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
        /// The file's indentation of the first line, where only that line of `old_string` had lost its own.
        first: Option<&'t str>,
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
    /// Measures the difference between matched lines; blank lines say nothing.
    pub(super) fn measure(pairs: Vec<Pair<'t>>, old: &[&str], new: &[&str]) -> Self {
        if pairs.iter().all(|pair| pair.old == pair.file) || is_in_file_columns(&pairs, old, new) {
            return Self::Verbatim;
        }
        let (first, pairs) = match pairs.split_first() {
            Some((first, rest)) if has_lost_its_own(*first, rest) && !opens_in_own_columns(old, new) => {
                (Some(first.file), rest.to_vec())
            }
            _ => (None, pairs),
        };
        let known = Known::of(&pairs);
        let step = Step::measure(&known, new);
        Self::Translated { known, first, step }
    }

    /// Whether the depth of a line of `new_string` is, in `old_string`, that of lines which have several depths in the file:
    /// then the two do not nest alike, and no depth would be right.
    ///
    /// Lines that have lost all indentation nest nowhere, so each takes the depth of its neighbour.
    pub(super) fn is_contradicted(&self, line: &str) -> bool {
        let Self::Translated { known, .. } = self else { return false };
        let is_nested = known.windows(2).any(|two| two[0].old != two[1].old);
        let mut files = known.iter().filter(|known| known.old == indent(line)).map(|known| known.file);
        let first = files.next();
        is_nested && !is_blank(line) && files.any(|file| Some(file) != first)
    }

    /// A new line with its indentation for the file. `index` is its own place, `at` that of its nearest old line.
    pub(super) fn apply(&self, line: &str, index: usize, at: usize) -> String {
        match self {
            Self::Translated { known, first, step } if !is_blank(line) => {
                let own = indent(line);
                let indentation = match first {
                    Some(first) if index == 0 && own.is_empty() => (*first).to_owned(),
                    Some(_) | None => translate(known, step, own, at),
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

/// Whether `old_string` begins with a line that opens deeper ones, and `new_string` has further lines at its depth: then
/// all of it is written from column 0, also where its deeper lines happen to stand in the file's columns.
pub(super) fn opens_in_own_columns(old: &[&str], new: &[&str]) -> bool {
    let mut further = new.iter().skip(1).filter(|line| !is_blank(line));
    old.first().is_some_and(|line| opens(line)) && further.any(|line| indent(line).is_empty())
}

/// Whether a line opens deeper ones, a comment at its end apart.
pub(super) fn opens(line: &str) -> bool {
    let code = [" #", " //", " --", " /*"].iter().filter_map(|comment| line.find(comment)).min();
    let code = trim(&line[..code.unwrap_or(line.len())]);
    let word = code.rsplit(|character: char| !character.is_alphanumeric()).next().unwrap_or_default();
    code.ends_with([':', '{', '(', '[', '=', ','])
        || code.ends_with("->")
        || code.ends_with("=>")
        || ["then", "do", "else", "begin"].contains(&word)
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

impl<'t> Known<'t> {
    /// Those of all pairs, in order of depth: few, however many lines there are.
    fn of(pairs: &[Pair<'t>]) -> Vec<Self> {
        let mut at: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for pair in pairs {
            at.entry((pair.old.len(), pair.old, pair.file)).or_default().push(pair.at);
        }
        at.into_iter().map(|((_, old, file), at)| Self { old, file, at }).collect()
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
    /// Two depths show it; else a difference of tabs and spaces is resolved by the widths in use.
    fn measure(known: &[Known<'_>], new: &[&str]) -> Self {
        Self::shown(known)
            .or_else(|| {
                let mut old: Vec<&str> = known.iter().map(|known| known.old).collect();
                old.extend(new.iter().filter(|line| !is_blank(line)).map(|line| indent(line)));
                let file: Vec<&str> = known.iter().map(|known| known.file).collect();
                Self::by_width(&old, &file, known)
            })
            .unwrap_or_else(|| Self { old: " ".into(), file: " ".into() })
    }

    fn shown(known: &[Known<'_>]) -> Option<Self> {
        known.windows(2).find_map(|two| {
            let old = two[1].old.strip_prefix(two[0].old).filter(|part| is_uniform(part))?;
            let file = two[1].file.strip_prefix(two[0].file).filter(|part| is_uniform(part))?;
            let shared = gcd(old.len(), file.len());
            let step = Self { old: old[..old.len() / shared].into(), file: file[..file.len() / shared].into() };
            (step.old != step.file).then_some(step)
        })
    }

    fn by_width(old: &[&str], file: &[&str], known: &[Known<'_>]) -> Option<Self> {
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
    fn retype(&self, part: &str) -> String {
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
