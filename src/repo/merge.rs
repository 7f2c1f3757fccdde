//! Foresees what a rebase does to a branch, and checks afterwards that it did no more: in memory, without drivers.

use gix::ObjectId;
use gix::bstr::BString;
use gix::merge::tree::TreatAsUnresolved;
use std::collections::BTreeMap;

use super::{Repo, text_of, unreadable};
use crate::fault::Fault;

/// What carrying commits to another base will lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forecast {
    /// No conflict; the branch will have this tree.
    Clean(ObjectId),
    /// These paths conflict.
    Conflict(Vec<String>),
}

/// A path's entry in each of the four trees of a rebase.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Corners {
    old_base: Entry,
    old_tip: Entry,
    new_base: Entry,
    new_tip: Entry,
}

/// The mode of a tree inside a tree.
const TREE: u32 = 0o040_000;

type NamedEntry = (BString, (u32, ObjectId));
/// What a tree has at a path: mode and object.
pub(super) type Entry = Option<(u32, ObjectId)>;

/// The trees before and after a rebase.
#[derive(Debug, Clone, Copy)]
pub struct Carried {
    /// Tree of the base before.
    pub old_base: ObjectId,
    /// Tree of the tip before.
    pub old_tip: ObjectId,
    /// Tree of the base after.
    pub new_base: ObjectId,
    /// Tree of the tip after.
    pub new_tip: ObjectId,
}

impl Repo {
    /// Carries the commits of `base..tip` onto a commit with the tree `onto`, one by one as gt does, in memory.
    ///
    /// Limitation: gix's merge is not git's; where they differ, gt is right and the report tells what happened.
    ///
    /// # Errors
    /// A fault when an object is missing.
    pub fn forecast(&self, base: ObjectId, tip: ObjectId, onto: ObjectId) -> Result<Forecast, Fault> {
        let fail = |error: gix::Error| unreadable("a merge", error);
        let mut tree = onto;
        for commit in self.commits_between(base, tip)?.into_iter().rev() {
            let parent = self.parents_of(commit)?.first().copied().unwrap_or(base);
            let (ancestor, theirs) = (self.tree_of(parent)?, self.tree_of(commit)?);
            if ancestor == tree {
                tree = theirs;
                continue;
            }
            let options = self.gix.tree_merge_options().map_err(fail)?;
            let labels = gix::merge::blob::builtin_driver::text::Labels::default();
            let mut outcome = self.gix.merge_trees(ancestor, tree, theirs, labels, options).map_err(fail)?;
            let unresolved =
                outcome.conflicts.iter().filter(|conflict| conflict.is_unresolved(TreatAsUnresolved::git()));
            let paths: Vec<String> = unresolved.map(|conflict| text_of(conflict.ours.location())).collect();
            if !paths.is_empty() {
                return Ok(Forecast::Conflict(paths));
            }
            tree = outcome.tree.write().map_err(|error| unreadable("a merge", error))?.detach();
        }
        Ok(Forecast::Clean(tree))
    }

    /// Paths where a rebase did something that no merge of the two sides can have done: a file that one side left
    /// alone must be as the other side has it. Files that both sides changed, and histories in which either side
    /// deleted files (a rename may have moved changes along), are not judged.
    ///
    /// # Errors
    /// A fault when a tree is missing.
    pub fn wrongly_carried(&self, trees: Carried) -> Result<Vec<String>, Fault> {
        let mut walk = CornerWalk { repo: self, wrong: Vec::new(), renames_possible: false };
        let root = |tree| Some((TREE, tree));
        let corners = Corners {
            old_base: root(trees.old_base),
            old_tip: root(trees.old_tip),
            new_base: root(trees.new_base),
            new_tip: root(trees.new_tip),
        };
        walk.visit(&BString::default(), corners)?;
        Ok(if walk.renames_possible { Vec::new() } else { walk.wrong })
    }

    /// Paths that differ between two trees, at most `limit` of them.
    ///
    /// # Errors
    /// A fault when a tree is missing.
    pub fn differing_paths(&self, one: ObjectId, two: ObjectId, limit: usize) -> Result<Vec<String>, Fault> {
        let changes = self.tree_changes(one, two)?;
        Ok(changes.into_iter().take(limit).map(|(path, _)| path).collect())
    }

