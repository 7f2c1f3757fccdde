//! `modify_amend`: what is staged becomes part of the current branch's last commit.

use super::{Fields, Operation, Spec};
use crate::command::{Argv, Flag, Word};
use crate::fault::{Code, Fault};
use crate::plan::{Action, Need, Plan, Promise, Thing, Tier};
use crate::repo::Depth;

/// Amends the current branch's last commit with exactly what is staged; the message stays. Branches above are
/// restacked, or listed when they cannot be.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModifyAmend {}

impl Fields for ModifyAmend {}

impl Operation for ModifyAmend {
    const SPEC: Spec = Spec {
        tier: Tier::Execute,
        depth: Depth::Content,
        graphite: true,
        example: r#"{"operation": "modify_amend"}"#,
    };

    fn plan(&self, need: &dyn Need) -> Result<Plan, Fault> {
        need.idle()?;
        let own = need.own_branch()?;
        need.thawed(std::slice::from_ref(&own.name))?;
        // gt opens an editor, in spite of `--no-interactive`, when the branch changes nothing against its base.
        if need.repo().tree_of(own.tip)? == need.repo().tree_of(own.tracked.base)? {
            return Err(Fault::new(Code::NothingToAmend, format!("`{}` changes nothing against its base", own.name)));
        }
        let tree = need.staged_tree()?;
        let above = need.before().stack.upstack(&own.name);
        need.carriable(&above)?;
        let parents = need.repo().parents_of(own.tip)?;
        let argv = Argv::gt(Word::Modify).flag(Flag::NoInteractive);
        let mut plan = Plan::new(Action::Change(argv))
            .may_change([Thing::Branch(own.name.clone())])
            .promise(Promise::Tree { branch: own.name.clone(), tree })
            .promise(Promise::Parents { branch: own.name.clone(), parents })
            .carries(need.before(), &above)
            .effect(format!("the last commit of `{}` is rewritten", own.name));
        plan.warnings = need.untracked_size()?;
        plan.warnings.extend(need.left_behind_by(&own.name, tree));
        Ok(plan)
    }
}
