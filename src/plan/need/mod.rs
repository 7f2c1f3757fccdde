//! The questions that an operation may ask before it plans. Each proves something and returns the value it proves.

mod content;

use std::collections::BTreeMap;

use gix::ObjectId;

use crate::config::Config;
use crate::fault::{Code, Fault};
use crate::repo::{Content, Head, Naming, Repo, Snapshot, Tracked};
use crate::value::BranchName;

/// Names that every JavaScript object has: gt answers that such a branch exists already.
const JS_NAMES: [&str; 12] = [
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
];

/// What the engine gives to an operation that plans.
pub trait Need {
    /// The look before, taken under the lock.
    fn before(&self) -> &Snapshot;
    /// The repository.
    fn repo(&self) -> &Repo;
    /// The person's configuration.
    fn config(&self) -> &Config;
    /// How gt names branches.
    ///
    /// # Errors
    /// `state_unreadable`.
    fn naming(&self) -> Result<Naming, Fault>;
    /// The tips when this event halted, if this program saw it.
    fn tips_at_halt(&self, event: &str) -> Option<BTreeMap<String, ObjectId>>;
    /// Notes what was proved, for the person who reads the plan.
    fn proved(&self, sentence: String);
}

/// The checked-out branch, tracked and not a trunk.
#[derive(Debug, Clone)]
pub struct OwnBranch {
    /// Its name.
    pub name: String,
    /// Its tip.
    pub tip: ObjectId,
    /// Graphite's record.
    pub tracked: Tracked,
}

