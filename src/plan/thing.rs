//! The things that a snapshot sees, one by one, so that two looks can be compared and a footprint can name them.

use std::collections::{BTreeMap, BTreeSet};

use crate::repo::{Content, Head, Print, Snapshot};

/// One thing that can change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Thing {
    /// Which branch or commit HEAD is on.
    Head,
    /// A local branch: its tip, its coming and going.
    Branch(String),
    /// Any other local ref, by its full name.
    Ref(String),
    /// Graphite's record of a branch: tracked or not, its parent, frozen or not.
    Tracking(String),
    /// The whole index.
    Index,
    /// One path of the index, against HEAD.
    Staged(String),
    /// One path's unstaged change.
    Unstaged(String),
    /// Every unstaged change.
    AllUnstaged,
    /// One untracked file.
    Untracked(String),
    /// Operations in progress in this worktree, with a Graphite halt.
    Progress,
    /// Another worktree's HEAD, by its path.
    Worktree(String),
}

/// A set of things that may change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Footprint(BTreeSet<Thing>);

/// One thing that differs between two looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What differs.
    pub thing: Thing,
    /// Its value before, empty when it was not there.
    pub before: String,
    /// Its value after, empty when it is not there.
    pub after: String,
}

impl Footprint {
    /// Whether the thing may change.
    #[must_use]
    pub fn allows(&self, thing: &Thing) -> bool {
        match thing {
            Thing::Unstaged(_) => self.0.contains(&Thing::AllUnstaged) || self.0.contains(thing),
            Thing::Staged(_) => self.0.contains(&Thing::Index) || self.0.contains(thing),
            _ => self.0.contains(thing),
        }
    }

    /// Adds things.
    pub fn extend(&mut self, things: impl IntoIterator<Item = Thing>) {
        self.0.extend(things);
    }

    /// The things, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = &Thing> {
        self.0.iter()
    }

    /// The same with all that a conflict may change on the way: HEAD, the index, tracked files and the halt itself.
    #[must_use]
    pub fn with_halt(&self) -> Self {
        let mut things = self.0.clone();
        things.extend([Thing::Head, Thing::Index, Thing::AllUnstaged, Thing::Progress]);
        Self(things)
    }
}

impl std::fmt::Display for Thing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Head => f.write_str("HEAD"),
            Self::Branch(name) => write!(f, "branch {name}"),
            Self::Ref(name) => write!(f, "ref {name}"),
            Self::Tracking(name) => write!(f, "Graphite's record of {name}"),
            Self::Index => f.write_str("index"),
            Self::Staged(path) => write!(f, "staged {path}"),
            Self::Unstaged(path) => write!(f, "unstaged {path}"),
            Self::AllUnstaged => f.write_str("unstaged changes"),
            Self::Untracked(path) => write!(f, "untracked {path}"),
            Self::Progress => f.write_str("operation in progress"),
            Self::Worktree(path) => write!(f, "worktree {path}"),
        }
    }
}

impl Thing {
    /// The thing's value in a snapshot as text that differs when the thing differs; empty when it is not there.
    #[must_use]
    pub fn value_in(&self, snapshot: &Snapshot) -> String {
        let content = snapshot.content.as_ref();
        match self {
            Self::Head => head_text(&snapshot.head),
            Self::Branch(name) => snapshot.branch_tip(name).map(|id| id.to_string()).unwrap_or_default(),
            Self::Ref(name) => snapshot.refs.get(name).map(ToString::to_string).unwrap_or_default(),
            Self::Tracking(name) => tracking_text(snapshot, name),
            Self::Index => content.map(|c| c.index.print.to_string()).unwrap_or_default(),
            Self::Staged(path) => {
                content.and_then(|c| c.index.staged.get(path)).map(|change| format!("{change:?}")).unwrap_or_default()
            }
            Self::Unstaged(path) => content.and_then(|c| c.unstaged.get(path)).map(print_text).unwrap_or_default(),
            Self::AllUnstaged => content.map(all_unstaged).unwrap_or_default(),
            Self::Untracked(path) => content.and_then(|c| c.untracked.get(path)).map(print_text).unwrap_or_default(),
            Self::Progress => progress_text(snapshot),
            Self::Worktree(path) => {
                let other = snapshot.worktrees.iter().find(|other| other.path.display().to_string() == *path);
                other.map(|other| format!("{} {:?}", other.head, other.in_progress)).unwrap_or_default()
            }
        }
    }
}

