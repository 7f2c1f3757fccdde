//! What the tests of this part share: trees, the patch of twenty files, and calls that are killed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::support::{Answer, World};

/// Everything below a folder except `.git`: folders by a closing slash, links by their target.
pub(super) type Tree = BTreeMap<String, Vec<u8>>;

/// The last call was killed, or it reported.
#[must_use]
pub(super) enum Ended {
    Killed,
    Reported(Answer),
}

impl Ended {
    pub(super) fn after(child: Child) -> Self {
        let output = child.wait_with_output().expect("it ends");
        if output.status.signal() == Some(9) { Self::Killed } else { Self::Reported(Answer::of(&output)) }
    }

    pub(super) fn reported(self) -> Answer {
        match self {
            Self::Killed => panic!("it was killed"),
            Self::Reported(answer) => answer,
        }
    }

    pub(super) fn is_killed(&self) -> bool {
        matches!(self, Self::Killed)
    }
}

/// Tells the threads beside a test that it is over, also when it fails.
pub(super) struct Ending<'a>(pub(super) &'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

pub(super) fn tree(folder: &Path) -> Tree {
    let mut found = Tree::new();
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type().expect("a kind");
        if kind.is_dir() && name != ".git" {
            found.extend(tree(&entry.path()).into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
            found.insert(format!("{name}/"), Vec::new());
        } else if kind.is_symlink() {
            let target = fs::read_link(entry.path()).expect("a link");
            found.insert(name, target.into_os_string().into_encoded_bytes());
        } else if kind.is_file() {
            found.insert(name, fs::read(entry.path()).expect("readable"));
        }
    }
    found
}

/// Makes a folder hold exactly this, `.git` aside. Files that are right already are left alone.
pub(super) fn restore(folder: &Path, wanted: &Tree) {
    let now = tree(folder);
    for name in now.keys().rev().filter(|name| !wanted.contains_key(*name)) {
        let path = folder.join(name);
        let removed = if name.ends_with('/') { fs::remove_dir(path) } else { fs::remove_file(path) };
        removed.expect("it can be removed");
    }
    for (name, bytes) in wanted {
        let path = folder.join(name);
        if name.ends_with('/') {
            fs::create_dir_all(path).expect("a folder");
        } else if now.get(name) != Some(bytes) {
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, bytes).expect("written");
        }
    }
}

pub(super) fn allowed(world: &World, request: &Value) -> Answer {
    world.call(&["run", "--allow-write"], &request.to_string())
}

/// Starts a call with a failpoint.
pub(super) fn start_at(world: &World, args: &[&str], request: &Value, failpoint: &str) -> Child {
    use std::io::Write;
    let mut command = world.pi_graphite(args);
    if !failpoint.is_empty() {
        command.env("PI_GRAPHITE_FAILPOINT", failpoint);
    }
    let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    // A binary that is killed early does not read to the end.
    drop(stdin.write_all(request.to_string().as_bytes()));
    child
}

pub(super) fn call_at(world: &World, request: &Value, failpoint: &str) -> Ended {
    Ended::after(start_at(world, &["run", "--allow-write"], request, failpoint))
}

pub(super) fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({"operation": "edit_file", "path": path, "old_string": old, "new_string": new, "match": "exact", "force": true})
}

pub(super) fn write(path: &str, content: &str) -> Value {
    json!({"operation": "write_file", "path": path, "content": content, "force": true})
}

pub(super) fn read(path: &str) -> Value {
    json!({"operation": "read_file", "path": path})
}

pub(super) fn patch(sections: &str) -> Value {
    let patch = format!("*** Begin Patch\n{sections}*** End Patch\n");
    json!({"operation": "apply_patch", "patch": patch, "force": true})
}

/// Updates one line of each file.
pub(super) fn update(path: &str, old: &str, new: &str) -> String {
    format!("*** Update File: {path}\n@@\n{old}\n===\n{new}\n")
}

/// The tree before the patch of twenty files.
pub(super) fn before_twenty(world: &World) -> Tree {
    for folder in ["a", "b", "b/deep"] {
        for number in 0..3 {
            world.write(&format!("{folder}/{number}.txt"), &format!("head\nold {folder} {number}\nfoot\n"));
        }
    }
    for number in 0..3 {
        world.write(&format!("gone/{number}.txt"), &format!("gone {number}\n"));
        world.write(&format!("move/{number}.txt"), &format!("move {number}\n"));
    }
    tree(&world.root())
}

/// Twenty files in many folders: nine updates, five new ones, three that go, three that move.
pub(super) fn twenty() -> Value {
    let mut sections = String::new();
    for folder in ["a", "b", "b/deep"] {
        for number in 0..3 {
            let (old, new) = (format!("old {folder} {number}"), format!("new {folder} {number}"));
            sections.push_str(&update(&format!("{folder}/{number}.txt"), &old, &new));
        }
    }
    for path in ["a/added", "new/one", "new/deep/two", "new/deep/three", "other/four"] {
        sections.push_str(&format!("*** Add File: {path}\nthis is {path}\n"));
    }
    for number in 0..3 {
        sections.push_str(&format!("*** Delete File: gone/{number}.txt\n"));
        sections.push_str(&format!("*** Move File: move/{number}.txt -> new/moved-{number}\n"));
    }
    patch(&sections)
}

/// What the journal folder of the repository still holds.
pub(super) fn journals(world: &World) -> Vec<String> {
    let entries = fs::read_dir(world.root().join(".git/pi-graphite/journal")).into_iter().flatten();
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

/// The names that only one of two trees has, or has with other bytes.
pub(super) fn difference(one: &Tree, other: &Tree) -> Vec<String> {
    let all = one.keys().chain(other.keys()).filter(|name| one.get(*name) != other.get(*name));
    let mut names: Vec<String> = all.cloned().collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The sentences of a report's warnings, joined.
pub(super) fn warnings(answer: &Answer) -> String {
    answer.report["warnings"]
        .as_array()
        .map_or_else(String::new, |all| all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"))
}
