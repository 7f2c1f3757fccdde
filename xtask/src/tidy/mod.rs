//! `tidy`: the house rules that no linter knows, each complaint with its file, line and reason.

mod links;
mod rust;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result, While};
use crate::workspace;

/// Inputs for tests: they may be as odd as the test needs.
const INPUTS: &str = "fixtures";

/// Larger files do not belong into a repository.
const LARGEST: usize = 1024 * 1024;

/// Folders that tools fill and git must not hold.
const NEVER_TRACKED: &[&str] = &["node_modules", "target"];

/// Checks every file of the project.
pub(crate) fn run() -> Result {
    let project = Project::read()?;
    let mut complaints = tracked_output()?;
    for (path, content) in &project.contents {
        let found = project.complaints_about(path, content);
        complaints
            .extend(found.into_iter().map(|Complaint { line, reason }| format!("{}:{line}: {reason}", path.display())));
    }
    if complaints.is_empty() {
        println!("tidy: {} files are in order", project.contents.len());
        return Ok(());
    }
    complaints.sort();
    Err(Failure::new(format!("the house rules are broken in {} places\n{}", complaints.len(), complaints.join("\n"))))
}

/// One breach of a rule: where and why it is one.
#[derive(Debug, PartialEq)]
struct Complaint {
    line: usize,
    reason: String,
}

impl Complaint {
    fn new(line: usize, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { line, reason }
    }
}

/// All files of the project with their bytes.
struct Project {
    contents: BTreeMap<PathBuf, Vec<u8>>,
    /// Files and the folders that hold them: what a link may lead to.
    places: BTreeSet<PathBuf>,
    /// The anchors of each Markdown page.
    anchors: BTreeMap<PathBuf, BTreeSet<String>>,
}

impl Project {
    fn read() -> Result<Self> {
        let mut contents = BTreeMap::new();
        for path in workspace::files()? {
            let bytes = fs::read(workspace::root().join(&path)).while_doing(|| format!("read `{}`", path.display()))?;
            contents.insert(path, bytes);
        }
        let ancestors = contents.keys().flat_map(|path| path.ancestors());
        let places = ancestors.map(Path::to_owned).collect();
        let pages = contents.iter().filter(|(path, _)| is_kind(path, "md"));
        let anchors =
            pages.map(|(path, bytes)| (path.clone(), links::anchors(&String::from_utf8_lossy(bytes)))).collect();
        Ok(Self { contents, places, anchors })
    }

    fn complaints_about(&self, path: &Path, bytes: &[u8]) -> Vec<Complaint> {
        let mut found = Vec::new();
        if bytes.len() > LARGEST {
            let reason = format!("has {} bytes; the limit is {LARGEST}", bytes.len());
            found.push(Complaint::new(1, reason));
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            return found;
        };
        if !text::is_lockfile(path) {
            found.extend(text::package_hosts(text));
        }
        if path.starts_with(INPUTS) {
            return found;
        }
        if text::is_prose_or_code(path) {
            found.extend(text::final_newline(text));
        }
        if is_kind(path, "rs") {
            found.extend(rust::check(text));
        } else if text::is_prose_or_code(path) {
            found.extend(text::trailing_whitespace(text));
        }
        if is_kind(path, "md") {
            found.extend(self.broken_links(path, text));
        }
        found
    }

    fn broken_links(&self, page: &Path, text: &str) -> Vec<Complaint> {
        let links = links::relative_links(text).into_iter();
        links
            .filter_map(|link| {
                let reason = self.fault_of(page, &link)?;
                Some(Complaint::new(link.line, reason))
            })
            .collect()
    }

    /// Why a link leads nowhere.
    fn fault_of(&self, page: &Path, link: &links::Link) -> Option<String> {
        let Some(target) = link.target_from(page) else {
            return Some(format!("link `{}` leaves the project", link.path));
        };
        if !self.places.contains(&target) {
            return Some(format!("link to `{}`, which does not exist", link.path));
        }
        let anchor = link.anchor.as_deref()?;
        let known = self.anchors.get(&target)?;
        let missing = !known.contains(anchor);
        missing.then(|| format!("no heading of `{}` makes `#{anchor}`", target.display()))
    }
}

/// Files that git holds although a tool makes them.
fn tracked_output() -> Result<Vec<String>> {
    let mut tracked = workspace::tracked_files()?;
    tracked.retain(|path| path.iter().any(is_output));
    let complaint = |path: &PathBuf| {
        let path = path.display();
        format!("{path}:1: git tracks this output; remove it with `git rm --cached`")
    };
    Ok(tracked.iter().map(complaint).collect())
}

fn is_output(part: &OsStr) -> bool {
    NEVER_TRACKED.iter().any(|name| part == *name)
}

fn is_kind(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found == extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(files: &[(&str, &str)]) -> Project {
        let contents: BTreeMap<PathBuf, Vec<u8>> =
            files.iter().map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec())).collect();
        let places = contents.keys().flat_map(|path| path.ancestors());
        let places = places.map(Path::to_owned).collect();
        let anchors = files.iter().map(|(path, text)| (PathBuf::from(path), links::anchors(text))).collect();
        Project { contents, places, anchors }
    }

    #[test]
    fn links_must_lead_to_files_and_headings() {
        let project = project(&[("docs/a.md", "# One\n"), ("README.md", "# Top\n")]);
        let table = [
            ("[x](a.md)", 0),
            ("[x](a.md#one)", 0),
            ("[x](#one)", 0),
            ("[x](../README.md#top) and [y](/docs) and [z](..)", 0),
            ("[x](b.md)", 1),
            ("[x](a.md#two)", 1),
            ("[x](#two)", 1),
            ("[x](../../secret.md)", 1),
            ("[x](https://example.org/b.md)", 0),
        ];
        for (text, count) in table {
            let found = project.broken_links(Path::new("docs/a.md"), text);
            assert_eq!(found.len(), count, "{text}: {found:?}");
        }
    }

    #[test]
    fn fixtures_may_be_odd_but_not_huge() {
        let project = project(&[]);
        let about = |path: &str, bytes: &[u8]| project.complaints_about(Path::new(path), bytes);
        assert_eq!(about("fixtures/a.md", b"[x](none.md) \t").len(), 0);
        assert_eq!(about("docs/a.md", b"[x](none.md) \t").len(), 3);
        assert_eq!(about("fixtures/a.bin", &vec![0; LARGEST + 1]).len(), 1);
        assert_eq!(about("fixtures/a.bin", &[0xff]).len(), 0);
    }

    #[test]
    fn output_folders_are_known_at_any_depth() {
        let is = |path: &str| Path::new(path).iter().any(is_output);
        assert!(is("extension/node_modules/x/index.js"));
        assert!(is("target/debug/x"));
        assert!(!is("docs/targets.md"));
    }
}
