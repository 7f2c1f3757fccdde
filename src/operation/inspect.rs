//! `inspect`: answers a question about the stack and changes nothing.

use super::{Fields, Operation, Spec};
use crate::command::{Argv, Flag, Word};
use crate::fault::{Code, Fault};
use crate::plan::{Action, Need, Plan, Tier};
use crate::repo::Depth;

/// Answers a question about the stack. Nothing changes.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Inspect {
    /// What to answer.
    target: Target,
}

/// What `inspect` answers.
#[derive(Debug, Clone, Copy, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Target {
    /// The drawing of the current stack with commits, as `gt log --stack`.
    Stack,
    /// The short drawing of all stacks, as `gt log short`.
    StackShort,
    /// Every tracked branch as JSON, in the shape of `gt state`.
    State,
    /// The name of the current branch's parent.
    Parent,
    /// The names of the current branch's children, one a line.
    Children,
    /// The name of the current branch's trunk.
    Trunk,
    /// The current branch with its changes, as `gt info`.
    Info,
}

impl Fields for Inspect {}

impl Operation for Inspect {
    const SPEC: Spec = Spec {
        tier: Tier::Read,
        depth: Depth::Stack,
        graphite: true,
        example: r#"{"operation": "inspect", "target": "stack"}"#,
    };

    fn plan(&self, need: &dyn Need) -> Result<Plan, Fault> {
        let stack = &need.before().stack;
        let action = match self.target {
            Target::State => Action::Answer(format!("{:#}", stack.to_state_json())),
            Target::Parent => {
                let branch = current(need)?;
                match stack.parent_of(branch) {
                    Some(parent) => Action::Answer(parent.to_owned()),
                    None => Action::Answer(need.tracked(branch)?.parent.clone()),
                }
            }
            Target::Children => {
                let branch = current(need)?;
                need.in_stack(branch)?;
                Action::Answer(stack.children(branch).join("\n"))
            }
            Target::Trunk => {
                let branch = current(need)?;
                need.in_stack(branch)?;
                let trunk = stack.trunk_of(branch);
                Action::Answer(
                    trunk.ok_or_else(|| Fault::new(Code::NotTracked, format!("`{branch}` leads to no trunk")))?,
                )
            }
            Target::Stack => {
                need.in_stack(current(need)?)?;
                Action::Show(Argv::gt(Word::Log).flag(Flag::Stack).flag(Flag::NoInteractive))
            }
            Target::StackShort => Action::Show(Argv::gt(Word::Log).word(Word::Short).flag(Flag::NoInteractive)),
            Target::Info => {
                need.in_stack(current(need)?)?;
                Action::Show(Argv::gt(Word::Info).flag(Flag::NoInteractive))
            }
        };
        Ok(Plan::new(action))
    }
}

/// The branch that Graphite answers about: during a halt that is the halted operation's.
fn current(need: &dyn Need) -> Result<&str, Fault> {
    match need.before().graphite_branch() {
        Some(branch) => Ok(branch),
        None => need.on_branch().map(|_| unreachable!("HEAD is on no branch")),
    }
}
