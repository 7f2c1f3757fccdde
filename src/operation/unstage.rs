//! `unstage`: exactly the named files leave the index for what HEAD has; the worktree stays as it is.

use super::stage::{may_touch_index, touching, within_limits};
use super::{Fields, Operation, Spec};
use crate::command::{Argv, Flag, Word};
use crate::fault::{Code, Fault};
use crate::plan::{Action, Need, Plan, Promise, Tier};
use crate::repo::Depth;
use crate::value::RelPath;

/// Takes exactly the named files out of the index again. The files in the worktree stay as they are.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Unstage {
    /// The files, relative to the worktree's root. No folders and no patterns.
    #[schemars(length(min = 1, max = 1000))]
    paths: Vec<RelPath>,
}

impl Fields for Unstage {
    fn coherent(&self) -> Result<(), (&'static str, String)> {
        within_limits(&self.paths)
    }
}

impl Operation for Unstage {
    const SPEC: Spec = Spec {
        tier: Tier::Write,
        depth: Depth::Content,
        graphite: false,
        example: r#"{"operation": "unstage", "paths": ["src/login.rs"]}"#,
    };

    fn plan(&self, need: &dyn Need) -> Result<Plan, Fault> {
        may_touch_index(need)?;
        if need.before().head.commit().is_none() {
            need.on_branch()?;
        }
        let staged = &need.content().index.staged;
        if let Some(path) = self.paths.iter().find(|path| !staged.contains_key(path.as_str())) {
            return Err(
                Fault::new(Code::PathMissing, format!("`{path}` has no staged change")).detail("path", path.as_str())
            );
        }
        for path in &self.paths {
            let below = format!("{path}/");
            let also = staged
                .keys()
                .find(|other| other.starts_with(&below) && !self.paths.iter().any(|p| p.as_str() == *other));
            if let Some(other) = also {
                let message = format!("`{path}` is a folder in the index, and `{other}` would be unstaged too");
                return Err(Fault::new(Code::PathMissing, message)
                    .hint("Name the files in it as well.")
                    .detail("path", path.as_str()));
            }
        }
        let argv = Argv::git(Word::Reset).flag(Flag::Quiet).paths(&self.paths);
        Ok(touching(Plan::new(Action::Change(argv)), need, &self.paths, ("no longer staged", Promise::NotStaged)))
    }
}