/// Everything that a look sees, by name, for a record that outlives this process.
#[must_use]
pub fn values(snapshot: &Snapshot) -> BTreeMap<String, String> {
    let things = things_of(snapshot).into_iter();
    let values = things.map(|thing| (thing.to_string(), thing.value_in(snapshot)));
    values.filter(|(_, value)| !value.is_empty()).collect()
}

fn things_of(snapshot: &Snapshot) -> BTreeSet<Thing> {
    let mut things = BTreeSet::from([Thing::Head, Thing::Index, Thing::Progress]);
    things.extend(snapshot.refs.keys().filter_map(|name| ref_thing(name)));
    things.extend(snapshot.stack.branches.keys().cloned().map(Thing::Tracking));
    things.extend(snapshot.worktrees.iter().map(|other| Thing::Worktree(other.path.display().to_string())));
    if let Some(content) = &snapshot.content {
        things.extend(content.unstaged.keys().cloned().map(Thing::Unstaged));
        things.extend(content.untracked.keys().cloned().map(Thing::Untracked));
    }
    things
}

/// Everything that differs between two looks of the same depth, in the order of [`Thing`].
///
/// Not compared: remote-tracking refs and refs that tools keep for themselves (`refs/prefetch`, Graphite's old
/// `refs/branch-metadata`), which background processes move at any time; and what follows from other things, such as
/// whether a branch needs a restack.
#[must_use]
pub fn differences(before: &Snapshot, after: &Snapshot) -> Vec<Difference> {
    let things = [before, after].map(things_of).into_iter().flatten().collect::<BTreeSet<_>>();
    let differing = things.into_iter().map(|thing| {
        let (before, after) = (thing.value_in(before), thing.value_in(after));
        Difference { thing, before, after }
    });
    differing.filter(|difference| difference.before != difference.after).collect()
}

fn ref_thing(name: &str) -> Option<Thing> {
    if let Some(branch) = name.strip_prefix("refs/heads/") {
        return Some(Thing::Branch(branch.to_owned()));
    }
    let unprotected = ["refs/remotes/", "refs/prefetch/", "refs/branch-metadata/"];
    let protected = name.starts_with("refs/") && !unprotected.iter().any(|prefix| name.starts_with(prefix));
    protected.then(|| Thing::Ref(name.to_owned()))
}

fn head_text(head: &Head) -> String {
    match head {
        Head::Branch { name, .. } | Head::Unborn { name } => format!("refs/heads/{name}"),
        Head::Detached { at } => at.to_string(),
    }
}

fn tracking_text(snapshot: &Snapshot, name: &str) -> String {
    match snapshot.stack.branches.get(name) {
        Some(tracked) if tracked.frozen => format!("on {} (frozen)", tracked.parent),
        Some(tracked) => format!("on {}", tracked.parent),
        None => String::new(),
    }
}

fn progress_text(snapshot: &Snapshot) -> String {
    let halt =
        snapshot.halt.as_ref().map(|halt| format!("{} halted at {} ({})", halt.command, halt.branch, halt.event));
    halt.unwrap_or_else(|| snapshot.in_progress.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(" "))
}

fn print_text(print: &Print) -> String {
    format!("{:?} {}", print.kind, print.digest)
}

fn all_unstaged(content: &Content) -> String {
    content.unstaged.iter().map(|(path, print)| format!("{path}\0{}\0", print_text(print))).collect()
}
