//! Cancelling at each stage, deadlines, floods, and children that want something from a person.

use std::process::Child;
use std::time::Duration;

use crate::support::{Answer, Base, Gt, World};

const CREATE: &str = r#"{"operation": "create", "name": "d", "subject": "d", "body": "b"}"#;

fn staged(gt: Gt) -> World {
    let world = World::new(gt, Base::Stack);
    world.sh("echo n > n; git add n; echo mine >> a.txt; echo u > u");
    world
}

fn signal(child: &Child, signal: &str) {
    let sent = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
}

/// Everything that must be as it was.
fn described(world: &World) -> String {
    world.sh("git symbolic-ref HEAD; git for-each-ref; git status --porcelain; cat a.txt u n; git write-tree")
}

#[test]
fn cancelling_during_a_hook_puts_everything_back() {
    for (gt, with) in [(Gt::Fake, "-INT"), (Gt::Real, "-INT"), (Gt::Real, "-TERM"), (Gt::Real, "-HUP")] {
        let world = staged(gt);
        World::script(&world.root().join(".git/hooks/pre-commit"), "#!/bin/sh\ntouch ../hook-runs; sleep 30\n");
        let before = described(&world);
        let child = world.start(&["run"], CREATE);
        world.wait_for("hook-runs");
        signal(&child, with);
        let answer = Answer::after(child).expect("cancelled", "cancelled");
        assert_eq!((answer.exit, answer.report["fault"]["effect"].as_str()), (Some(9), Some("none")));
        assert_eq!(described(&world), before, "{gt:?} {with}");
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(described(&world), before, "an orphan went on after {with}");
    }
}

