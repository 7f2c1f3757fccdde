//! A Graphite operation that is halted on a conflict: how to recognise it, and what came after it was halted.

use std::collections::BTreeMap;
use std::path::Path;

use gix::ObjectId;

use super::{Repo, Snapshot, Stack};
use crate::fault::Fault;

/// Largest of Graphite's own files that is read here.
const MAX_FILE: u64 = 16 * 1024 * 1024;

/// A true Graphite halt of one worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Halt {
    /// The branch whose commits conflict.
    pub branch: String,
    /// The branch that gt works on while halted and checks out at the end.
    pub on: Option<String>,
    /// The branch that was checked out when the operation began, by its starting snapshot: where abort goes back to.
    pub began_on: Option<String>,
    /// The branches that are still to be restacked after this one.
    pub remaining: Vec<String>,
    /// gt's id of the event.
    pub event: String,
    /// The command that was halted, without its arguments.
    pub command: String,
    /// Tips of every tracked branch and trunk when the operation began: what `abort` puts back. Empty when Graphite's
    /// own snapshot of that moment is gone.
    pub start: BTreeMap<String, ObjectId>,
    /// Stored bases of the tracked branches when the operation began.
    bases: BTreeMap<String, ObjectId>,
    /// Tree of the untracked files when the operation began.
    untracked: Option<ObjectId>,
}

/// Work that an abort would throw away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Later {
    /// A branch has moved since, not by the halted operation.
    Moved(String),
    /// A tracked branch was made since: abort would delete it.
    Made(String),
    /// An untracked file was edited since: abort would put the old content back.
    Edited(String),
    /// Graphite's snapshot of the beginning is gone, so nobody can tell.
    Unknown,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Continue {
    current_branch_override: Option<String>,
    #[serde(default)]
    branches_to_restack: Vec<String>,
    rebased_branch_base: Option<String>,
    event_id: Option<String>,
}

#[derive(serde::Deserialize, Default)]
struct EventLog {
    events: Vec<Event>,
}

#[derive(serde::Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Event {
    id: String,
    canonical_name: Option<String>,
    starting_snapshot: Option<FileRef>,
    ending_snapshot: Option<serde::de::IgnoredAny>,
}

#[derive(serde::Deserialize)]
struct FileRef {
    filename: String,
}

