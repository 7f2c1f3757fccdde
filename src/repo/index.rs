//! The index: the tree that it would commit, what it changes against HEAD, and a print of all of it.

use std::collections::{BTreeMap, BTreeSet};

use gix::ObjectId;
use gix::bstr::{BStr, ByteSlice};
use gix::index::entry::{Flags, Mode};

use super::snapshot::{IndexState, StagedChange};
use super::{Repo, text_of, unreadable};
use crate::fault::Fault;
use crate::value::Digest;

/// Reads the index into memory, sparse directories expanded and the flags that hide files from a reader cleared.
pub(super) fn read(gix: &gix::Repository) -> Result<Index, Fault> {
    let fail = |error: gix::Error| unreadable("the index", error);
    let stored = gix.index_or_empty().map_err(fail)?;
    let tree = tree_id(gix, &stored, stored.entries(), (0, stored.tree()))?;
    let hides = Flags::SKIP_WORKTREE | Flags::ASSUME_VALID;
    if !stored.entries().iter().any(|entry| entry.mode.is_sparse() || entry.flags.intersects(hides)) {
        return Ok(Index { state: State::Stored(stored), skipped: BTreeSet::new(), hidden: BTreeSet::new(), tree });
    }
    let mut state = gix::index::State::new(stored.object_hash());
    let (mut skipped, mut hidden) = (BTreeSet::new(), BTreeSet::new());
    for entry in stored.entries() {
        let path = entry.path(&stored);
        if entry.mode.is_sparse() {
            let inner = gix.index_from_tree(&entry.id).map_err(fail)?;
            for file in inner.entries() {
                let mut full = path.to_owned();
                full.extend_from_slice(file.path(&inner));
                skipped.insert(full.clone());
                state.dangerously_push_entry(
                    gix::index::entry::Stat::default(),
                    file.id,
                    Flags::empty(),
                    file.mode,
                    full.as_ref(),
                );
            }
            continue;
        }
        if entry.flags.contains(Flags::SKIP_WORKTREE) {
            skipped.insert(path.to_owned());
        }
        if entry.flags.intersects(hides) {
            hidden.insert(text_of(path));
        }
        state.dangerously_push_entry(entry.stat, entry.id, entry.flags - hides, entry.mode, path);
    }
    state.sort_entries();
    state.set_timestamp(stored.timestamp());
    Ok(Index { state: State::Rebuilt(Box::new(state)), skipped, hidden, tree })
}

/// All entries of the index, with nothing hidden.
pub(super) enum State {
    /// As they are on disk.
    Stored(gix::worktree::Index),
    /// With sparse directories expanded and flags cleared.
    Rebuilt(Box<gix::index::State>),
}

impl std::ops::Deref for State {
    type Target = gix::index::State;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Stored(index) => index,
            Self::Rebuilt(state) => state,
        }
    }
}

/// The index in memory.
pub(super) struct Index {
    /// All entries, with nothing hidden.
    pub state: State,
    /// Paths that the person chose not to have in the worktree.
    pub skipped: BTreeSet<gix::bstr::BString>,
    /// Paths that a flag hides from git.
    pub hidden: BTreeSet<String>,
    /// The tree that a commit would have; `None` while files are unmerged.
    tree: Option<ObjectId>,
}

impl Index {
    /// The part of the index that a snapshot keeps.
    pub(super) fn look(&self, repo: &Repo, head_tree: ObjectId) -> Result<IndexState, Fault> {
        let mut print = Digest::parts();
        let mut conflicts = BTreeSet::new();
        for entry in self.state.entries() {
            let path = entry.path(&self.state);
            let stage = entry.stage_raw();
            print.add(path);
            print.add([
                u8::try_from(stage & 3).expect("two bits"),
                u8::from(entry.flags.contains(Flags::INTENT_TO_ADD)),
            ]);
            print.add(entry.mode.bits().to_le_bytes());
            print.add(entry.id.as_bytes());
            if stage != 0 {
                conflicts.insert(text_of(path));
            }
        }
        let staged = if self.tree == Some(head_tree) { BTreeMap::new() } else { self.staged(repo, head_tree)? };
        Ok(IndexState { tree: self.tree, print: print.finish(), conflicts: conflicts.into_iter().collect(), staged })
    }

