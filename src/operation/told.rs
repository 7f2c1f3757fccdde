//! What file operations say of a file: the parts of reports and texts that several of them share.

use crate::edit::{self, Diff, HunkError, Lines, NotFoundHelp, Replacement, Rung, Text};
use crate::fault::{Code, Fault};
use crate::files::{Base, Content, Known, Place, Rewritten, Shown, Stop};
pub(super) use crate::plan::one_line as path;
use crate::plan::{FileReport, ReplacementReport};

/// Most bytes of a file's diff in a report.
pub(super) const MAX_DIFF: usize = 256 * 1024;
/// Most bytes of all diffs of a report.
pub(super) const MAX_DIFFS: usize = 1024 * 1024;
/// Most bytes of a text that shows diffs of several files.
pub(super) const MAX_TEXT: usize = 32 * 1024;
/// Most replaced places that are listed.
pub(super) const MAX_REPLACEMENTS: usize = 100;
/// Most replaced lines that a text discloses.
const MAX_UNSEEN: usize = 20;

/// Most characters of a search pattern.
pub(super) const MAX_PATTERN: usize = 4096;
/// Most characters of a glob.
pub(super) const MAX_GLOB: usize = 1_000;

/// The same limits as in the schema, for those who come without it.
pub(super) fn within(field: &'static str, text: Option<&str>, max: usize) -> Result<(), (&'static str, String)> {
    match text.map(|text| text.chars().count()) {
        Some(count) if !(1..=max).contains(&count) => Err((field, format!("1 to {max} characters, not {count}"))),
        Some(_) | None => Ok(()),
    }
}

/// The file as text.
pub(super) fn text_of<'b>(place: &Place, base: &'b Base) -> Result<Text<'b>, Fault> {
    Text::of(base.bytes()).map_err(|error| not_text(place, error, "Error: "))
}

/// A file that is not there, by the path as it was asked for.
pub(super) fn missing(place: &Place, asked: &str) -> Fault {
    Fault::words(Code::FileMissing, format!("Error: File not found: {}", path(asked))).detail("path", place.as_str())
}

/// Why a file is no text, with the words that people know.
pub(super) fn not_text(place: &Place, error: edit::NotText, before: &str) -> Fault {
    let fault = match error {
        edit::NotText::Utf16 => Fault::words(Code::Utf16, format!("{before}{error}")),
        edit::NotText::Utf8(at) => Fault::new(Code::NotUtf8, format!("`{place}`: {error}")).detail("byte", at),
        edit::NotText::Binary(at) => Fault::new(Code::Binary, format!("`{place}`: {error}")).detail("byte", at),
    };
    fault.detail("path", place.as_str())
}

/// Lines, endings and marks of a text.
pub(super) fn text(report: &mut FileReport, text: &Text<'_>) {
    lines(report, &Lines::of(&mut std::iter::once(text.body.as_bytes())), text);
}

/// The same of lines that were looked through before; `like` is a text with the same mark.
pub(super) fn lines(report: &mut FileReport, lines: &Lines, like: &Text<'_>) {
    report.lines = Some(lines.count);
    report.line_endings = Some(lines.endings);
    report.byte_order_mark = like.bom;
    report.no_final_newline = lines.is_open;
}

/// What is in a file once replacements are made in its text.
pub(super) fn edited(base: &Base, text: &Text<'_>, replacements: &[Replacement]) -> Result<Content, Fault> {
    let mark = text.mark().len();
    let order = edit::in_order(replacements).map_err(overlapping)?;
    let mut edits = order.iter().map(|one| (one.range.start + mark..one.range.end + mark, &*one.text));
    Ok(base.content.with(&mut edits))
}

/// A mistake of ours: replacements that want the same bytes.
pub(super) fn overlapping(overlap: edit::Overlap) -> Fault {
    Fault::new(Code::Internal, overlap.to_string())
}

/// The lines of a content that begins with the same byte order mark as a text, or like it with none.
pub(super) fn lines_of(like: &Text<'_>, content: &Content) -> Lines {
    let mut mark = like.mark().len();
    Lines::of(&mut content.pieces().map(|piece| &piece[std::mem::take(&mut mark)..]))
}

/// A diff with its counts.
pub(super) fn diff(report: &mut FileReport, diff: &Diff) {
    report.added = Some(diff.added);
    report.removed = Some(diff.removed);
    report.diff = Some(diff.text.clone());
    report.diff_truncated = diff.truncated;
}

/// One place that was replaced.
pub(super) fn replacement(one: &Replacement) -> ReplacementReport {
    ReplacementReport {
        rung: one.rung,
        score: (one.rung == Rung::BlockAnchor).then_some((one.score * 1000.0).round() / 1000.0),
        lines: one.lines,
        unseen: one.unseen.to_vec(),
    }
}

/// What a caller must know when the text was not there exactly.
pub(super) fn drift(replacements: &[ReplacementReport]) -> String {
    let mut said = String::new();
    for one in replacements.iter().filter(|one| one.rung != Rung::Exact).take(10) {
        let (first, last) = one.lines;
        let score = one.score.map(|score| format!(", similarity {score:.2}")).unwrap_or_default();
        said.push_str(&format!("\nMatched lines {first}-{last} by {}{score}.", rung(one.rung)));
        if !one.unseen.is_empty() {
            said.push_str(" It has lines that are not in old_string; they stay:");
            for line in one.unseen.iter().take(MAX_UNSEEN) {
                said.push_str(&format!("\n- {}", preview(line, 200)));
            }
            if one.unseen.len() > MAX_UNSEEN {
                said.push_str(&format!("\n- and {} more, in the report", one.unseen.len() - MAX_UNSEEN));
            }
        }
    }
    said
}

