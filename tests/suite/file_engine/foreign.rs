//! Another program changes files between a kill and the recovery: nobody's bytes are lost.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FlockOperation, RenameFlags, flock, renameat_with};
use serde_json::Value;

use super::tools::{call_at, edit, journals, patch, read, start_at, tree, update, warnings};
use crate::support::{Answer, Base, Gt, World};

const THEIRS: &str = "theirs, and nobody may lose it\n";

/// How another program changes a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Replaced,
    EditedInPlace,
    Removed,
}

fn three_files(world: &World) -> Value {
    for name in ["a", "b", "c"] {
        world.write(&format!("d/{name}"), &format!("old {name}\n"));
    }
    world.write("d/gone", "gone\n");
    let updates: String = ["a", "b", "c"]
        .map(|name| update(&format!("d/{name}"), &format!("old {name}"), &format!("new {name}")))
        .concat();
    patch(&format!("{updates}*** Delete File: d/gone\n*** Add File: d/added\nadded\n"))
}

fn change(path: &Path, how: How) {
    match how {
        How::Replaced => {
            let beside = path.with_extension("theirs");
            fs::write(&beside, THEIRS).expect("written");
            fs::rename(beside, path).expect("renamed");
        }
        How::EditedInPlace => fs::write(path, THEIRS).expect("written"),
        How::Removed => fs::remove_file(path).expect("removed"),
    }
}

/// Kills the patch once its journal is committed and `exchanged` of its files have changed.
fn killed_after(world: &World, request: &Value, exchanged: usize) {
    let before = tree(&world.root());
    let mine = |tree: &super::tools::Tree| {
        ["d/a", "d/b", "d/c"].iter().filter(|name| tree.get(**name) != before.get(**name)).count()
    };
    for at in 1..200 {
        super::tools::restore(&world.root(), &before);
        assert!(call_at(world, request, &format!("kill:{at}")).is_killed(), "it never stands there");
        let journal = journals(world).pop().map(|name| world.root().join(".git/pi-graphite/journal").join(name));
        let lines = journal.map_or(0, |path| fs::read_to_string(path).expect("a journal").lines().count());
        // With none exchanged yet, wait for the first step behind the commitment.
        if lines == 2 && mine(&tree(&world.root())) == exchanged {
            return;
        }
        let _ = call_at(world, &read("base.txt"), "").reported().expect("answered", "");
    }
    panic!("it never stands there");
}

fn next(world: &World) -> Answer {
    let answer = call_at(world, &read("base.txt"), "").reported().expect("answered", "");
    assert!(journals(world).is_empty(), "{:#}", answer.report);
    let left: Vec<String> = tree(&world.root()).into_keys().filter(|name| name.contains(".pi-graphite-")).collect();
    assert!(left.is_empty(), "{left:?} {:#}", answer.report);
    answer
}

/// The state of the files: which of them are old, new, or theirs.
fn state(world: &World) -> Vec<&'static str> {
    let one = |name: &str| match fs::read_to_string(world.root().join("d").join(name)) {
        Err(_) => "none",
        Ok(text) if text == THEIRS => "theirs",
        Ok(text) if text.starts_with("old") || text == "gone\n" => "old",
        Ok(_) => "new",
    };
    ["a", "b", "c", "gone", "added"].map(one).to_vec()
}

#[test]
fn a_file_that_was_not_exchanged_yet_and_is_somebody_elses_now_takes_the_patch_back() {
    for how in [How::Replaced, How::EditedInPlace] {
        let world = World::new(Gt::Fake, Base::Init);
        let request = three_files(&world);
        killed_after(&world, &request, 1);
        change(&world.root().join("d/c"), how);
        let told = warnings(&next(&world));
        assert!(told.contains("is taken back"), "{how:?}: {told}");
        assert_eq!(state(&world), ["old", "old", "theirs", "old", "none"], "{how:?}: {told}");
    }
}

#[test]
fn a_file_that_was_exchanged_and_is_somebody_elses_now_stays_theirs() {
    for how in [How::Replaced, How::EditedInPlace, How::Removed] {
        let world = World::new(Gt::Fake, Base::Init);
        let request = three_files(&world);
        killed_after(&world, &request, 2);
        change(&world.root().join("d/a"), how);
        let told = warnings(&next(&world));
        let theirs = if how == How::Removed { "none" } else { "theirs" };
        assert!(told.contains("is finished now"), "{how:?}: {told}");
        assert_eq!(state(&world), [theirs, "new", "new", "none", "new"], "{how:?}: {told}");
    }
}

