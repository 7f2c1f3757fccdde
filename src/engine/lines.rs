//! Summaries of changes: files, added and removed lines, and git's two status letters.

use crate::repo::{Content, Kind, Repo};

/// Files larger than this are counted, not read.
const MAX_FILE: u64 = 1024 * 1024;
/// Most files that are read.
const MAX_FILES: usize = 200;

/// How much a change changes. Lines of binary and of very large files are not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, schemars::JsonSchema)]
pub struct DiffSummary {
    /// Changed files.
    pub files: usize,
    /// Added lines.
    pub insertions: u32,
    /// Removed lines.
    pub deletions: u32,
}

/// What is staged.
pub(super) fn staged(repo: &Repo, content: &Content) -> DiffSummary {
    let side = |entry: Option<(u32, gix::ObjectId)>| entry.map_or(Some(Vec::new()), |(_, id)| repo.blob(id, MAX_FILE));
    let pairs = content.index.staged.values().take(MAX_FILES).map(|change| (side(change.before), side(change.after)));
    summary(content.index.staged.len(), pairs)
}

/// What is changed and not staged.
pub(super) fn unstaged(repo: &Repo, content: &Content) -> DiffSummary {
    let pairs = content.unstaged.iter().take(MAX_FILES).map(|(path, print)| {
        let new = match print.kind {
            Kind::Gone => Some(Vec::new()),
            Kind::File | Kind::Executable if print.size <= MAX_FILE => repo.read(path, MAX_FILE),
            _ => None,
        };
        (repo.staged_blob(path, MAX_FILE), new)
    });
    summary(content.unstaged.len(), pairs)
}

fn summary(files: usize, pairs: impl Iterator<Item = (Option<Vec<u8>>, Option<Vec<u8>>)>) -> DiffSummary {
    let mut sum = DiffSummary { files, ..DiffSummary::default() };
    for (old, new) in pairs {
        if let (Some(old), Some(new)) = (old, new)
            && !old.contains(&0)
            && !new.contains(&0)
        {
            let input = gix::diff::blob::InternedInput::new(old.as_slice(), new.as_slice());
            let diff = gix::diff::blob::Diff::compute(gix::diff::blob::Algorithm::Histogram, &input);
            sum.insertions += diff.count_additions();
            sum.deletions += diff.count_removals();
        }
    }
    sum
}

/// The path with git's two letters: the index against HEAD, the worktree against the index.
pub(super) fn status_line(content: &Content, path: &String) -> String {
    if content.index.conflicts.contains(path) {
        return format!("UU {path}");
    }
    let index = content.index.staged.get(path).map_or(' ', |change| match (change.before, change.after) {
        (None, _) => 'A',
        (_, None) => 'D',
        _ => 'M',
    });
    let worktree = content.unstaged.get(path).map_or(' ', |print| match print.kind {
        Kind::Gone => 'D',
        Kind::File | Kind::Executable | Kind::Repository => 'M',
        Kind::Link | Kind::Special => 'T',
    });
    format!("{index}{worktree} {path}")
}
