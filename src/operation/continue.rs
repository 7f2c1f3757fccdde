//! `continue`: a halted operation goes on, once its conflict is resolved and staged.

use std::collections::BTreeSet;

use super::{Fields, Operation, Spec};
use crate::command::{Argv, Flag, Word};
use crate::fault::{Code, Fault};
use crate::plan::{Action, Need, Plan, Promise, Thing, Tier, list};
use crate::repo::{Content, Depth, Halt, InProgress};

/// Goes on with the halted operation of this worktree. Every conflict must be resolved and staged. Stops again when the
/// next branch conflicts.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Continue {}

/// Largest file that is searched for conflict markers.
const MAX_SEARCHED: u64 = 8 * 1024 * 1024;

impl Fields for Continue {}

impl Operation for Continue {
    const SPEC: Spec =
        Spec { tier: Tier::Execute, depth: Depth::Content, graphite: true, example: r#"{"operation": "continue"}"# };

    fn plan(&self, need: &dyn Need) -> Result<Plan, Fault> {
        let halt = halted(need)?;
        let content = need.content();
        let unstaged = content.unstaged.keys().filter(|path| !content.aside.contains(*path));
        let open: BTreeSet<String> = content.index.conflicts.iter().chain(unstaged).cloned().collect();
        let open: Vec<String> = open.into_iter().collect();
        if !open.is_empty() {
            return Err(
                Fault::new(Code::Unresolved, format!("not resolved and staged: {}", list(&open))).detail("paths", open)
            );
        }
        let marked = with_markers(need, content);
        if !marked.is_empty() {
            return Err(Fault::new(Code::ConflictMarkers, format!("conflict markers are staged in {}", list(&marked)))
                .detail("paths", marked));
        }
        let mut moving = vec![halt.branch.clone()];
        moving.extend(halt.remaining.iter().cloned());
        let parents = moving.iter().filter_map(|name| {
            let tracked = need.before().stack.branches.get(name)?;
            need.before().branch_tip(&tracked.parent)
        });
        let back = halt.on.iter().filter_map(|on| need.before().branch_tip(on));
        need.nothing_in_the_way(&moving, parents.chain(back))?;
        let mut plan = Plan::new(Action::Change(Argv::gt(Word::Continue).flag(Flag::NoInteractive)))
            .may_change([Thing::Head, Thing::Index, Thing::AllUnstaged, Thing::Progress])
            .may_change(
                moving.iter().flat_map(|branch| [Thing::Branch(branch.clone()), Thing::Tracking(branch.clone())]),
            )
            .promise(Promise::Settled)
            .promise(Promise::Clean)
            .effect(format!("`{}` goes on: {}", halt.command, list(&moving)))
            .may_halt();
        match &halt.on {
            Some(on) => plan = plan.promise(Promise::OnBranch(on.clone())),
            None => plan.warnings.push(began_detached(halt)),
        }
        plan = moving.into_iter().fold(plan, |plan, branch| plan.promise(Promise::Based(branch)));
        if content.index.staged.is_empty() {
            plan.warnings.push("the resolution leaves the commit empty, so it will be dropped".to_owned());
        }
        Ok(plan)
    }
}

/// The halt of this worktree, and nothing else in progress.
pub(super) fn halted(need: &dyn Need) -> Result<&Halt, Fault> {
    let before = need.before();
    let foreign = before.in_progress.iter().find(|kind| before.halt.is_none() || **kind != InProgress::Rebase);
    if let Some(kind) = foreign {
        return Err(Fault::new(Code::InProgress, format!("a {} is in progress that is not Graphite's", kind.name()))
            .hint("Ask the person to finish or abort it with git; it is theirs."));
    }
    before.halt.as_ref().ok_or_else(|| match before.worktrees.iter().find(|other| other.halt.is_some()) {
        Some(other) => {
            Fault::new(Code::NotHalted, format!("the halt is in the worktree `{}`, not here", other.path.display()))
                .hint("Run there.")
        }
        None => Fault::new(Code::NotHalted, "no Graphite operation is halted"),
    })
}

/// What `gt` does to a HEAD that no branch was checked out on: it has nowhere to go back to.
pub(super) fn began_detached(halt: &Halt) -> String {
    format!("HEAD was detached when `{}` began, and gt leaves it on the branch where it stopped last", halt.command)
}

/// Staged files that hold all three conflict markers and did not before.
fn with_markers(need: &dyn Need, content: &Content) -> Vec<String> {
    let marked = |side: Option<(u32, gix::ObjectId)>| {
        side.and_then(|(_, id)| need.repo().blob(id, MAX_SEARCHED)).is_some_and(|bytes| has_markers(&bytes))
    };
    content
        .index
        .staged
        .iter()
        .filter(|(_, change)| marked(change.after) && !marked(change.before))
        .map(|(path, _)| path.clone())
        .collect()
}

fn has_markers(bytes: &[u8]) -> bool {
    let has = |mark: u8| bytes.split(|byte| *byte == b'\n').any(|line| is_marker(line, mark));
    has(b'<') && has(b'=') && has(b'>')
}

/// Seven or more marks at the start of a line and nothing or a space after them: `conflict-marker-size` can be larger.
fn is_marker(line: &[u8], mark: u8) -> bool {
    let count = line.iter().take_while(|byte| **byte == mark).count();
    count >= 7 && matches!(line.get(count), None | Some(b' ' | b'\r'))
}

#[cfg(test)]
mod tests {
    use super::has_markers;

    #[test]
    fn only_all_three_markers_at_line_starts_count() {
        assert!(has_markers(b"a\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> b\n"));
        assert!(has_markers(b"<<<<<<< HEAD\r\nx\r\n=======\r\ny\r\n>>>>>>> b"));
        assert!(has_markers(b"<<<<<<<<<<<< HEAD\nx\n============\ny\n>>>>>>>>>>>> b\n"));
        assert!(!has_markers(b"Title\n=======\n"));
        assert!(!has_markers(b" <<<<<<< a\n=======\n>>>>>>> b\n"));
    }
}
