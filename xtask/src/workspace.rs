//! The checkout: where it is and which files belong to it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, Result, While};
use crate::process;

/// The folder of the workspace's `Cargo.toml`.
pub(crate) fn root() -> &'static Path {
    // Compiled in, so that the commands work from any folder below the checkout.
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().expect("xtask is a folder of the workspace")
}

/// Every regular file of the project, relative to the root, in order.
///
/// Tracked files and those that git would offer to add. In an export without `.git`, every file that is not in
/// a build or package folder.
pub(crate) fn files() -> Result<Vec<PathBuf>> {
    let mut files = if is_checkout() {
        git_files(&["--cached", "--others", "--exclude-standard"])?
    } else {
        let mut found = Vec::new();
        walk(root(), &mut found)?;
        found
    };
    files.retain(|file| is_regular(&root().join(file)));
    files.sort();
    files.dedup();
    Ok(files)
}

/// Every file in git's index, or none in an export without `.git`.
pub(crate) fn tracked_files() -> Result<Vec<PathBuf>> {
    if is_checkout() { git_files(&["--cached"]) } else { Ok(Vec::new()) }
}

fn is_checkout() -> bool {
    root().join(".git").exists()
}

fn git_files(flags: &[&str]) -> Result<Vec<PathBuf>> {
    let mut git = Command::new("git");
    // A checkout mounted into a container belongs to someone else; listing its files is harmless.
    git.args(["-c", "safe.directory=*", "ls-files", "-z"]);
    git.args(flags).current_dir(root());
    let listing = process::capture(&mut git)?;
    let names = listing.split('\0').filter(|name| !name.is_empty());
    Ok(names.map(PathBuf::from).collect())
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> Result {
    let reading = || format!("read the folder `{}`", folder.display());
    for entry in fs::read_dir(folder).while_doing(reading)? {
        let path = entry.while_doing(reading)?.path();
        let name = path.file_name().unwrap_or_default();
        if path.is_symlink() || name == "target" || name == "node_modules" {
            continue;
        }
        if path.is_dir() {
            walk(&path, found)?;
        } else {
            let relative = path.strip_prefix(root());
            let relative = relative.map_err(|_| Failure::new("a file outside the workspace"))?;
            found.push(relative.to_owned());
        }
    }
    Ok(())
}

fn is_regular(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|data| data.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(root().join("Cargo.toml").is_file());
        assert!(root().join("xtask/src/workspace.rs").is_file());
    }

    #[test]
    fn a_walk_finds_this_file_and_no_build_output() {
        let mut found = Vec::new();
        walk(&root().join("xtask"), &mut found).expect("xtask can be read");
        assert!(found.contains(&PathBuf::from("xtask/src/workspace.rs")));
    }
}
