//! Which git worktree a folder lies in, found without opening a repository: file operations need the place, not gix.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::open::{bare, read_small, refuse_special};
use super::unreadable;
use crate::fault::Fault;

/// A worktree and its git directories, canonical.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Area {
    /// The worktree's root.
    pub root: PathBuf,
    /// The worktree's own git directory.
    pub git_dir: PathBuf,
    /// The git directory that all worktrees share.
    pub common_dir: PathBuf,
}

impl Area {
    /// The worktree around a canonical folder, `None` for a plain one.
    ///
    /// # Errors
    /// `no_repository` inside a git directory; `unsupported_repository` when a `.git` cannot be followed.
    pub fn around(folder: &Path) -> Result<Option<Self>, Fault> {
        for outer in folder.ancestors() {
            if let Some(area) = Self::at(outer)? {
                return if folder.starts_with(&area.git_dir) { Err(bare(folder)) } else { Ok(Some(area)) };
            }
            if is_git_dir(outer) {
                return Err(bare(outer));
            }
        }
        Ok(None)
    }

    /// The worktree whose root is exactly this folder. A `.git` that holds no git directory counts for git as little
    /// as for us.
    ///
    /// # Errors
    /// `unsupported_repository` when a `.git` file cannot be followed.
    pub fn at(folder: &Path) -> Result<Option<Self>, Fault> {
        let dot_git = folder.join(".git");
        let broken = |why: &dyn std::fmt::Display| unreadable(&dot_git.display().to_string(), why);
        let meta = match std::fs::metadata(&dot_git) {
            Ok(meta) => meta,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
            Err(error) => return Err(broken(&error)),
        };
        let git_dir = if meta.is_dir() {
            dot_git.clone()
        } else {
            refuse_special(&dot_git)?;
            let text = read_small(&dot_git)?;
            let target = text.strip_prefix("gitdir:").map(str::trim);
            folder.join(target.ok_or_else(|| broken(&"it names no git directory"))?)
        };
        let common = git_dir.join("commondir");
        refuse_special(&common)?;
        let common_dir = if common.is_file() { git_dir.join(read_small(&common)?.trim_end()) } else { git_dir.clone() };
        if !is_git_dir(&common_dir) {
            return if meta.is_dir() { Ok(None) } else { Err(broken(&"it leads to no git directory")) };
        }
        let canonical = |path: &Path| path.canonicalize().map_err(|error| broken(&error));
        Ok(Some(Self { root: folder.to_owned(), git_dir: canonical(&git_dir)?, common_dir: canonical(&common_dir)? }))
    }
}

/// git's own rule, which reads nothing.
fn is_git_dir(path: &Path) -> bool {
    path.join("HEAD").symlink_metadata().is_ok() && path.join("objects").is_dir() && path.join("refs").is_dir()
}
