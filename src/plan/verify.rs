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

/// Compares the looks with the plan. `skipped` are gt's own reasons for branches that it left alone.
///
/// # Errors
/// A fault when an object cannot be read.
pub fn verify(
    repo: &Repo,
    plan: &Plan,
    looks: (&Snapshot, &Snapshot),
    skipped: &[(String, String)],
) -> Result<Verdict, Fault> {
    let (before, after) = looks;
    let changes: Vec<Difference> =
        differences(before, after).into_iter().filter(|change| !only_caught_up(repo, before, change)).collect();
    let halted = plan.may_halt && after.halt.is_some() && (before.halt.is_none() || !changes.is_empty());
    let allowed: Footprint = if halted { plan.may_change.with_halt() } else { plan.may_change.clone() };
    let outside = changes.iter().filter(|change| !allowed.allows(&change.thing)).cloned().collect();
    let checks = match halted {
        // The promises are about the end of the operation, which is still to come.
        true => Vec::new(),
        false => plan.promises.iter().map(|promise| promise.check(repo, before, after)).collect::<Result<_, _>>()?,
    };
    let needs_restack = if halted { BTreeMap::new() } else { needs_restack(plan, before, after, skipped) };
    Ok(Verdict { changes, outside, checks, needs_restack, halted })
}

/// A file that counted as changed only because the index had not looked at it for a while.
fn only_caught_up(repo: &Repo, before: &Snapshot, change: &Difference) -> bool {
    let Thing::Unstaged(path) = &change.thing else { return false };
    let print = before.content.as_ref().and_then(|content| content.unstaged.get(path));
    change.after.is_empty() && print.is_some_and(|print| repo.print_at(path) == *print)
}

/// Branches of the plan that are not based on their parent's tip now.
fn needs_restack(
    plan: &Plan,
    before: &Snapshot,
    after: &Snapshot,
    skipped: &[(String, String)],
) -> BTreeMap<String, String> {
    let carried = plan.promises.iter().filter_map(|promise| match promise {
        Promise::Carried(branches) => Some(branches),
        _ => None,
    });
    let mut listed = BTreeMap::new();
    for branch in carried.flatten() {
        if after.stack.branches.get(branch).is_some_and(|tracked| tracked.needs_restack) {
            listed.insert(branch.clone(), reason(branch, before, skipped));
        }
    }
    listed
}

fn reason(branch: &str, before: &Snapshot, skipped: &[(String, String)]) -> String {
    if let Some((_, reason)) = skipped.iter().find(|(name, _)| name == branch) {
        return reason.clone();
    }
    if let Some(other) = before.holder_of(branch) {
        return format!("it is checked out in worktree {}", other.path.display());
    }
    match before.stack.branches.get(branch) {
        Some(tracked) if tracked.frozen => "it is frozen".to_owned(),
        Some(tracked) if skipped.iter().any(|(name, _)| *name == tracked.parent) => {
            format!("its parent `{}` was not restacked", tracked.parent)
        }
        _ => "gt left it where it was".to_owned(),
    }
}
