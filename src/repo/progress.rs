//! Operations that git itself has in progress in a worktree, read from their marker files.

use std::path::Path;

/// An operation that waits for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InProgress {
    /// `rebase-merge`, or `rebase-apply` without `applying`.
    Rebase,
    /// `rebase-apply/applying`.
    Am,
    /// `MERGE_HEAD`.
    Merge,
    /// `CHERRY_PICK_HEAD`, or a sequencer that picks.
    CherryPick,
    /// `REVERT_HEAD`, or a sequencer that reverts.
    Revert,
    /// `BISECT_LOG`.
    Bisect,
}

impl InProgress {
    /// All that are in progress; several can be. Marker files are read one by one, since a single answer hides some.
    #[must_use]
    pub fn all(git_dir: &Path) -> Vec<Self> {
        let there = |name: &str| std::fs::symlink_metadata(git_dir.join(name)).is_ok();
        let sequencer = || {
            let todo = super::open::refuse_special(&git_dir.join("sequencer/todo"))
                .ok()
                .and_then(|()| std::fs::read_to_string(git_dir.join("sequencer/todo")).ok());
            todo.unwrap_or_default()
                .lines()
                .find(|line| !line.trim().is_empty())
                .map(|line| line.starts_with("revert") || line.starts_with("r "))
        };
        let applying = there("rebase-apply/applying");
        let sequenced = if there("sequencer") { Some(sequencer().unwrap_or(false)) } else { None };
        let table = [
            (Self::Rebase, there("rebase-merge") || (there("rebase-apply") && !applying)),
            (Self::Am, applying),
            (Self::Merge, there("MERGE_HEAD")),
            (Self::CherryPick, there("CHERRY_PICK_HEAD") || sequenced == Some(false)),
            (Self::Revert, there("REVERT_HEAD") || sequenced == Some(true)),
            (Self::Bisect, there("BISECT_LOG")),
        ];
        table.into_iter().filter_map(|(kind, found)| found.then_some(kind)).collect()
    }

    /// What a person calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rebase => "rebase",
            Self::Am => "am",
            Self::Merge => "merge",
            Self::CherryPick => "cherry-pick",
            Self::Revert => "revert",
            Self::Bisect => "bisect",
        }
    }
}
