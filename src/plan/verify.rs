//! Compares the two looks: the frame rule first, then the promises.

use std::collections::BTreeMap;

use super::{Check, Difference, Footprint, Plan, Promise, Thing, differences};
use crate::fault::Fault;
use crate::repo::{Repo, Snapshot};

/// What the two looks prove.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verdict {
    /// All that changed.
    pub changes: Vec<Difference>,
    /// What changed although the plan does not name it.
    pub outside: Vec<Difference>,
    /// Untracked files that came up while programs of the repository ran: hooks make files, and nothing was lost.
    pub appeared: Vec<String>,
    /// The promises.
    pub checks: Vec<Check>,
    /// Branches that need a restack now because of what was done, each with the reason.
    pub needs_restack: BTreeMap<String, String>,
    /// Whether the operation stopped on a conflict that the plan allows.
    pub halted: bool,
}

impl Verdict {
    /// Whether the frame and every promise hold.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.outside.is_empty() && self.checks.iter().all(|check| check.holds)
    }
}

/// What the command itself tells.
#[derive(Debug, Clone, Copy)]
pub struct Hints<'a> {
    /// gt's own reasons for branches that it left alone.
    pub skipped: &'a [(String, String)],
    /// When the command began, by the file system's clock.
    pub began: Option<(i64, i64)>,
}

/// Compares the looks with the plan.
///
/// # Errors
/// A fault when an object cannot be read.
pub fn verify(repo: &Repo, plan: &Plan, looks: (&Snapshot, &Snapshot), hints: Hints<'_>) -> Result<Verdict, Fault> {
    let (before, after) = looks;
    let changes: Vec<Difference> =
        differences(before, after).into_iter().filter(|change| !only_caught_up(repo, before, change)).collect();
    let halted = plan.may_halt && after.halt.is_some() && (before.halt.is_none() || !changes.is_empty());
    let allowed: Footprint = if halted { plan.may_change.with_halt() } else { plan.may_change.clone() };
    let outside = changes.iter().filter(|change| !allowed.allows(&change.thing));
    let outside = outside.filter(|change| !only_seen_otherwise(repo, looks, change, hints.began)).cloned();
    let has_programs = repo.programs().is_some();
    let (made, outside): (Vec<_>, Vec<_>) = outside.partition(|change| has_programs && is_new_file(change));
    let appeared = made.into_iter().map(|change| change.thing.to_string()).collect();
    if halted {
        // The promises are about the end of the operation, which is still to come.
        return Ok(Verdict { changes, outside, appeared, halted, ..Verdict::default() });
    }
    let mut checks = Vec::new();
    for promise in &plan.promises {
        checks.push(promise.check(repo, before, after)?);
    }
    let needs_restack = needs_restack(plan, before, after, hints.skipped);
    for (branch, reason) in &needs_restack {
        if reason.is_none() {
            let promise = format!("`{branch}` follows, or there is a reason why not");
            checks.push(Check { promise, holds: false, found: Some("it was left where it was".to_owned()) });
        }
    }
    let needs_restack = needs_restack.into_iter();
    let unknown = || "no reason was given".to_owned();
    let needs_restack = needs_restack.map(|(branch, reason)| (branch, reason.unwrap_or_else(unknown))).collect();
    Ok(Verdict { changes, outside, appeared, checks, needs_restack, halted })
}

fn is_new_file(change: &Difference) -> bool {
    matches!(change.thing, Thing::Untracked(_)) && change.before.is_empty()
}

/// A file that counted as changed only because the index had not looked at it for a while.
fn only_caught_up(repo: &Repo, before: &Snapshot, change: &Difference) -> bool {
    let Thing::Unstaged(path) = &change.thing else { return false };
    let print = before.content.as_ref().and_then(|content| content.unstaged.get(path));
    change.after.is_empty() && print.is_some_and(|print| repo.print_at(path) == *print)
}

/// A difference in how a file counts, not in the file: an ignore rule came or went, a submodule stayed where it was
/// while the index moved, or git carried notes along with a commit as it is told to.
fn only_seen_otherwise(
    repo: &Repo,
    (before, after): (&Snapshot, &Snapshot),
    change: &Difference,
    began: Option<(i64, i64)>,
) -> bool {
    match &change.thing {
        Thing::Ref(name) => !change.after.is_empty() && repo.rewrites_notes(name),
        Thing::Unstaged(path) => {
            let held =
                |look: &Snapshot| look.content.as_ref().and_then(|content| content.submodules.get(path).copied());
            let was = held(before).or_else(|| held(after));
            was.is_some() && was == repo.submodule_state(path)
        }
        Thing::Untracked(path) if change.after.is_empty() => {
            let print = before.content.as_ref().and_then(|content| content.untracked.get(path));
            let folder = path.ends_with('/') && repo.root.join(path).is_dir();
            folder || print.is_some_and(|print| repo.print_at(path) == *print)
        }
        Thing::Untracked(path) if change.before.is_empty() => began.is_some_and(|began| repo.is_older(path, began)),
        _ => false,
    }
}

/// Branches of the plan that are not based on their parent's tip now, each with the reason where there is one.
fn needs_restack(
    plan: &Plan,
    before: &Snapshot,
    after: &Snapshot,
    skipped: &[(String, String)],
) -> BTreeMap<String, Option<String>> {
    let carried = plan.promises.iter().filter_map(|promise| match promise {
        Promise::Carried(branches) => Some(branches),
        _ => None,
    });
    let left = carried.flatten().filter(|branch| after.stack.branches.get(*branch).is_some_and(|b| b.needs_restack));
    let mut listed: BTreeMap<String, Option<String>> = BTreeMap::new();
    for branch in left {
        let tracked = before.stack.branches.get(branch);
        let held = || before.holder_of(branch).map(|at| format!("it is checked out in worktree {}", at.path.display()));
        let frozen = || tracked.filter(|b| b.frozen).map(|_| "it is frozen".to_owned());
        let said = skipped.iter().find(|(name, _)| name == branch).map(|(_, reason)| reason.clone());
        listed.insert(branch.clone(), said.or_else(held).or_else(frozen));
    }
    listed
}
