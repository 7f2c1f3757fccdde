//! `modify_commit`: one more commit on the current branch.

use super::{Fields, Operation, Spec};
use crate::command::{Argv, Flag, Word};
use crate::fault::Fault;
use crate::plan::{Action, Need, Plan, Promise, Thing, Tier};
use crate::repo::Depth;
use crate::value::{Body, Subject};

/// Commits exactly what is staged as a new commit on the current branch. Branches above are restacked, or listed when
/// they cannot be.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModifyCommit {
    /// The commit's subject.
    subject: Subject,
    /// The commit's body.
    body: Body,
}

impl Fields for ModifyCommit {}

impl Operation for ModifyCommit {
    const SPEC: Spec = Spec {
        tier: Tier::Execute,
        depth: Depth::Content,
        graphite: true,
        example: r#"{"operation": "modify_commit", "subject": "Check the password", "body": "An empty one is refused."}"#,
    };

    fn plan(&self, need: &dyn Need) -> Result<Plan, Fault> {
        need.idle()?;
        let own = need.own_branch()?;
        need.thawed(std::slice::from_ref(&own.name))?;
        let tree = need.staged_tree()?;
        let above = need.before().stack.upstack(&own.name);
        need.carriable(&above)?;
        let argv =
            Argv::gt(Word::Modify).flag(Flag::Commit).message(&self.subject, &self.body).flag(Flag::NoInteractive);
        let mut plan = Plan::new(Action::Change(argv))
            .may_change([Thing::Branch(own.name.clone())])
            .promise(Promise::Tree { branch: own.name.clone(), tree })
            .promise(Promise::Parents { branch: own.name.clone(), parents: vec![own.tip] })
            .carries(need.before(), &above)
            .effect(format!("`{}` gets one more commit", own.name));
        plan.warnings = need.untracked_size()?;
        plan.warnings.extend(need.left_behind_by(&own.name, tree));
        Ok(plan)
    }
}
