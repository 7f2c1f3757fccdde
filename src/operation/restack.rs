//! `restack`: a branch, what is below it and what is above it are based on their parents again.

use super::{Fields, Operation, Spec};
use crate::command::{Argv, Flag, Word};
use crate::fault::Fault;
use crate::plan::{Action, Need, Plan, Tier};
use crate::repo::Depth;
use crate::value::BranchName;

/// Restacks a branch with everything below and above it. Branches beside it are left alone. Stops on a conflict and
/// waits.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Restack {
    /// The branch; for a trunk, everything on it.
    branch: BranchName,
}

impl Fields for Restack {}

impl Operation for Restack {
    const SPEC: Spec = Spec {
        tier: Tier::Execute,
        depth: Depth::Content,
        graphite: true,
        example: r#"{"operation": "restack", "branch": "login-form"}"#,
    };

    fn plan(&self, need: &dyn Need) -> Result<Plan, Fault> {
        let branch = self.branch.as_str();
        need.existing(&self.branch)?;
        need.idle()?;
        need.in_stack(branch)?;
        let (before, stack) = (need.before(), &need.before().stack);
        let members = scope(need, branch);
        let (moving, left) = moving(need, &members);
        if moving.iter().chain(&left).next().is_none() {
            return Ok(Plan::new(Action::Nothing(format!(
                "`{branch}` and what is below and above it need no restack"
            ))));
        }
        if moving.is_empty() || left.iter().any(|name| name == branch) {
            need.thawed(&left)?;
            need.not_elsewhere(&left)?;
        }
        need.clean()?;
        need.carriable(&moving)?;
        // A conflict checks other branches of the stack out, here.
        let parents = moving.iter().filter_map(|name| before.branch_tip(&stack.branches.get(name)?.parent));
        need.nothing_in_the_way(&moving, parents)?;
        let argv = Argv::gt(Word::Restack).branch_flag(Flag::Branch, &self.branch).flag(Flag::NoInteractive);
        let mut plan = Plan::new(Action::Change(argv)).carries(before, &[moving.as_slice(), &left].concat()).may_halt();
        for name in &moving {
            plan = plan.effect_on(name, format!("`{name}` is rebased onto `{}`", stack.branches[name].parent));
        }
        plan.warnings = need.untracked_size()?;
        plan.warnings.extend(need.left_behind(&left));
        Ok(plan)
    }
}

/// What gt restacks for a branch, parents before children: its downstack, itself, its upstack.
fn scope(need: &dyn Need, branch: &str) -> Vec<String> {
    let stack = &need.before().stack;
    let mut members = stack.downstack(branch);
    members.reverse();
    members.push(branch.to_owned());
    members.extend(stack.upstack(branch));
    members.retain(|name| stack.branches.contains_key(name));
    members
}

/// Those that will move: not based on their parent, or above one that moves. And those that should and cannot: frozen,
/// or in use in another worktree.
fn moving(need: &dyn Need, members: &[String]) -> (Vec<String>, Vec<String>) {
    let (before, stack) = (need.before(), &need.before().stack);
    let (mut moving, mut left): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for name in members {
        let tracked = &stack.branches[name];
        if tracked.needs_restack || moving.contains(&tracked.parent) {
            let stays = tracked.frozen || before.holder_of(name).is_some();
            if stays { &mut left } else { &mut moving }.push(name.clone());
        }
    }
    (moving, left)
}
