//! `create`: a new branch on top of the current one, with what is staged as its first commit.

use super::{Fields, Operation, Spec};
use crate::command::{Argv, Flag, Word};
use crate::fault::Fault;
use crate::plan::{Action, Need, Plan, Promise, Thing, Tier};
use crate::repo::Depth;
use crate::value::{Body, BranchName, Subject};

/// Creates a branch on top of the current one and commits exactly what is staged to it.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// The new branch's name. The person's configured prefix is put before it.
    name: BranchName,
    /// The commit's subject.
    subject: Subject,
    /// The commit's body.
    body: Body,
}

impl Fields for Create {}

impl Operation for Create {
    const SPEC: Spec = Spec {
        tier: Tier::Execute,
        depth: Depth::Content,
        graphite: true,
        example: r#"{"operation": "create", "name": "login-form", "subject": "Add the login form", "body": "It posts to /session."}"#,
    };

    fn plan(&self, need: &dyn Need) -> Result<Plan, Fault> {
        let name = need.new_name(&self.name)?;
        need.free_name(&name, None)?;
        need.idle()?;
        let (current, tip) = need.on_branch()?;
        need.in_stack(&current)?;
        let tree = need.staged_tree()?;
        let new = name.to_string();
        let argv =
            Argv::gt(Word::Create).branch(&self.name).message(&self.subject, &self.body).flag(Flag::NoInteractive);
        let mut plan = Plan::new(Action::Change(argv))
            .may_change([Thing::Head, Thing::Branch(new.clone()), Thing::Tracking(new.clone())])
            .promise(Promise::OnBranch(new.clone()))
            .promise(Promise::Tree { branch: new.clone(), tree })
            .promise(Promise::Parents { branch: new.clone(), parents: vec![tip] })
            .promise(Promise::On { branch: new.clone(), parent: current.clone() })
            .effect(format!("`{new}` is created on `{current}`"));
        plan.warnings = need.untracked_size()?;
        Ok(plan)
    }
}
