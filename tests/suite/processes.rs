//! How many processes a request starts, and which.

use std::path::Path;

use crate::support::{Base, Gt, World};

/// Puts a recorder before the real git: it notes who started it, then becomes git.
fn record_git(world: &World) {
    let script = "#!/bin/sh\n{ tr -d '\\n' < \"/proc/$PPID/comm\"; echo \" $*\"; } >> \"${0%/*}/git-calls\"\nexec -a git GIT \"$@\"\n";
    let git = world.sh("PATH=${PATH#*:}; command -v git");
    let script = script.replace("exec -a git GIT", &format!("exec {git}"));
    World::script(&world.path("bin/git"), &script);
}

/// The git command lines that `pi-graphite` itself started.
fn our_git_calls(world: &World) -> Vec<String> {
    let calls = std::fs::read_to_string(world.path("bin/git-calls")).unwrap_or_default();
    calls.lines().filter_map(|line| line.strip_prefix("pi-graphite ")).map(str::to_owned).collect()
}

fn clear(world: &World) {
    for file in ["bin/git-calls", "bin/calls.jsonl"] {
        let path = world.path(file);
        if Path::new(&path).exists() {
            std::fs::remove_file(path).expect("removed");
        }
    }
}

#[test]
fn a_mutation_with_a_warm_cache_starts_one_gt_and_no_git() {
    let world = World::new(Gt::Fake, Base::Stack);
    record_git(&world);
    let _ = world.run(r#"{"operation": "inspect", "target": "state"}"#).expect("answered", "");
    let requests = [
        ("echo n > n; git add n", r#"{"operation": "create", "name": "d", "subject": "s", "body": "b"}"#),
        ("echo m >> n; git add n", r#"{"operation": "modify_amend"}"#),
        ("echo o > o; git add o", r#"{"operation": "modify_commit", "subject": "s", "body": "b"}"#),
        ("", r#"{"operation": "squash", "subject": "s", "body": "b"}"#),
        ("", r#"{"operation": "rename", "name": "e"}"#),
        ("", r#"{"operation": "move", "source": "e", "onto": "b"}"#),
        ("", r#"{"operation": "fold"}"#),
        ("", r#"{"operation": "checkout", "branch": "c"}"#),
        ("git checkout -q a; commit a2; git checkout -q c", r#"{"operation": "restack", "branch": "c"}"#),
    ];
    for (setup, request) in requests {
        world.sh(setup);
        clear(&world);
        let _ = world.run(request).done();
        assert_eq!(world.gt_calls().len(), 1, "{request}: {:?}", world.gt_calls());
        assert_eq!(our_git_calls(&world), Vec::<String>::new(), "{request}");
    }
}

#[test]
fn a_question_that_graphites_state_answers_starts_nothing() {
    let world = World::new(Gt::Fake, Base::Stack);
    record_git(&world);
    let _ = world.run(r#"{"operation": "inspect", "target": "state"}"#).expect("answered", "");
    clear(&world);
    for target in ["state", "parent", "children", "trunk"] {
        let _ = world.run(&format!(r#"{{"operation": "inspect", "target": "{target}"}}"#)).expect("answered", "");
    }
    assert_eq!((world.gt_calls(), our_git_calls(&world)), (Vec::new(), Vec::new()));
}

#[test]
fn the_version_is_asked_once_and_again_when_the_executable_changes() {
    let world = World::new(Gt::Fake, Base::Stack);
    let inspect = r#"{"operation": "inspect", "target": "state"}"#;
    let cache = |answer: crate::support::Answer| answer.expect("answered", "").report["repository"]["cache"].clone();
    assert_eq!(cache(world.run(inspect)), "written");
    assert_eq!(cache(world.run(inspect)), "persistent");
    world.sh("touch -d @1 ../bin/gt");
    assert_eq!(cache(world.run(inspect)), "written");
    world.lie(r#"[{"when": "instead", "do": "stdout", "text": "1.9.0\n", "on": "--version"}]"#);
    world.sh("touch -d @2 ../bin/gt");
    let _ = world.run(inspect).expect("unavailable", "gt_version");
}