#[test]
fn cancelling_while_waiting_for_the_lock_starts_nothing() {
    let world = staged(Gt::Fake);
    World::script(&world.root().join(".git/hooks/pre-commit"), "#!/bin/sh\ntouch ../hook-runs; sleep 1\n");
    let holder = world.start(&["run"], CREATE);
    world.wait_for("hook-runs");
    let calls = world.gt_calls().len();
    let waiting = world.start(&["run"], r#"{"operation": "checkout", "branch": "a"}"#);
    std::thread::sleep(Duration::from_millis(200));
    signal(&waiting, "-INT");
    let _ = Answer::after(waiting).expect("cancelled", "cancelled");
    assert_eq!(world.gt_calls().len(), calls);
    let _ = Answer::after(holder).done();
}

#[test]
fn cancelling_while_waiting_for_git_starts_nothing() {
    let world = staged(Gt::Fake);
    world.sh("touch .git/index.lock");
    let waiting = world.start(&["run"], CREATE);
    std::thread::sleep(Duration::from_millis(300));
    signal(&waiting, "-TERM");
    let _ = Answer::after(waiting).expect("cancelled", "cancelled");
}

#[test]
fn cancelling_in_the_middle_of_a_restack_tells_what_moved() {
    let world = World::new(Gt::Fake, Base::Stack);
    world.sh("git checkout -q main; commit m; git checkout -q c");
    world.lie(r#"[{"when": "before", "do": "git", "args": ["update-ref", "refs/heads/a", "refs/heads/main"], "on": "restack"}, {"when": "before", "do": "write", "path": "../runs", "content": "", "on": "restack"}, {"when": "before", "do": "hang", "on": "restack"}]"#);
    let child = world.start(&["run"], r#"{"operation": "restack", "branch": "c"}"#);
    world.wait_for("runs");
    signal(&child, "-INT");
    let answer = Answer::after(child).expect("uncertain", "incomplete");
    assert_eq!((answer.exit, answer.report["fault"]["effect"].as_str()), (Some(7), Some("applied")));
    assert!(answer.text().contains("`branch a`"), "{}", answer.text());
    assert!(answer.report["recovery"][0].as_str().is_some_and(|line| line.contains("update-ref refs/heads/a")));
}

#[test]
fn a_child_that_hangs_is_stopped_at_the_deadline() {
    for lie in
        [r#"[{"when": "instead", "do": "hang"}]"#, r#"[{"when": "instead", "do": "hang", "ignore_sigint": true}]"#]
    {
        let world = staged(Gt::Fake);
        let _ = world.run(r#"{"operation": "inspect", "target": "state"}"#).expect("answered", "");
        world.lie(lie);
        let before = described(&world);
        let answer = world.call(&["run", "--timeout", "0.3"], CREATE).expect("cancelled", "timed_out");
        assert_eq!(answer.exit, Some(9));
        assert_eq!(described(&world), before);
    }
}

#[test]
fn a_child_that_was_killed_after_a_change_is_told() {
    let world = staged(Gt::Fake);
    let _ = world.run(r#"{"operation": "inspect", "target": "state"}"#).expect("answered", "");
    world.lie(r#"[{"do": "crash_after", "on": "create"}]"#);
    let answer = world.run(CREATE).expect("uncertain", "incomplete");
    assert!(answer.text().contains("killed by signal 9"), "{}", answer.text());
}

#[test]
fn a_flood_of_output_keeps_head_and_tail() {
    let world = staged(Gt::Fake);
    world.lie(r#"[{"when": "before", "do": "stdout", "text": "first line\n", "on": "create"}, {"when": "before", "do": "flood", "bytes": 20000000, "on": "create"}, {"when": "after", "do": "stdout", "text": "last line\n", "on": "create"}]"#);
    let answer = world.run(CREATE).done();
    let stdout = answer.report["command"]["stdout"].as_str().unwrap_or_default();
    assert!(stdout.starts_with("first line") && stdout.ends_with("last line\n") && stdout.contains("bytes left out"));
    assert!(stdout.len() < 200_000, "{}", stdout.len());
}

#[test]
fn a_child_that_reads_gets_an_end_at_once_and_an_editor_fails() {
    let world = staged(Gt::Fake);
    world.lie(r#"[{"when": "before", "do": "read_stdin", "on": "create"}]"#);
    let answer = world.run(CREATE).done();
    let said = answer.report["command"]["stdout"].as_str().unwrap_or_default().to_owned();
    assert!(said.contains('0'), "{said}");
    let world = staged(Gt::Fake);
    world.lie(r#"[{"when": "instead", "do": "editor", "on": "create"}]"#);
    let _ = world.run(CREATE).expect("failed", "gt_failed");
}

#[test]
fn an_empty_amend_would_open_an_editor_and_is_refused_within_a_moment() {
    let world = World::new(Gt::Real, Base::Stack);
    world.sh("gt create e --message=x --no-interactive > /dev/null 2>&1; echo z > z; git add z");
    let _ = world.run(r#"{"operation": "modify_amend"}"#).expect("refused", "nothing_to_amend");
    assert_eq!(world.sh("git diff --cached --name-only"), "z");
}

#[test]
fn a_hook_that_ignores_the_interrupt_is_killed_and_head_is_put_back() {
    let world = staged(Gt::Real);
    World::script(
        &world.root().join(".git/hooks/pre-commit"),
        "#!/bin/sh\ntrap '' INT TERM\ntouch ../hook-runs\nfor i in $(seq 300); do sleep 0.1; done\n",
    );
    let before = described(&world);
    let child = world.start(&["run"], CREATE);
    world.wait_for("hook-runs");
    signal(&child, "-INT");
    let answer = Answer::after(child).expect("cancelled", "cancelled");
    assert_eq!(described(&world), before, "{:#}", answer.report);
}

#[test]
fn a_commit_that_landed_on_no_branch_is_named() {
    let world = staged(Gt::Fake);
    world.lie(
        r#"[{"when": "instead", "do": "git", "args": ["checkout", "-q", "--detach"], "on": "create"}, {"when": "instead", "do": "git", "args": ["commit", "-qm", "d"], "on": "create"}, {"do": "exit", "code": 1, "on": "create"}]"#,
    );
    let answer = world.run(CREATE).expect("uncertain", "incomplete");
    let recovery = answer.report["recovery"].to_string();
    assert!(recovery.contains("a commit on no branch") && recovery.contains("git switch c"), "{recovery}");
}

/// The direct children of a process.
fn children_of(pid: u32) -> Vec<u32> {
    let list = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    list.split_whitespace().filter_map(|child| child.parse().ok()).collect()
}

#[test]
fn a_gt_that_is_killed_alone_leaves_no_orphan_that_commits_later() {
    let world = staged(Gt::Real);
    World::script(&world.root().join(".git/hooks/pre-commit"), "#!/bin/sh\ntouch ../hook-runs; sleep 2\n");
    let before = described(&world);
    let child = world.start(&["run"], CREATE);
    world.wait_for("hook-runs");
    for gt in children_of(child.id()) {
        let killed = std::process::Command::new("kill").args(["-9", &gt.to_string()]).status().expect("kill runs");
        assert!(killed.success());
    }
    let answer = Answer::after(child).expect("failed", "gt_failed");
    assert!(answer.text().contains("killed by signal 9"), "{}", answer.text());
    assert_eq!(described(&world), before, "{:#}", answer.report);
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(described(&world), before, "an orphan committed later");
}

#[test]
fn a_deadline_while_the_version_is_asked_is_a_deadline() {
    let world = staged(Gt::Fake);
    world.lie(r#"[{"when": "instead", "do": "hang", "on": "--version"}]"#);
    let answer = world.call(&["run", "--timeout", "0.2"], CREATE).expect("cancelled", "timed_out");
    assert_eq!(answer.exit, Some(9));
}
