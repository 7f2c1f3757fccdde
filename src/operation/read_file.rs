//! `read_file`: lines of a file, its hash, and what was not shown.

use super::told::{self, text_of};
use super::{Fields, FileOperation, FileSpec};
use crate::fault::Fault;
use crate::files::Shown;
use crate::plan::{FileAction, FileNeed, FilePlan, FileReport, Tier};
use crate::value::FilePath;

/// Most lines of one answer.
const MAX_LINES: usize = 2000;
/// Most characters of one line.
const MAX_CHARS: usize = 2000;

/// Shows a file or a part of it. `file` in the report has the SHA-256 of its raw bytes, its number of lines, and which of
/// them were shown. Reading guards the session's later edits: they are refused when the file has changed since.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadFile {
    /// The file, relative to the workspace root or absolute beneath it.
    path: FilePath,
    /// The first line to show, counted from 1. Default 1.
    #[schemars(range(min = 1))]
    offset: Option<usize>,
    /// How many lines to show at most. Default 2000.
    #[schemars(range(min = 1, max = 2000))]
    limit: Option<usize>,
    /// Whether to put its number and a tab before each line. Default false: the lines can be copied into `edit_file`.
    line_numbers: Option<bool>,
}

impl Fields for ReadFile {
    fn coherent(&self) -> Result<(), (&'static str, String)> {
        if self.offset == Some(0) {
            return Err(("offset", "lines are counted from 1".to_owned()));
        }
        if self.limit.is_some_and(|limit| !(1..=MAX_LINES).contains(&limit)) {
            return Err(("limit", format!("1 to {MAX_LINES} lines")));
        }
        Ok(())
    }
}

impl FileOperation for ReadFile {
    const SPEC: FileSpec = FileSpec {
        tier: Tier::Read,
        example: r#"{"operation": "read_file", "path": "src/login.rs", "offset": 1, "limit": 200}"#,
        messages: &[
            ("there is no such file", "Error: File not found: {path}"),
            ("there are more lines", "... (showing lines {a}-{b} of {N}; call again with offset={b+1} for more)"),
            ("a line is cut at 2,000 characters", "... (line truncated)"),
        ],
    };

    fn plan(&self, need: &dyn FileNeed) -> Result<FilePlan, Fault> {
        let place = need.root().place(self.path.as_str())?;
        let base = need.to_read(&place)?.ok_or_else(|| told::missing(&place, self.path.as_str()))?;
        let text = text_of(&place, &base)?;
        let mut report = FileReport::new(&place, FileAction::Read);
        told::text(&mut report, &text);
        report.sha256 = Some(base.digest().to_string());
        report.size = Some(base.entry.size);
        let total = report.lines.unwrap_or_default();
        let window = self.window(text.body, total);
        report.shown = window.range;
        report.cut.clone_from(&window.cut);

        let digest = base.digest();
        let seen = need.known(&place).filter(|known| known.sha256 == digest.to_string()).map(|known| known.shown);
        let seen = match seen {
            // Its own text it has seen, but only what it was shown counts from here on.
            Some(Shown::Unread) | None => Shown::Lines(Vec::new()),
            Some(shown) => shown,
        };
        let shown = window.whole(total).into_iter().fold(seen, |shown, (first, last)| shown.and(first, last, total));
        let shown = if total == 0 { Shown::All } else { shown };
        Ok(FilePlan {
            text: window.text,
            files: vec![report],
            shown: vec![(place, digest, shown)],
            ..FilePlan::default()
        })
    }
}

/// A part of a text as it is shown.
struct Window {
    text: String,
    range: Option<(usize, usize)>,
    cut: Vec<usize>,
}

impl Window {
    /// The ranges of lines that were shown from their first to their last character.
    fn whole(&self, total: usize) -> Vec<(usize, usize)> {
        let Some((first, last)) = self.range else { return Vec::new() };
        let mut from = first;
        let mut ranges = Vec::new();
        for cut in &self.cut {
            if from < *cut {
                ranges.push((from, cut - 1));
            }
            from = cut + 1;
        }
        if from <= last.min(total) {
            ranges.push((from, last));
        }
        ranges
    }
}

impl ReadFile {
    fn window(&self, body: &str, total: usize) -> Window {
        let first = self.offset.unwrap_or(1);
        let last = total.min(first.saturating_add(self.limit.unwrap_or(MAX_LINES)) - 1);
        let numbers = self.line_numbers.unwrap_or_default();
        // CR CR LF is shown as it is: as CR LF it would be sent back, and read as an LF.
        let ending = if memchr::memmem::find(body.as_bytes(), b"\r\r\n").is_some() { "\n" } else { "\r\n" };
        let mut shown = String::new();
        let mut cut = Vec::new();
        for (number, line) in
            (1..).zip(body.split_inclusive('\n')).skip(first - 1).take((last + 1).saturating_sub(first))
        {
            let line_body = line.strip_suffix(ending).or_else(|| line.strip_suffix('\n'));
            if numbers {
                shown.push_str(&format!("{number:>6}\t"));
            }
            let text = line_body.unwrap_or(line);
            match text.char_indices().nth(MAX_CHARS) {
                Some((at, _)) => {
                    shown.push_str(&text[..at]);
                    shown.push_str("... (line truncated)");
                    cut.push(number);
                }
                None => shown.push_str(text),
            }
            if line_body.is_some() {
                shown.push('\n');
            }
        }
        let range = (first <= last).then_some((first, last));
        if first > total && first > 1 {
            shown = format!("... (the file has {total} lines; offset={first} is behind its end)");
        } else if last < total {
            let next = last + 1;
            shown.push_str(&format!(
                "... (showing lines {first}-{last} of {total}; call again with offset={next} for more)"
            ));
        }
        Window { text: shown, range, cut }
    }
}