    /// Every path at which the second tree has another file, link or submodule than the first, with what it has there;
    /// `None` where it has nothing.
    ///
    /// # Errors
    /// A fault when a tree is missing.
    pub(super) fn tree_changes(&self, one: ObjectId, two: ObjectId) -> Result<Vec<(String, Entry)>, Fault> {
        let mut found = Vec::new();
        self.compare(&BString::default(), (Some((TREE, one)), Some((TREE, two))), &mut found)?;
        Ok(found)
    }

    fn compare(
        &self,
        path: &BString,
        (old, new): (Entry, Entry),
        found: &mut Vec<(String, Entry)>,
    ) -> Result<(), Fault> {
        if old == new {
            return Ok(());
        }
        let is_tree = |entry: Entry| entry.is_some_and(|(mode, _)| mode == TREE);
        let file = |entry: Entry| entry.filter(|(mode, _)| *mode != TREE);
        if !path.is_empty() && file(old) != file(new) {
            found.push((text_of(path.as_ref()), file(new)));
        }
        if !is_tree(old) && !is_tree(new) {
            return Ok(());
        }
        let mut names: BTreeMap<BString, (Entry, Entry)> = BTreeMap::new();
        for (name, entry) in self.entries(old)? {
            names.entry(name).or_default().0 = Some(entry);
        }
        for (name, entry) in self.entries(new)? {
            names.entry(name).or_default().1 = Some(entry);
        }
        names.into_iter().try_for_each(|(name, pair)| self.compare(&below(path, &name), pair, found))
    }

    fn entries(&self, entry: Entry) -> Result<Vec<NamedEntry>, Fault> {
        let Some((_, id)) = entry.filter(|(mode, _)| *mode == TREE) else { return Ok(Vec::new()) };
        let tree = self.gix.find_tree(id).map_err(|error| unreadable("a tree", error))?;
        let decoded = tree.decode().map_err(|error| unreadable("a tree", error))?;
        let named = decoded.entries.iter();
        Ok(named.map(|e| (e.filename.to_owned(), (u32::from(e.mode.value()), e.oid.to_owned()))).collect())
    }
}

fn below(path: &BString, name: &BString) -> BString {
    let mut full = path.clone();
    if !full.is_empty() {
        full.push(b'/');
    }
    full.extend_from_slice(name);
    full
}

struct CornerWalk<'a> {
    repo: &'a Repo,
    wrong: Vec<String>,
    renames_possible: bool,
}

impl CornerWalk<'_> {
    fn visit(&mut self, path: &BString, at: Corners) -> Result<(), Fault> {
        let expected = if at.old_base == at.new_base {
            Some(at.old_tip)
        } else if at.old_base == at.old_tip {
            Some(at.new_base)
        } else {
            None
        };
        if expected == Some(at.new_tip) && !Self::may_hide_deletions(at) {
            return Ok(());
        }
        let corners = [at.old_base, at.old_tip, at.new_base, at.new_tip];
        if corners.iter().flatten().any(|(mode, _)| *mode == TREE) {
            return self.descend(path, at);
        }
        self.renames_possible |= at.old_base.is_some() && (at.old_tip.is_none() || at.new_base.is_none());
        if expected.is_some_and(|expected| expected != at.new_tip) {
            self.wrong.push(text_of(path.as_ref()));
        }
        Ok(())
    }

    /// A subtree that is right may still hold the deletion half of a rename that ends in another subtree.
    fn may_hide_deletions(at: Corners) -> bool {
        at.old_base.is_some_and(|(mode, _)| mode == TREE) && (at.old_base != at.old_tip || at.old_base != at.new_base)
    }

    fn descend(&mut self, path: &BString, at: Corners) -> Result<(), Fault> {
        let mut names: BTreeMap<BString, Corners> = BTreeMap::new();
        for (name, entry) in self.repo.entries(at.old_base)? {
            names.entry(name).or_default().old_base = Some(entry);
        }
        for (name, entry) in self.repo.entries(at.old_tip)? {
            names.entry(name).or_default().old_tip = Some(entry);
        }
        for (name, entry) in self.repo.entries(at.new_base)? {
            names.entry(name).or_default().new_base = Some(entry);
        }
        for (name, entry) in self.repo.entries(at.new_tip)? {
            names.entry(name).or_default().new_tip = Some(entry);
        }
        for (name, corners) in names {
            self.visit(&below(path, &name), corners)?;
        }
        Ok(())
    }
}
