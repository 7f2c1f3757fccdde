//! Questions about content: the index, the worktree, and the commits that would be carried along.

use std::collections::{BTreeMap, BTreeSet};

use gix::ObjectId;

use super::{Need, files, list};
use crate::fault::{Code, Fault};
use crate::repo::{Forecast, Kind};

/// A message is one argument of `git commit-tree`; Linux takes no argument of 128 KiB or more.
const MAX_MESSAGE: usize = 131_000;

impl dyn Need + '_ {
    /// Nothing staged, nothing unstaged; untracked files do not count.
    pub fn clean(&self) -> Result<(), Fault> {
        let changed = self.content().changed();
        if changed.is_empty() {
            self.proved("the worktree is clean".to_owned());
            return Ok(());
        }
        let fault = Fault::new(Code::NotClean, format!("{} changed: {}", files(changed.len()), list(&changed)));
        let fault = if changed.iter().all(|path| self.content().unverified.contains(path)) {
            fault.hint("Only git's filter driver can tell whether they differ: ask the person to run `git status`, or `stage` them.")
        } else {
            fault
        };
        Err(fault.detail("paths", changed))
    }

    /// Nothing staged.
    pub fn nothing_staged(&self) -> Result<(), Fault> {
        let staged: Vec<String> = self.content().index.staged.keys().cloned().collect();
        match staged.as_slice() {
            [] => {
                self.proved("nothing is staged".to_owned());
                Ok(())
            }
            paths => Err(Fault::new(Code::StagedChanges, format!("{} staged: {}", files(paths.len()), list(paths)))
                .detail("paths", paths.to_vec())),
        }
    }

    /// The tree that a commit will have, which differs from HEAD's.
    pub fn staged_tree(&self) -> Result<ObjectId, Fault> {
        let index = &self.content().index;
        match index.tree {
            Some(tree) if !index.staged.is_empty() => {
                self.proved(format!("{} staged, as the tree {tree}", files(index.staged.len())));
                Ok(tree)
            }
            _ => Err(self.nothing_to_commit()),
        }
    }

    fn nothing_to_commit(&self) -> Fault {
        let content = self.content();
        let changed: Vec<String> = content.unstaged.keys().chain(content.untracked.keys()).take(20).cloned().collect();
        let fault = Fault::new(Code::NothingStaged, "no change is staged");
        if changed.is_empty() {
            fault.hint("Change files first, then `stage` them.")
        } else {
            fault.detail("not_staged", changed)
        }
    }

    /// Total size of the untracked files, which gt copies into the repository's objects on every mutation: a warning
    /// when it is large, a refusal when it is very large.
    pub fn untracked_size(&self) -> Result<Vec<String>, Fault> {
        let untracked = &self.content().untracked;
        let total: u64 = untracked.values().map(|print| print.size).sum();
        let mut largest: Vec<_> = untracked.iter().collect();
        largest.sort_by_key(|(_, print)| std::cmp::Reverse(print.size));
        let largest: Vec<String> = largest.into_iter().take(5).map(|(path, _)| path.clone()).collect();
        let sentence = format!(
            "gt copies every untracked file into the repository on each change: {} MiB now, most of it in {}",
            total >> 20,
            list(&largest)
        );
        if total > self.config().untracked_limit() {
            return Err(Fault::new(Code::UntrackedTooLarge, sentence).detail("bytes", total).detail("paths", largest));
        }
        Ok(if total > self.config().untracked_warning() { vec![sentence] } else { Vec::new() })
    }

    /// gt can carry every commit of the branches as it is: none is empty (it would be dropped) or a merge (it would be
    /// flattened), unless the person has allowed that, and none has a message too long for one argument.
    pub fn carriable(&self, branches: &[String]) -> Result<(), Fault> {
        for branch in branches {
            let Some((tracked, tip)) = self.before().tracked_with_tip(branch) else { continue };
            for commit in self.repo().commits_between(tracked.base, tip)? {
                self.carriable_commit(branch, commit)?;
            }
        }
        Ok(())
    }

    fn carriable_commit(&self, branch: &str, commit: ObjectId) -> Result<(), Fault> {
        let repo = self.repo();
        let refused = |code, what: &str| {
            let title = repo.title_of(commit);
            let fault = Fault::new(code, format!("`{branch}` holds {what}: {commit} `{title}`"));
            Err(fault.detail("branch", branch).detail("commit", commit.to_string()))
        };
        if repo.authored(commit)?.message.len() >= MAX_MESSAGE {
            return refused(
                Code::MessageTooLong,
                "a commit with a message of 128 KiB or more, at which gt stops half way",
            );
        }
        if self.config().allow_lossy_restack == Some(true) {
            return Ok(());
        }
        match repo.parents_of(commit)?.as_slice() {
            [parent] if repo.tree_of(*parent)? == repo.tree_of(commit)? => {
                refused(Code::LosesCommits, "an empty commit, which gt would drop")
            }
            [_] => Ok(()),
            _ => refused(Code::LosesCommits, "a merge commit, which gt would flatten"),
        }
    }

    /// No file that git does not track, and no hidden change, would be overwritten when one of the commits is checked
    /// out, or any commit that the branches hold: a conflict can stop at each of them.
    pub fn nothing_in_the_way(
        &self,
        branches: &[String],
        tips: impl IntoIterator<Item = ObjectId>,
    ) -> Result<(), Fault> {
        let (before, repo) = (self.before(), self.repo());
        let mut commits: Vec<ObjectId> = tips.into_iter().collect();
        for name in branches {
            let Some((tracked, tip)) = before.tracked_with_tip(name) else { continue };
            commits.extend(repo.commits_between(tracked.base, tip)?);
        }
        let trees: BTreeSet<ObjectId> = commits.into_iter().map(|id| repo.tree_of(id)).collect::<Result<_, _>>()?;
        let Some(head) = before.head.commit() else { return Ok(()) };
        let head_tree = repo.tree_of(head)?;
        let mut found = repo.in_the_way(head_tree, &trees)?;
        let content = self.content();
        let hidden: Vec<&String> = content.unstaged.keys().filter(|path| content.hidden.contains(*path)).collect();
        for tree in trees.iter().filter(|_| !hidden.is_empty()) {
            let differing = repo.differing_paths(head_tree, *tree, usize::MAX)?;
            found.extend(hidden.iter().filter(|path| differing.contains(path)).map(|path| (*path).clone()));
        }
        if found.is_empty() {
            self.proved("no file that git does not track is in the way".to_owned());
            return Ok(());
        }
        let found: Vec<String> = found.into_iter().collect();
        let message = format!("{} in the way: {}", files(found.len()), list(&found));
        Err(Fault::new(Code::InTheWay, message).detail("paths", found))
    }

    /// No file that was deleted and not staged differs in the commit: git would bring it back instead of carrying the
    /// deletion along.
    pub fn no_deletion_undone(&self, tip: ObjectId) -> Result<(), Fault> {
        let unstaged = self.content().unstaged.iter();
        let gone: Vec<&String> = unstaged.filter(|(_, print)| print.kind == Kind::Gone).map(|(path, _)| path).collect();
        let Some(head) = self.before().head.commit().filter(|_| !gone.is_empty()) else { return Ok(()) };
        let repo = self.repo();
        let differing = repo.differing_paths(repo.tree_of(head)?, repo.tree_of(tip)?, usize::MAX)?;
        let back: Vec<String> = gone.into_iter().filter(|path| differing.contains(path)).cloned().collect();
        if back.is_empty() {
            return Ok(());
        }
        let message = format!("deleted here and different there, so git would bring them back: {}", list(&back));
        Err(Fault::new(Code::NotClean, message)
            .hint("`stage` the deletions and commit them first.")
            .detail("paths", back))
    }

    /// Why branches would not follow when the branch below them moves, as far as it can be foreseen: in use elsewhere
    /// or frozen.
    #[must_use]
    pub fn left_behind(&self, branches: &[String]) -> Vec<String> {
        let before = self.before();
        let reason = |branch: &String| {
            let frozen = before.stack.branches.get(branch).is_some_and(|tracked| tracked.frozen);
            if let Some(other) = before.holder_of(branch) {
                let path = other.path.display();
                return Some(format!("`{branch}` will need a restack: it is checked out in the worktree `{path}`"));
            }
            frozen.then(|| format!("`{branch}` will need a restack: it is frozen"))
        };
        branches.iter().filter_map(reason).collect()
    }

    /// The same for the branches above one that is about to have the tree `tree`, conflicts foreseen.
    #[must_use]
    pub fn left_behind_by(&self, branch: &str, tree: ObjectId) -> Vec<String> {
        let before = self.before();
        let mut left = self.left_behind(&before.stack.upstack(branch));
        for child in before.stack.above(branch) {
            let Some((tracked, tip)) = before.tracked_with_tip(&child) else { continue };
            // What cannot be foreseen is told afterwards.
            if let Ok(Forecast::Conflict(paths)) = self.repo().forecast(tracked.base, tip, tree) {
                left.push(format!("`{child}` will need a restack: it would conflict in {}", list(&paths)));
            }
        }
        left
    }

    /// Everything above a branch can be carried along without a conflict when its children go onto the tip `onto`.
    pub fn carries_cleanly(&self, branch: &str, onto: ObjectId) -> Result<(), Fault> {
        let before = self.before();
        let mut trees = BTreeMap::from([(branch.to_owned(), self.repo().tree_of(onto)?)]);
        for name in before.stack.upstack(branch) {
            let Some((tracked, tip)) = before.tracked_with_tip(&name) else { continue };
            let Some(tree) = trees.get(&tracked.parent) else { continue };
            match self.repo().forecast(tracked.base, tip, *tree)? {
                Forecast::Clean(tree) => {
                    trees.insert(name, tree);
                }
                Forecast::Conflict(paths) => {
                    let message = format!("`{name}` would conflict in {}", list(&paths));
                    return Err(Fault::new(Code::WouldConflict, message).detail("branch", name).detail("paths", paths));
                }
            }
        }
        self.proved(format!("everything above `{branch}` can be carried along without a conflict"));
        Ok(())
    }
}
