//! Questions about commits and trees, answered from the object database.

use std::collections::BTreeMap;

use gix::ObjectId;

use super::{Repo, text_of, unreadable};
use crate::fault::Fault;

/// What a rebase keeps of a commit: who wrote it, when, and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Authored {
    pub author: String,
    pub message: String,
}

impl Repo {
    /// The tree of a commit.
    ///
    /// # Errors
    /// A fault when the object is missing or is no commit.
    pub fn tree_of(&self, commit: ObjectId) -> Result<ObjectId, Fault> {
        let commit = self.gix.find_commit(commit).map_err(|error| unreadable(&format!("commit {commit}"), error))?;
        commit.tree_id().map(gix::Id::detach).map_err(|error| unreadable("a commit's tree", error))
    }

    /// The parents of a commit, in order.
    ///
    /// # Errors
    /// A fault when the object is missing or is no commit.
    pub fn parents_of(&self, commit: ObjectId) -> Result<Vec<ObjectId>, Fault> {
        let commit = self.gix.find_commit(commit).map_err(|error| unreadable(&format!("commit {commit}"), error))?;
        Ok(commit.parent_ids().map(gix::Id::detach).collect())
    }

    /// The first line of a commit's message, at most 200 characters of it.
    #[must_use]
    pub fn title_of(&self, commit: ObjectId) -> String {
        let found = self.gix.find_commit(commit).ok();
        let message = found.as_ref().and_then(|commit| commit.message_raw().ok()).map(text_of);
        message.as_deref().and_then(|text| text.lines().next()).unwrap_or_default().chars().take(200).collect()
    }

    /// The whole message of a commit.
    ///
    /// # Errors
    /// A fault when the object is missing or is no commit.
    pub(crate) fn authored(&self, commit: ObjectId) -> Result<Authored, Fault> {
        let found = self.gix.find_commit(commit).map_err(|error| unreadable(&format!("commit {commit}"), error))?;
        let decoded = found.decode().map_err(|error| unreadable(&format!("commit {commit}"), error))?;
        let author = text_of(decoded.author);
        Ok(Authored { author, message: text_of(decoded.message).trim_end().to_owned() })
    }

    /// What a rebase keeps of the commits of `base..tip`, newest first.
    ///
    /// # Errors
    /// A fault when history cannot be read.
    pub(crate) fn authored_between(&self, base: ObjectId, tip: ObjectId) -> Result<Vec<Authored>, Fault> {
        self.commits_between(base, tip)?.into_iter().map(|commit| self.authored(commit)).collect()
    }

    /// Whether `ancestor` is contained in `tip` (a commit contains itself).
    ///
    /// # Errors
    /// A fault when history cannot be read.
    pub fn contains(&self, tip: ObjectId, ancestor: ObjectId) -> Result<bool, Fault> {
        Ok(tip == ancestor || self.merge_base(tip, ancestor)? == Some(ancestor))
    }

    /// The best common ancestor, `None` for unrelated histories.
    ///
    /// # Errors
    /// A fault when history cannot be read.
    pub fn merge_base(&self, one: ObjectId, two: ObjectId) -> Result<Option<ObjectId>, Fault> {
        let base = self.gix.merge_bases_many(one, &[two]).map_err(|error| unreadable("the history", error))?;
        Ok(base.first().map(|id| id.detach()))
    }

    /// The commits of `base..tip`, newest first.
    ///
    /// # Errors
    /// A fault when history cannot be read.
    pub fn commits_between(&self, base: ObjectId, tip: ObjectId) -> Result<Vec<ObjectId>, Fault> {
        let fail = |error: gix::Error| unreadable("the history", error);
        let walk = self.gix.rev_walk([tip]).with_hidden([base]).all().map_err(fail)?;
        walk.map(|info| info.map(|info| info.id).map_err(|error| unreadable("the history", error))).collect()
    }

    /// Every file of a tree: path to (mode, id).
    ///
    /// # Errors
    /// A fault when a tree is missing.
    pub fn files_of(&self, tree: ObjectId) -> Result<BTreeMap<String, (u32, ObjectId)>, Fault> {
        let index = self.gix.index_from_tree(&tree).map_err(|error| unreadable("a tree", error))?;
        Ok(index.entries().iter().map(|e| (text_of(e.path(&index)), (e.mode.bits(), e.id))).collect())
    }

    /// The content of a blob, `None` when it is larger than `limit` or is no blob.
    #[must_use]
    pub fn blob(&self, id: ObjectId, limit: u64) -> Option<Vec<u8>> {
        let header = self.gix.find_header(id).ok()?;
        if header.kind() != gix::objs::Kind::Blob || header.size() > limit {
            return None;
        }
        self.gix.find_object(id).ok().map(|object| object.detach().data)
    }
}
