//! `move`: a branch and all above it go onto another branch.

use super::{Fields, Operation, Spec};
use crate::command::{Argv, Flag, Word};
use crate::fault::{Code, Fault};
use crate::plan::{Action, Need, Plan, Promise, Thing, Tier};
use crate::repo::Depth;
use crate::value::BranchName;

/// Moves a branch with everything above it onto another branch. Stops on a conflict and waits.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// The branch to move.
    source: BranchName,
    /// The branch to move it onto. It is not `source` and does not lie above it.
    onto: BranchName,
}

impl Fields for Move {
    fn coherent(&self) -> Result<(), (&'static str, String)> {
        if self.source == self.onto {
            return Err(("onto", format!("a branch cannot be moved onto itself: `{}` is `source` too", self.onto)));
        }
        Ok(())
    }
}

impl Operation for Move {
    const SPEC: Spec = Spec {
        tier: Tier::Execute,
        depth: Depth::Content,
        graphite: true,
        example: r#"{"operation": "move", "source": "login-form", "onto": "main"}"#,
    };

    fn plan(&self, need: &dyn Need) -> Result<Plan, Fault> {
        let (source, onto) = (self.source.as_str(), self.onto.as_str());
        need.existing(&self.source)?;
        let onto_tip = need.existing(&self.onto)?;
        need.idle()?;
        let tracked = need.tracked(source)?;
        need.in_stack(onto)?;
        let above = need.before().stack.upstack(source);
        if above.iter().any(|branch| branch == onto) {
            return Err(Fault::new(Code::Cycle, format!("`{onto}` lies above `{source}`")));
        }
        if tracked.parent == onto {
            let hint = if tracked.needs_restack { "; use `restack` to base it on its tip" } else { "" };
            return Ok(Plan::new(Action::Nothing(format!("`{source}` is on `{onto}` already{hint}"))));
        }
        let mut moved = vec![source.to_owned()];
        moved.extend(above);
        need.thawed(&moved)?;
        need.not_elsewhere(&moved)?;
        need.clean()?;
        need.carriable(&moved)?;
        need.nothing_in_the_way(&moved, [onto_tip])?;
        let argv = Argv::gt(Word::Move)
            .branch_flag(Flag::Source, &self.source)
            .branch_flag(Flag::Onto, &self.onto)
            .flag(Flag::NoInteractive);
        let mut plan = Plan::new(Action::Change(argv))
            .may_change([Thing::Tracking(source.to_owned())])
            .promise(Promise::On { branch: source.to_owned(), parent: onto.to_owned() })
            .carries(need.before(), &moved)
            .effect(format!("`{source}` moves from `{}` onto `{onto}`", tracked.parent))
            .may_halt();
        plan = moved.into_iter().fold(plan, |plan, branch| plan.promise(Promise::Based(branch)));
        plan.warnings = need.untracked_size()?;
        Ok(plan)
    }
}
