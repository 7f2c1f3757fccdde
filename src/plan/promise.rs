//! What must be true after a command, and how each promise is checked against the second look.

use gix::ObjectId;

use super::need::list;
use crate::fault::Fault;
use crate::repo::{Carried, Repo, Snapshot};

/// Something that must be true afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Promise {
    /// HEAD is on this branch.
    OnBranch(String),
    /// Nothing is staged and nothing unstaged.
    Clean,
    /// What was staged is staged, with the same content.
    StagedKept,
    /// The branch's tip has exactly this tree.
    Tree {
        /// The branch.
        branch: String,
        /// The tree.
        tree: ObjectId,
    },
    /// The branch's tip has exactly these parents.
    Parents {
        /// The branch.
        branch: String,
        /// The parents, in order.
        parents: Vec<ObjectId>,
    },
    /// The branch is exactly at this commit.
    Tip {
        /// The branch.
        branch: String,
        /// The commit.
        at: ObjectId,
    },
    /// The branch is gone.
    Gone(String),
    /// Graphite's record says that the branch is on this parent.
    On {
        /// The branch.
        branch: String,
        /// The parent.
        parent: String,
    },
    /// The branch is based on its parent's tip, in the commits.
    Based(String),
    /// Each branch holds the commits it held, on its parent's tip, or is listed as needing a restack.
    Carried(Vec<String>),
    /// No operation is halted or in progress.
    Settled,
    /// The path has no unstaged change left and is not untracked.
    Staged(String),
    /// The path has no staged change left.
    NotStaged(String),
    /// Every staged change but those at these paths is as it was.
    OthersStaged(Vec<String>),
}

/// A promise, held or not.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Check {
    /// The promise as a sentence.
    pub promise: String,
    /// Whether it holds.
    pub holds: bool,
    /// What was found instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
}

impl Promise {
    /// The promise as a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::OnBranch(branch) => format!("`{branch}` is checked out"),
            Self::Clean => "the worktree is clean".to_owned(),
            Self::StagedKept => "what was staged is still staged".to_owned(),
            Self::Tree { branch, tree } => format!("the tip of `{branch}` has the tree {tree}"),
            Self::Parents { branch, parents } => {
                let parents: Vec<_> = parents.iter().map(ToString::to_string).collect();
                format!("the tip of `{branch}` is a child of {}", parents.join(" and "))
            }
            Self::Tip { branch, at } => format!("`{branch}` is at {at}"),
            Self::Gone(branch) => format!("`{branch}` is gone"),
            Self::On { branch, parent } => format!("Graphite has `{branch}` on `{parent}`"),
            Self::Based(branch) => format!("`{branch}` is based on its parent's tip"),
            Self::Carried(branches) => format!("carried along or listed: {}", list(branches)),
            Self::Settled => "no operation is in progress".to_owned(),
            Self::Staged(path) => format!("`{path}` is staged as it is"),
            Self::NotStaged(path) => format!("`{path}` has no staged change"),
            Self::OthersStaged(_) => "every other staged change is as it was".to_owned(),
        }
    }

    /// Checks the promise.
    ///
    /// # Errors
    /// A fault when an object cannot be read.
    pub fn check(&self, repo: &Repo, before: &Snapshot, after: &Snapshot) -> Result<Check, Fault> {
        let found = self.broken(repo, before, after)?;
        Ok(Check { promise: self.sentence(), holds: found.is_none(), found })
    }

    /// What was found instead of what was promised.
    fn broken(&self, repo: &Repo, before: &Snapshot, after: &Snapshot) -> Result<Option<String>, Fault> {
        Ok(match self {
            Self::OnBranch(branch) => {
                let on = after.current().map_or("HEAD is detached".to_owned(), |on| format!("`{on}` is checked out"));
                unless(after.current() == Some(branch), on)
            }
            Self::Clean => dirt(after),
            Self::StagedKept => lost_staged(before, after),
            Self::Tree { branch, tree } => match after.branch_tip(branch) {
                Some(tip) => wrong_tree(repo, repo.tree_of(tip)?, *tree),
                None => Some("the branch does not exist".to_owned()),
            },
            Self::Parents { branch, parents } => match after.branch_tip(branch) {
                Some(tip) => wrong_parents(&repo.parents_of(tip)?, parents),
                None => Some("the branch does not exist".to_owned()),
            },
            Self::Tip { branch, at } => {
                let tip = after.branch_tip(branch);
                unless(tip == Some(*at), tip.map_or("it does not exist".to_owned(), |tip| format!("it is at {tip}")))
            }
            Self::Gone(branch) => after.branch_tip(branch).map(|tip| format!("it is at {tip}")),
            Self::On { branch, parent } => {
                let on = after.stack.branches.get(branch).map(|tracked| tracked.parent.as_str());
                let found =
                    on.map_or("Graphite does not track it".to_owned(), |on| format!("Graphite has it on `{on}`"));
                unless(on == Some(parent), found)
            }
            Self::Based(branch) => not_based(repo, after, branch)?,
            Self::Carried(branches) => wrongly_carried(repo, before, after, branches)?,
            Self::Settled => unsettled(after),
            Self::Staged(path) => {
                let content = after.content.as_ref();
                let left = content.is_some_and(|c| c.unstaged.contains_key(path) || c.untracked.contains_key(path));
                let holds = !left || repo.has_commit_of_submodule(path);
                unless(holds, "the worktree still differs from the index".to_owned())
            }
            Self::NotStaged(path) => {
                let staged = after.content.as_ref().is_some_and(|c| c.index.staged.contains_key(path));
                unless(!staged, "it is staged".to_owned())
            }
            Self::OthersStaged(paths) => {
                let same = others_staged(before, paths) == others_staged(after, paths);
                unless(same, "another path of the index has changed".to_owned())
            }
        })
    }
}

