//! `edit_file`: one text in one file is replaced by another.

use std::sync::Arc;

use super::freshness::{Stale, fresh};
use super::told::{self, text_of};
use super::{Fields, FileOperation, FileSpec};
use crate::edit::{self, Frame, Match, Miss, Replacement, Text, View, Wanted};
use crate::fault::{Code, Fault};
use crate::files::{Base, Place, Root};
use crate::plan::{FileAction, FileChange, FileNeed, FilePlan, FileReport, Tier};
use crate::value::{FileHash, FilePath};

/// Replaces one text in a file by another. The text must stand there exactly once, unless `replace_all` is given; when
/// it is not there exactly, white space may differ, and last a block may be found by its first and last line. The
/// report names what was found and how. Nothing outside the replaced text changes.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditFile {
    /// The file, relative to the workspace root or absolute beneath it.
    path: FilePath,
    /// The text to replace, as `read_file` shows it, with enough lines around it to be unique.
    old_string: String,
    /// The text to put there, taken letter by letter. Where white space differed, it is indented as the file is.
    new_string: String,
    /// Whether to replace every place. Default false.
    replace_all: Option<bool>,
    /// How far the text in the file may be from `old_string`. Default `fuzzy`.
    r#match: Option<Match>,
    /// SHA-256 that the file must have, as `read_file` reports it. It is checked also with `force`.
    expected_hash: Option<FileHash>,
    /// Whether to edit although the file has changed since this session read it. Default false.
    force: Option<bool>,
}

impl Fields for EditFile {}

impl FileOperation for EditFile {
    const SPEC: FileSpec = FileSpec {
        tier: Tier::Write,
        example: r#"{"operation": "edit_file", "path": "src/login.rs", "old_string": "let tries = 3;", "new_string": "let tries = 5;"}"#,
        messages: &[
            ("done", "Success: Made {N} replacement(s) in {path}"),
            ("there is no such file", "Error: File not found: {path}"),
            ("`old_string` is empty", "Error: old_string must be non-empty"),
            ("it is not there", "Error: String not found in file: '{preview}'"),
            (
                "it is there more than once",
                "Error: Ambiguous match - '{preview}' occurs {N} times. Please provide more surrounding context to make the match unique, or use replace_all=True to replace all occurrences.",
            ),
            (
                "the file has another hash than `expected_hash`",
                "Error: File has been modified since last read. Please re-read the file before editing. Expected hash: {8}..., Current hash: {8}...",
            ),
            (
                "the file has changed since this session read it",
                "Error: File changed since it was read - re-read before editing (or pass force=True to override). Recorded hash: {8}..., Current hash: {8}...",
            ),
            ("the file is UTF-16", "Error: UTF-16 encoding is not supported. Please convert the file to UTF-8."),
            (
                "a folder of the path is a link",
                "Refusing to write through symlinked parent {folder} (possible containment bypass)",
            ),
            ("the file is a link", "Refusing to write through symlinked target {file}"),
            ("a folder of the path is no directory", "Parent {folder} is not a directory"),
            ("the path leads out of the workspace", "Path {file} is outside workspace {root}"),
        ],
    };

    fn writes(&self, root: &Root) -> Result<Vec<Place>, Fault> {
        Ok(vec![root.place(self.path.as_str())?])
    }

    fn plan(&self, need: &dyn FileNeed) -> Result<FilePlan, Fault> {
        let place = need.root().place(self.path.as_str())?;
        let base = need.to_write(&place)?.ok_or_else(|| told::missing(&place, self.path.as_str()))?;
        let text = text_of(&place, &base)?;
        let force = self.force.unwrap_or_default();
        // Looked for before anybody waits for the digest, which is computed on another core meanwhile.
        let found = self.find(&text);
        fresh(need, (&place, Some(&base)), (self.expected_hash.as_ref(), force), Stale::Edit)?;
        need.proved("the text to replace is found on one rung only".to_owned());
        let replacements = found.map_err(|miss| self.missed(miss))?;
        self.planned(need, (place, Arc::clone(&base)), &text, &replacements)
    }
}

impl EditFile {
    fn find(&self, text: &Text<'_>) -> Result<Vec<Replacement>, Miss> {
        let view = View::new(text.body);
        let wanted = Wanted { old: &self.old_string, new: &self.new_string };
        let how = self.r#match.unwrap_or_default();
        if self.replace_all.unwrap_or_default() {
            edit::find_all(&view, &wanted, how)
        } else {
            edit::find_one(&view, &wanted, how, std::slice::from_ref(&(0..text.body.len()))).map(|one| vec![one])
        }
    }

    fn planned(
        &self,
        need: &dyn FileNeed,
        (place, base): (Place, Arc<Base>),
        text: &Text<'_>,
        replacements: &[Replacement],
    ) -> Result<FilePlan, Fault> {
        let frame = Frame { before: place.as_str(), after: place.as_str(), limit: told::MAX_DIFF };
        let diff = edit::of_replacements(&frame, text.body, replacements);
        // After the diff, which needs room of its own where a whole file is replaced.
        let after = told::edited(&base, text, replacements)?;
        let lines = told::lines_of(text, &after);
        let mut report = FileReport::new(&place, FileAction::Changed);
        told::lines(&mut report, &lines, text);
        told::diff(&mut report, &diff);
        report.replaced = Some(replacements.len());
        report.replacements = replacements.iter().take(told::MAX_REPLACEMENTS).map(told::replacement).collect();
        let mut said = format!(
            "Success: Made {} replacement(s) in {}\n\nDiff:\n{}",
            replacements.len(),
            told::path(self.path.as_str()),
            edit::brief(&diff)
        );
        said.push_str(&told::drift(&report.replacements));
        let shown = told::shown_after(need.known(&place), &base, (text.body, &lines), replacements);
        Ok(FilePlan {
            text: said,
            changes: vec![FileChange { place, base: Some(base), after: Some(after), like: None, shown }],
            files: vec![report],
            ..FilePlan::default()
        })
    }

    fn missed(&self, miss: Miss) -> Fault {
        match miss {
            Miss::EmptyOld => Fault::words(Code::EmptyOldString, "Error: old_string must be non-empty"),
            Miss::Noop => Fault::words(Code::NoChange, "Error: old_string and new_string lead to the same text"),
            Miss::NotFound(help) => {
                let words = format!("Error: String not found in file: '{}'", told::preview(&self.old_string, 50));
                Fault::words(Code::NoMatch, words)
                    .aside(told::nearest(&help))
                    .detail("nearest", told::nearest_lines(&help))
            }
            Miss::Ambiguous { rung, count, lines } => {
                let words = format!(
                    "Error: Ambiguous match - '{}' occurs {count} times. Please provide more surrounding context to make the match unique, or use replace_all=True to replace all occurrences.",
                    told::preview(&self.old_string, 30)
                );
                Fault::words(Code::Ambiguous, words)
                    .aside([told::places(rung, &lines, count)])
                    .detail("count", count)
                    .detail("lines", lines)
            }
        }
    }
}
