//! `list_files`: the files of a folder.

use super::told::{MAX_GLOB, path, why, within};
use super::{Fields, FileOperation, FileSpec};
use crate::fault::Fault;
use crate::files::{self, Kind, ListLimits, Listing, Scope};
use crate::plan::{FileNeed, FilePlan, Tier};
use crate::value::FilePath;

/// Lists the files of a folder and of the folders in it, sorted by path. Ignored files are left out unless `directory`
/// names their folder; links are named and not followed. `listing` in the report has sizes and times, and tells when a
/// limit ended it.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListFiles {
    /// The folder, relative to the workspace root. Default the root.
    directory: Option<FilePath>,
    /// Which files: a glob such as `*.rs` for names, or `src/**/*.rs` for paths below the folder. Default all.
    #[schemars(length(min = 1, max = 1000))]
    file_pattern: Option<String>,
}

impl Fields for ListFiles {
    fn coherent(&self) -> Result<(), (&'static str, String)> {
        within("file_pattern", self.file_pattern.as_deref(), MAX_GLOB)
    }
}

impl FileOperation for ListFiles {
    const SPEC: FileSpec = FileSpec {
        tier: Tier::Read,
        example: r#"{"operation": "list_files", "directory": "src", "file_pattern": "*.rs"}"#,
        messages: &[],
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
        let listing = files::list(need.root(), &scope, &ListLimits::PUBLISHED)?;
        let text = told(&listing);
        Ok(FilePlan { text, listing: Some(listing), ..FilePlan::default() })
    }
}

/// A path a line, and what is not in it.
fn told(listing: &Listing) -> String {
    let mut lines: Vec<String> = listing
        .entries
        .iter()
        .map(|one| match one.kind {
            Kind::File => path(&one.path),
            Kind::Symlink => format!("{} (link)", path(&one.path)),
            Kind::Special => format!("{} (special)", path(&one.path)),
        })
        .collect();
    if lines.is_empty() {
        lines.push("No files.".to_owned());
    }
    if let Some(stop) = listing.stopped {
        lines.push(format!("... (not everything: {}; showing {} file(s))", why(stop), listing.total_files));
    }
    lines.join("\n")
}
