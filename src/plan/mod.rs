//! What an operation is about to do, and what must be true afterwards.

mod file;
mod need;
mod promise;
mod thing;
mod verify;

pub use file::{FileAction, FileChange, FileNeed, FilePlan, FileReport, ReplacementReport, one_line};
pub(crate) use need::list;
pub use need::{Need, OwnBranch};
pub use promise::{Check, Promise};
pub use thing::{Difference, Footprint, Thing, differences, values};
pub use verify::{Hints, Verdict, verify};

use crate::command::Argv;
use crate::repo::{Repo, Snapshot};
use crate::value::{Digest, PlanId};

/// How much a request may do, which decides how it is locked and approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Looks only; shares the lock.
    Read,
    /// Changes files or the index.
    Write,
    /// Runs gt on the stack, alone.
    Execute,
    /// Runs gt on the stack, alone, and only after a person's explicit yes.
    Ask,
}

/// What is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// The answer is known from the look; no command runs.
    Answer(String),
    /// This command runs and its output is the answer.
    Show(Argv),
    /// This command changes the repository.
    Change(Argv),
    /// There is nothing to do, for this reason.
    Nothing(String),
}

/// An operation's plan: argv, footprint and promises. It holds no repository and can be shown to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What is done.
    pub action: Action,
    /// What may change; everything else that the snapshot sees must stay equal.
    pub may_change: Footprint,
    /// What must be true afterwards.
    pub promises: Vec<Promise>,
    /// What was verified before, as sentences.
    pub preconditions: Vec<String>,
    /// What a person should know before saying yes, and an agent afterwards.
    pub effects: Vec<Effect>,
    /// Things that are not wrong but worth saying.
    pub warnings: Vec<String>,
    /// Whether the operation may stop on a conflict and wait.
    pub may_halt: bool,
}

/// What a plan leads to, as a sentence without its full stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// The branch that it is about, where it does not come true when that branch is left behind.
    pub on: Option<String>,
    /// The sentence.
    pub sentence: String,
}

impl Plan {
    /// A plan with nothing in it but its action.
    #[must_use]
    pub fn new(action: Action) -> Self {
        Self {
            action,
            may_change: Footprint::default(),
            promises: Vec::new(),
            preconditions: Vec::new(),
            effects: Vec::new(),
            warnings: Vec::new(),
            may_halt: false,
        }
    }

    /// Adds what may change.
    #[must_use]
    pub fn may_change(mut self, things: impl IntoIterator<Item = Thing>) -> Self {
        self.may_change.extend(things);
        self
    }

    /// Adds a promise.
    #[must_use]
    pub fn promise(mut self, promise: Promise) -> Self {
        self.promises.push(promise);
        self
    }

    /// Adds what a person should know.
    #[must_use]
    pub fn effect(mut self, sentence: impl Into<String>) -> Self {
        self.effects.push(Effect { on: None, sentence: sentence.into() });
        self
    }

    /// Adds what comes true unless the branch is left behind.
    #[must_use]
    pub fn effect_on(mut self, branch: &str, sentence: impl Into<String>) -> Self {
        self.effects.push(Effect { on: Some(branch.to_owned()), sentence: sentence.into() });
        self
    }

    /// The effects as sentences.
    pub fn effect_sentences(&self) -> impl Iterator<Item = String> + '_ {
        self.effects.iter().map(|effect| effect.sentence.clone())
    }

    /// Says that the operation may stop on a conflict.
    #[must_use]
    pub fn may_halt(mut self) -> Self {
        self.may_halt = true;
        self
    }

    /// Adds branches that are carried along: their tips may move, they must end based on their parents or be listed,
    /// and when one of them is checked out here the index follows it.
    #[must_use]
    pub fn carries(mut self, before: &Snapshot, branches: &[String]) -> Self {
        self.may_change.extend(branches.iter().cloned().map(Thing::Branch));
        if before.current().is_some_and(|current| branches.iter().any(|branch| branch == current)) {
            self.may_change.extend([Thing::Index]);
            self.promises.push(Promise::Clean);
        }
        if !branches.is_empty() {
            self.promises.push(Promise::Carried(branches.to_vec()));
        }
        self
    }

    /// The plan's id: a digest of the request, the workspace, the command and the before-values of the footprint.
    #[must_use]
    pub fn id(&self, request: &serde_json::Value, repo: &Repo, before: &Snapshot) -> PlanId {
        let mut parts = Digest::parts()
            .part("pi-graphite plan 1")
            .part(request.to_string())
            .part(repo.root.as_os_str().as_encoded_bytes());
        if let Action::Show(argv) | Action::Change(argv) = &self.action {
            argv.args().iter().for_each(|arg| parts.add(arg));
        }
        for thing in self.may_change.iter() {
            parts.add(thing.to_string());
            parts.add(thing.value_in(before));
        }
        // What is promised can depend on more than the footprint, such as the tree that will be committed.
        self.promises.iter().for_each(|promise| parts.add(promise.sentence()));
        PlanId::of(parts.finish())
    }
}
