//! `search_files`: lines that hold a text or match a regular expression.

use super::told::{MAX_GLOB, MAX_PATTERN, path, why, within};
use super::{Fields, FileOperation, FileSpec};
use crate::fault::Fault;
use crate::files::{self, Case, Limits, Needle, Pattern, Scope, SearchResult};
use crate::plan::{FileNeed, FilePlan, Tier};
use crate::value::FilePath;

/// Searches the files of a folder for a text or a regular expression, line by line. Ignored files are left out unless
/// `directory` names their folder; links are not followed. At most 200 files, 2,000 lines, 256 KiB and 10 seconds;
/// `search` in the report tells which limit ended it.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchFiles {
    /// What to look for, on one line.
    #[schemars(length(min = 1, max = 4096))]
    pattern: String,
    /// The folder to search, relative to the workspace root. Default the root.
    directory: Option<FilePath>,
    /// Which files: a glob such as `*.rs` for names, or `src/**/*.rs` for paths below the folder. Default all.
    #[schemars(length(min = 1, max = 1000))]
    file_pattern: Option<String>,
    /// Whether `pattern` is a regular expression. Default false.
    regex: Option<bool>,
    /// Whether upper and lower case differ. Default false.
    case_sensitive: Option<bool>,
}

impl Fields for SearchFiles {
    fn coherent(&self) -> Result<(), (&'static str, String)> {
        within("pattern", Some(&self.pattern), MAX_PATTERN)?;
        within("file_pattern", self.file_pattern.as_deref(), MAX_GLOB)
    }
}

impl FileOperation for SearchFiles {
    const SPEC: FileSpec = FileSpec {
        tier: Tier::Read,
        example: r#"{"operation": "search_files", "pattern": "fn login", "file_pattern": "*.rs"}"#,
        messages: &[
            ("nothing is found", "No matches in {N} file(s)."),
            ("a limit ended it", "... (not everything: {why}; showing {N} match(es) in {M} file(s))"),
        ],
    };

    fn plan(&self, need: &dyn FileNeed) -> Result<FilePlan, Fault> {
        let folder = need.root().folder(self.directory.as_ref().map_or(".", FilePath::as_str))?;
        let excludes = need.excludes();
        let scope = Scope {
            folder: &folder,
            file_pattern: self.file_pattern.as_deref(),
            excludes: excludes.as_deref(),
            cancelled: &|| need.is_cancelled(),
        };
        let needle = Needle {
            pattern: &self.pattern,
            how: if self.regex.unwrap_or_default() { Pattern::Regex } else { Pattern::Literal },
            case: if self.case_sensitive.unwrap_or_default() { Case::Sensitive } else { Case::Insensitive },
        };
        let found = files::search(need.root(), &scope, needle, &Limits::PUBLISHED)?;
        let text = told(&found);
        Ok(FilePlan { text, search: Some(found), ..FilePlan::default() })
    }
}

/// `path:line: text`, a match a line, and what is not in it.
fn told(found: &SearchResult) -> String {
    let mut lines: Vec<String> = Vec::new();
    for file in &found.results {
        lines.extend(file.matches.iter().map(|one| format!("{}:{}: {}", path(&file.file), one.line_number, one.line)));
    }
    if lines.is_empty() {
        lines.push(format!("No matches in {} file(s).", found.searched));
    }
    let skipped = found.skipped.too_large + found.skipped.unreadable;
    if skipped > 0 {
        lines.push(format!(
            "... ({skipped} file(s) not searched to their end: too large, a very long line, or unreadable)"
        ));
    }
    if let Some(stop) = found.stopped {
        lines.push(format!(
            "... (not everything: {}; showing {} match(es) in {} file(s))",
            why(stop),
            found.total_matches,
            found.total_files
        ));
    }
    lines.join("\n")
}
