//! Hazards that no story can express: all processes of a change are killed at once.

use std::time::{Duration, Instant};

use crate::support::{Base, Gt, World};

const CREATE: &str = r#"{"operation": "create", "name": "d", "subject": "d", "body": "b"}"#;
const STATE: &str = r#"{"operation": "inspect", "target": "state"}"#;

/// A `create` that is killed with its gt and everything below while a hook runs.
fn killed_during_a_hook(gt: Gt) -> World {
    let world = World::new(gt, Base::Stack);
    let hook = world.root().join(".git/hooks/pre-commit");
    World::script(&hook, "#!/bin/sh\necho $$ > ../hook.tmp; mv ../hook.tmp ../hook-runs; sleep 60\n");
    world.sh("echo n > n; git add n; echo mine >> a.txt; echo u > u");
    let mut holder = world.start(&["run"], CREATE);
    let begun = Instant::now();
    while !world.path("hook-runs").exists() {
        assert!(begun.elapsed() < Duration::from_secs(20), "the hook never ran");
        std::thread::sleep(Duration::from_millis(10));
    }
    holder.kill().expect("killed");
    let _ = holder.wait().expect("reaped");
    // The hook is in the group that gt leads.
    world.sh("kill -9 -$(ps -o pgid= -p $(cat ../hook-runs) | tr -d ' '); rm .git/hooks/pre-commit");
    assert_eq!(world.sh("git symbolic-ref -q HEAD || echo detached"), "detached");
    world
}

#[test]
fn after_all_were_killed_the_next_change_puts_head_back_and_says_so() {
    for gt in [Gt::Fake, Gt::Real] {
        let world = killed_during_a_hook(gt);
        let next = world.run(CREATE).done();
        let warning = next.report["warnings"][0].as_str().unwrap_or_default();
        assert!(warning.contains("was killed during `create` before it could report"), "{warning}");
        assert!(warning.contains("HEAD had been left detached and is on `c` again"), "{warning}");
        assert_eq!(next.report["before"]["branch"], "c");
        assert_eq!(world.sh("git symbolic-ref --short HEAD; git log --format=%s -- | head -2"), "d\nd\nc");
        assert_eq!(world.sh("git status --porcelain; git show d:n; tail -1 a.txt"), " M a.txt\n?? u\nn\nmine");
        // It is told once.
        assert!(world.run(r#"{"operation": "stage", "paths": ["u"]}"#).done().report["warnings"].is_null());
    }
}

#[test]
fn after_all_were_killed_a_question_tells_and_changes_nothing() {
    for gt in [Gt::Fake, Gt::Real] {
        let world = killed_during_a_hook(gt);
        for _ in 0..2 {
            let answer = world.run(STATE).expect("answered", "");
            let warning = answer.report["warnings"][0].as_str().unwrap_or_default();
            assert!(warning.contains("was killed during `create`"), "{warning}");
            assert!(warning.contains("HEAD was refs/heads/c and is"), "{warning}");
        }
        assert_eq!(world.sh("git symbolic-ref -q HEAD || echo detached"), "detached");
        assert_eq!(world.sh("git diff --cached --name-only"), "n");
    }
}
