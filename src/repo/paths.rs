//! Questions about single paths: what lies there, whether git knows it, and what a checkout would overwrite.

use std::collections::BTreeSet;

use gix::ObjectId;
use gix::bstr::ByteSlice;

use super::index::Index;
use super::{Print, Repo, prints, unreadable};
use crate::fault::Fault;
use crate::value::Digest;

/// The mode of a submodule inside a tree.
const SUBMODULE: u32 = 0o160_000;
/// Largest file that is compared with what comes in.
const MAX_COMPARED: u64 = 64 * 1024 * 1024;

impl Repo {
    /// The print of one path as it is now.
    #[must_use]
    pub fn print_at(&self, path: &str) -> Print {
        prints::print_at(&self.gix, path)
    }

    /// The bytes of a file in the worktree, `None` when it is no regular file or larger than `limit`.
    #[must_use]
    pub fn read(&self, path: &str, limit: u64) -> Option<Vec<u8>> {
        prints::read_at(&self.gix, path, limit)
    }

    /// The blob that the index has for a path, `None` when it has none or it is larger than `limit`.
    #[must_use]
    pub fn staged_blob(&self, path: &str, limit: u64) -> Option<Vec<u8>> {
        let index = self.gix.index_or_empty().ok()?;
        let entry = index.entry_by_path(path.as_bytes().as_bstr())?;
        self.blob(entry.id, limit)
    }

    /// Whether the path is a submodule and the index has the commit that is checked out there: whatever else differs
    /// inside it cannot be staged here.
    #[must_use]
    pub fn has_commit_of_submodule(&self, path: &str) -> bool {
        let Ok(index) = self.gix.index_or_empty() else { return false };
        let entry = index.entry_by_path(path.as_bytes().as_bstr()).filter(|entry| entry.mode.is_submodule());
        let inner = || super::open::open_nested(&self.root.join(path));
        entry.is_some_and(|entry| inner().is_some_and(|inner| inner.head_id().is_ok_and(|id| id == entry.id)))
    }

    /// Whether a path was not touched since `since`, a change time by the file system's own clock.
    #[must_use]
    pub fn is_older(&self, path: &str, since: (i64, i64)) -> bool {
        use std::os::unix::fs::MetadataExt;
        let meta = std::fs::symlink_metadata(self.root.join(path));
        meta.is_ok_and(|meta| (meta.ctime(), meta.ctime_nsec()) < since)
    }

    /// Whether git is told to carry this notes ref along when a commit is rewritten.
    #[must_use]
    pub fn rewrites_notes(&self, name: &str) -> bool {
        let patterns = self.gix.config_snapshot().plumbing().strings("notes.rewriteRef").unwrap_or_default();
        patterns.iter().map(|pattern| super::text_of(pattern.as_ref())).any(|pattern| match pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == pattern,
        })
    }

    /// Whether git ignores the path.
    ///
    /// # Errors
    /// A fault when the ignore rules cannot be read.
    pub fn is_ignored(&self, path: &str) -> Result<bool, Fault> {
        let index = super::index::read(&self.gix)?;
        let source = gix::worktree::stack::state::ignore::Source::WorktreeThenIdMappingIfNotSkipped;
        let fail = |error: gix::Error| unreadable("the ignore rules", error);
        let mut excludes = self.gix.excludes(&index.state, None, source).map_err(fail)?;
        Ok(excludes
            .at_entry(path.as_bytes().as_bstr(), Some(gix::index::entry::Mode::FILE))
            .map_err(fail)?
            .is_excluded())
    }

    /// Whether the index has the path.
    ///
    /// # Errors
    /// A fault when the index cannot be read.
    pub fn is_tracked(&self, path: &str) -> Result<bool, Fault> {
        Ok(super::index::read(&self.gix)?.has(path.as_bytes().as_bstr()))
    }

    /// Files that checking out one of the trees from `head_tree` would overwrite or remove although git does not track
    /// them: at a path that comes in, above it, or in a folder that a file takes the place of; and submodules that a
    /// file takes the place of. A file that is there with just the content that comes in is not in the way.
    ///
    /// # Errors
    /// A fault when a tree or the index cannot be read.
    pub fn in_the_way(&self, head_tree: ObjectId, trees: &BTreeSet<ObjectId>) -> Result<BTreeSet<String>, Fault> {
        let index = super::index::read(&self.gix)?;
        let mut found = BTreeSet::new();
        for tree in trees {
            for (path, entry) in self.tree_changes(head_tree, *tree)? {
                if let Some((mode, id)) = entry {
                    self.blockers(&index, &path, (mode, id), &mut found);
                }
            }
        }
        Ok(found)
    }

    fn blockers(&self, index: &Index, path: &str, (mode, id): (u32, ObjectId), found: &mut BTreeSet<String>) {
        let tracked = |path: &str| index.has(path.as_bytes().as_bstr());
        for (at, _) in path.match_indices('/') {
            let folder = &path[..at];
            match std::fs::symlink_metadata(self.root.join(folder)) {
                Ok(meta) if meta.is_dir() => {}
                // What is tracked there goes with its own change; below it lies nothing of this path.
                Ok(_) if tracked(folder) => return,
                Ok(_) => {
                    found.insert(folder.to_owned());
                    return;
                }
                Err(_) => return,
            }
        }
        let full = self.root.join(path);
        let Ok(meta) = std::fs::symlink_metadata(&full) else { return };
        if meta.is_dir() {
            if mode != SUBMODULE {
                self.untracked_below(index, path, found);
            }
        } else if !tracked(path) && (mode == SUBMODULE || !self.has_content(path, id)) {
            found.insert(path.to_owned());
        }
    }

    /// Everything below a folder that git does not track, ignored or not; a repository inside counts as a whole.
    fn untracked_below(&self, index: &Index, folder: &str, found: &mut BTreeSet<String>) {
        let full = self.root.join(folder);
        if std::fs::symlink_metadata(full.join(".git")).is_ok() {
            found.insert(folder.to_owned());
            return;
        }
        for entry in std::fs::read_dir(full).into_iter().flatten().flatten() {
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.untracked_below(index, &path, found);
            } else if !index.has(path.as_bytes().as_bstr()) {
                found.insert(path);
            }
        }
    }

    /// Whether a regular file has just the content of a blob.
    fn has_content(&self, path: &str, id: ObjectId) -> bool {
        let bytes = self.read(path, MAX_COMPARED);
        let has = bytes.and_then(|bytes| gix::objs::compute_hash(id.kind(), gix::objs::Kind::Blob, &bytes).ok());
        has == Some(id)
    }

    /// What a submodule holds: its HEAD and everything changed or untracked in it. `None` where there is none.
    #[must_use]
    pub fn submodule_state(&self, path: &str) -> Option<Digest> {
        prints::submodule_state(&self.root.join(path))
    }
}