fn unless(holds: bool, found: String) -> Option<String> {
    if holds { None } else { Some(found) }
}

fn unsettled(after: &Snapshot) -> Option<String> {
    let halted = after.halt.as_ref().map(|halt| format!("halted at `{}`", halt.branch));
    halted.or_else(|| after.in_progress.first().map(|kind| format!("a {} is in progress", kind.name())))
}

fn wrong_parents(has: &[ObjectId], promised: &[ObjectId]) -> Option<String> {
    let shown: Vec<String> = has.iter().map(ToString::to_string).collect();
    unless(has == promised, format!("it is a child of {}", shown.join(" and ")))
}

/// Every staged change and conflict but those at `paths`.
fn others_staged(snapshot: &Snapshot, paths: &[String]) -> Vec<String> {
    let Some(index) = snapshot.content.as_ref().map(|content| &content.index) else { return Vec::new() };
    let staged = index.staged.iter().map(|(path, change)| (path, format!("{path} {change:?}")));
    let conflicts = index.conflicts.iter().map(|path| (path, path.clone()));
    staged.chain(conflicts).filter(|(path, _)| !paths.contains(path)).map(|(_, text)| text).collect()
}

fn dirt(after: &Snapshot) -> Option<String> {
    let content = after.content.as_ref()?;
    // What only a driver could tell is compared with the look before, by the frame.
    let changed: Vec<String> =
        content.changed().into_iter().filter(|path| !content.unverified.contains(path)).collect();
    (!changed.is_empty()).then(|| format!("changed: {}", list(&changed)))
}

fn lost_staged(before: &Snapshot, after: &Snapshot) -> Option<String> {
    let staged = |snapshot: &Snapshot| -> Vec<(String, String)> {
        let index = snapshot.content.iter().map(|content| &content.index);
        index
            .flat_map(|index| index.staged.iter().map(|(path, change)| (path.clone(), format!("{:?}", change.after))))
            .collect()
    };
    let (was, is) = (staged(before), staged(after));
    let lost: Vec<String> = was.iter().filter(|entry| !is.contains(entry)).map(|(path, _)| path.clone()).collect();
    (!lost.is_empty()).then(|| format!("no longer staged as it was: {}", list(&lost)))
}

fn wrong_tree(repo: &Repo, is: ObjectId, promised: ObjectId) -> Option<String> {
    // The promised tree may exist only as an index: then its files cannot be named.
    let paths = || {
        let paths = repo.differing_paths(promised, is, 20);
        paths.map(|paths| format!(", which differs in {}", list(&paths))).unwrap_or_default()
    };
    (is != promised).then(|| format!("it has the tree {is}{}", paths()))
}

fn not_based(repo: &Repo, after: &Snapshot, branch: &str) -> Result<Option<String>, Fault> {
    let Some(tracked) = after.stack.branches.get(branch) else {
        return Ok(Some("Graphite does not track it".to_owned()));
    };
    let (Some(tip), Some(parent)) = (after.branch_tip(branch), after.branch_tip(&tracked.parent)) else {
        return Ok(Some("it or its parent does not exist".to_owned()));
    };
    // A parent further down the stack is contained too: the stored base is what tells where the branch begins.
    if tracked.base != parent {
        return Ok(Some(format!("its commits begin at {}, not at the tip of `{}`", tracked.base, tracked.parent)));
    }
    Ok((!repo.contains(tip, parent)?).then(|| format!("it does not contain the tip of `{}`", tracked.parent)))
}

/// Branches that neither sit on their parent with all they held nor count as needing a restack.
fn wrongly_carried(
    repo: &Repo,
    before: &Snapshot,
    after: &Snapshot,
    branches: &[String],
) -> Result<Option<String>, Fault> {
    let mut wrong = Vec::new();
    for branch in branches {
        let Some((old, old_tip)) = before.tracked_with_tip(branch) else {
            continue;
        };
        let Some((new, new_tip)) = after.tracked_with_tip(branch) else {
            wrong.push(format!("`{branch}` is no longer tracked"));
            continue;
        };
        if new_tip == old_tip {
            continue;
        }
        let mut olds = repo.authored_between(old.base, old_tip)?.into_iter();
        let kept = repo.authored_between(new.base, new_tip)?;
        // A commit whose change is in the new base already is rightly left out; any other must be there, in order.
        if !kept.iter().all(|commit| olds.any(|old| old == *commit)) {
            wrong.push(format!("`{branch}` holds commits that it did not hold before"));
            continue;
        }
        let trees = Carried {
            old_base: repo.tree_of(old.base)?,
            old_tip: repo.tree_of(old_tip)?,
            new_base: repo.tree_of(new.base)?,
            new_tip: repo.tree_of(new_tip)?,
        };
        let paths = repo.wrongly_carried(trees)?;
        if !paths.is_empty() {
            wrong.push(format!("`{branch}` lost or gained changes in {}", list(&paths)));
        }
    }
    Ok((!wrong.is_empty()).then(|| wrong.join("; ")))
}
