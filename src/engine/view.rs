//! The summary of a snapshot that a report shows; the exact prints stay behind it.

use crate::repo::{InProgress, Repo, Snapshot};
use crate::value::Digest;

use super::lines::{self, DiffSummary};

/// Most paths listed.
const MAX_PATHS: usize = 200;

/// What a look saw.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct View {
    /// The checked-out branch; null when HEAD is detached.
    pub branch: Option<String>,
    /// HEAD's commit; null before the first one.
    pub head: Option<String>,
    /// Changed paths with git's two letters: index and worktree. At most 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Vec<String>>,
    /// What is staged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub staged_diff: Option<DiffSummary>,
    /// What is changed and not staged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unstaged_diff: Option<DiffSummary>,
    /// Untracked files, at most 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untracked: Option<Vec<String>>,
    /// All refs.
    pub refs: Refs,
    /// The tracked branches.
    pub stack: Vec<Branch>,
    /// Operations in progress.
    pub in_progress: Vec<InProgress>,
    /// A halted Graphite operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub halt: Option<HaltView>,
}

/// All refs, as a number and a digest.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Refs {
    /// How many.
    pub count: usize,
    /// SHA-256 over names and ids.
    pub digest: String,
}

/// A tracked branch.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Branch {
    /// Its name.
    pub name: String,
    /// Its parent.
    pub parent: String,
    /// Its commit.
    pub tip: String,
    /// Whether it is not based on its parent's tip.
    pub needs_restack: bool,
    /// Whether it is frozen.
    pub frozen: bool,
}

/// A halted Graphite operation.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct HaltView {
    /// The command.
    pub command: String,
    /// The branch that conflicts.
    pub branch: String,
    /// Branches still to come.
    pub remaining: Vec<String>,
    /// Unmerged files.
    pub conflicts: Vec<String>,
}

impl View {
    /// The view of a snapshot.
    #[must_use]
    pub fn of(repo: &Repo, snapshot: &Snapshot) -> Self {
        let content = snapshot.content.as_ref();
        let refs = snapshot.refs.iter().fold(Digest::parts(), |parts, (name, id)| parts.part(name).part(id.as_bytes()));
        Self {
            branch: snapshot.current().map(str::to_owned),
            head: snapshot.head.commit().map(|id| id.to_string()),
            status: content.map(|content| {
                let changed =
                    content.index.staged.keys().chain(content.unstaged.keys()).chain(&content.index.conflicts);
                let paths: std::collections::BTreeSet<&String> = changed.collect();
                paths.into_iter().take(MAX_PATHS).map(|path| lines::status_line(content, path)).collect()
            }),
            staged_diff: content.map(|content| lines::staged(repo, content)),
            unstaged_diff: content.map(|content| lines::unstaged(repo, content)),
            untracked: content.map(|content| content.untracked.keys().take(MAX_PATHS).cloned().collect()),
            refs: Refs { count: snapshot.refs.len(), digest: refs.finish().to_string() },
            stack: branches(snapshot),
            in_progress: snapshot.in_progress.clone(),
            halt: snapshot.halt.as_ref().map(|halt| HaltView {
                command: halt.command.clone(),
                branch: halt.branch.clone(),
                remaining: halt.remaining.clone(),
                conflicts: content.map(|content| content.index.conflicts.clone()).unwrap_or_default(),
            }),
        }
    }
}

fn branches(snapshot: &Snapshot) -> Vec<Branch> {
    let branch = |(name, tracked): (&String, &crate::repo::Tracked)| Branch {
        name: name.clone(),
        parent: tracked.parent.clone(),
        tip: snapshot.branch_tip(name).map(|id| id.to_string()).unwrap_or_default(),
        needs_restack: tracked.needs_restack,
        frozen: tracked.frozen,
    };
    snapshot.stack.branches.iter().map(branch).collect()
}
