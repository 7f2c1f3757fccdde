//! From the text of a patch to its sections.

use super::error::{PatchError, Reason};
use super::line::{Line, Star, lines};
use super::update::{self, Owner};
use super::{Hunk, MOST_SECTIONS, Patch, Section, SectionChange};

/// Reads a patch.
///
/// Guarantees: linear in the patch, and independent of every file.
///
/// # Errors
/// [`PatchError`], for the first rule that is broken.
pub fn parse(patch: &str) -> Result<Patch, PatchError> {
    let lines = lines(patch);
    sections(&lines)
        .map_err(|error| if is_wrapped(&lines) { PatchError { reason: Reason::Wrapped, ..error } } else { error })
}

fn sections(lines: &[Line<'_>]) -> Result<Patch, PatchError> {
    let mut rest = skip_blank(between_sentinels(lines)?);
    let mut sections = Vec::new();
    while let Some((header, tail)) = rest.split_first() {
        let end = tail.iter().position(starts_section).unwrap_or(tail.len());
        if sections.len() == MOST_SECTIONS {
            let what = format!("More than {MOST_SECTIONS} sections");
            return Err(PatchError::invalid(Reason::TooManySections, header.number, &what));
        }
        sections.push(section(header, &tail[..end])?);
        rest = &tail[end..];
    }
    if sections.is_empty() { Err(PatchError::no_operations()) } else { Ok(Patch { sections }) }
}

/// Whether a patch stands in a Markdown fence or in a here-document of a shell.
fn is_wrapped(lines: &[Line<'_>]) -> bool {
    let written: Vec<&Line<'_>> = lines.iter().filter(|line| !line.is_blank()).collect();
    let (Some(first), Some(last)) = (written.first(), written.last()) else { return false };
    let is_fence = |line: &Line<'_>| line.text.starts_with("```") || line.text.starts_with("~~~");
    let ends_before =
        last.star().is_none() && written.iter().rev().nth(1).is_some_and(|line| line.star() == Some(Star::End));
    is_fence(first) || is_fence(last) || ends_before || (first.star().is_none() && first.text.contains("<<"))
}

/// The lines between `*** Begin Patch` and `*** End Patch`, both of which may be left out.
fn between_sentinels<'p, 't>(lines: &'p [Line<'t>]) -> Result<&'p [Line<'t>], PatchError> {
    let start = skip_blank(lines);
    let body = match start.split_first() {
        Some((first, rest)) if first.star() == Some(Star::Begin) => rest,
        Some(_) | None => start,
    };
    let Some(end) = body.iter().position(|line| line.star() == Some(Star::End)) else {
        return Ok(body);
    };
    match body[end + 1..].iter().find(|line| !line.is_blank()) {
        Some(line) => {
            let what = format!("Text after *** End Patch: {}", line.quoted());
            Err(PatchError::invalid(Reason::TextAfterEnd, line.number, &what))
        }
        None => Ok(&body[..end]),
    }
}

/// `*** Begin Patch` ends a section too, so that a second one is refused where it stands.
fn starts_section(line: &Line<'_>) -> bool {
    match line.star() {
        Some(Star::Begin | Star::Add(_) | Star::Update(_) | Star::Delete(_) | Star::Move(_)) => true,
        Some(Star::End | Star::MoveTo(_) | Star::EndOfFile | Star::Unknown) | None => false,
    }
}

fn section(header: &Line<'_>, body: &[Line<'_>]) -> Result<Section, PatchError> {
    let (path, change) = match header.star() {
        Some(Star::Add(path)) => (path, SectionChange::Add { content: added(body)? }),
        Some(Star::Delete(path)) => (path, deleted(body)?),
        Some(Star::Update(path)) => (path, updated(header, path, body)?),
        Some(Star::Move(paths)) => moved(header, paths, body)?,
        Some(Star::Begin | Star::End | Star::MoveTo(_) | Star::EndOfFile | Star::Unknown) => {
            return Err(PatchError::unexpected(Reason::BadHeader, header));
        }
        None => return Err(stray(header)),
    };
    if path.is_empty() {
        return Err(empty_path(header));
    }
    Ok(Section { line: header.number, path: path.to_owned(), change })
}

