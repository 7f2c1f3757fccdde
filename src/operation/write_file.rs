//! `write_file`: a whole file, new or in the place of the old one.

use std::sync::Arc;

use super::freshness::{Stale, fresh, whole_file_seen};
use super::told::{self, not_text, text_of};
use super::{Fields, FileOperation, FileSpec};
use crate::edit::{self, Endings, Frame, Text};
use crate::fault::{Code, Fault};
use crate::files::{Base, Content, Place, Root, Shown};
use crate::plan::{FileAction, FileChange, FileNeed, FilePlan, FileReport, Tier};
use crate::value::{FileHash, FilePath};

/// Writes a whole file. Folders that are missing are made. A file that is there keeps its mode, its byte order mark and
/// its line endings; one that has changed since this session read it, or that it has seen only in part, is not
/// overwritten. At most 64 MiB.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteFile {
    /// The file, relative to the workspace root or absolute beneath it.
    path: FilePath,
    /// All of its text. Empty text makes an empty file.
    content: String,
    /// SHA-256 that the file must have, as `read_file` reports it. It is checked also with `force`.
    expected_hash: Option<FileHash>,
    /// Whether to overwrite although the file has changed since this session read it. Default false.
    force: Option<bool>,
}

impl Fields for WriteFile {}

impl FileOperation for WriteFile {
    const SPEC: FileSpec = FileSpec {
        tier: Tier::Write,
        example: r##"{"operation": "write_file", "path": "docs/notes.md", "content": "# Notes\n"}"##,
        messages: &[
            ("done", "Success: Wrote {path} ({N} bytes)"),
            (
                "the file has changed since this session read it",
                "Refusing to write {path}: file changed since it was read - re-read before writing (or pass force=True)",
            ),
            ("it cannot be found out", "Refusing to write {path}: could not verify staleness: {why}"),
        ],
    };

    fn writes(&self, root: &Root) -> Result<Vec<Place>, Fault> {
        Ok(vec![root.place(self.path.as_str())?])
    }

    fn plan(&self, need: &dyn FileNeed) -> Result<FilePlan, Fault> {
        let place = need.root().place(self.path.as_str())?;
        let base = need.to_write(&place).map_err(|fault| unverified(&place, fault))?;
        let force = self.force.unwrap_or_default();
        fresh(need, (&place, base.as_ref()), (self.expected_hash.as_ref(), force), Stale::Write)?;
        let before = base.as_deref().map(|base| text_of(&place, base)).transpose()?;
        let bytes = bytes_like(&self.content, before.as_ref());
        // What is written here must be readable again.
        let after = Text::of(&bytes).map_err(|error| not_text(&place, error, "Error: "))?;

        if base.as_ref().is_some_and(|base| base.bytes() == bytes) {
            return Ok(unchanged(&place, &bytes, self.path.as_str()));
        }
        if !force && self.expected_hash.is_none() {
            whole_file_seen(need, &place)?;
        }
        let action = if base.is_some() { FileAction::Changed } else { FileAction::Created };
        let (old, new) = (before.map_or("", |text| text.body), after.body);
        let from = if base.is_some() { place.as_str() } else { edit::NO_FILE };
        let diff = edit::full(&Frame { before: from, after: place.as_str(), limit: told::MAX_DIFF }, old, new);
        let mut report = FileReport::new(&place, action);
        told::text(&mut report, &after);
        told::diff(&mut report, &diff);
        let text = format!(
            "Success: Wrote {} ({} bytes)\n\nDiff:\n{}",
            told::path(self.path.as_str()),
            bytes.len(),
            edit::brief(&diff)
        );
        Ok(change(text, report, (place, base), bytes))
    }
}

fn change(text: String, report: FileReport, (place, base): (Place, Option<Arc<Base>>), bytes: Vec<u8>) -> FilePlan {
    let change = FileChange { place, base, after: Some(Content::new(bytes)), like: None, shown: Shown::All };
    FilePlan { text, changes: vec![change], files: vec![report], ..FilePlan::default() }
}

/// The same bytes again: nothing is touched, and the session knows the file.
fn unchanged(place: &Place, bytes: &[u8], path: &str) -> FilePlan {
    let mut report = FileReport::new(place, FileAction::Unchanged);
    let content = Content::new(bytes.to_vec());
    report.sha256 = Some(content.digest().to_string());
    report.size = Some(bytes.len() as u64);
    FilePlan {
        text: format!("Success: {} has this content already", told::path(path)),
        files: vec![report],
        shown: vec![(place.clone(), content.digest(), Shown::All)],
        ..FilePlan::default()
    }
}

fn unverified(place: &Place, fault: Fault) -> Fault {
    if fault.code != Code::ReadFailed {
        return fault;
    }
    let words =
        format!("Refusing to write {}: could not verify staleness: {}", told::path(place.as_str()), fault.message);
    Fault::words(Code::ReadFailed, words).detail("path", place.as_str())
}

/// The bytes of a text in the place of another: with its byte order mark and, where the new text has none of its own,
/// with its line endings.
fn bytes_like(content: &str, before: Option<&Text<'_>>) -> Vec<u8> {
    let Some(before) = before else { return content.as_bytes().to_vec() };
    // A text that begins with a second mark is shown with that one.
    let own_mark = content.starts_with('\u{feff}') && !before.body.starts_with('\u{feff}');
    let body = match before.endings() {
        Endings::Crlf | Endings::Mixed if !content.contains("\r\n") => edit::with_endings_of(before.body, content),
        Endings::Crlf | Endings::Mixed | Endings::Lf | Endings::None => content.to_owned(),
    };
    if before.bom && !own_mark { before.with_body(&body) } else { body.into_bytes() }
}
