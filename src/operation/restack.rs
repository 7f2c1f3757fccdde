//! `restack`: every branch of a stack is based on its parent again.

use super::{Operation, Spec};
use crate::command::{Argv, Flag, Word};
use crate::fault::Fault;
use crate::plan::{Action, Need, Plan, Tier};
use crate::repo::Depth;
use crate::value::BranchName;

/// Restacks the whole stack of a branch: what is below it, above it and beside it. Stops on a conflict and waits.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Restack {
    /// A branch of the stack.
    branch: BranchName,
}

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
        let members = whole_stack(need, branch);
        let moving = moving(need, &members);
        if moving.is_empty() {
            return Ok(Plan::new(Action::Nothing(format!(
                "every branch of the stack of `{branch}` is based on its parent"
            ))));
        }
        if moving.iter().any(|name| name == branch) {
            need.thawed(&[branch.to_owned()])?;
            need.not_elsewhere(&[branch.to_owned()])?;
        }
        need.clean()?;
        need.lossless(&moving)?;
        // A conflict checks other branches of the stack out, here.
        let parents = moving.iter().filter_map(|name| before.branch_tip(&stack.branches.get(name)?.parent));
        need.nothing_in_the_way(moving.iter().filter_map(|name| before.branch_tip(name)).chain(parents))?;
        let argv = Argv::gt(Word::Restack).branch_flag(Flag::Branch, &self.branch).flag(Flag::NoInteractive);
        let mut plan = Plan::new(Action::Change(argv)).carries(before, &moving).may_halt();
        for name in &moving {
            plan = plan.effect_on(name, format!("`{name}` is rebased onto `{}`", stack.branches[name].parent));
        }
        plan.warnings = need.untracked_size()?;
        plan.warnings.extend(need.left_behind(&moving));
        Ok(plan)
    }
}

/// The branch's stack from its bottom up, parents before children. For a trunk: everything on it.
fn whole_stack(need: &dyn Need, branch: &str) -> Vec<String> {
    let stack = &need.before().stack;
    if stack.is_trunk(branch) {
        return stack.upstack(branch);
    }
    let chain = stack.downstack(branch);
    let bottom = chain.iter().rev().find(|name| stack.branches.contains_key(*name)).map_or(branch, String::as_str);
    let mut members = vec![bottom.to_owned()];
    members.extend(stack.upstack(bottom));
    members
}

/// Those that are not based on their parent, and all above them.
fn moving(need: &dyn Need, members: &[String]) -> Vec<String> {
    let stack = &need.before().stack;
    let mut moving: Vec<String> = Vec::new();
    for name in members {
        let tracked = &stack.branches[name];
        if tracked.needs_restack || moving.contains(&tracked.parent) {
            moving.push(name.clone());
        }
    }
    moving
}
