//! `delete`: a branch is gone; the branches above it sit on its parent.

use super::{Fields, Operation, Spec};
use crate::command::{Argv, Flag, Word};
use crate::fault::{Code, Fault};
use crate::plan::{Action, Need, Plan, Promise, Thing, Tier, list};
use crate::repo::Depth;
use crate::value::BranchName;

/// Deletes a branch that is not checked out. Branches above it move to its parent and lose its changes. Needs a
/// person's yes.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Delete {
    /// The branch to delete.
    branch: BranchName,
}

impl Fields for Delete {}

impl Operation for Delete {
    const SPEC: Spec = Spec {
        tier: Tier::Ask,
        depth: Depth::Content,
        graphite: true,
        example: r#"{"operation": "delete", "branch": "login-form"}"#,
    };

    fn plan(&self, need: &dyn Need) -> Result<Plan, Fault> {
        let (before, branch) = (need.before(), self.branch.to_string());
        let tip = need.existing(&self.branch)?;
        need.idle()?;
        let tracked = need.tracked(&branch)?;
        if before.current() == Some(&branch) {
            return Err(Fault::new(Code::CheckedOut, format!("`{branch}` is checked out")));
        }
        let above = before.stack.upstack(&branch);
        need.not_elsewhere(&[std::slice::from_ref(&branch), &above].concat())?;
        need.thawed(&above)?;
        need.carriable(&above)?;
        let on_top = before.current().is_some_and(|current| above.iter().any(|name| name == current));
        if on_top {
            need.clean()?;
        }
        let parent = tracked.parent.clone();
        let children = before.stack.above(&branch);
        let parent_tip = before
            .branch_tip(&parent)
            .ok_or_else(|| Fault::new(Code::BranchMissing, format!("the parent `{parent}` does not exist")))?;
        need.carries_cleanly(&branch, parent_tip)?;
        if on_top {
            need.nothing_in_the_way(&above, [parent_tip])?;
        }
        let argv = Argv::gt(Word::Delete).branch(&self.branch).flag(Flag::Force).flag(Flag::NoInteractive);
        let mut plan = Plan::new(Action::Change(argv))
            .may_change([Thing::Branch(branch.clone()), Thing::Tracking(branch.clone())])
            .may_change(children.iter().cloned().map(Thing::Tracking))
            .promise(Promise::Gone(branch.clone()))
            .effect(format!("`{branch}` ({tip}) is deleted"))
            .carries(before, &above);
        let repo = need.repo();
        let lost = repo.differing_paths(repo.tree_of(tracked.base)?, repo.tree_of(tip)?, 50)?;
        for child in children {
            let what = if lost.is_empty() { "which has none".to_owned() } else { list(&lost) };
            plan = plan.effect(format!(
                "`{child}` moves onto `{parent}`, and the changes of `{branch}` disappear from it: {what}"
            ));
            plan = plan
                .promise(Promise::On { branch: child.clone(), parent: parent.clone() })
                .promise(Promise::Based(child));
        }
        plan.warnings = need.untracked_size()?;
        Ok(plan)
    }
}
