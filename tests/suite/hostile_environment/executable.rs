//! Which gt is started: from an absolute PATH entry outside the worktree, of a tested version, and still the same file.

use super::{CREATE, INSPECT, run_on_path, world};
use crate::support::{Gt, World};

const TRAP: &str = "#!/bin/sh\ntouch ../outside/mark\necho 1.8.6\n";

fn marked(world: &World) -> bool {
    world.path("outside/mark").exists()
}

#[test]
fn relative_and_empty_entries_never_find_gt() {
    let world = world(Gt::Fake);
    World::script(&world.root().join("gt"), TRAP);
    World::script(&world.root().join("tools/gt"), TRAP);
    for path in [".:tools:./tools::../repo/tools:$BIN:$SYSTEM", ":$BIN:$SYSTEM", "$BIN:$SYSTEM:.:"] {
        drop(run_on_path(&world, path, INSPECT).expect("answered", ""));
    }
    for path in [".:tools::$SYSTEM", "", ".", "tools"] {
        let answer = run_on_path(&world, path, CREATE).expect("unavailable", "gt_missing");
        assert_eq!(answer.exit, Some(8));
    }
    assert!(!marked(&world));
}

#[test]
fn a_gt_inside_the_worktree_is_not_used() {
    let world = world(Gt::Fake);
    World::script(&world.root().join("tools/gt"), TRAP);
    world.sh("ln -s \"$PWD/tools\" ../linked; mkdir ../links; ln -s \"$PWD/tools/gt\" ../links/gt");
    let root = world.root().display().to_string();
    let top = world.path("").display().to_string();
    for inside in
        [format!("{root}/tools"), format!("{top}/linked"), format!("{top}/links"), format!("{root}/../repo/tools")]
    {
        drop(run_on_path(&world, &format!("{inside}:$BIN:$SYSTEM"), INSPECT).expect("answered", ""));
        let answer = run_on_path(&world, &format!("{inside}:$SYSTEM"), CREATE).expect("unavailable", "gt_missing");
        assert!(answer.text().contains("inside the worktree"), "{}", answer.text());
    }
    assert!(!marked(&world));
}

#[test]
fn a_git_inside_the_worktree_is_not_used_by_us() {
    let world = world(Gt::Fake);
    World::script(&world.root().join("tools/git"), TRAP);
    world.write("a.txt", "changed\n");
    let path = format!("{}/tools:$BIN:$SYSTEM", world.root().display());
    drop(run_on_path(&world, &path, r#"{"operation": "stage", "paths": ["a.txt"]}"#).done());
    assert!(!marked(&world));
}

#[test]
fn what_is_no_executable_file_is_passed_over() {
    let world = world(Gt::Fake);
    world.sh("mkdir -p ../p1/gt ../p2 ../p3 ../p4; echo x > ../p2/gt; ln -s nowhere ../p3/gt; mkfifo ../p4/gt");
    let top = world.path("").display().to_string();
    let path = format!("{top}p1:{top}p2:{top}p3:{top}p4:/nonexistent:$BIN:$SYSTEM");
    drop(run_on_path(&world, &path, CREATE).done());
}

#[test]
fn a_missing_gt_is_named_and_nothing_runs() {
    let world = world(Gt::Fake);
    std::fs::remove_file(world.path("bin/gt")).expect("removed");
    for request in [INSPECT, CREATE] {
        drop(run_on_path(&world, "$BIN:$SYSTEM", request).expect("unavailable", "gt_missing"));
    }
}

#[test]
fn another_version_of_gt_is_refused() {
    for (says, told) in [
        ("echo 1.8.5", "1.8.5"),
        ("echo 2.0.0", "2.0.0"),
        ("echo 1.8.60", "1.8.60"),
        ("echo 1.8.6-beta", "1.8.6-beta"),
        ("echo nonsense", "nonsense"),
        ("echo 1.8.6; exit 1", "does not answer"),
        ("exit 0", "does not answer"),
        ("printf '\\377\\376'", "does not answer"),
        ("yes | head -c 3000000", "does not answer"),
        ("echo 1.8.6 >&2", "does not answer"),
        ("kill -9 $$", "does not answer"),
    ] {
        let world = world(Gt::Fake);
        std::fs::remove_file(world.path("bin/gt")).expect("removed");
        World::script(&world.path("bin/gt"), &format!("#!/bin/sh\necho \"$@\" >> ../outside/calls\n{says}\n"));
        let answer = world.run(CREATE).expect("unavailable", "gt_version");
        assert!(answer.text().contains(told), "{says}: {}", answer.text());
        assert!(answer.text().len() < 2000, "{says}: {}", answer.text().len());
        assert_eq!(world.sh("cat ../outside/calls"), "--version");
        assert!(!world.root().join(".git/pi-graphite.json").exists(), "only success is kept");
    }
}

#[test]
fn a_gt_that_cannot_be_started_is_named() {
    for text in ["#!/nonexistent/interpreter\n", "\x7fELF", ""] {
        let world = world(Gt::Fake);
        std::fs::remove_file(world.path("bin/gt")).expect("removed");
        World::script(&world.path("bin/gt"), text);
        let answer = world.run(CREATE);
        assert_eq!(answer.status(), "unavailable", "{text:?}: {:#}", answer.report);
        assert!(answer.text().contains("bin/gt"), "{}", answer.text());
    }
}

#[test]
fn a_gt_that_hangs_at_its_version_ends_at_the_deadline() {
    let world = world(Gt::Fake);
    world.lie(r#"[{"do": "hang", "on": "--version", "when": "instead"}]"#);
    let answer = world.call(&["run", "--timeout", "1"], CREATE);
    assert!(["unavailable", "cancelled"].contains(&answer.status()), "{:#}", answer.report);
}

#[test]
fn a_gt_that_has_changed_is_asked_again() {
    let world = world(Gt::Fake);
    let asked = || world.gt_calls().iter().filter(|call| call.contains("--version")).count();
    drop(world.run(INSPECT).expect("answered", ""));
    drop(world.run(INSPECT).expect("answered", ""));
    let known = asked();
    assert_eq!(known, 1);
    world.sh("echo >> ../bin/gt");
    drop(world.run(INSPECT).expect("answered", ""));
    assert_eq!(asked(), 2, "its size has changed");
    world.sh("touch -d '2020-01-01' ../bin/gt");
    drop(world.run(INSPECT).expect("answered", ""));
    assert_eq!(asked(), 3, "its time has changed");
    std::fs::remove_file(world.path("bin/gt")).expect("removed");
    World::script(&world.path("bin/gt"), "#!/bin/sh\necho 1.9.0\n");
    drop(world.run(CREATE).expect("unavailable", "gt_version"));
}

#[test]
fn the_platforms_executable_is_used_instead_of_the_node_shim() {
    let shim = std::env::var("PI_GRAPHITE_TEST_GT_SHIM").expect("run by `cargo xtask test`, which installs gt");
    let world = world(Gt::Real);
    let answer = run_on_path(&world, &format!("{shim}:$SYSTEM"), CREATE).done();
    let used = answer.report["command"]["executable"].as_str().unwrap_or_default().to_owned();
    assert!(used.contains("graphite-cli-linux-") && used.ends_with("/bin/gt"), "{used}");
}
