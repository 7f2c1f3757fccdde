//! A git directory that cannot be written: looking goes on with a warning, changes are refused.

use std::process::Command;

use super::{CREATE, INSPECT, send, world};
use crate::support::{Answer, Gt, Treasure, World};

/// Sends a request where a folder is mounted read-only: in a mount namespace of its own, for which a user that is not
/// root needs a user namespace too.
fn on_read_only(world: &World, folder: &str, mode: &str, request: &str) -> Answer {
    let script = format!(
        "mount --bind {folder} {folder} && mount -o remount,bind,ro {folder} && exec {} {mode}",
        env!("CARGO_BIN_EXE_pi-graphite")
    );
    let mut command = world.pi_graphite(&[]);
    let flags = if is_root() { "-m" } else { "-rm" };
    let mut inside = world.command("unshare");
    // From the outside in, so that the mount is the one that is seen.
    inside.args([flags, "sh", "-c", &format!("cd / && cd \"$0\" && {script}")]).arg(world.root());
    std::mem::swap(&mut command, &mut inside);
    command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    send(command, request.as_bytes())
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().expect("id runs");
    id.stdout == b"0\n"
}

#[test]
fn looking_works_in_a_read_only_git_directory_with_a_warning() {
    for warm in [false, true] {
        let world = world(Gt::Fake);
        if warm {
            drop(world.run(INSPECT).expect("answered", ""));
        }
        let answer = on_read_only(&world, ".git", "run", INSPECT).expect("answered", "");
        let told = format!("{} {}", answer.report["warnings"], answer.report["repository"]["cache_warning"]);
        assert!(told.contains("without a lock") || told.contains("could not be written"), "{told}");
    }
}

#[test]
fn changes_are_refused_in_a_read_only_git_directory() {
    for warm in [false, true] {
        let world = world(Gt::Fake);
        if warm {
            drop(world.run(INSPECT).expect("answered", ""));
        }
        let before = Treasure::of(&world);
        for request in
            [CREATE, r#"{"operation": "stage", "paths": ["a.txt"]}"#, r#"{"operation": "delete", "branch": "b"}"#]
        {
            let answer = on_read_only(&world, ".git", "run", request).expect("unavailable", "read_only_repository");
            assert_eq!(answer.exit, Some(8));
        }
        assert_eq!(world.gt_calls().iter().filter(|call| call.contains("new")).count(), 0);
        before.assert_untouched(&world);
    }
}

#[test]
fn planning_in_a_read_only_git_directory_is_answered_or_refused_by_name() {
    let world = world(Gt::Fake);
    let answer = on_read_only(&world, ".git", "plan", CREATE);
    assert!(answer.status() == "answered" || answer.code() == "read_only_repository", "{:#}", answer.report);
}

#[test]
fn looking_works_in_a_read_only_worktree() {
    let world = world(Gt::Fake);
    drop(on_read_only(&world, ".", "run", INSPECT).expect("answered", ""));
    drop(on_read_only(&world, ".", "run", CREATE).expect("unavailable", "read_only_repository"));
}
