//! One look at the repository: everything that an operation could damage, by value. It writes and runs nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::ByteSlice;

use super::prints::Prints;
use super::stack::StackError;
use super::{Graphite, Halt, InProgress, Kind, Print, Repo, Stack, Tracked, prints, text_of, unreadable};
use crate::fault::Fault;
use crate::value::Digest;

/// How much a look takes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// HEAD, refs, operations in progress, worktrees and the stack.
    Stack,
    /// The index and the worktree's content too.
    Content,
}

/// The repository at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// What HEAD is.
    pub head: Head,
    /// Every ref by its full name, symbolic ones followed.
    pub refs: BTreeMap<String, ObjectId>,
    /// git operations in progress in this worktree.
    pub in_progress: Vec<InProgress>,
    /// A Graphite halt of this worktree.
    pub halt: Option<Halt>,
    /// The other worktrees.
    pub worktrees: Vec<WorktreeState>,
    /// Graphite's stack.
    pub stack: Stack,
    /// Index and worktree, when the look took them in.
    pub content: Option<Content>,
}

/// What HEAD is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    /// On a branch.
    Branch {
        /// Its short name.
        name: String,
        /// Its commit.
        tip: ObjectId,
    },
    /// On a branch without a commit.
    Unborn {
        /// Its short name.
        name: String,
    },
    /// On a commit.
    Detached {
        /// The commit.
        at: ObjectId,
    },
}

/// Index and worktree.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    /// The index.
    pub index: IndexState,
    /// Paths that differ from the index, with what lies there.
    pub unstaged: BTreeMap<String, Print>,
    /// Paths that git does not know and does not ignore.
    pub untracked: BTreeMap<String, Print>,
    /// Unstaged paths that git itself does not count as changes to lose or to commit: hidden by a flag, and submodules
    /// with something inside.
    pub aside: BTreeSet<String>,
    /// Unstaged paths that only a filter driver, which is not run, could compare with the index.
    pub unverified: BTreeSet<String>,
    /// What each submodule holds, by a digest.
    pub submodules: BTreeMap<String, Digest>,
    /// Paths that a flag hides from git.
    pub hidden: BTreeSet<String>,
}

impl Content {
    /// The paths that are staged, unmerged or changed, without those that are set aside.
    #[must_use]
    pub fn changed(&self) -> Vec<String> {
        let unstaged = self.unstaged.keys().filter(|path| !self.aside.contains(*path));
        let all: BTreeSet<&String> = self.index.staged.keys().chain(&self.index.conflicts).chain(unstaged).collect();
        all.into_iter().cloned().collect()
    }
}

/// The index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexState {
    /// The tree that a commit would have; `None` while files are unmerged.
    pub tree: Option<ObjectId>,
    /// Digest of every entry.
    pub print: Digest,
    /// Unmerged paths.
    pub conflicts: Vec<String>,
    /// Differences to HEAD's tree.
    pub staged: BTreeMap<String, StagedChange>,
}

/// One path that differs between HEAD's tree and the index, each side as (mode, blob).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StagedChange {
    /// In HEAD's tree.
    pub before: Option<(u32, ObjectId)>,
    /// In the index.
    pub after: Option<(u32, ObjectId)>,
}

/// Another worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeState {
    /// Where its files are.
    pub path: PathBuf,
    /// What its HEAD is, as text: `refs/heads/x` or a commit.
    pub head: String,
    /// Branches that are in use there: checked out, or being rebased or bisected.
    pub holds: Vec<String>,
    /// git operations in progress there.
    pub in_progress: Vec<InProgress>,
    /// A Graphite halt there.
    pub halt: Option<Halt>,
}

impl Repo {
    /// Looks. `graphite` is `None` for a repository where Graphite was never initialised: its stack is then empty.
    ///
    /// # Errors
    /// [`StackError::AskGt`] when gt must be asked once before the stack can be read; otherwise a fault.
    pub fn look(&self, graphite: Option<&Graphite>, depth: Depth) -> Result<Snapshot, StackError> {
        let refs = self.refs().map_err(StackError::Fault)?;
        let stack = match graphite {
            Some(graphite) => {
                let (heads, legacy) = heads_as_gt_sees_them(&refs);
                Stack::read(self, graphite, &heads, &legacy)?
            }
            None => Stack::default(),
        };
        self.assemble(refs, stack, depth).map_err(StackError::Fault)
    }

