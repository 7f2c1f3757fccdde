//! Finds the real executables: absolute, outside the worktree, and past gt's Node shim.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::Environment;

/// An executable file, as found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executable {
    /// Its absolute path: what is started.
    pub path: PathBuf,
    /// What tells that it is still the same file.
    pub identity: Identity,
}

/// What changes when gt updates itself behind our back.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// The path.
    pub path: PathBuf,
    /// Size in bytes.
    pub size: u64,
    /// Modification time, nanoseconds since the epoch.
    pub mtime_ns: i128,
}

/// Why no executable was found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LocateError {
    /// No absolute PATH entry has it.
    #[error("no `{0}` on an absolute PATH entry")]
    Missing(&'static str),
    /// The only one lies inside the worktree, where the repository's content decides what runs.
    #[error("the only `{name}` on PATH lies inside the worktree, at `{path}`")]
    InsideWorktree {
        /// Which program.
        name: &'static str,
        /// Where it lies.
        path: PathBuf,
    },
}

/// The gt to start: from PATH, never from a relative entry or from inside `worktree`, and the platform's own
/// executable instead of the Node shim where the package has it (the shim costs 0.07 s and one more process).
///
/// # Errors
/// [`LocateError`].
pub fn find_gt(env: &Environment, worktree: &Path) -> Result<Executable, LocateError> {
    let found = find("gt", env, worktree)?;
    Ok(behind_shim(&found.path).and_then(|path| executable(&path)).unwrap_or(found))
}

/// The git to start.
///
/// # Errors
/// [`LocateError`].
pub fn find_git(env: &Environment, worktree: &Path) -> Result<Executable, LocateError> {
    find("git", env, worktree)
}

fn find(name: &'static str, env: &Environment, worktree: &Path) -> Result<Executable, LocateError> {
    let mut inside = None;
    for entry in env.path_entries() {
        let Some(found) = executable(&entry.join(name)) else { continue };
        let real = found.path.canonicalize().unwrap_or_else(|_| found.path.clone());
        if real.starts_with(worktree) || found.path.starts_with(worktree) {
            inside.get_or_insert(found.path);
            continue;
        }
        return Ok(found);
    }
    Err(inside.map_or(LocateError::Missing(name), |path| LocateError::InsideWorktree { name, path }))
}

fn executable(path: &Path) -> Option<Executable> {
    let meta = path.metadata().ok().filter(|meta| meta.is_file() && meta.mode() & 0o111 != 0)?;
    let mtime_ns = i128::from(meta.mtime()) * 1_000_000_000 + i128::from(meta.mtime_nsec());
    let identity = Identity { path: path.to_owned(), size: meta.len(), mtime_ns };
    Some(Executable { path: path.to_owned(), identity })
}

/// The platform package's executable beside or beneath the package that the shim belongs to.
fn behind_shim(path: &Path) -> Option<PathBuf> {
    let shim = path.canonicalize().ok().filter(|real| real.file_name().is_some_and(|name| name == "gt.js"))?;
    let package = shim.parent()?.parent().filter(|dir| dir.ends_with("@withgraphite/graphite-cli"))?;
    let arch = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    let os = if cfg!(target_os = "macos") { "darwin" } else { std::env::consts::OS };
    let platform = format!("graphite-cli-{os}-{arch}");
    let beside = package.parent()?.join(&platform);
    let beneath = package.join("node_modules/@withgraphite").join(&platform);
    [beside, beneath].into_iter().map(|dir| dir.join("bin/gt")).find(|file| file.is_file())
}
