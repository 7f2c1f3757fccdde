//! `squash`: the current branch's commits become one.

use super::{Fields, Operation, Spec};
use crate::command::{Argv, Flag, Word};
use crate::fault::{Code, Fault};
use crate::plan::{Action, Need, Plan, Promise, Thing, Tier};
use crate::repo::Depth;
use crate::value::{Body, Subject};

/// Makes one commit of all commits of the current branch. Its content stays exactly as it is. Branches above are
/// restacked, or listed when they cannot be.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Squash {
    /// The commit's subject.
    subject: Subject,
    /// The commit's body.
    body: Body,
}

impl Fields for Squash {}

impl Operation for Squash {
    const SPEC: Spec = Spec {
        tier: Tier::Execute,
        depth: Depth::Content,
        graphite: true,
        example: r#"{"operation": "squash", "subject": "Add the login form", "body": "With its password check."}"#,
    };

    fn plan(&self, need: &dyn Need) -> Result<Plan, Fault> {
        need.idle()?;
        let own = need.own_branch()?;
        need.thawed(std::slice::from_ref(&own.name))?;
        need.nothing_staged()?;
        let commits = need.repo().commits_between(own.tracked.base, own.tip)?;
        if commits.len() < 2 {
            return Err(Fault::new(
                Code::NothingToSquash,
                format!(
                    "`{}` has {} of its own",
                    own.name,
                    if commits.is_empty() { "no commit" } else { "one commit" }
                ),
            )
            .detail("commits", commits.len()));
        }
        let above = need.before().stack.upstack(&own.name);
        // A merge inside the branch has no single first commit to squash into.
        need.carriable(std::slice::from_ref(&own.name))?;
        need.carriable(&above)?;
        let argv = Argv::gt(Word::Squash).message(&self.subject, &self.body).flag(Flag::NoInteractive);
        let mut plan = Plan::new(Action::Change(argv))
            .may_change([Thing::Branch(own.name.clone())])
            .promise(Promise::Tree { branch: own.name.clone(), tree: need.repo().tree_of(own.tip)? })
            .promise(Promise::Parents { branch: own.name.clone(), parents: vec![own.tracked.base] })
            .carries(need.before(), &above)
            .effect(format!("{} commits of `{}` become one", commits.len(), own.name));
        plan.warnings = need.untracked_size()?;
        plan.warnings.extend(need.left_behind(&above));
        Ok(plan)
    }
}