    fn assemble(&self, refs: BTreeMap<String, ObjectId>, stack: Stack, depth: Depth) -> Result<Snapshot, Fault> {
        let head = self.head()?;
        let content = match depth {
            Depth::Stack => None,
            Depth::Content => Some(self.content(&head)?),
        };
        Ok(Snapshot {
            in_progress: InProgress::all(&self.git_dir),
            halt: Halt::of(&self.git_dir, &self.common_dir, &stack),
            worktrees: self.other_worktrees(&stack)?,
            head,
            refs,
            stack,
            content,
        })
    }

    /// What HEAD is now.
    ///
    /// # Errors
    /// A fault when it cannot be read.
    pub fn head(&self) -> Result<Head, Fault> {
        head_of(&self.gix)
    }

    fn refs(&self) -> Result<BTreeMap<String, ObjectId>, Fault> {
        let fail = |error: gix::Error| unreadable("the refs", error);
        let platform = self.gix.references().map_err(fail)?;
        let mut refs = BTreeMap::new();
        for found in platform.all().map_err(fail)? {
            let mut found = found.map_err(|error| unreadable("a ref", error))?;
            let name = text_of(found.name().as_bstr());
            let id = match found.try_id() {
                Some(id) => id.detach(),
                // A symbolic ref to nothing (such as a remote's HEAD after a rename) has no value to protect.
                None => match found.follow_to_object() {
                    Ok(id) => id.detach(),
                    Err(_) => continue,
                },
            };
            refs.insert(name, id);
        }
        Ok(refs)
    }

    fn content(&self, head: &Head) -> Result<Content, Fault> {
        let index = super::index::read(&self.gix)?;
        let head_tree = match head {
            Head::Branch { tip: at, .. } | Head::Detached { at } => self.tree_of(*at)?,
            Head::Unborn { .. } => ObjectId::empty_tree(self.gix.object_hash()),
        };
        let (prints, state) = prints::look(&self.gix, &index, &self.drivers, || index.look(self, head_tree))?;
        let is_aside =
            |(path, print): &(&String, &Print)| index.hidden.contains(*path) || print.kind == Kind::Repository;
        let aside = prints.unstaged.iter().filter(is_aside).map(|(path, _)| path.clone()).collect();
        let Prints { unstaged, untracked, unverified, submodules } = prints;
        let hidden = index.hidden;
        Ok(Content { index: state, unstaged, untracked, aside, unverified, submodules, hidden })
    }

    fn other_worktrees(&self, stack: &Stack) -> Result<Vec<WorktreeState>, Fault> {
        let fail = |error: gix::Error| unreadable("the worktrees", error);
        let mut others = Vec::new();
        if self.git_dir != self.common_dir {
            let path = self.common_dir.parent().unwrap_or(&self.common_dir).to_owned();
            others.push(worktree_state((&self.common_dir, &self.common_dir), path, stack));
        }
        let linked = match self.gix.worktrees() {
            Ok(linked) => linked,
            // No folder for linked worktrees: there are none.
            Err(_) if !self.common_dir.join("worktrees").exists() => Vec::new(),
            Err(error) => return Err(unreadable("the worktrees", error)),
        };
        for proxy in linked {
            let git_dir = proxy.git_dir().canonicalize().map_err(|error| unreadable("a worktree", error))?;
            if git_dir != self.git_dir {
                others.push(worktree_state((&git_dir, &self.common_dir), proxy.base().map_err(fail)?, stack));
            }
        }
        others.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(others)
    }
}

fn worktree_state((git_dir, common_dir): (&Path, &Path), path: PathBuf, stack: &Stack) -> WorktreeState {
    let read = |name: &str| {
        let path = git_dir.join(name);
        super::open::refuse_special(&path)
            .ok()
            .and_then(|()| std::fs::read_to_string(path).ok())
            .map(|text| text.trim().to_owned())
    };
    let head = read("HEAD").unwrap_or_default();
    let head = head.strip_prefix("ref: ").map_or(head.clone(), |name| name.trim().to_owned());
    let rebasing = ["rebase-merge/head-name", "rebase-apply/head-name"].into_iter().filter_map(read);
    let bisecting = read("BISECT_START").map(|name| format!("refs/heads/{name}"));
    let held = std::iter::once(head.clone()).chain(rebasing).chain(bisecting);
    let mut holds: Vec<String> = held.filter_map(|name| name.strip_prefix("refs/heads/").map(str::to_owned)).collect();
    holds.dedup();
    WorktreeState {
        path,
        head,
        holds,
        in_progress: InProgress::all(git_dir),
        halt: Halt::of(git_dir, common_dir, stack),
    }
}