/// Why a search or a listing is not complete.
pub(super) const fn why(stop: Stop) -> &'static str {
    match stop {
        Stop::Files => "there are more files than the limit",
        Stop::Matches => "there are more matches than the limit",
        Stop::Bytes => "the answer is as long as the limit",
        Stop::Time => "the time is up",
        Stop::Cancelled => "it was cancelled",
    }
}

/// A rung by its name in reports.
pub(super) const fn rung(rung: Rung) -> &'static str {
    match rung {
        Rung::Exact => "exact",
        Rung::LineTrimmed => "line_trimmed",
        Rung::WhitespaceNormalised => "whitespace_normalised",
        Rung::IndentationFlexible => "indentation_flexible",
        Rung::BlockAnchor => "block_anchor",
    }
}

/// The beginning of a text, with `...` where it was cut, on one line.
pub(super) fn preview(text: &str, max: usize) -> String {
    let cut: String = text.chars().take(max).collect();
    let more = if text.chars().nth(max).is_some() { "..." } else { "" };
    let shown: String =
        cut.chars().flat_map(|c| if c.is_control() { c.escape_debug().collect() } else { vec![c] }).collect();
    format!("{shown}{more}")
}

/// Where an ambiguous text stands.
pub(super) fn places(rung: Rung, lines: &[usize], count: usize) -> String {
    let shown: Vec<String> = lines.iter().map(ToString::to_string).collect();
    let more = if count > lines.len() { ", …" } else { "" };
    format!("It stands at lines {}{more} ({}).", shown.join(", "), self::rung(rung))
}

/// The nearest candidates of a miss, as a person reads them.
pub(super) fn nearest(help: &NotFoundHelp) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for near in &help.nearest {
        lines.push(format!("Nearest: lines {}-{}: {}", near.lines.0, near.lines.1, near.why));
        lines.extend(near.shown.iter().map(|(number, text)| format!("{number:>6}\t{}", preview(text, 200))));
    }
    lines.extend(help.hints.iter().cloned());
    lines
}

/// Their line ranges.
pub(super) fn nearest_lines(help: &NotFoundHelp) -> Vec<Vec<usize>> {
    help.nearest.iter().map(|near| vec![near.lines.0, near.lines.1]).collect()
}

/// What the session has been shown of a file after its own edit.
pub(super) fn shown_after(
    known: Option<Known>,
    base: &Base,
    (before, after): (&str, &Lines),
    replacements: &[Replacement],
) -> Shown {
    let Some(known) = known.filter(|known| known.sha256 == base.digest().to_string()) else { return Shown::Unread };
    if !matches!(known.shown, Shown::Lines(_)) {
        return known.shown;
    }
    let ends = |text: &str| memchr::memchr_iter(b'\n', text.as_bytes()).count();
    let signed = |count: usize| isize::try_from(count).unwrap_or(isize::MAX);
    let edits: Vec<Rewritten> = replacements
        .iter()
        .map(|one| Rewritten {
            lines: one.lines,
            more: signed(ends(&one.text)) - signed(ends(&before[one.range.clone()])),
            within: (
                one.range.start > 0 && !before[..one.range.start].ends_with('\n'),
                one.range.end < before.len() && !before[..one.range.end].ends_with('\n'),
            ),
        })
        .collect();
    known.shown.through(&edits, after.count)
}

/// The files of a text. Every one is named; the diffs stop where the text is long enough.
pub(super) fn bounded(told: Vec<String>) -> String {
    let mut room = MAX_TEXT;
    let shown = told.into_iter().map(|mut said| {
        if said.len() > room
            && let Some(end) = said.find('\n')
        {
            said.truncate(end);
        }
        room = room.saturating_sub(said.len());
        said
    });
    shown.collect::<Vec<_>>().join("\n\n")
}

/// A hunk that does not fit, in the words that people know.
pub(super) fn hunk_fault(path: &str, error: &HunkError) -> Fault {
    let (code, line) = match error {
        HunkError::Empty { line } => (Code::BadPatch, *line),
        HunkError::Noop { line } => (Code::NoChange, *line),
        HunkError::NotFound { line, .. } | HunkError::AnchorNotFound { line, .. } => (Code::NoMatch, *line),
        HunkError::Ambiguous { line, .. } => (Code::Ambiguous, *line),
        HunkError::Overlap { first_line, .. } => (Code::Overlap, *first_line),
    };
    let words = format!("Error: {}", error.message("update", path));
    let fault = Fault::words(code, words).detail("path", path).detail("line", line);
    match error {
        HunkError::NotFound { help, .. } => fault.aside(nearest(help)).detail("nearest", nearest_lines(help)),
        HunkError::Ambiguous { count, lines, .. } => fault
            .hint("Add lines around it until it is unique, or name a line above it after `@@`.")
            .detail("count", *count)
            .detail("lines", lines.clone()),
        HunkError::Overlap { second_line, .. } => fault.detail("other_line", *second_line),
        HunkError::Empty { .. } | HunkError::Noop { .. } | HunkError::AnchorNotFound { .. } => fault,
    }
}