fn stray(line: &Line<'_>) -> PatchError {
    let starts = |words: &[&str]| words.iter().any(|word| line.text.starts_with(word));
    let reason =
        if starts(&["--- ", "+++ ", "diff --git ", "Index: "]) { Reason::UnifiedDiff } else { Reason::UnexpectedLine };
    PatchError::unexpected(reason, line)
}

fn empty_path(header: &Line<'_>) -> PatchError {
    PatchError::invalid(Reason::EmptyPath, header.number, &format!("Empty path in header: {}", header.quoted()))
}

/// The text of a new file.
fn added(body: &[Line<'_>]) -> Result<String, PatchError> {
    if let Some(header) = body.iter().find(|line| line.star().is_some()) {
        return Err(PatchError::unexpected(Reason::BadHeader, header));
    }
    let written = body.iter().rposition(|line| !line.is_blank() && !line.is_no_newline()).map_or(0, |last| last + 1);
    let mut meant = body[..written].iter().filter(|line| !line.is_blank()).peekable();
    if meant.peek().is_none() || !meant.all(|line| line.text.starts_with('+')) {
        return Ok(body.iter().flat_map(|line| [line.unescaped(), "\n"]).collect());
    }
    if let Some(blank) = body[..written].iter().find(|line| line.is_blank()) {
        let what = "A blank line among lines that all begin with +: a literal body or V4A";
        return Err(PatchError::invalid(Reason::BothDialects, blank.number, what));
    }
    Ok(body[..written].iter().flat_map(|line| [&line.text[1..], "\n"]).collect())
}

fn deleted(body: &[Line<'_>]) -> Result<SectionChange, PatchError> {
    match body.iter().find(|line| !line.is_blank()) {
        Some(line) => Err(PatchError::unexpected(Reason::DeleteWithBody, line)),
        None => Ok(SectionChange::Delete),
    }
}

fn updated(header: &Line<'_>, path: &str, body: &[Line<'_>]) -> Result<SectionChange, PatchError> {
    let owner = Owner { verb: "update", path };
    let Some((first, rest)) = skip_blank(body).split_first() else {
        let what = format!("No hunks in update for '{path}'");
        return Err(PatchError::invalid(Reason::NoHunks, header.number, &what));
    };
    match first.star() {
        Some(Star::MoveTo("")) => Err(empty_path(first)),
        Some(Star::MoveTo(to)) => Ok(renamed(to, update::hunks(owner, rest)?)),
        Some(_) | None => Ok(SectionChange::Update { hunks: update::hunks(owner, body)?, move_to: None }),
    }
}

fn moved<'a>(header: &Line<'a>, paths: &'a str, body: &[Line<'_>]) -> Result<(&'a str, SectionChange), PatchError> {
    let malformed = |what: &str| {
        let what = format!("Malformed Move File header ({what}): {}", header.quoted());
        PatchError::invalid(Reason::MalformedMove, header.number, &what)
    };
    let (from, to) = match paths.split("->").collect::<Vec<_>>()[..] {
        [from, to] => (from.trim(), to.trim()),
        _ => return Err(malformed("expected '<old> -> <new>'")),
    };
    if from.is_empty() || to.is_empty() {
        return Err(malformed("empty source or destination"));
    }
    let hunks = update::hunks(Owner { verb: "move", path: from }, body)?;
    Ok((from, renamed(to, hunks)))
}

fn renamed(to: &str, hunks: Vec<Hunk>) -> SectionChange {
    let to = to.to_owned();
    if hunks.is_empty() { SectionChange::Move { to } } else { SectionChange::Update { hunks, move_to: Some(to) } }
}

fn skip_blank<'p, 't>(lines: &'p [Line<'t>]) -> &'p [Line<'t>] {
    &lines[lines.iter().position(|line| !line.is_blank()).unwrap_or(lines.len())..]
}
