//! A journal is input: one that somebody forged is told and never carried out.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::tools::{allowed, call_at, edit, read, tree, warnings};
use crate::support::{Base, Gt, World};

const TEMP: &str = ".pi-graphite-0123456789abcdef";

fn id(path: &Path) -> Value {
    let meta = fs::metadata(path).expect("it is there");
    json!({"device": meta.dev(), "inode": meta.ino()})
}

fn seen(path: &Path) -> Value {
    let meta = fs::metadata(path).expect("it is there");
    json!({"id": id(path), "size": meta.len(), "modified": [meta.mtime(), meta.mtime_nsec()]})
}

/// A journal that removes one file for good, if it were carried out.
fn deleting(root: &Path, path: &str, target: &Path) -> (Value, Value) {
    let intent = json!({
        "version": 1, "process": {"pid": 1, "started": 0}, "since": 0, "operation": "apply_patch",
        "root": root, "root_id": id(root), "steps": [{"path": path, "temp": TEMP, "does": "delete"}], "folders": [],
    });
    (intent, json!({"files": [{"old": seen(target), "new": null}]}))
}

fn journal(world: &World) -> PathBuf {
    let folder = world.root().join(".git/pi-graphite/journal");
    if !folder.exists() {
        fs::create_dir_all(&folder).expect("a folder");
        for folder in [folder.as_path(), folder.parent().expect("a parent")] {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).expect("a mode");
        }
    }
    folder.join("0123456789abcdef.journal")
}

fn forge(world: &World, (intent, commitment): (&Value, &Value)) {
    let path = journal(world);
    fs::write(&path, format!("{intent}\n{commitment}\n")).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("a mode");
}

/// A world with treasures inside and outside, and an empty folder inside git's own.
fn world() -> World {
    let world = World::new(Gt::Fake, Base::Plain);
    world.write("dir/inside.txt", "inside\n");
    fs::write(world.path("outside/treasure"), "treasure\n").expect("written");
    fs::write(world.path("outside").join(TEMP), "beside the treasure\n").expect("written");
    fs::create_dir_all(world.root().join(".git/empty")).expect("a folder");
    world
}

/// Everything that must stay as it is.
fn kept(world: &World) -> (super::tools::Tree, super::tools::Tree, String, bool) {
    let config = fs::read_to_string(world.root().join(".git/config")).expect("the config");
    (tree(&world.root()), tree(&world.path("outside")), config, world.root().join(".git/empty").exists())
}

/// The forged journal is told by every call, which goes on; nothing is done.
fn is_told(world: &World, what: &str) {
    let before = kept(world);
    for _ in 0..2 {
        let answer = call_at(world, &read("base.txt"), "").reported().expect("answered", "");
        assert!(warnings(&answer).contains("journal"), "{what}: {:#}", answer.report);
    }
    assert!(kept(world) == before, "{what}");
    let edited = allowed(world, &edit("base.txt", "base.txt", "edited"));
    assert!(warnings(&edited).contains("journal"), "{what}: {:#}", edited.report);
    let _ = edited.done();
    fs::write(world.root().join("base.txt"), "base.txt\n").expect("written");
    assert!(kept(world) == before, "{what}");
}

#[test]
fn a_true_journal_of_the_same_form_is_carried_out() {
    // The forgeries below fail by what they name, not by their form.
    let world = world();
    let target = world.root().join("dir/inside.txt");
    let (intent, commitment) = deleting(&world.root(), "dir/inside.txt", &target);
    forge(&world, (&intent, &commitment));
    let answer = call_at(&world, &read("base.txt"), "").reported().expect("answered", "");
    assert!(warnings(&answer).contains("is finished now") && !target.exists(), "{:#}", answer.report);
}

#[test]
fn a_journal_with_a_path_that_leaves_the_workspace_or_enters_git_is_left_alone() {
    let world = world();
    let outside = world.path("outside/treasure");
    let config = world.root().join(".git/config");
    let inside = world.root().join("dir/inside.txt");
    symlink(world.path("outside"), world.root().join("link")).expect("a link");
    for (path, target) in [
        ("../outside/treasure", &outside),
        (outside.to_str().expect("text"), &outside),
        ("dir/../../outside/treasure", &outside),
        ("link/treasure", &outside),
        (".git/config", &config),
        (".GIT/config", &config),
        ("dir/../dir/inside.txt", &inside),
        ("./dir/inside.txt", &inside),
        ("dir//inside.txt", &inside),
        (inside.to_str().expect("text"), &inside),
    ] {
        let (intent, commitment) = deleting(&world.root(), path, target);
        forge(&world, (&intent, &commitment));
        is_told(&world, path);
        // Without its commitment it would remove only temporary files.
        if path != "link/treasure" {
            forge(&world, (&intent, &json!("x")));
            is_told(&world, path);
        }
    }
}

