//! The body of an update: where its hunks begin, and in which dialect they are.

use super::error::{PatchError, Reason};
use super::line::{Line, Star, run};
use super::{Hunk, seed, v4a};

/// The section to which hunks belong.
#[derive(Debug, Clone, Copy)]
pub(super) struct Owner<'a> {
    /// What it does, for messages.
    pub(super) verb: &'static str,
    /// The file.
    pub(super) path: &'a str,
}

/// The lines of a hunk that are not yet understood.
#[derive(Debug, Clone, Copy)]
pub(super) struct Raw<'p, 't> {
    /// Its `@@` line; none where the first one is left out.
    pub(super) header: Option<Line<'t>>,
    /// The lines after that.
    pub(super) body: &'p [Line<'t>],
}

impl Owner<'_> {
    /// A hunk without old lines, or without a change.
    pub(super) fn empty_hunk(self, line: usize) -> PatchError {
        let Self { verb, path } = self;
        let message = format!("Empty hunk in {verb} for '{path}' (line {line})");
        PatchError { reason: Reason::EmptyHunk, line, message }
    }
}

impl Raw<'_, '_> {
    /// What stands after the `@@`, without white space around it.
    pub(super) fn said(&self) -> &str {
        self.header.as_ref().map_or("", |header| header.text.trim_start_matches('@').trim())
    }

    /// Whether its `@@` line names a separator of its own.
    fn names_separator(&self) -> bool {
        run(self.said()).is_some_and(|run| run.len() > 3)
    }
}

/// The hunks of a section; none if its body is blank.
pub(super) fn hunks(owner: Owner<'_>, body: &[Line<'_>]) -> Result<Vec<Hunk>, PatchError> {
    refuse_headers(body)?;
    let start = body.iter().position(Line::is_at).unwrap_or(body.len());
    let (before, rest) = body.split_at(start);
    let raws = split(rest);
    let in_blocks = body.iter().any(|line| line.is_separator("===")) || raws.iter().any(Raw::names_separator);
    let Some(first) = before.iter().position(|line| !line.is_blank()) else {
        return if in_blocks { seed::hunks(owner, &raws) } else { v4a::hunks(owner, &raws) };
    };
    let head = Raw { header: None, body: &before[first..] };
    refuse_before_hunk(owner, head.body, in_blocks)?;
    v4a::hunks(owner, &[vec![head], raws].concat())
}

/// Lines before the first `@@` are the first hunk of V4A, or nothing.
fn refuse_before_hunk(owner: Owner<'_>, lines: &[Line<'_>], in_blocks: bool) -> Result<(), PatchError> {
    let Owner { verb, path } = owner;
    let first = lines[0];
    if lines.windows(2).any(|two| two[0].text.starts_with("--- ") && two[1].text.starts_with("+++ ")) {
        return Err(PatchError::unexpected(Reason::UnifiedDiff, &first));
    }
    if !in_blocks && lines.iter().all(Line::has_prefix) {
        return Ok(());
    }
    let last = lines.iter().rfind(|line| !line.is_blank()).unwrap_or(&first).number;
    let what = format!("Text before the first @@ in {verb} for '{path}', lines {} to {last}", first.number);
    Err(PatchError::invalid(Reason::TextBeforeHunk, first.number, &what))
}

/// Of the lines with three stars, only `*** End of File` belongs into hunks.
fn refuse_headers(body: &[Line<'_>]) -> Result<(), PatchError> {
    let foreign = |line: &&Line<'_>| match line.star() {
        Some(Star::EndOfFile) | None => false,
        Some(
            Star::Begin
            | Star::End
            | Star::Add(_)
            | Star::Update(_)
            | Star::Delete(_)
            | Star::Move(_)
            | Star::MoveTo(_)
            | Star::Unknown,
        ) => true,
    };
    body.iter().find(foreign).map_or(Ok(()), |line| Err(PatchError::unexpected(Reason::BadHeader, line)))
}

fn split<'p, 't>(lines: &'p [Line<'t>]) -> Vec<Raw<'p, 't>> {
    let mut raws = Vec::new();
    let mut rest = lines;
    while let Some((header, tail)) = rest.split_first() {
        let end = tail.iter().position(Line::is_at).unwrap_or(tail.len());
        raws.push(Raw { header: Some(*header), body: &tail[..end] });
        rest = &tail[end..];
    }
    raws
}
