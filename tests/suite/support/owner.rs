//! Gives files to another user.

use std::fs;
use std::os::unix::fs::{MetadataExt, lchown};
use std::path::Path;
use std::process::Command;

/// Another user: nobody has this number.
const OTHER: &str = "12345";

/// Files that belong to another user until this goes: they are given back, so that they can be removed.
pub(crate) struct GivenAway<'a> {
    path: &'a Path,
    owner: u32,
}

/// Gives a file or a folder with everything in it to another user: directly as root, else inside a user namespace,
/// where a person's subordinate users can be given files. Where neither is possible the world cannot be set up, which
/// is a failure and no silent pass.
pub(crate) fn give_away(path: &Path) -> GivenAway<'_> {
    let owner = fs::metadata(path).expect("it is there").uid();
    let other: u32 = OTHER.parse().expect("a number");
    if lchown(path, Some(other), Some(other)).is_ok() {
        chown_all("chown", &[], OTHER, path);
    } else {
        chown_all("unshare", &["--user", "--map-root-user", "--map-auto", "chown"], OTHER, path);
    }
    assert_ne!(fs::metadata(path).expect("it is there").uid(), owner, "it was given away");
    GivenAway { path, owner }
}

impl Drop for GivenAway<'_> {
    fn drop(&mut self) {
        if lchown(self.path, Some(self.owner), None).is_ok() {
            chown_all("chown", &[], &self.owner.to_string(), self.path);
        } else {
            chown_all("unshare", &["--user", "--map-root-user", "--map-auto", "chown"], "0", self.path);
        }
    }
}

fn chown_all(program: &str, words: &[&str], owner: &str, path: &Path) {
    let done = Command::new(program).args(words).args(["-hR", &format!("{owner}:{owner}")]).arg(path).status();
    assert!(
        done.is_ok_and(|status| status.success()),
        "{} cannot be given to user {owner}: that needs root, or subordinate users in /etc/subuid",
        path.display()
    );
}
