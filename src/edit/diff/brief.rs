//! The beginning of a diff, for people and models who read it.

use super::{CUT, Diff};

/// So many lines are shown.
const MOST_LINES: usize = 10;

/// So many characters of a line are shown.
const MOST_CHARACTERS: usize = 200;

/// The first ten lines below the headers, each cut to 200 characters. What could drive a terminal is escaped.
#[must_use]
pub fn brief(diff: &Diff) -> String {
    let text = if diff.truncated { diff.text.trim_end_matches(CUT) } else { &diff.text };
    let mut lines = text.split_inclusive('\n').skip(2);
    let mut shown: String = lines.by_ref().take(MOST_LINES).flat_map(|line| [cut(line), "\n".to_owned()]).collect();
    if shown.is_empty() && !diff.truncated {
        return "No changes detected\n".to_owned();
    }
    if diff.truncated || lines.next().is_some() {
        shown += CUT;
    }
    shown
}

fn cut(line: &str) -> String {
    // An escaped character takes ten at most, and one of them is enough to be too long.
    let line = line.strip_suffix('\n').unwrap_or(line);
    let escaped: String = line.chars().take(MOST_CHARACTERS + 1).map(escape).collect();
    if escaped.chars().count() <= MOST_CHARACTERS {
        return escaped;
    }
    escaped.chars().take(MOST_CHARACTERS - 3).chain("...".chars()).collect()
}

fn escape(c: char) -> String {
    let is_direction = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_line_end = matches!(c, '\u{2028}' | '\u{2029}');
    if c != '\t' && (c.is_control() || is_direction || is_line_end) { c.escape_default().collect() } else { c.into() }
}