impl dyn Need + '_ {
    /// Index and worktree.
    #[must_use]
    pub fn content(&self) -> &Content {
        self.before().content.as_ref().expect("the engine looks at the content before a change is planned")
    }

    /// No operation in progress here, no Graphite halt in any worktree, nothing unmerged.
    pub fn idle(&self) -> Result<(), Fault> {
        let before = self.before();
        if let Some(halt) = &before.halt {
            return Err(Fault::new(
                Code::Halted,
                format!("`{}` is halted on a conflict in `{}`", halt.command, halt.branch),
            )
            .detail("branch", halt.branch.clone()));
        }
        if let Some((other, halt)) = before.worktrees.iter().find_map(|other| Some((other, other.halt.as_ref()?))) {
            let path = other.path.display().to_string();
            return Err(Fault::new(
                Code::Halted,
                format!("`{}` is halted on a conflict in the worktree `{path}`", halt.command),
            )
            .hint("Finish or abort it in that worktree first: an abort there would throw away what is done here.")
            .detail("worktree", path));
        }
        if let Some(odd) =
            ["refs/heads/HEAD", "refs/tags/HEAD"].into_iter().find(|name| before.refs.contains_key(*name))
        {
            return Err(Fault::new(Code::AmbiguousRef, format!("git reads `HEAD` as `{odd}` too")).detail("ref", odd));
        }
        if let Some(kind) = before.in_progress.first() {
            return Err(Fault::new(Code::InProgress, format!("a {} is in progress", kind.name()))
                .detail("operation", kind.name()));
        }
        self.merged()
    }

    /// Nothing unmerged.
    pub fn merged(&self) -> Result<(), Fault> {
        match self.content().index.conflicts.as_slice() {
            [] => {
                self.proved("no operation is in progress and nothing is unmerged".to_owned());
                Ok(())
            }
            paths => Err(Fault::new(Code::Unmerged, format!("{} unmerged: {}", files(paths.len()), list(paths)))
                .detail("paths", paths.to_vec())),
        }
    }

    /// The checked-out branch and its tip.
    pub fn on_branch(&self) -> Result<(String, ObjectId), Fault> {
        match &self.before().head {
            Head::Branch { name, tip } => {
                self.proved(format!("`{name}` is checked out at {tip}"));
                Ok((name.clone(), *tip))
            }
            Head::Unborn { name } => Err(Fault::new(Code::BranchMissing, format!("`{name}` has no commit yet"))
                .hint("Ask the person to make the first commit.")),
            Head::Detached { at } => Err(Fault::new(Code::Detached, format!("HEAD is detached at {at}"))),
        }
    }

    /// The checked-out branch, which must be tracked and no trunk, and whose short name means only it.
    pub fn own_branch(&self) -> Result<OwnBranch, Fault> {
        let (name, tip) = self.on_branch()?;
        let tracked = self.tracked(&name)?.clone();
        Ok(OwnBranch { name, tip, tracked })
    }

    /// Graphite's record of a branch that is no trunk.
    pub fn tracked(&self, branch: &str) -> Result<&Tracked, Fault> {
        let stack = &self.before().stack;
        if stack.is_trunk(branch) {
            return Err(Fault::new(Code::OnTrunk, format!("`{branch}` is a trunk")));
        }
        self.unambiguous(branch)?;
        if let Some(tracked) = stack.branches.get(branch) {
            self.proved(format!("Graphite tracks `{branch}` on `{}`", tracked.parent));
        }
        stack.branches.get(branch).ok_or_else(|| {
            let why = stack.broken.get(branch).map(|why| format!(": {why}")).unwrap_or_default();
            Fault::new(Code::NotTracked, format!("`{branch}` is not tracked by Graphite{why}")).detail("branch", branch)
        })
    }

    /// A branch that is tracked or a trunk, so that others can be based on it.
    pub fn in_stack(&self, branch: &str) -> Result<(), Fault> {
        if self.before().stack.is_trunk(branch) {
            return self.unambiguous(branch);
        }
        self.tracked(branch).map(|_| ())
    }

    /// The tip of an existing branch.
    pub fn existing(&self, branch: &BranchName) -> Result<ObjectId, Fault> {
        let before = self.before();
        let tip = before.branch_tip(branch.as_str()).ok_or_else(|| {
            let fault = Fault::new(Code::BranchMissing, format!("there is no local branch `{branch}`"))
                .detail("branch", branch.as_str());
            match self.nearest_branch(branch.as_str()) {
                Some(near) => fault.hint(format!("Did you mean `{near}`?")),
                None => fault,
            }
        })?;
        self.unambiguous(branch.as_str())?;
        self.proved(format!("`{branch}` exists at {tip} and no other ref has its short name"));
        Ok(tip)
    }

    fn nearest_branch(&self, asked: &str) -> Option<String> {
        let names = self.before().refs.keys().filter_map(|name| name.strip_prefix("refs/heads/"));
        let best = names
            .map(|name| (strsim::normalized_damerau_levenshtein(asked, name), name))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        best.filter(|(score, _)| *score > 0.6).map(|(_, name)| name.to_owned())
    }

    /// No tag or odd ref has the branch's short name.
    pub fn unambiguous(&self, branch: &str) -> Result<(), Fault> {
        match self.before().namesakes(branch).first() {
            Some(other) => {
                Err(Fault::new(Code::AmbiguousRef, format!("`{branch}` is also the short name of `{other}`"))
                    .detail("ref", other.clone()))
            }
            None => Ok(()),
        }
    }

    /// The name that gt will give to a new branch, when that is the asked one plus the person's prefix.
    pub fn new_name(&self, asked: &BranchName) -> Result<BranchName, Fault> {
        let naming = self.naming()?;
        let given = naming.predict(asked.as_str());
        if given != naming.prefixed(asked.as_str()) {
            return Err(Fault::new(
                Code::NameRewritten,
                format!("gt would name the branch `{given}` instead of `{asked}`"),
            )
            .hint(format!("Ask for `{given}`, or for a name of letters, digits, `_`, `.`, `/` and `-`."))
            .detail("predicted", given));
        }
        let name = BranchName::try_from(given).map_err(|error| Fault::new(Code::BadBranch, error.to_string()))?;
        if JS_NAMES.contains(&name.as_str()) {
            return Err(Fault::new(Code::BadBranch, format!("gt cannot hold a branch named `{name}`")));
        }
        Ok(name)
    }

    /// No branch, folder of branches or other ref is in the way of a new branch, `instead_of` apart.
    pub fn free_name(&self, name: &BranchName, instead_of: Option<&str>) -> Result<(), Fault> {
        let heads = self
            .before()
            .refs
            .keys()
            .filter_map(|full| full.strip_prefix("refs/heads/"))
            .filter(|head| Some(*head) != instead_of);
        let new = name.as_str();
        let nested = |one: &str, other: &str| other.strip_prefix(one).is_some_and(|rest| rest.starts_with('/'));
        for head in heads {
            if head == new {
                return Err(Fault::new(Code::BranchExists, format!("`{new}` exists")));
            }
            if nested(head, new) || nested(new, head) {
                return Err(Fault::new(
                    Code::BranchExists,
                    format!("`{new}` and the existing `{head}` cannot both be: one is a folder of the other"),
                ));
            }
        }
        self.unambiguous(new)?;
        self.proved(format!("the name `{new}` is free"));
        Ok(())
    }

    /// None of the branches is frozen.
    pub fn thawed(&self, branches: &[String]) -> Result<(), Fault> {
        let frozen = branches
            .iter()
            .find(|branch| self.before().stack.branches.get(*branch).is_some_and(|tracked| tracked.frozen));
        match frozen {
            Some(branch) => {
                Err(Fault::new(Code::Frozen, format!("`{branch}` is frozen")).detail("branch", branch.clone()))
            }
            None if branches.is_empty() => Ok(()),
            None => {
                self.proved(format!("not frozen: {}", list(branches)));
                Ok(())
            }
        }
    }

    /// None of the branches is in use in another worktree.
    pub fn not_elsewhere(&self, branches: &[String]) -> Result<(), Fault> {
        let held = branches.iter().find_map(|branch| Some((branch, self.before().holder_of(branch)?)));
        match held {
            Some((branch, other)) => {
                let path = other.path.display().to_string();
                Err(Fault::new(Code::InOtherWorktree, format!("`{branch}` is checked out in the worktree `{path}`"))
                    .detail("branch", branch.clone())
                    .detail("worktree", path))
            }
            None if branches.is_empty() => Ok(()),
            None => {
                self.proved(format!("in no other worktree: {}", list(branches)));
                Ok(())
            }
        }
    }
}

fn files(count: usize) -> String {
    if count == 1 { "1 file".to_owned() } else { format!("{count} files") }
}

/// The first few of many, with how many are left out.
pub(crate) fn list(items: &[String]) -> String {
    const SHOWN: usize = 10;
    let shown: Vec<String> = items.iter().take(SHOWN).map(|item| format!("`{item}`")).collect();
    let more = items.len().saturating_sub(SHOWN);
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}