#[derive(serde::Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Start {
    branches: Vec<(String, StartBranch)>,
    current_branch_name: Option<String>,
    working_directory: Option<StartWorktree>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct StartBranch {
    validation_result: Option<String>,
    branch_revision: Option<String>,
    parent_branch_revision: Option<String>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct StartWorktree {
    untracked_ref: Option<String>,
}

impl Halt {
    /// The halt of the worktree with this git directory, if there is one by the exact rule: a record with an event and
    /// a base, a rebase in progress onto exactly that base, of a tracked branch, and an event that never ended. A
    /// stale record next to a person's own rebase does not pass.
    #[must_use]
    pub fn of(git_dir: &Path, common_dir: &Path, stack: &Stack) -> Option<Self> {
        let record: Continue = parse(&git_dir.join(".gtcontinue"))?;
        let (event_id, base) = (record.event_id?, record.rebased_branch_base?);
        let rebase =
            ["rebase-merge", "rebase-apply"].map(|name| git_dir.join(name)).into_iter().find(|dir| dir.is_dir())?;
        if read(&rebase.join("onto"))?.trim() != base {
            return None;
        }
        let head_name = read(&rebase.join("head-name"))?;
        let branch = head_name.trim().strip_prefix("refs/heads/")?.to_owned();
        if !stack.branches.contains_key(&branch) && !stack.broken.contains_key(&branch) {
            return None;
        }
        let log: EventLog = parse(&git_dir.join(".gt/event_log")).unwrap_or_default();
        // gt writes no event when an untracked file has a name that git quotes: still a halt, but one that gt cannot
        // abort as a whole.
        let event = log.events.into_iter().find(|event| event.id == event_id);
        if event.as_ref().is_some_and(|event| event.ending_snapshot.is_some()) {
            return None;
        }
        let event = event.unwrap_or_default();
        // The log lies in the worktree's git directory, the snapshots in the common one.
        let file = event.starting_snapshot.map(|file| file.filename);
        let plain = file.filter(|file| !file.contains('/') && !file.starts_with('.'));
        let start: Option<Start> = plain.and_then(|file| parse(&common_dir.join(".gt/snapshots").join(file)));
        let command = event.canonical_name.unwrap_or_default();
        let command = command.split_whitespace().next().unwrap_or("operation").to_owned();
        Some(start.unwrap_or_default().into_halt(
            branch,
            record.current_branch_override,
            record.branches_to_restack,
            (event_id, command),
        ))
    }
}

impl Start {
    fn into_halt(
        self,
        branch: String,
        on: Option<String>,
        remaining: Vec<String>,
        (event, command): (String, String),
    ) -> Halt {
        let id = |text: &Option<String>| text.as_ref().and_then(|text| ObjectId::from_hex(text.as_bytes()).ok());
        // gt puts back what was tracked and valid, and the trunks.
        let counted = |b: &StartBranch| matches!(b.validation_result.as_deref(), Some("VALID" | "TRUNK"));
        let tips = self
            .branches
            .iter()
            .filter(|(_, b)| counted(b))
            .filter_map(|(name, b)| Some((name.clone(), id(&b.branch_revision)?)));
        let bases = self.branches.iter().filter_map(|(name, b)| Some((name.clone(), id(&b.parent_branch_revision)?)));
        let untracked = self.working_directory.as_ref().and_then(|dir| id(&dir.untracked_ref));
        let (start, bases) = (tips.collect(), bases.collect());
        Halt { branch, on, began_on: self.current_branch_name, remaining, event, command, start, bases, untracked }
    }
}

impl Repo {
    /// What came after the operation was halted and would be lost by an abort. `at_halt` are the tips that this
    /// program recorded when it saw the halt begin; without them a branch counts as moved by the operation when it
    /// holds the same authored commits as before.
    ///
    /// # Errors
    /// A fault when history cannot be read.
    pub fn later_than(
        &self,
        halt: &Halt,
        now: &Snapshot,
        at_halt: Option<&BTreeMap<String, ObjectId>>,
    ) -> Result<Vec<Later>, Fault> {
        if halt.start.is_empty() {
            return Ok(vec![Later::Unknown]);
        }
        let mut later = Vec::new();
        for (branch, started) in &halt.start {
            let Some(tip) = now.branch_tip(branch) else { continue };
            let moved_by_us = match at_halt {
                Some(recorded) => recorded.get(branch) == Some(&tip),
                None => tip == *started || (!now.stack.is_trunk(branch) && self.is_rebased(halt, now, branch, tip)?),
            };
            if !moved_by_us {
                later.push(Later::Moved(branch.clone()));
            }
        }
        let made = now.stack.branches.keys().filter(|name| !halt.start.contains_key(*name));
        let made = made.filter(|name| at_halt.is_none_or(|recorded| !recorded.contains_key(*name)));
        later.extend(made.cloned().map(Later::Made));
        later.extend(self.edited_untracked(halt, now).into_iter().map(Later::Edited));
        Ok(later)
    }

    /// Whether the branch holds what it held at the start, commit by commit, as far as a rebase keeps a commit: same
    /// authors and messages in the same order, some left out.
    fn is_rebased(&self, halt: &Halt, now: &Snapshot, branch: &str, tip: ObjectId) -> Result<bool, Fault> {
        if halt.start.values().any(|start| *start == tip) {
            return Ok(true);
        }
        let (Some(old_base), Some(tracked)) = (halt.bases.get(branch), now.stack.branches.get(branch)) else {
            return Ok(false);
        };
        let mut before = self.authored_between(*old_base, halt.start[branch])?.into_iter();
        Ok(self.authored_between(tracked.base, tip)?.into_iter().all(|commit| before.any(|old| old == commit)))
    }

    /// Untracked files that were there when the operation began: abort makes the missing ones again.
    #[must_use]
    pub fn untracked_at_start(&self, halt: &Halt) -> Vec<String> {
        // The snapshot's objects are loose and can be pruned; then abort cannot put them back either.
        let files = halt.untracked.and_then(|tree| self.files_of(tree).ok());
        files.into_iter().flatten().map(|(path, _)| path).collect()
    }

    /// Untracked files of now that abort would overwrite with another content.
    fn edited_untracked(&self, halt: &Halt, now: &Snapshot) -> Vec<String> {
        let had = halt.untracked.and_then(|tree| self.files_of(tree).ok()).unwrap_or_default();
        let Some(content) = &now.content else { return Vec::new() };
        let edited = content.untracked.iter().filter(|(path, print)| {
            had.get(*path).is_some_and(|(_, id)| {
                let old = self.blob(*id, u64::MAX);
                old.is_none_or(|bytes| crate::value::Digest::of(&bytes) != print.digest)
            })
        });
        edited.map(|(path, _)| path.clone()).collect()
    }
}

fn read(path: &Path) -> Option<String> {
    use std::io::Read;
    super::open::refuse_special(path).ok()?;
    let mut text = String::new();
    std::fs::File::open(path).ok()?.take(MAX_FILE).read_to_string(&mut text).ok()?;
    Some(text)
}

fn parse<T: serde::de::DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_str(&read(path)?).ok()
}