#[test]
fn a_journal_of_another_root_is_left_alone() {
    let world = world();
    let outside = world.path("outside");
    let target = outside.join("treasure");
    let (intent, commitment) = deleting(&outside, "treasure", &target);
    forge(&world, (&intent, &commitment));
    is_told(&world, "a root outside");
    forge(&world, (&intent, &json!("x")));
    is_told(&world, "a root outside, not committed");

    let inside = world.root().join("dir/inside.txt");
    let (mut intent, commitment) = deleting(&world.root(), "dir/inside.txt", &inside);
    intent["root_id"] = id(&outside);
    forge(&world, (&intent, &commitment));
    is_told(&world, "another inode");
    intent["root"] = json!("/");
    intent["root_id"] = id(Path::new("/"));
    forge(&world, (&intent, &commitment));
    is_told(&world, "the file system's root");
    intent["root"] = json!(world.root().join(".git"));
    intent["root_id"] = id(&world.root().join(".git"));
    forge(&world, (&intent, &commitment));
    is_told(&world, "git's own folder");
}

#[test]
fn a_journal_of_another_form_is_left_alone() {
    let world = world();
    let inside = world.root().join("dir/inside.txt");
    let (intent, commitment) = deleting(&world.root(), "dir/inside.txt", &inside);
    let forged = |pointer: &str, value: Value| {
        let mut forged = intent.clone();
        *forged.pointer_mut(pointer).expect("it is there") = value;
        forged
    };
    for intent in [
        forged("/version", json!(2)),
        forged("/steps/0/temp", json!("inside.txt")),
        forged("/steps/0/temp", json!("../.pi-graphite-0123456789abcdef")),
        forged("/steps/0/temp", json!(".pi-graphite-0123456789ABCDEF")),
        forged("/steps/0/does", json!("other")),
        json!({"steps": []}),
        json!("garbage"),
    ] {
        forge(&world, (&intent, &commitment));
        is_told(&world, &intent.to_string());
    }
    forge(&world, (&intent, &json!({"files": []})));
    is_told(&world, "a file too few");
}

#[test]
fn a_journal_that_names_folders_of_git_or_outside_removes_none() {
    let world = world();
    let inside = world.root().join("dir/inside.txt");
    fs::create_dir(world.path("outside/empty")).expect("a folder");
    let outside = world.path("outside/empty").display().to_string();
    for folder in [".git/empty", "../outside/empty", &outside, "..", "dir/../.git/empty"] {
        let (mut intent, _) = deleting(&world.root(), "dir/inside.txt", &inside);
        intent["folders"] = json!([folder]);
        forge(&world, (&intent, &json!("x")));
        let before = kept(&world);
        let _ = call_at(&world, &read("base.txt"), "").reported().expect("answered", "");
        assert!(kept(&world) == before, "{folder}");
    }
}

#[test]
fn a_journal_that_others_can_write_or_that_is_no_file_is_left_alone() {
    let world = world();
    let inside = world.root().join("dir/inside.txt");
    let (intent, commitment) = deleting(&world.root(), "dir/inside.txt", &inside);
    forge(&world, (&intent, &commitment));
    let journal = journal(&world);
    fs::set_permissions(&journal, fs::Permissions::from_mode(0o666)).expect("a mode");
    is_told(&world, "mode 0666");
    fs::set_permissions(&journal, fs::Permissions::from_mode(0o600)).expect("a mode");

    fs::rename(&journal, world.path("outside/journal")).expect("moved");
    symlink(world.path("outside/journal"), &journal).expect("a link");
    is_told(&world, "a link");
    fs::remove_file(&journal).expect("removed");
    world.sh("mkfifo -m 600 .git/pi-graphite/journal/0123456789abcdef.journal");
    is_told(&world, "a fifo");
    fs::remove_file(&journal).expect("removed");
    fs::create_dir(&journal).expect("a folder");
    is_told(&world, "a folder");
    fs::remove_dir(&journal).expect("removed");

    fs::copy(world.path("outside/journal"), &journal).expect("copied");
    let given = crate::support::give_away(&journal);
    is_told(&world, "another owner");
    drop(given);
}
