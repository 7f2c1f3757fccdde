//! Words for why a text does not match.

use super::Match;
use super::lookalike;
use super::view::{BLANKS, View, collapse, is_blank, trim};

/// A shown line is cut to so many characters.
pub(super) const MOST_CHARACTERS: usize = 200;

/// Where a place first differs from what was wanted, and how.
pub(super) struct Difference {
    /// The line of the text, counted from 0.
    pub(super) line: usize,
    pub(super) why: String,
}

/// Describes the first difference between `old` and the lines from `start` on.
pub(super) fn difference(view: &View<'_>, old: &[&str], start: usize, how: Match) -> Difference {
    for (index, wanted) in old.iter().enumerate() {
        let line = start + index;
        if line >= view.line_count() {
            let why = format!("the text ends before line {} of `old_string`", index + 1);
            return Difference { line, why };
        }
        let found = view.line(line);
        if !agrees(old.len(), index, wanted, found) {
            let why = format!("line {} differs: {}", line + 1, in_words(wanted, found));
            return Difference { line, why };
        }
    }
    let uneven = old.iter().zip(start..).position(|(wanted, line)| *wanted != view.line(line));
    let line = start + uneven.unwrap_or_default();
    let why = match (uneven, how) {
        (Some(_), Match::Exact) => {
            format!("line {} differs in white space only, which `match: exact` does not forgive", line + 1)
        }
        (Some(_), Match::Whitespace | Match::Fuzzy) => {
            format!("line {} matches in part only; other rungs than the first need whole lines", line + 1)
        }
        (None, Match::Exact | Match::Whitespace | Match::Fuzzy) => {
            "it is equal, but not where it was looked for".to_owned()
        }
    };
    Difference { line, why }
}

/// Whether a line differs in white space at most. The first and last one may begin and end within the file's.
fn agrees(count: usize, index: usize, wanted: &str, found: &str) -> bool {
    let (wanted, found) = (collapse(wanted), collapse(found));
    wanted == found
        || match (index == 0, index + 1 == count) {
            (true, true) => found.contains(&*wanted),
            (true, false) => found.ends_with(&*wanted),
            (false, true) => found.starts_with(&*wanted),
            (false, false) => false,
        }
}

fn in_words(wanted: &str, found: &str) -> String {
    let (wanted, found) = (trim(wanted), trim(found));
    let equal = |fold: fn(&str) -> String| {
        let (wanted, found) = (fold(&collapse(wanted)), fold(&collapse(found)));
        !wanted.is_empty() && found.contains(&wanted)
    };
    let quoted = || {
        let (wanted, found) = around_difference(wanted, found);
        format!("wanted `{wanted}`, found `{found}`")
    };
    if equal(str::to_owned) {
        quoted()
    } else if equal(str::to_lowercase) {
        format!("in upper and lower case only: {}", quoted())
    } else if equal(lookalike::fold) {
        format!("in characters that look alike: {}; {}", lookalike::names(wanted, found), quoted())
    } else if equal(lookalike::compose) {
        let has = |text: &str| if lookalike::is_decomposed(text) { "decomposed" } else { "composed" };
        format!("in Unicode composition: `old_string` is {}, the text is {}; {}", has(wanted), has(found), quoted())
    } else {
        quoted()
    }
}

/// Both lines, cut so that the first difference is seen.
fn around_difference(wanted: &str, found: &str) -> (String, String) {
    let same = wanted.chars().zip(found.chars()).take_while(|(wanted, found)| wanted == found).count();
    let skipped = if same > MOST_CHARACTERS / 2 { same - MOST_CHARACTERS / 4 } else { 0 };
    let show = |text: &str| {
        let rest: String = text.chars().skip(skipped).collect();
        let mark = if skipped > 0 { "…" } else { "" };
        mark.to_owned() + &cut(&rest, MOST_CHARACTERS)
    };
    (show(wanted), show(found))
}

/// A text of at most so many characters; `…` stands for what is cut.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => text[..at].to_owned() + "…",
        None => text.to_owned(),
    }
}

/// What is odd about `old_string`: words that are cut, escapes, line numbers or blank edges that the text does not have.
pub(super) fn oddities(view: &View<'_>, old: &str) -> Vec<String> {
    let place = |text: &str| {
        let at = memchr::memmem::find(view.text().as_bytes(), text.as_bytes()).filter(|_| !text.trim().is_empty())?;
        Some(view.line_at(view.original(at..at).start) + 1)
    };
    let escapes = unescape(old).and_then(|plain| place(&plain)).map(|line| {
        format!("`old_string` has literal escapes as `\\n` or `\\t`; with the characters themselves it would match at line {line}")
    });
    let gutter = without_gutter(old).map(|plain| match place(&plain) {
        Some(line) => {
            format!("`old_string` has line numbers from a numbered read; without them it would match at line {line}")
        }
        None => "`old_string` has line numbers from a numbered read; leave them out".to_owned(),
    });
    let inner = without_blank_edges(old);
    let whole = old.strip_suffix('\n').unwrap_or(old);
    let edges =
        inner.filter(|inner| inner.len() < whole.len() && place(whole).is_none()).and_then(|inner| place(&inner)).map(
            |line| format!("`old_string` begins or ends with blank lines; without them it would match at line {line}"),
        );
    let first = old.split('\n').next().unwrap_or_default();
    let is_part = |line: &usize| view.line(line - 1) != first;
    let part = place(old)
        .filter(is_part)
        .map(|line| format!("at line {line} it is only a part of the line; give whole lines"));
    [part, escapes, gutter, edges].into_iter().flatten().collect()
}

/// The text with escapes read as what they stand for; nothing if it has none.
fn unescape(text: &str) -> Option<String> {
    if !["\\n", "\\t", "\\r", "\\\"", "\\'"].iter().any(|escape| text.contains(escape)) {
        return None;
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let escaped = match (character, characters.peek()) {
            ('\\', Some('n')) => Some('\n'),
            ('\\', Some('t')) => Some('\t'),
            ('\\', Some('r')) => Some('\r'),
            ('\\', Some(same @ ('"' | '\'' | '\\'))) => Some(*same),
            _ => None,
        };
        if escaped.is_some() {
            characters.next();
        }
        plain.push(escaped.unwrap_or(character));
    }
    Some(plain.replace("\r\n", "\n"))
}

/// The text without `   12<tab>` before each line; nothing unless every line has it.
fn without_gutter(text: &str) -> Option<String> {
    let ended = text.strip_suffix('\n');
    let bare = |line: &str| {
        let rest = line.trim_start_matches(' ');
        let after = rest.trim_start_matches(|character: char| character.is_ascii_digit());
        if after.len() < rest.len() { after.strip_prefix('\t').map(str::to_owned) } else { None }
    };
    let lines: Option<Vec<String>> = ended.unwrap_or(text).split('\n').map(bare).collect();
    lines.map(|lines| lines.join("\n") + if ended.is_some() { "\n" } else { "" })
}

/// The text without blank lines at its ends; nothing if it has no other.
fn without_blank_edges(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.split('\n').collect();
    let first = lines.iter().position(|line| !is_blank(line))?;
    let last = lines.iter().rposition(|line| !is_blank(line))?;
    Some(lines[first..=last].join("\n").trim_end_matches(BLANKS).to_owned())
}