    /// Differences between a tree and the index, by path. Unmerged paths are listed as conflicts, not here.
    fn staged(&self, repo: &Repo, tree: ObjectId) -> Result<BTreeMap<String, StagedChange>, Fault> {
        let mut old = repo.files_of(tree)?;
        let mut changes = BTreeMap::new();
        for entry in self.state.entries() {
            let path = text_of(entry.path(&self.state));
            let before = old.remove(&path);
            if entry.stage_raw() != 0 || entry.flags.intersects(Flags::INTENT_TO_ADD | Flags::REMOVE) {
                continue;
            }
            let after = Some((entry.mode.bits(), entry.id));
            if before != after {
                changes.insert(path, StagedChange { before, after });
            }
        }
        changes
            .extend(old.into_iter().map(|(path, before)| (path, StagedChange { before: Some(before), after: None })));
        Ok(changes)
    }

    /// Whether the path is in the index, at any stage.
    pub(super) fn has(&self, path: &BStr) -> bool {
        let from = self.state.entries().partition_point(|e| e.path(&self.state) < path);
        self.state.entries().get(from).is_some_and(|e| e.path(&self.state) == path)
    }
}

/// The id of the tree that `git write-tree` would write. `None` while files are unmerged.
///
/// The trees are made in the repository's object memory, where a merge that is foreseen finds them; nothing reaches the
/// disk.
fn tree_id(
    gix: &gix::Repository,
    index: &gix::index::State,
    entries: &[gix::index::Entry],
    (prefix, cache): (usize, Option<&gix::index::extension::Tree>),
) -> Result<Option<ObjectId>, Fault> {
    if prefix == 0 && entries.iter().any(|entry| entry.stage_raw() != 0) {
        return Ok(None);
    }
    if let Some(cached) = cache.filter(|cache| cache.num_entries.is_some_and(|n| n as usize == entries.len())) {
        return Ok(Some(cached.id));
    }
    let mut tree = Vec::new();
    let mut at = 0;
    while at < entries.len() {
        let entry = &entries[at];
        let path = entry.path(index);
        let rest = &path[prefix..];
        let Some(slash) = rest.find_byte(b'/') else {
            if !entry.flags.intersects(Flags::INTENT_TO_ADD | Flags::REMOVE) {
                push(&mut tree, entry.mode.bits(), rest, entry.id);
            }
            at += 1;
            continue;
        };
        if slash + 1 == rest.len() {
            // A sparse directory stands for its whole tree.
            push(&mut tree, Mode::DIR.bits(), &rest[..slash], entry.id);
            at += 1;
            continue;
        }
        let dir = &path[..=prefix + slash];
        let count = entries[at..].partition_point(|e| e.path(index).starts_with(dir));
        let name = &rest[..slash];
        let below = cache.and_then(|cache| cache.children.iter().find(|child| child.name.as_slice() == name));
        let id = tree_id(gix, index, &entries[at..at + count], (prefix + slash + 1, below))?;
        if let Some(id) = id.filter(|id| !id.is_empty_tree()) {
            push(&mut tree, Mode::DIR.bits(), name, id);
        }
        at += count;
    }
    let made = gix::objs::Write::write_buf(&gix.objects, gix::objs::Kind::Tree, &tree);
    made.map(Some).map_err(|error| unreadable("the index", error))
}

fn push(tree: &mut Vec<u8>, mode: u32, name: &[u8], id: ObjectId) {
    tree.extend_from_slice(format!("{mode:o} ").as_bytes());
    tree.extend_from_slice(name);
    tree.push(0);
    tree.extend_from_slice(id.as_bytes());
}
