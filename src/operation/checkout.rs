//! `checkout`: goes to an existing branch.

use super::{Fields, Operation, Spec};
use crate::command::{Argv, Flag, Word};
use crate::fault::Fault;
use crate::plan::{Action, Need, Plan, Promise, Thing, Tier};
use crate::repo::Depth;
use crate::value::BranchName;

/// Checks out an existing local branch by its exact name. Uncommitted changes come along or the checkout is refused.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Checkout {
    /// The branch to check out.
    branch: BranchName,
}

impl Fields for Checkout {}

impl Operation for Checkout {
    const SPEC: Spec = Spec {
        tier: Tier::Execute,
        depth: Depth::Content,
        graphite: true,
        example: r#"{"operation": "checkout", "branch": "feature"}"#,
    };

    fn plan(&self, need: &dyn Need) -> Result<Plan, Fault> {
        let branch = self.branch.as_str();
        let tip = need.existing(&self.branch)?;
        need.idle()?;
        if need.before().current() == Some(branch) {
            return Ok(Plan::new(Action::Nothing(format!("`{branch}` is checked out already"))));
        }
        need.not_elsewhere(&[branch.to_owned()])?;
        need.nothing_in_the_way(&[], [tip])?;
        need.no_deletion_undone(tip)?;
        let argv = Argv::gt(Word::Checkout).branch(&self.branch).flag(Flag::NoInteractive);
        let plan = Plan::new(Action::Change(argv))
            .may_change([Thing::Head, Thing::Index])
            .promise(Promise::OnBranch(branch.to_owned()))
            .effect(format!("`{branch}` is checked out"));
        Ok(match need.clean() {
            Ok(()) => plan.promise(Promise::Clean),
            Err(_) => plan.promise(Promise::StagedKept),
        })
    }
}
