//! What a file operation is about to do: an answer, or exact bytes for every file that it changes.

use std::path::PathBuf;
use std::sync::Arc;

use crate::edit::{Endings, Rung};
use crate::fault::Fault;
use crate::files::{Base, Content, Known, Listing, Place, Root, SearchResult, Shown};
use crate::value::{Digest, PlanId};

/// The questions that a file operation may ask. Everything is answered under the locks of the files.
pub trait FileNeed {
    /// The workspace root.
    fn root(&self) -> &Root;

    /// A file as it is, to be written; `None` when nothing is there.
    ///
    /// # Errors
    /// `symlink`, `parent_not_directory`, `not_regular_file`, `hard_link`, `file_too_large`, `read_failed`.
    fn to_write(&self, place: &Place) -> Result<Option<Arc<Base>>, Fault>;

    /// A file as it is, to be shown; `None` when nothing is there.
    ///
    /// # Errors
    /// As for writing, hard links apart.
    fn to_read(&self, place: &Place) -> Result<Option<Arc<Base>>, Fault>;

    /// What this session knows of a file.
    fn known(&self, place: &Place) -> Option<Known>;

    /// The person's own file of ignore rules.
    fn excludes(&self) -> Option<PathBuf>;

    /// Whether the caller has cancelled the request.
    fn is_cancelled(&self) -> bool;

    /// Notes what was verified, as a sentence.
    fn proved(&self, sentence: String);
}

/// A file operation's plan.
#[derive(Debug, Default)]
pub struct FilePlan {
    /// What it answers, or what it says when the change has landed.
    pub text: String,
    /// The files that change, none for an answer.
    pub changes: Vec<FileChange>,
    /// What is told of each file, in the order of the request.
    pub files: Vec<FileReport>,
    /// What the session has been shown: the guard that this arms.
    pub shown: Vec<(Place, Digest, Shown)>,
    /// What a search found.
    pub search: Option<SearchResult>,
    /// What a listing holds.
    pub listing: Option<Listing>,
    /// Whether the request is about several files.
    pub several: bool,
    /// Things that are not wrong but worth saying.
    pub warnings: Vec<String>,
}

/// One file's exact change.
#[derive(Debug)]
pub struct FileChange {
    /// Where.
    pub place: Place,
    /// What is there now.
    pub base: Option<Arc<Base>>,
    /// What will be there: all bytes, or nothing.
    pub after: Option<Content>,
    /// Whose mode, owner and attributes it gets, when not its own.
    pub like: Option<Place>,
    /// What the session has been shown of it then.
    pub shown: Shown,
}

/// What a request did with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileAction {
    /// It was shown.
    Read,
    /// It was made.
    Created,
    /// It got other bytes.
    Changed,
    /// It has these bytes already.
    Unchanged,
    /// It was removed.
    Deleted,
    /// It got another path, and perhaps other bytes.
    Moved,
}

/// A file of a report.
#[derive(Debug, Clone, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct FileReport {
    /// The path beneath the workspace root.
    pub path: String,
    /// What was done with it; in a plan, what would be.
    pub action: FileAction,
    /// SHA-256 of the raw bytes that are on disk now; in a plan, of those that would be. Absent when the file is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Their number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// SHA-256 of the bytes before; absent when there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The path that it had before a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<String>,
    /// Its lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<usize>,
    /// First and last line in `text`, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<(usize, usize)>,
    /// Lines that were cut at 2,000 characters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<usize>,
    /// Its line endings. `text` shows all of them as LF.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_endings: Option<Endings>,
    /// Whether it begins with a UTF-8 byte order mark.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub byte_order_mark: bool,
    /// Whether its last line has no ending.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_final_newline: bool,
    /// How many places were replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced: Option<usize>,
    /// The places, at most 100 of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replacements: Vec<ReplacementReport>,
    /// Lines added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added: Option<usize>,
    /// Lines removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<usize>,
    /// The whole unified diff, up to a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Whether the limit cut the diff.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub diff_truncated: bool,
}

/// One place that was replaced.
#[derive(Debug, Clone, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct ReplacementReport {
    /// The rung of the ladder that found it.
    pub rung: Rung,
    /// How alike it was, from 0.7 to 1; absent on all rungs but `block_anchor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// First and last line of what was matched, counted from 1.
    pub lines: (usize, usize),
    /// Lines of the file, between those that were matched, that the request did not have. They stay.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<String>,
}

impl FileReport {
    /// A report that says nothing yet.
    #[must_use]
    pub fn new(path: &Place, action: FileAction) -> Self {
        Self {
            path: path.to_string(),
            action,
            sha256: None,
            size: None,
            before: None,
            moved_from: None,
            lines: None,
            shown: None,
            cut: Vec::new(),
            line_endings: None,
            byte_order_mark: false,
            no_final_newline: false,
            replaced: None,
            replacements: Vec::new(),
            added: None,
            removed: None,
            diff: None,
            diff_truncated: false,
        }
    }
}

impl FilePlan {
    /// The plan's id: a digest of the request, the workspace, and for every file what it is and what it would be.
    #[must_use]
    pub fn id(&self, request: &serde_json::Value, root: &Root) -> PlanId {
        let mut parts = Digest::parts()
            .part("pi-graphite file plan 1")
            .part(request.to_string())
            .part(root.path().as_os_str().as_encoded_bytes());
        for change in &self.changes {
            parts.add(change.place.as_str());
            parts.add(change.base.as_ref().map_or_else(String::new, |base| base.digest().to_string()));
            let mode = change.base.as_ref().map(|base| base.entry.mode.as_raw_mode().to_string());
            parts.add(mode.unwrap_or_default());
            parts.add(change.after.as_ref().map_or_else(String::new, |after| after.digest().to_string()));
        }
        PlanId::of(parts.finish())
    }
}

/// A path in a text for people: on one line, and nothing in it can drive a terminal or turn the direction of writing.
#[must_use]
pub fn one_line(path: &str) -> String {
    let odd = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
    };
    path.chars().flat_map(|c| if odd(c) { c.escape_default().collect() } else { vec![c] }).collect()
}
