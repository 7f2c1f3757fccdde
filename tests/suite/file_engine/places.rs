//! Where this program may work, and where it keeps what it must remember.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::tools::{Ended, call_at, edit, patch, read, tree, update, warnings, write};
use crate::support::{Answer, Base, Gt, World};

/// A call in a plain folder, with the state folder that the environment leads to.
fn plain_call(world: &World, vars: &[(&str, &str)], request: &Value) -> Answer {
    use std::io::Write;
    let mut command = world.pi_graphite(&["run", "--allow-write"]);
    command.current_dir(world.path("plain")).env_remove("HOME").envs(vars.iter().copied());
    let mut child = command.spawn().expect("it starts");
    drop(child.stdin.take().expect("it is piped").write_all(request.to_string().as_bytes()));
    Ended::after(child).reported()
}

fn plain() -> World {
    let world = World::new(Gt::Fake, Base::Empty);
    fs::create_dir(world.path("plain")).expect("a folder");
    fs::write(world.path("plain/f"), "old\n").expect("written");
    world
}

#[test]
fn a_plain_folder_holds_nothing_of_ours() {
    let world = plain();
    let home = world.path("home").display().to_string();
    let vars = [("HOME", home.as_str())];
    let _ = plain_call(&world, &vars, &read("f")).expect("answered", "");
    let _ = plain_call(&world, &vars, &edit("f", "old", "new")).done();
    let both = patch(&format!("{}*** Add File: sub/g\nx\n", update("f", "new", "newer")));
    let killed = [("HOME", home.as_str()), ("PI_GRAPHITE_FAILPOINT", "fail:9")];
    let _ = plain_call(&world, &killed, &both).expect("failed", "write_failed");
    let _ = plain_call(&world, &vars, &both).done();
    let names: Vec<String> = tree(&world.path("plain")).into_keys().collect();
    assert_eq!(names, ["f", "sub/", "sub/g"]);
    let state = tree(&world.path("home"));
    assert!(
        !state.is_empty()
            && state.keys().all(|name| ".local/state/pi-graphite/".starts_with(name.as_str())
                || name.starts_with(".local/state/pi-graphite/")),
        "{state:?}"
    );
    modes_are_private(&world.path("home/.local/state/pi-graphite"));
    // The other variable decides when it is there.
    let state = world.path("state").display().to_string();
    let _ = plain_call(&world, &[("XDG_STATE_HOME", state.as_str())], &edit("f", "newer", "newest")).done();
    assert!(world.path("state/pi-graphite/locks").is_dir());
}

fn modes_are_private(folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let meta = entry.metadata().expect("it is there");
        assert_eq!(meta.permissions().mode() & 0o077, 0, "{}", entry.path().display());
        if meta.is_dir() {
            modes_are_private(&entry.path());
        }
    }
}

#[test]
fn without_a_state_folder_reads_work_with_a_warning_and_writes_are_refused() {
    let world = plain();
    let answer = plain_call(&world, &[], &read("f")).expect("answered", "");
    assert!(warnings(&answer).contains("HOME"), "{:#}", answer.report);
    let before = tree(&world.path("plain"));
    for request in [edit("f", "old", "new"), write("g", "x\n"), patch(&update("f", "old", "new"))] {
        let answer = plain_call(&world, &[], &request);
        assert_eq!(answer.code(), "state_refused", "{:#}", answer.report);
    }
    assert!(tree(&world.path("plain")) == before);
}

#[test]
fn in_a_repository_that_cannot_be_written_reads_work_and_writes_are_unavailable() {
    let world = World::new(Gt::Fake, Base::Plain);
    world.write("f", "old\n");
    let before = tree(&world.root());
    let requests = [edit("f", "old", "new"), write("g", "x\n"), patch(&update("f", "old", "new"))];
    let answers: Vec<Answer> =
        std::iter::once(&read("f")).chain(&requests).map(|request| as_nobody(&world, request)).collect();
    let mut answers = answers.into_iter();
    let answer = answers.next().expect("one").expect("answered", "");
    assert!(warnings(&answer).contains("without a lock"), "{:#}", answer.report);
    for answer in answers {
        let _ = answer.expect("unavailable", "read_only_repository");
    }
    assert!(tree(&world.root()) == before && !world.root().join(".git/pi-graphite").exists());
}

