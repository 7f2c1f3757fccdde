//! `stage`: exactly the named files go into the index as they are.

use super::{Fields, Operation, Spec};
use crate::command::{Argv, Flag, Word};
use crate::fault::{Code, Fault};
use crate::plan::{Action, Need, Plan, Promise, Thing, Tier, list};
use crate::repo::Depth;
use crate::value::RelPath;

/// Stages exactly the named files as they are in the worktree: changed, new or deleted ones. Works during a halt, where
/// it marks a conflict as resolved.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// The files, relative to the worktree's root. No folders and no patterns.
    #[schemars(length(min = 1, max = 1000))]
    paths: Vec<RelPath>,
}

impl Fields for Stage {
    fn coherent(&self) -> Result<(), (&'static str, String)> {
        within_limits(&self.paths)
    }
}

impl Operation for Stage {
    const SPEC: Spec = Spec {
        tier: Tier::Write,
        depth: Depth::Content,
        graphite: false,
        example: r#"{"operation": "stage", "paths": ["src/login.rs"]}"#,
    };

    fn plan(&self, need: &dyn Need) -> Result<Plan, Fault> {
        may_touch_index(need)?;
        let (root, content) = (&need.repo().root, need.content());
        for path in &self.paths {
            let text = path.as_str();
            if content.hidden.contains(text) {
                return Err(Fault::new(Code::HiddenByFlag, format!("`{path}` is hidden from git by a flag"))
                    .detail("path", text));
            }
            let changed = content.unstaged.contains_key(text) || content.untracked.contains_key(text);
            let only_inside = changed && need.repo().has_commit_of_submodule(text);
            if changed && !only_inside {
                continue;
            }
            let fault = match std::fs::symlink_metadata(root.join(text)) {
                Ok(_) if only_inside => {
                    Fault::new(Code::PathMissing, format!("the submodule `{path}` has no new commit to stage"))
                        .hint("What is changed inside a submodule is staged and committed there.")
                }
                Ok(meta) if meta.is_dir() => {
                    Fault::new(Code::PathMissing, format!("`{path}` is a folder")).hint("Name the files one by one.")
                }
                Ok(_) if content.index.conflicts.iter().any(|conflict| conflict == text) => continue,
                Ok(_) if need.repo().is_ignored(text)? && !need.repo().is_tracked(text)? => {
                    Fault::new(Code::Ignored, format!("`{path}` is ignored"))
                }
                Ok(_) => Fault::new(Code::PathMissing, format!("`{path}` has no change to stage")),
                Err(_) if content.index.conflicts.iter().any(|conflict| conflict == text) => continue,
                Err(_) => {
                    Fault::new(Code::PathMissing, format!("`{path}` is neither in the worktree nor in the index"))
                }
            };
            return Err(fault.detail("path", text));
        }
        // What is gone goes first: a file can take the place of a folder whose files are gone, and the reverse.
        let mut paths = self.paths.clone();
        paths.sort_by_key(|path| std::fs::symlink_metadata(root.join(path.as_str())).is_ok_and(|meta| !meta.is_dir()));
        let argv = Argv::git(Word::UpdateIndex).flag(Flag::Add).flag(Flag::Remove).paths(&paths);
        Ok(touching(Plan::new(Action::Change(argv)), need, &self.paths, ("staged", Promise::Staged)))
    }
}

/// The same limits as in the schema, for those who come without it.
pub(super) fn within_limits(paths: &[RelPath]) -> Result<(), (&'static str, String)> {
    if (1..=1000).contains(&paths.len()) {
        return Ok(());
    }
    Err(("paths", format!("1 to 1000 paths, not {}", paths.len())))
}

/// The index may be changed when nothing foreign is in progress; a Graphite halt is what `stage` is for.
pub(super) fn may_touch_index(need: &dyn Need) -> Result<(), Fault> {
    match need.before().halt {
        Some(_) => super::r#continue::halted(need).map(|_| ()),
        None => match need.before().in_progress.first() {
            Some(kind) => Err(Fault::new(Code::InProgress, format!("a {} is in progress", kind.name()))),
            None => Ok(()),
        },
    }
}

/// The footprint and promises of a change of the index at these paths.
pub(super) fn touching(
    mut plan: Plan,
    need: &dyn Need,
    paths: &[RelPath],
    (what, promise): (&str, fn(String) -> Promise),
) -> Plan {
    plan =
        plan.may_change([Thing::Index]).promise(Promise::OthersStaged(paths.iter().map(ToString::to_string).collect()));
    let texts: Vec<String> = paths.iter().map(ToString::to_string).collect();
    for text in texts.clone() {
        plan = plan.may_change([Thing::Unstaged(text.clone()), Thing::Untracked(text.clone())]).promise(promise(text));
    }
    plan = plan.effect(format!("{what}: {}", list(&texts)));
    if need.before().halt.is_some() {
        plan = plan.effect("the halted operation can go on with `continue` once every conflict is staged");
    }
    plan
}