fn head_of(gix: &gix::Repository) -> Result<Head, Fault> {
    let head = gix.head().map_err(|error| unreadable("HEAD", error))?;
    let short = |name: &gix::refs::FullName| {
        text_of(name.as_bstr().strip_prefix(b"refs/heads/").unwrap_or(name.as_bstr()).as_bstr())
    };
    let id = head.id().map(gix::Id::detach);
    Ok(match (head.kind, id) {
        (gix::head::Kind::Unborn(name), _) => Head::Unborn { name: short(&name) },
        (gix::head::Kind::Detached { target, .. }, _) => Head::Detached { at: target },
        (gix::head::Kind::Symbolic(name), Some(tip)) => Head::Branch { name: short(&name.name), tip },
        (gix::head::Kind::Symbolic(name), None) => Head::Unborn { name: short(&name.name) },
    })
}

/// The branches under the names that gt sees, and the branches with metadata of an older gt. `%(refname:short)` writes
/// `heads/x` when anything else could be meant by `x`, and gt then does not find `x`.
fn heads_as_gt_sees_them(refs: &BTreeMap<String, ObjectId>) -> (BTreeMap<String, ObjectId>, Vec<String>) {
    let heads = refs.iter().filter_map(|(full, id)| Some((full.strip_prefix("refs/heads/")?, *id)));
    let plain = heads.filter(|(name, _)| Snapshot::namesakes_in(refs, name).is_empty());
    let legacy = refs.keys().filter_map(|full| full.strip_prefix("refs/branch-metadata/").map(str::to_owned));
    (plain.map(|(name, id)| (name.to_owned(), id)).collect(), legacy.collect())
}

impl Snapshot {
    /// The tip of a local branch.
    #[must_use]
    pub fn branch_tip(&self, branch: &str) -> Option<ObjectId> {
        self.refs.get(&format!("refs/heads/{branch}")).copied()
    }

    /// Graphite's record of a tracked branch, with its tip.
    #[must_use]
    pub fn tracked_with_tip(&self, branch: &str) -> Option<(&Tracked, ObjectId)> {
        self.stack.branches.get(branch).zip(self.branch_tip(branch))
    }

    /// The branch that is checked out.
    #[must_use]
    pub fn current(&self) -> Option<&str> {
        match &self.head {
            Head::Branch { name, .. } | Head::Unborn { name } => Some(name),
            Head::Detached { .. } => None,
        }
    }

    /// The branch that Graphite works on: the checked-out one, or the halted operation's.
    #[must_use]
    pub fn graphite_branch(&self) -> Option<&str> {
        self.halt.as_ref().and_then(|halt| halt.on.as_deref()).or_else(|| self.current())
    }

    /// Refs that git could read instead of the branch when it is given the short name.
    #[must_use]
    pub fn namesakes(&self, branch: &str) -> Vec<String> {
        Self::namesakes_in(&self.refs, branch)
    }

    fn namesakes_in(refs: &BTreeMap<String, ObjectId>, branch: &str) -> Vec<String> {
        let readings = [
            format!("refs/{branch}"),
            format!("refs/tags/{branch}"),
            format!("refs/remotes/{branch}"),
            format!("refs/remotes/{branch}/HEAD"),
        ];
        readings.into_iter().filter(|name| refs.contains_key(name)).collect()
    }

    /// The other worktree that holds the branch.
    #[must_use]
    pub fn holder_of(&self, branch: &str) -> Option<&WorktreeState> {
        self.worktrees.iter().find(|other| other.holds.iter().any(|held| held == branch))
    }
}

impl Head {
    /// The commit, `None` before the first one.
    #[must_use]
    pub fn commit(&self) -> Option<ObjectId> {
        match self {
            Self::Branch { tip: at, .. } | Self::Detached { at } => Some(*at),
            Self::Unborn { .. } => None,
        }
    }
}
