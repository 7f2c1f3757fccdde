//! Two at once, and holders that are killed.

use std::process::Child;
use std::time::Duration;

use crate::support::{Answer, Base, Gt, World};

const STATE: &str = r#"{"operation": "inspect", "target": "state"}"#;

fn create(name: &str) -> String {
    format!(r#"{{"operation": "create", "name": "{name}", "subject": "{name}", "body": "b"}}"#)
}

/// A pre-commit hook that says that it runs and then waits until it is let go.
fn slow_hook(world: &World) {
    let script = "#!/bin/sh\necho $$ > ../hook-runs\ni=0; while [ ! -e ../hook-may-end ] && [ $i -lt 600 ]; do sleep 0.05; i=$((i+1)); done\n";
    World::script(&world.root().join(".git/hooks/pre-commit"), script);
}

/// Kills a create whose hook waits; the gt that it started goes on.
fn kill_a_create_in_its_hook(world: &World) {
    slow_hook(world);
    world.sh("echo n > n; git add n");
    let mut holder = world.start(&["run"], &create("d"));
    world.wait_for("hook-runs");
    holder.kill().expect("killed");
    let _ = holder.wait().expect("reaped");
}

fn two_creates_lose_nothing(gt: Gt) {
    let world = World::new(gt, Base::Stack);
    let _ = world.run(STATE).expect("answered", "");
    for round in 0..3 {
        world.sh(&format!("echo {round} > n{round}; git add n{round}"));
        let both = [format!("x{round}"), format!("y{round}")].map(|name| world.start(&["run"], &create(&name)));
        let mut ends = both.map(Answer::after).map(|answer| (answer.status().to_owned(), answer.code().to_owned()));
        ends.sort();
        assert_eq!(ends[0], ("done".to_owned(), String::new()));
        assert_eq!(ends[1], ("refused".to_owned(), "nothing_staged".to_owned()));
        assert_eq!(world.sh(&format!("git show HEAD:n{round}")), round.to_string());
        assert_eq!(world.sh("git status --porcelain"), "");
    }
}

#[test]
fn two_creates_at_once_lose_nothing_on_the_fake() {
    two_creates_lose_nothing(Gt::Fake);
}

#[test]
fn two_creates_at_once_lose_nothing_on_real_gt() {
    two_creates_lose_nothing(Gt::Real);
}

#[test]
fn create_and_restack_in_two_worktrees_wait_for_each_other() {
    let world = World::new(Gt::Real, Base::Stack);
    world.sh("git checkout -q main; commit m; git worktree add -q ../wt c; echo n > n; git add n");
    let restack = world.start(&["run", "--cwd", "../wt"], r#"{"operation": "restack", "branch": "c"}"#);
    let created = world.start(&["run"], &create("d"));
    let (restack, created) = (Answer::after(restack).done(), Answer::after(created).done());
    assert!(restack.report["needs_restack"].is_null() && created.report["needs_restack"].is_null());
    assert_eq!(world.sh("git log --format=%s c --"), "c\nb\na\nm\nbase.txt");
    assert_eq!(world.sh("git log --format=%s d -- | head -1"), "d");
}

#[test]
fn a_busy_lock_names_its_holder() {
    let world = World::new(Gt::Fake, Base::Stack);
    slow_hook(&world);
    world.sh("echo n > n; git add n");
    let holder = world.start(&["run"], &create("d"));
    world.wait_for("hook-runs");
    let busy = world.call(&["run", "--lock-wait", "0.2"], STATE).expect("unavailable", "lock_busy");
    assert!(
        busy.text().contains(&format!("process {}", holder.id())) && busy.text().contains("create"),
        "{}",
        busy.text()
    );
    std::fs::write(world.path("hook-may-end"), "").expect("written");
    let _ = Answer::after(holder).done();
    let _ = world.run(STATE).expect("answered", "");
}

#[test]
fn a_killed_holder_is_told_by_the_next_call_and_its_gt_may_finish() {
    for gt in [Gt::Fake, Gt::Real] {
        let world = World::new(gt, Base::Stack);
        kill_a_create_in_its_hook(&world);
        // The gt that it started goes on and keeps the lock.
        let busy = world.call(&["run", "--lock-wait", "0.2"], STATE).expect("unavailable", "lock_busy");
        assert!(busy.text().contains("was killed, but the gt that it started still runs"), "{}", busy.text());
        std::fs::write(world.path("hook-may-end"), "").expect("written");
        std::fs::remove_file(world.root().join(".git/hooks/pre-commit")).expect("removed");
        world.sh("echo m > m");
        let next = world.run(r#"{"operation": "stage", "paths": ["m"]}"#).done();
        let warning = next.report["warnings"][0].as_str().unwrap_or_default().to_owned();
        assert!(warning.contains("was killed during `create`") && warning.contains("branch d is new"), "{warning}");
        assert_eq!(world.sh("git show d:n"), "n");
        // It is told once.
        assert!(world.run(&create("e")).done().report["warnings"].is_null());
    }
}

#[test]
fn a_killed_holders_gt_that_hangs_is_interrupted_by_the_next_call() {
    for gt in [Gt::Fake, Gt::Real] {
        let world = World::new(gt, Base::Stack);
        kill_a_create_in_its_hook(&world);
        std::fs::remove_file(world.root().join(".git/hooks/pre-commit")).expect("removed");
        let next = world.call(&["run", "--lock-wait", "4"], &create("e")).done();
        let warning = next.report["warnings"][0].as_str().unwrap_or_default().to_owned();
        assert!(warning.contains("was killed during `create`"), "{warning}");
        assert_eq!(
            world.sh("git show e:n; git for-each-ref --format='%(refname:short)' refs/heads/"),
            "n\na\nb\nc\ne\nmain"
        );
    }
}

#[test]
fn gits_own_lock_file_is_waited_for_and_then_named() {
    let world = World::new(Gt::Fake, Base::Stack);
    world.sh("echo n > n; git add n; touch .git/index.lock");
    let busy = world.call(&["run", "--lock-wait", "0.2"], &create("d")).expect("unavailable", "repository_busy");
    assert!(busy.text().contains("index.lock"), "{}", busy.text());
    let waiting = world.start(&["run"], &create("d"));
    std::thread::sleep(Duration::from_millis(200));
    std::fs::remove_file(world.root().join(".git/index.lock")).expect("removed");
    let _ = Answer::after(waiting).done();
}

#[test]
fn a_raw_gt_at_work_is_waited_for_and_then_named() {
    let world = World::new(Gt::Real, Base::Stack);
    slow_hook(&world);
    world.sh("echo n > n; git add n");
    let mut raw =
        world.command("gt").args(["create", "raw", "--message=m", "--no-interactive"]).spawn().expect("it starts");
    world.wait_for("hook-runs");
    let busy = world.call(&["run", "--lock-wait", "0.2"], r#"{"operation": "checkout", "branch": "a"}"#);
    let busy = busy.expect("unavailable", "repository_busy");
    assert!(busy.text().contains("gt create raw") || busy.text().contains("index.lock"), "{}", busy.text());
    std::fs::write(world.path("hook-may-end"), "").expect("written");
    assert!(raw.wait().expect("it ends").success());
}

#[test]
fn reads_go_on_beside_reads() {
    let world = World::new(Gt::Fake, Base::Stack);
    let _ = world.run(STATE).expect("answered", "");
    let all: Vec<Child> = (0..20).map(|_| world.start(&["run"], STATE)).collect();
    for child in all {
        let _ = Answer::after(child).expect("answered", "");
    }
}

#[test]
fn a_killed_checkout_is_told_by_what_it_left() {
    let world = World::new(Gt::Fake, Base::Stack);
    let script = "#!/bin/sh\ntouch ../hook-runs; while [ ! -e ../hook-may-end ]; do sleep 0.05; done\n";
    World::script(&world.root().join(".git/hooks/post-checkout"), script);
    let mut holder = world.start(&["run"], r#"{"operation": "checkout", "branch": "a"}"#);
    world.wait_for("hook-runs");
    holder.kill().expect("killed");
    let _ = holder.wait().expect("reaped");
    std::fs::write(world.path("hook-may-end"), "").expect("written");
    let told = world.run(STATE).expect("answered", "").report["warnings"].to_string();
    assert!(told.contains("HEAD was refs/heads/c and is refs/heads/a"), "{told}");
    assert!(told.contains("index has changed"), "{told}");
}
