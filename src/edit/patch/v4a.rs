//! V4A hunks: lines with a prefix, beneath the lines that they stand under.

use super::error::{PatchError, Reason};
use super::line::{Line, Star};
use super::update::{Owner, Raw};
use super::{Change, Dialect, Hunk};

/// Reads the hunks of a section. A `@@ text` with nothing below it belongs to the next hunk.
pub(super) fn hunks(owner: Owner<'_>, raws: &[Raw<'_, '_>]) -> Result<Vec<Hunk>, PatchError> {
    let mut hunks = Vec::new();
    let mut above: Vec<&Raw<'_, '_>> = Vec::new();
    for raw in raws {
        refuse_glued(raw)?;
        above.push(raw);
        let only_above = written(raw.body).is_empty() && !raw.said().is_empty();
        if !only_above {
            hunks.push(hunk(owner, &above)?);
            above.clear();
        }
    }
    above.first().map_or(Ok(hunks), |raw| Err(owner.empty_hunk(line_of(raw))))
}

/// `@@count = 0` may be a line of Ruby whose prefix is missing.
fn refuse_glued(raw: &Raw<'_, '_>) -> Result<(), PatchError> {
    match raw.header {
        Some(header) if !header.text[2..].is_empty() && !header.text[2..].starts_with(char::is_whitespace) => {
            let what = format!("Text right after @@: {}", header.quoted());
            Err(PatchError::invalid(Reason::BadHunkHeader, header.number, &what))
        }
        Some(_) | None => Ok(()),
    }
}

/// Reads the last one; the others only name lines above it.
fn hunk(owner: Owner<'_>, above: &[&Raw<'_, '_>]) -> Result<Hunk, PatchError> {
    let (first, last) = (above[0], above[above.len() - 1]);
    let line = line_of(first);
    let (body, at_end) = until_end_of_file(written(last.body))?;
    let bare = above.iter().all(|raw| raw.said().is_empty());
    if let Some(bad) = body.iter().find(|line| !line.has_prefix()) {
        return Err(without_prefix(owner, bad, bare.then_some(line)));
    }
    if let Some(both) = body.iter().find(|line| bare && line.text.trim() == "===") {
        let what = "An indented === in a hunk of prefixed lines, which could be meant in both dialects";
        return Err(PatchError::invalid(Reason::BothDialects, both.number, what));
    }
    let lines = || body.iter().filter(|line| !line.is_no_newline()).map(|line| line.text);
    if !lines().any(|line| line.starts_with(['-', '+'])) {
        return Err(owner.empty_hunk(line));
    }
    let side = |other: char| {
        lines().filter(|line| !line.starts_with(other)).flat_map(|line| [line.get(1..).unwrap_or(""), "\n"]).collect()
    };
    let anchors = above.iter().filter_map(|raw| anchor(raw.said())).map(str::to_owned).collect();
    let layout = last.body.len() - written(last.body).len();
    let (old, new, changes) = (side('+'), side('-'), changes(&lines().collect::<Vec<_>>()));
    Ok(Hunk { line, dialect: Dialect::V4a, old, new, changes, anchors, at_end, layout })
}

/// The runs of lines with `-` and `+`.
fn changes(lines: &[&str]) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    let (mut old, mut new) = (0, 0);
    for line in lines {
        let (is_old, is_new) = (!line.starts_with('+'), !line.starts_with('-'));
        if is_old != is_new {
            let open = changes.pop_if(|last| last.old.end == old && last.new.end == new);
            let Change { old: from, new: put } = open.unwrap_or(Change { old: old..old, new: new..new });
            changes
                .push(Change { old: from.start..old + usize::from(is_old), new: put.start..new + usize::from(is_new) });
        }
        old += usize::from(is_old);
        new += usize::from(is_new);
    }
    changes
}

fn line_of(raw: &Raw<'_, '_>) -> usize {
    raw.header.or(raw.body.iter().find(|line| !line.is_blank()).copied()).map_or(1, |line| line.number)
}

/// The lines without the empty ones at the end. Context that is left out may leave a hunk ambiguous, but cannot make it
/// wrong.
fn written<'p, 't>(body: &'p [Line<'t>]) -> &'p [Line<'t>] {
    &body[..body.iter().rposition(|line| !line.text.is_empty()).map_or(0, |last| last + 1)]
}

fn until_end_of_file<'p, 't>(body: &'p [Line<'t>]) -> Result<(&'p [Line<'t>], bool), PatchError> {
    let Some(end) = body.iter().position(|line| line.star() == Some(Star::EndOfFile)) else {
        return Ok((body, false));
    };
    match body[end + 1..].iter().find(|line| !line.is_blank()) {
        Some(line) => Err(PatchError::unexpected(Reason::BadHeader, line)),
        None => Ok((&body[..end], true)),
    }
}

/// A line without a prefix. In a hunk with a bare `@@` it may as well be a separator that is missing.
fn without_prefix(owner: Owner<'_>, line: &Line<'_>, bare: Option<usize>) -> PatchError {
    match bare {
        Some(hunk) => {
            let what = format!("Hunk without its separator === in {} for '{}'", owner.verb, owner.path);
            PatchError::invalid(Reason::MissingSeparator, hunk, &what)
        }
        None => {
            let what = format!("Line of a hunk without a space, - or + before it: {}", line.quoted());
            PatchError::invalid(Reason::BadHunkLine, line.number, &what)
        }
    }
}

/// The line that a header names. The numbers of a unified diff name none.
fn anchor(said: &str) -> Option<&str> {
    let named = numbers(said).unwrap_or(said);
    (!named.is_empty()).then_some(named)
}

/// What follows `-1,3 +1,4 @@`.
fn numbers(said: &str) -> Option<&str> {
    let (old, rest) = said.strip_prefix('-')?.split_once(" +")?;
    let (new, text) = rest.split_once("@@")?;
    let is_range =
        |range: &str| range.split(',').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    (is_range(old.trim()) && is_range(new.trim())).then_some(text.trim())
}