/// Calls where `.git` cannot be written: as somebody who is not root, since nothing stops root.
fn as_nobody(world: &World, request: &Value) -> Answer {
    use std::io::Write;
    world.sh("chmod 755 ..; chmod 555 .git; test $(id -u) != 0 || chown -R 65534:65534 . ../home");
    let binary = env!("CARGO_BIN_EXE_pi-graphite");
    let mut command = if rustix::process::geteuid().is_root() {
        let mut command = world.command("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", binary]);
        command
    } else {
        world.command(binary)
    };
    command.args(["run", "--allow-write"]).stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = command.stderr(std::process::Stdio::piped()).spawn().expect("it starts");
    drop(child.stdin.take().expect("it is piped").write_all(request.to_string().as_bytes()));
    let answer = Ended::after(child).reported();
    world.sh("chmod 755 .git");
    answer
}

#[test]
fn the_root_the_home_and_gits_own_folder_are_no_workspace() {
    let world = World::new(Gt::Fake, Base::Plain);
    symlink(world.path("home"), world.path("to-home")).expect("a link");
    symlink(world.root().join(".git"), world.path("to-git")).expect("a link");
    fs::create_dir_all(world.path("home/.local/state/pi-graphite/sub")).expect("a folder");
    let inside: Vec<PathBuf> =
        [".git", ".git/objects", ".git/hooks"].iter().map(|path| world.root().join(path)).collect();
    let mut refused = vec![
        PathBuf::from("/"),
        PathBuf::from("/tmp/../"),
        world.path("home"),
        world.path("to-home"),
        world.path("to-git"),
    ];
    refused.extend([
        world.path("home/.local/state/pi-graphite/sub"),
        world.path("nowhere"),
        world.root().join("base.txt"),
    ]);
    refused.extend(inside);
    for workspace in refused {
        let text = workspace.display().to_string();
        for request in [read("config"), write("x", "x\n")] {
            let answer = world.call(&["run", "--allow-write", "--workspace", &text], &request.to_string());
            assert_eq!(answer.code(), "bad_root", "{text}: {:#}", answer.report);
            assert_eq!(answer.exit, Some(2), "{text}");
        }
    }
    // Not by where one stands either.
    let mut command = world.pi_graphite(&["run"]);
    command.current_dir(world.root().join(".git/hooks"));
    let mut child = command.spawn().expect("it starts");
    {
        use std::io::Write;
        drop(child.stdin.take().expect("it is piped").write_all(read("config").to_string().as_bytes()));
    }
    assert_eq!(Answer::after(child).code(), "bad_root");
}

#[test]
fn a_workspace_that_is_given_through_a_link_works_by_either_name() {
    let world = World::new(Gt::Fake, Base::Plain);
    world.write("dir/f", "one\n");
    let alias = world.path("alias");
    symlink(world.root(), &alias).expect("a link");
    let (through, canonical) = (alias.display().to_string(), world.root().display().to_string());
    let args = ["run", "--allow-write", "--workspace", &through];
    let mut old = "one".to_owned();
    for (new, path) in [
        ("two", "dir/f".to_owned()),
        ("three", format!("{through}/dir/f")),
        ("four", format!("{canonical}/dir/f")),
        ("five", format!("{through}/x/../dir/./f")),
    ] {
        let answer = world.call(&args, &edit(&path, &old, new).to_string()).done();
        assert_eq!(answer.report["file"]["path"].as_str(), Some("dir/f"), "{path}");
        assert_eq!(world.read("dir/f"), format!("{new}\n"));
        new.clone_into(&mut old);
    }
    let outside = world.path("outside/f").display().to_string();
    for path in [outside.as_str(), "../outside/f", &format!("{through}/../outside/f"), &format!("{canonical}x/f")] {
        let _ = world.call(&args, &write(path, "x\n").to_string()).expect("refused", "outside_workspace");
    }
    assert!(tree(&world.path("outside")).is_empty());
    let _ = call_at(&world, &read("dir/f"), "").reported().expect("answered", "");
}
