//! git or gt at work in the repository without our lock: a lock file of git's, or a running gt.

use std::path::{Path, PathBuf};

use super::Repo;

/// What works here outside this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intruder {
    /// git's own lock on the index or HEAD.
    LockFile(PathBuf),
    /// A running gt.
    Gt {
        /// Its process number.
        pid: u32,
        /// What it was started as.
        command: String,
    },
}

/// The first intruder found.
///
/// Limitation: a running gt is found through `/proc`, so only on Linux, and only the current user's.
#[must_use]
pub fn intruder(repo: &Repo) -> Option<Intruder> {
    let locks =
        [repo.git_dir.join("index.lock"), repo.git_dir.join("HEAD.lock"), repo.common_dir.join("packed-refs.lock")];
    if let Some(lock) = locks.into_iter().find(|path| std::fs::symlink_metadata(path).is_ok()) {
        return Some(Intruder::LockFile(lock));
    }
    let mut processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.find_map(|entry| running_gt(&entry.path(), repo))
}

fn running_gt(process: &Path, repo: &Repo) -> Option<Intruder> {
    let pid: u32 = process.file_name()?.to_str()?.parse().ok()?;
    let executable = std::fs::read_link(process.join("exe")).ok()?;
    let is_gt = executable.file_name().is_some_and(|name| name == "gt");
    let cwd = is_gt.then(|| std::fs::read_link(process.join("cwd")).ok()).flatten()?;
    let line = std::fs::read(process.join("cmdline")).ok()?;
    let args: Vec<_> =
        line.split(|byte| *byte == 0).map(String::from_utf8_lossy).filter(|arg| !arg.is_empty()).collect();
    // gt leaves helpers behind that only talk to its servers and tidy its logs.
    let helper = args.iter().any(|arg| arg == "background" || arg == "mcp");
    (!helper && is_inside(&cwd, repo)).then(|| Intruder::Gt {
        pid,
        command: args.iter().skip(1).take(3).map(AsRef::as_ref).collect::<Vec<_>>().join(" "),
    })
}

/// Whether a folder belongs to a worktree of this repository.
fn is_inside(cwd: &Path, repo: &Repo) -> bool {
    if cwd.starts_with(&repo.root) {
        return true;
    }
    let nearest = cwd.ancestors().find(|dir| dir.join(".git").exists());
    nearest.and_then(|dir| Repo::open(dir).ok()).is_some_and(|other| other.common_dir == repo.common_dir)
}
