//! Holders that hang, that are killed, and locks that are not ours alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};

use super::tools::{allowed, edit, journals, read, start_at, tree, write};
use crate::support::{Answer, Base, Gt, World};

fn locks(world: &World) -> Vec<PathBuf> {
    let entries = fs::read_dir(world.root().join(".git/pi-graphite/locks")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Makes a file with a lock that no file made here has had before, and tells which lock it is.
fn file_with_own_lock(world: &World, base: &str) -> (String, PathBuf) {
    let before = locks(world);
    (0..64)
        .find_map(|number| {
            let name = format!("{base}{number}");
            let _ = allowed(world, &write(&name, "old\n")).done();
            let new = locks(world).into_iter().find(|lock| !before.contains(lock))?;
            Some((name, new))
        })
        .expect("most files have a lock of their own")
}

/// Takes a lock as another process would; it is held until the file is dropped.
fn take(lock: &Path) -> fs::File {
    let file = fs::File::options().read(true).write(true).open(lock).expect("a lock file");
    flock(&file, FlockOperation::NonBlockingLockExclusive).expect("free");
    file
}

fn is_held(lock: &Path) -> bool {
    let file = fs::File::open(lock).expect("a lock file");
    flock(&file, FlockOperation::NonBlockingLockExclusive).is_err()
}

fn signal(child: &Child, signal: &str) {
    let sent = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
}

/// Starts a large write and stops it while it holds the lock of its file.
fn stopped_holder(world: &World, name: &str, lock: &Path) -> Child {
    let large = write(name, &"large\n".repeat(2_000_000));
    for _ in 0..20 {
        let mut child = start_at(world, &["run", "--allow-write"], &large, "");
        let begun = Instant::now();
        while !is_held(lock)
            && begun.elapsed() < Duration::from_secs(20)
            && child.try_wait().expect("a child").is_none()
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        if child.try_wait().expect("a child").is_none() {
            signal(&child, "-STOP");
            std::thread::sleep(Duration::from_millis(20));
            if is_held(lock) {
                return child;
            }
            signal(&child, "-CONT");
        }
        let _ = Answer::after(child).done();
    }
    panic!("it was never stopped in time");
}

#[test]
fn a_holder_that_hangs_makes_only_edits_of_its_file_wait_and_only_for_ten_seconds() {
    let world = World::new(Gt::Fake, Base::Init);
    let (held, lock) = file_with_own_lock(&world, "held");
    let (other, _) = file_with_own_lock(&world, "other");
    let mut holder = stopped_holder(&world, &held, &lock);
    let before = tree(&world.root());
    let begun = Instant::now();
    let waiting = start_at(&world, &["run", "--allow-write"], &edit(&held, "old", "new"), "");
    // Meanwhile others go on, and so do readers of this very file.
    let _ = allowed(&world, &edit(&other, "old", "new")).done();
    let _ = world.run(&read(&held).to_string()).expect("answered", "");
    assert!(begun.elapsed() < Duration::from_secs(9), "they did not wait");
    // It also keeps the repository: no stack operation may change it now.
    let stage = r#"{"operation": "stage", "paths": ["base.txt"]}"#;
    let _ = world.call(&["run", "--lock-wait", "0.2"], stage).expect("unavailable", "lock_busy");
    let busy = Answer::after(waiting).expect("unavailable", "lock_busy");
    assert!(busy.text().contains(&format!("`{held}`")), "{}", busy.text());
    assert!(begun.elapsed() >= Duration::from_secs(10) && begun.elapsed() < Duration::from_secs(25));
    assert_eq!(tree(&world.root()).get(&held), before.get(&held));

    holder.kill().expect("killed");
    let _ = holder.wait().expect("reaped");
    let _ = allowed(&world, &write(&held, "after\n")).done();
    assert_eq!(world.read(&held), "after\n");
    assert!(journals(&world).is_empty());
}

#[test]
fn an_edit_waits_for_whoever_has_the_repository_for_itself() {
    let world = World::new(Gt::Fake, Base::Stack);
    let script = "#!/bin/sh\ntouch ../hook-runs\ni=0; while [ ! -e ../hook-may-end ] && [ $i -lt 600 ]; do sleep 0.05; i=$((i+1)); done\n";
    World::script(&world.root().join(".git/hooks/pre-commit"), script);
    world.sh("git worktree add -q ../linked a; echo n > n; git add n");
    let create = r#"{"operation": "create", "name": "d", "subject": "d", "body": "b"}"#;
    let holder = world.start(&["run"], create);
    world.wait_for("hook-runs");
    let linked = world.path("linked").display().to_string();
    let flags = ["run", "--allow-write", "--lock-wait", "0.2"];
    for more in [vec![], vec!["--cwd", &linked], vec!["--workspace", &linked]] {
        let args: Vec<&str> = flags.iter().copied().chain(more).collect();
        let busy = world.call(&args, &edit("a.txt", "a", "edited").to_string()).expect("unavailable", "lock_busy");
        assert!(busy.text().contains("`create`"), "{}", busy.text());
    }
    let waiting = world.start(&["run", "--allow-write"], &edit("a.txt", "a", "edited").to_string());
    fs::write(world.path("hook-may-end"), "").expect("written");
    let _ = Answer::after(holder).done();
    let _ = Answer::after(waiting).done();
    assert_eq!((world.read("a.txt").as_str(), world.sh("git show d:a.txt").as_str()), ("edited\n", "a"));
}

#[test]
fn an_edit_in_a_nested_repository_takes_that_repositorys_lock() {
    let world = World::new(Gt::Fake, Base::Plain);
    world.sh("git init -q nested; echo old > nested/f; git worktree add -q linked; echo old > f");
    let _ = allowed(&world, &edit("nested/f", "old", "new")).done();
    let nested = world.root().join("nested/.git/pi-graphite");
    assert_eq!(fs::read_dir(nested.join("locks")).expect("locks").count(), 1, "the file's lock lies there");
    let flags = ["run", "--allow-write", "--lock-wait", "0.2"];
    let held = take(&nested.join("lock"));
    let _ = world.call(&flags, &edit("nested/f", "new", "newer").to_string()).expect("unavailable", "lock_busy");
    let _ = world.call(&flags, &write("nested/deep/new", "x\n").to_string()).expect("unavailable", "lock_busy");
    let _ = world.call(&flags, &edit("f", "old", "new").to_string()).done();
    drop(held);
    let _ = world.call(&flags, &edit("nested/f", "new", "newer").to_string()).done();

    // A linked worktree inside shares the lock of its repository, from wherever it is edited.
    let held = take(&world.root().join(".git/pi-graphite/lock"));
    let linked = world.root().join("linked").display().to_string();
    let args: Vec<&str> = flags.iter().copied().chain(["--workspace", &linked]).collect();
    let _ = world.call(&args, &edit("base.txt", "base.txt", "x").to_string()).expect("unavailable", "lock_busy");
    drop(held);
    let _ = world.call(&args, &edit("base.txt", "base.txt", "x").to_string()).done();
}

#[test]
fn overlapping_workspaces_agree_on_the_lock_of_a_file() {
    let world = World::new(Gt::Fake, Base::Plain);
    let parent = world.path(".").canonicalize().expect("it is there").display().to_string();
    world.write("f", "head\ntail\n");
    let views = [(vec!["--cwd", "."], "f"), (vec!["--workspace", parent.as_str()], "repo/f")];
    let done = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for (at, (flags, path)) in views.iter().enumerate() {
            let (world, done) = (&world, &done);
            scope.spawn(move || {
                for number in 0..40 {
                    let marker = format!("mark {at} {number}");
                    let args: Vec<&str> = ["run", "--allow-write"].into_iter().chain(flags.iter().copied()).collect();
                    let request = edit(path, "tail", &format!("{marker}\ntail"));
                    let _ = world.call(&args, &request.to_string()).done();
                    done.lock().expect("nobody panics with it").push(marker);
                }
            });
        }
    });
    let text = world.read("f");
    let there: std::collections::BTreeSet<&str> = text.lines().filter(|line| line.starts_with("mark")).collect();
    let done = done.into_inner().expect("nobody panics with it");
    assert_eq!((there.len(), text.lines().count()), (80, 82), "no update is lost");
    assert!(done.iter().all(|marker| there.contains(marker.as_str())));
}
