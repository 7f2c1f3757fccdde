//! Questions about single paths: what lies there, whether git knows it, and what a checkout would overwrite.

use std::collections::BTreeSet;

use gix::ObjectId;
use gix::bstr::ByteSlice;

use super::{Print, Repo, prints, unreadable};
use crate::fault::Fault;

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

    /// Whether git is told to carry notes along when a commit is rewritten.
    #[must_use]
    pub fn rewrites_notes(&self) -> bool {
        self.gix.config_snapshot().string("notes.rewriteRef").is_some()
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

    /// Files that checking out one of the trees from `head_tree` would overwrite although git does not track them:
    /// at or above a path that differs and is not in the index. An existing submodule is no such file.
    ///
    /// # Errors
    /// A fault when a tree or the index cannot be read.
    pub fn in_the_way(&self, head_tree: ObjectId, trees: &BTreeSet<ObjectId>) -> Result<BTreeSet<String>, Fault> {
        let index = super::index::read(&self.gix)?;
        let tracked = |path: &str| index.has(path.as_bytes().as_bstr());
        let is_there = |path: &str| std::fs::symlink_metadata(self.root.join(path));
        let mut found = BTreeSet::new();
        for tree in trees {
            for path in self.differing_paths(head_tree, *tree, usize::MAX)? {
                if tracked(&path) || found.contains(&path) {
                    continue;
                }
                let mut folders = path.match_indices('/').map(|(at, _)| &path[..at]).filter(|folder| !tracked(folder));
                let blocking = folders.find(|folder| is_there(folder).is_ok_and(|meta| !meta.is_dir()));
                if let Some(folder) = blocking {
                    found.insert(folder.to_owned());
                } else if is_there(&path).is_ok() && is_there(&format!("{path}/.git")).is_err() {
                    found.insert(path);
                }
            }
        }
        Ok(found)
    }
}