#[test]
fn old_bytes_without_a_place_to_go_back_to_are_kept_and_named() {
    let world = World::new(Gt::Fake, Base::Init);
    let request = three_files(&world);
    killed_after(&world, &request, 2);
    change(&world.root().join("d/a"), How::Replaced);
    change(&world.root().join("d/c"), How::Replaced);
    let told = warnings(&next(&world));
    assert_eq!(state(&world), ["theirs", "old", "theirs", "old", "none"], "{told}");
    assert!(told.contains("`d/a` was changed by another program and stays"), "{told}");
    let rescued: PathBuf =
        told.split("older content is in `").nth(1).and_then(|rest| rest.split('`').next()).expect("a path").into();
    assert_eq!(fs::read_to_string(rescued).expect("kept"), "old a\n");
}

#[test]
fn a_file_that_somebody_made_where_one_is_added_stays_theirs() {
    let world = World::new(Gt::Fake, Base::Init);
    let request = three_files(&world);
    killed_after(&world, &request, 2);
    fs::write(world.root().join("d/added"), THEIRS).expect("written");
    let told = warnings(&next(&world));
    assert_eq!(state(&world), ["old", "old", "old", "old", "theirs"], "{told}");
}

#[test]
fn a_file_that_somebody_changed_and_that_was_taken_out_comes_back() {
    // Their change came after the last look and before the exchange, and the kill before the comparison.
    for how in [How::Replaced, How::EditedInPlace] {
        let world = World::new(Gt::Fake, Base::Init);
        let request = three_files(&world);
        killed_after(&world, &request, 0);
        let name =
            tree(&world.root()).into_iter().find(|(name, bytes)| name.contains(".pi-graphite-") && bytes == b"new a\n");
        let temp = world.root().join(name.expect("it is staged").0);
        let target = world.root().join("d/a");
        change(&target, how);
        renameat_with(CWD, &temp, CWD, &target, RenameFlags::EXCHANGE).expect("exchanged");
        let told = warnings(&next(&world));
        assert_eq!(state(&world), ["theirs", "old", "old", "old", "none"], "{how:?}: {told}");
    }
}

#[test]
fn a_file_that_somebody_changed_and_that_was_removed_comes_back() {
    let world = World::new(Gt::Fake, Base::Init);
    let request = three_files(&world);
    killed_after(&world, &request, 3);
    let journal = world.root().join(".git/pi-graphite/journal").join(journals(&world).pop().expect("a journal"));
    let intent: Value =
        serde_json::from_str(fs::read_to_string(journal).expect("it").lines().next().expect("a line")).expect("JSON");
    let steps = intent["steps"].as_array().expect("steps");
    let step = steps.iter().find(|step| step["path"] == "d/gone").expect("a step");
    let (gone, temp) =
        (world.root().join("d/gone"), world.root().join("d").join(step["temp"].as_str().expect("a name")));
    if temp.exists() {
        fs::rename(&temp, &gone).expect("as if it had not been removed yet");
    }
    change(&gone, How::Replaced);
    fs::rename(&gone, &temp).expect("as the killed process does it");
    let told = warnings(&next(&world));
    assert_eq!(state(&world)[3], "theirs", "{told}");
}

#[test]
fn nobody_edits_half_of_a_change_that_another_process_is_settling() {
    let world = World::new(Gt::Fake, Base::Init);
    let request = three_files(&world);
    killed_after(&world, &request, 1);
    let lock = |name: &str| {
        let path = world.root().join("d").join(name).display().to_string().to_lowercase();
        let digest = <sha2::Sha256 as sha2::Digest>::digest(path.as_bytes());
        world.root().join(".git/pi-graphite/locks").join(format!("{:02x}", digest[0]))
    };
    // The one that settles has the journal and waits for its first file.
    let first = ["a", "b", "c", "gone", "added"].map(lock).into_iter().min().expect("five");
    let held = fs::File::options().read(true).write(true).open(&first).expect("a lock file");
    flock(&held, FlockOperation::NonBlockingLockExclusive).expect("free");
    let settling = start_at(&world, &["run"], &read("base.txt"), "");
    let journal = world.root().join(".git/pi-graphite/journal").join(journals(&world).pop().expect("a journal"));
    let is_held =
        || flock(fs::File::open(&journal).expect("a journal"), FlockOperation::NonBlockingLockExclusive).is_err();
    while !is_held() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let name = ["b", "c"].into_iter().find(|name| lock(name) != first).expect("two files, two locks");
    let editing = edit(&format!("d/{name}"), &format!("old {name}"), "edited half of it");
    let editing = start_at(&world, &["run", "--allow-write"], &editing, "");
    std::thread::sleep(std::time::Duration::from_millis(500));
    drop(held);
    let _ = Answer::after(settling).expect("answered", "");
    let _ = Answer::after(editing).expect("refused", "no_match");
    assert_eq!(state(&world), ["new", "new", "new", "none", "new"]);
    assert!(journals(&world).is_empty());
}
