//! What helps after a miss: the places that come nearest, and what is odd about the text that was looked for.
//!
//! Candidates come from lines that are equal but for white space; where there are none, from thirds of the longest line,
//! since one or two differences leave a third intact. All of it is bounded, however large the text.

use std::collections::HashMap;

use super::Match;
use super::doubt::Doubt;
use super::explain::{self, MOST_CHARACTERS, cut};
use super::needle::Needle;
use super::similar::{Budget, ratio};
use super::view::{View, collapse, is_blank, key, trim};

/// So many candidates are shown.
const MOST_NEAR: usize = 3;

/// So many lines of each candidate are shown.
const MOST_LINES: usize = 5;

/// So many candidates are compared.
const MOST_COMPARED: usize = 16;

/// A line that occurs more often says nothing about a place.
const MOST_FREQUENT: usize = 64;

/// How much of the wanted text a candidate must have.
const LEAST_COVERED: f64 = 0.5;

/// What helps to ask better after a miss.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NotFoundHelp {
    /// The nearest places, best first, up to three.
    pub nearest: Vec<Near>,
    /// What is odd about `old_string` itself.
    pub hints: Vec<String>,
}

/// A place that comes near.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Near {
    /// First and last line, counted from 1.
    pub lines: (usize, usize),
    /// Lines of the text around the first difference, with their numbers: up to five, each cut to 200 characters.
    pub shown: Vec<(usize, String)>,
    /// How it differs.
    pub why: String,
}

impl NotFoundHelp {
    /// Says why a block that is like the one that was looked for is not taken.
    pub(super) fn with_doubt(mut self, doubt: Option<Doubt>) -> Self {
        let Some(doubt) = doubt else { return self };
        if let Some(line) = doubt.place() {
            // It is there: why it does not match would be misleading.
            self.hints.clear();
            self.nearest.retain(|near| (near.lines.0..=near.lines.1).contains(&(line + 1)));
            self.nearest.truncate(1);
            for near in &mut self.nearest {
                near.why = String::from("the lines of `old_string` are there");
            }
        }
        self.hints.push(doubt.to_string());
        self
    }
}

/// Explains a miss.
pub(super) fn help(view: &View<'_>, needle: &Needle<'_>, how: Match) -> NotFoundHelp {
    let hints = explain::oddities(view, &needle.old);
    let text = needle.old.strip_suffix('\n').unwrap_or(&needle.old);
    let old: Vec<&str> = text.split('\n').collect();
    let mut starts = by_equal_lines(view, &old);
    if starts.is_empty() {
        starts = by_thirds(view, &old);
    }
    starts.truncate(MOST_COMPARED);
    let mut budget = Budget(4_000_000);
    let mut ranked: Vec<(f64, usize)> =
        starts.into_iter().map(|start| (covered(view, &old, start, &mut budget), start)).collect();
    ranked.retain(|(score, _)| *score >= LEAST_COVERED);
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut shown: Vec<usize> = Vec::new();
    for (_, start) in ranked {
        if shown.len() < MOST_NEAR && shown.iter().all(|other| other.abs_diff(start) > old.len() / 2) {
            shown.push(start);
        }
    }
    NotFoundHelp { nearest: shown.into_iter().map(|start| near(view, &old, start, how)).collect(), hints }
}

/// First lines of candidates, those with most equal lines first; rare lines count more.
fn by_equal_lines(view: &View<'_>, old: &[&str]) -> Vec<usize> {
    let mut wanted: HashMap<u64, (Vec<usize>, Vec<usize>)> = HashMap::new();
    for (index, line) in old.iter().enumerate().filter(|(_, line)| !is_blank(line)) {
        let (indexes, _) = wanted.entry(key(&collapse(line))).or_default();
        if indexes.len() < 4 {
            indexes.push(index);
        }
    }
    for (line, key) in view.keys().iter().enumerate() {
        if let Some((_, lines)) = wanted.get_mut(key).filter(|(_, lines)| lines.len() < MOST_FREQUENT) {
            lines.push(line);
        }
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (indexes, lines) in wanted.values() {
        for (index, line) in indexes.iter().flat_map(|index| lines.iter().map(move |line| (index, line))) {
            *votes.entry(line.saturating_sub(*index)).or_default() += MOST_FREQUENT / lines.len();
        }
    }
    most_voted(votes)
}

/// First lines of candidates that have a third of the longest line, whatever its case.
fn by_thirds(view: &View<'_>, old: &[&str]) -> Vec<usize> {
    let longest = old.iter().enumerate().max_by_key(|(index, line)| (trim(line).len(), usize::MAX - index));
    let Some((index, line)) = longest else { return Vec::new() };
    let line = trim(line).to_ascii_lowercase();
    let body = view.body().to_ascii_lowercase();
    let characters: Vec<char> = line.chars().collect();
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for third in characters.chunks(characters.len().div_ceil(3).max(2)).filter(|third| third.len() >= 2) {
        let third: String = third.iter().collect();
        let places = memchr::memmem::find_iter(body.as_bytes(), third.as_bytes()).take(MOST_FREQUENT);
        let lines: Vec<usize> = places.map(|at| view.line_at(at)).collect();
        for line in &lines {
            *votes.entry(line.saturating_sub(index)).or_default() += MOST_FREQUENT / lines.len();
        }
    }
    most_voted(votes)
}

fn most_voted(votes: HashMap<usize, usize>) -> Vec<usize> {
    let mut votes: Vec<(usize, usize)> = votes.into_iter().collect();
    votes.sort_by_key(|(start, votes)| (usize::MAX - votes, *start));
    votes.into_iter().map(|(start, _)| start).collect()
}

/// How much of the wanted text is found line by line, whatever its case, from 0 to 1.
fn covered(view: &View<'_>, old: &[&str], start: usize, budget: &mut Budget) -> f64 {
    let (mut found, mut total) = (0.0, 0.0);
    for (line, index) in old.iter().zip(start..view.line_count()).filter(|(line, _)| !is_blank(line)).take(40) {
        let lower = |text: &str, most| cut(trim(text), most).to_lowercase();
        let (wanted, file) = (lower(line, MOST_CHARACTERS), lower(view.line(index), 10 * MOST_CHARACTERS));
        let size = characters(&wanted);
        total += size;
        let likeness = if wanted == file { 1.0 } else { ratio(&file, &wanted, budget).unwrap_or(0.0) };
        // What is matched, of the wanted text alone: it may be a fragment of a long line.
        found += likeness * (size + characters(&file)) / 2.0;
    }
    if total > 0.0 { found / total } else { 0.0 }
}

#[expect(clippy::cast_precision_loss, reason = "lines are cut to far fewer than 2^52 characters")]
fn characters(text: &str) -> f64 {
    text.chars().count() as f64
}

fn near(view: &View<'_>, old: &[&str], start: usize, how: Match) -> Near {
    let difference = explain::difference(view, old, start, how);
    let end = (start + old.len()).min(view.line_count());
    let from = difference.line.saturating_sub(MOST_LINES / 2).max(start).min(end - 1);
    let shown = (from..end).take(MOST_LINES).map(|line| (line + 1, cut(view.line(line), MOST_CHARACTERS))).collect();
    Near { lines: (start + 1, end), shown, why: difference.why }
}
