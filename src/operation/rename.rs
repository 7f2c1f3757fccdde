//! `rename`: another name for the current branch.

use super::{Fields, Operation, Spec};
use crate::command::{Argv, Flag, Word};
use crate::fault::Fault;
use crate::plan::{Action, Need, Plan, Promise, Thing, Tier};
use crate::repo::Depth;
use crate::value::BranchName;

/// Renames the current branch. Its commits and its place in the stack stay as they are.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rename {
    /// The new name. The person's configured prefix is put before it.
    name: BranchName,
}

impl Fields for Rename {}

impl Operation for Rename {
    const SPEC: Spec = Spec {
        tier: Tier::Execute,
        depth: Depth::Content,
        graphite: true,
        example: r#"{"operation": "rename", "name": "sign-in-form"}"#,
    };

    fn plan(&self, need: &dyn Need) -> Result<Plan, Fault> {
        need.idle()?;
        let own = need.own_branch()?;
        if self.name.as_str() == own.name {
            return Ok(Plan::new(Action::Nothing(format!("the branch is named `{}` already", own.name))));
        }
        let new = need.new_name(&self.name)?.to_string();
        if new == own.name {
            return Ok(Plan::new(Action::Nothing(format!(
                "with the configured prefix the branch is named `{new}` already"
            ))));
        }
        need.free_name(&BranchName::try_from(new.clone()).expect("it was parsed"), Some(&own.name))?;
        let children = need.before().stack.above(&own.name);
        let argv = Argv::gt(Word::Rename).branch(&self.name).flag(Flag::NoInteractive);
        let mut plan = Plan::new(Action::Change(argv))
            .may_change([Thing::Head, Thing::Branch(own.name.clone()), Thing::Branch(new.clone())])
            .may_change([Thing::Tracking(own.name.clone()), Thing::Tracking(new.clone())])
            .may_change(children.iter().cloned().map(Thing::Tracking))
            .promise(Promise::OnBranch(new.clone()))
            .promise(Promise::Tip { branch: new.clone(), at: own.tip })
            .promise(Promise::Gone(own.name.clone()))
            .promise(Promise::On { branch: new.clone(), parent: own.tracked.parent })
            .effect(format!("`{}` is named `{new}`", own.name));
        for child in children {
            plan = plan.promise(Promise::On { branch: child, parent: new.clone() });
        }
        plan.warnings = need.untracked_size()?;
        Ok(plan)
    }
}
