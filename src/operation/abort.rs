//! `abort`: a halted operation is undone as a whole.

use std::collections::BTreeSet;

use gix::ObjectId;

use super::r#continue::{began_detached, halted};
use super::{Fields, Operation, Spec};
use crate::command::{Argv, Flag, Word};
use crate::fault::{Code, Fault};
use crate::plan::{Action, Need, Plan, Promise, Thing, Tier, list};
use crate::repo::{Depth, Later};

/// Undoes the halted operation of this worktree: every tracked branch and trunk goes back to where it was when the
/// operation began. Refused when that would throw away later work. Needs a person's yes.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Abort {}

impl Fields for Abort {}

impl Operation for Abort {
    const SPEC: Spec =
        Spec { tier: Tier::Ask, depth: Depth::Content, graphite: true, example: r#"{"operation": "abort"}"# };

    fn plan(&self, need: &dyn Need) -> Result<Plan, Fault> {
        let (before, halt) = (need.before(), halted(need)?);
        let later = need.repo().later_than(halt, before, need.tips_at_halt(&halt.event).as_ref())?;
        if !later.is_empty() {
            let lost: Vec<String> = later.iter().map(sentence).collect();
            return Err(Fault::new(Code::AbortWouldLose, format!("abort puts the whole repository back to when `{}` began: {}", halt.command, lost.join("; ")))
                .hint("Resolve and `continue`; or ask the person to run `git rebase --abort`, which leaves the other branches alone, and then to restack.")
                .detail("later", lost));
        }
        let tips = halt.began_on.iter().chain([&halt.branch]).filter_map(|name| halt.start.get(name).copied());
        need.nothing_in_the_way(&[], tips)?;
        let going_back: Vec<(&String, ObjectId)> = halt.start.iter().map(|(name, tip)| (name, *tip)).collect();
        let mut plan = Plan::new(Action::Change(Argv::gt(Word::Abort).flag(Flag::Force).flag(Flag::NoInteractive)))
            .may_change([Thing::Head, Thing::Index, Thing::AllUnstaged, Thing::Progress])
            .promise(Promise::Settled)
            .promise(Promise::Clean)
            .effect(format!("`{}` is undone", halt.command))
            .may_change(need.repo().untracked_at_start(halt).into_iter().map(Thing::Untracked));
        for (branch, tip) in going_back {
            plan = plan
                .may_change([Thing::Branch(branch.clone()), Thing::Tracking(branch.clone())])
                .promise(Promise::Tip { branch: branch.clone(), at: tip });
            if before.branch_tip(branch) != Some(tip) {
                plan = plan.effect(format!("`{branch}` goes back to {tip}"));
            }
        }
        match &halt.began_on {
            Some(on) => plan = plan.promise(Promise::OnBranch(on.clone())),
            None => plan.warnings.push(began_detached(halt)),
        }
        let content = need.content();
        // Edits that a flag hides are kept by git; everything else goes.
        let unstaged = content.unstaged.keys().filter(|path| !content.hidden.contains(*path));
        let resolution: BTreeSet<String> = content.changed().into_iter().chain(unstaged.cloned()).collect();
        let resolution: Vec<String> = resolution.into_iter().collect();
        if !resolution.is_empty() {
            plan = plan.effect(format!("what was resolved so far is thrown away: {}", list(&resolution)));
        }
        Ok(plan)
    }
}

fn sentence(later: &Later) -> String {
    match later {
        Later::Moved(branch) => format!("`{branch}` has moved since"),
        Later::Made(branch) => format!("`{branch}` was made since and would be deleted"),
        Later::Unknown => "Graphite's snapshot of that moment is gone, so what would be lost cannot be told".to_owned(),
        Later::Edited(path) => format!("the untracked file `{path}` was edited since"),
    }
}
