//! `fold`: the current branch's commits go into its parent.

use super::{Fields, Operation, Spec};
use crate::command::{Argv, Flag, Word};
use crate::fault::{Code, Fault};
use crate::plan::{Action, Need, Plan, Promise, Thing, Tier};
use crate::repo::Depth;

/// Folds the current branch into its parent: the parent gets its commits, the branch is gone, branches above sit on the
/// parent. Siblings are restacked.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fold {}

impl Fields for Fold {}

impl Operation for Fold {
    const SPEC: Spec =
        Spec { tier: Tier::Execute, depth: Depth::Content, graphite: true, example: r#"{"operation": "fold"}"# };

    fn plan(&self, need: &dyn Need) -> Result<Plan, Fault> {
        need.idle()?;
        let own = need.own_branch()?;
        let (stack, parent) = (&need.before().stack, own.tracked.parent.clone());
        if stack.is_trunk(&parent) {
            return Err(Fault::new(Code::OnTrunk, format!("the parent of `{}` is the trunk `{parent}`", own.name))
                .hint("Folding into a trunk is not offered; the branch is merged through its pull request."));
        }
        need.tracked(&parent)?;
        need.thawed(&[own.name.clone(), parent.clone()])?;
        need.not_elsewhere(std::slice::from_ref(&parent))?;
        // gt sets the parent to this branch's tip: commits that only the parent has would be lost.
        let parent_tip = need.before().branch_tip(&parent);
        if own.tracked.needs_restack
            || !parent_tip.is_some_and(|tip| need.repo().contains(own.tip, tip).unwrap_or(false))
        {
            return Err(Fault::new(
                Code::NeedsRestack,
                format!("`{}` does not contain the tip of `{parent}`, which folding would drop", own.name),
            )
            .detail("branch", own.name.clone()));
        }
        let children = stack.above(&own.name);
        let siblings: Vec<String> = stack.above(&parent).into_iter().filter(|sibling| *sibling != own.name).collect();
        let mut carried = siblings.clone();
        carried.extend(siblings.iter().flat_map(|sibling| stack.upstack(sibling)));
        carried.extend(stack.upstack(&own.name));
        if !siblings.is_empty() {
            // A sibling that conflicts is checked out here.
            need.clean()?;
            need.nothing_in_the_way(&carried, [own.tip])?;
        }
        need.carriable(&carried)?;
        let mut plan = Plan::new(Action::Change(Argv::gt(Word::Fold).flag(Flag::NoInteractive)))
            .may_change([
                Thing::Head,
                Thing::Branch(own.name.clone()),
                Thing::Branch(parent.clone()),
                Thing::Tracking(own.name.clone()),
            ])
            .may_change(children.iter().cloned().map(Thing::Tracking))
            .promise(Promise::OnBranch(parent.clone()))
            .promise(Promise::Tip { branch: parent.clone(), at: own.tip })
            .promise(Promise::Gone(own.name.clone()))
            .carries(need.before(), &carried)
            .effect(format!("`{}` is folded into `{parent}` and gone", own.name))
            .may_halt();
        for child in children {
            plan = plan.promise(Promise::On { branch: child, parent: parent.clone() });
        }
        plan.warnings = need.untracked_size()?;
        plan.warnings.extend(need.left_behind(&carried));
        Ok(plan)
    }
}
