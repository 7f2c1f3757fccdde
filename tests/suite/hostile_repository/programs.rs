//! Programs that a repository names: looking and planning start none of them. Each would leave a mark outside.

use super::{CREATE, INSPECT, creates, soon, world};
use crate::support::{Base, Gt, World};

/// A program that leaves its mark: the folder's own path is in it, since no variable reaches a child.
fn trap(world: &World, name: &str) -> String {
    let path = world.path(&format!("traps/{name}"));
    let mark = world.path(&format!("outside/{name}"));
    World::script(&path, &format!("#!/bin/sh\ntouch {}\ncat 2> /dev/null\n", mark.display()));
    path.display().to_string()
}

fn marks(world: &World) -> Vec<String> {
    world.sh("ls ../outside").lines().map(str::to_owned).collect()
}

/// Every key of git's configuration that names a program, with a trap for each.
const TRAPS: &[(&str, &str)] = &[
    ("filter.cleaned.clean", "clean"),
    ("filter.cleaned.smudge", "smudge"),
    ("filter.processed.process", "process"),
    ("core.fsmonitor", "fsmonitor"),
    ("diff.external", "external"),
    ("diff.converted.textconv", "textconv"),
    ("diff.commanded.command", "command"),
    ("merge.driven.driver", "driver"),
    ("core.sshCommand", "ssh"),
    ("core.editor", "editor"),
    ("sequence.editor", "sequence"),
    ("core.pager", "pager"),
    ("pager.log", "pager-log"),
    ("core.askPass", "askpass"),
    ("core.gitProxy", "proxy"),
    ("credential.helper", "credential"),
    ("gpg.program", "gpg"),
    ("trailer.x.command", "trailer"),
    ("interactive.diffFilter", "diff-filter"),
    ("core.alternateRefsCommand", "alternate-refs"),
    ("uploadpack.packObjectsHook", "pack-objects"),
];
const HOOKS: [&str; 7] = [
    "pre-commit",
    "commit-msg",
    "post-commit",
    "post-checkout",
    "reference-transaction",
    "post-index-change",
    "pre-rebase",
];

/// Sets every trap in the repository of the folder, with files that would spring them.
fn set_all(world: &World, folder: &str) {
    let mut script = format!(
        "cd {folder}; printf '*.c filter=cleaned\\n*.p filter=processed\\n*.d diff=converted\\n*.e diff=commanded\\n* merge=driven\\n' > .gitattributes
for f in x.c x.p x.d x.e; do echo old > $f; done; git add -A; git commit -qm files
for f in x.c x.p x.d x.e; do echo new > $f; done; mkdir hooks\n"
    );
    for (key, name) in TRAPS {
        script.push_str(&format!("git config {key} {}\n", trap(world, name)));
    }
    for hook in HOOKS {
        script.push_str(&format!("ln -s {} hooks/{hook}\n", trap(world, &format!("hook-{hook}"))));
    }
    script.push_str(
        "git config core.hooksPath hooks; git config alias.status '!false'; git config commit.gpgsign true\n",
    );
    world.sh(&script);
}

/// Looks and plans everything that can be looked at and planned in process.
fn look_and_plan(world: &World) {
    for target in ["state", "parent", "children", "trunk"] {
        drop(soon(world, &["run"], &INSPECT.replace("state", target)).expect("answered", ""));
    }
    for request in [
        r#"{"operation": "create", "name": "new", "subject": "s", "body": "b"}"#,
        r#"{"operation": "modify_commit", "subject": "s", "body": "b"}"#,
        r#"{"operation": "modify_amend"}"#,
        r#"{"operation": "squash", "subject": "s", "body": "b"}"#,
        r#"{"operation": "fold"}"#,
        r#"{"operation": "rename", "name": "renamed"}"#,
        r#"{"operation": "move", "source": "c", "onto": "a"}"#,
        r#"{"operation": "restack", "branch": "b"}"#,
        r#"{"operation": "delete", "branch": "b"}"#,
        r#"{"operation": "checkout", "branch": "a"}"#,
        r#"{"operation": "continue"}"#,
        r#"{"operation": "abort"}"#,
        r#"{"operation": "stage", "paths": ["x.c"]}"#,
        r#"{"operation": "unstage", "paths": ["staged.txt"]}"#,
    ] {
        drop(soon(world, &["plan"], request));
    }
    for view in ["stack", "doctor"] {
        let output = world.pi_graphite(&[view]).output().expect("it ends");
        assert!(!output.stdout.is_empty(), "{view}");
    }
}

#[test]
fn looking_and_planning_start_no_program_of_the_repository() {
    let world = world(Gt::Fake);
    set_all(&world, ".");
    look_and_plan(&world);
    assert_eq!(marks(&world), [""; 0]);
    // The traps do work: git itself springs them.
    world.sh("git status > /dev/null 2>&1 || true; git diff > /dev/null 2>&1 || true; git diff --no-ext-diff > /dev/null 2>&1 || true; git commit -qm x > /dev/null 2>&1 || true");
    let sprung = marks(&world);
    for name in ["clean", "process", "fsmonitor", "external", "textconv", "hook-pre-commit"] {
        assert!(sprung.iter().any(|mark| mark == name), "{name} does not work: {sprung:?}");
    }
}

#[test]
fn looking_and_planning_start_no_program_of_a_submodule() {
    let world = world(Gt::Fake);
    world.sh("git init -qb main ../inner; (cd ../inner; commit x)
git -c protocol.file.allow=always submodule --quiet add ../inner sub; git commit -qm sub --only sub .gitmodules");
    set_all(&world, "sub");
    look_and_plan(&world);
    assert_eq!(marks(&world), [""; 0]);
    world.sh("git status > /dev/null 2>&1 || true");
    assert!(marks(&world).contains(&"clean".to_owned()), "the traps do work");
}

#[test]
fn looking_and_planning_start_no_program_of_a_nested_repository() {
    let world = world(Gt::Fake);
    world.sh("git init -qb main nested; cd nested; commit x");
    set_all(&world, "nested");
    look_and_plan(&world);
    assert_eq!(marks(&world), [""; 0]);
}

#[test]
fn foreseeing_a_merge_starts_no_driver() {
    let world = World::new(Gt::Fake, Base::Init);
    let driver = trap(&world, "driver");
    world.sh(&format!(
        "seq 30 > f; git add f; gt create a --message=a --no-interactive > /dev/null 2>&1
sed -i 's/^30$/thirty/' f; git add f; gt create b --message=b --no-interactive > /dev/null 2>&1
git switch -q a; sed -i 's/^1$/one/' f; git commit -qam more; git switch -q main; git switch -q a
echo '* merge=driven' > .git/info/attributes; git config merge.driven.driver '{driver} %A'; git config merge.default driven"
    ));
    for request in [
        r#"{"operation": "restack", "branch": "a"}"#,
        r#"{"operation": "modify_commit", "subject": "s", "body": "b"}"#,
        r#"{"operation": "fold"}"#,
        r#"{"operation": "delete", "branch": "a"}"#,
        r#"{"operation": "move", "source": "b", "onto": "main"}"#,
    ] {
        drop(soon(&world, &["plan"], request));
    }
    drop(soon(&world, &["run"], r#"{"operation": "delete", "branch": "a"}"#));
    assert_eq!(marks(&world), [""; 0]);
    world.sh("git switch -q --detach b; git rebase a > /dev/null 2>&1 || git rebase --abort || true");
    assert_eq!(marks(&world), ["driver"], "the trap does work");
}

#[test]
fn gt_itself_is_kept_from_the_file_monitor_the_editor_and_the_pager() {
    for gt in [Gt::Fake, Gt::Real] {
        let world = world(gt);
        for (key, name) in [
            ("core.fsmonitor", "fsmonitor"),
            ("core.editor", "editor"),
            ("sequence.editor", "sequence"),
            ("core.pager", "pager"),
            ("core.askPass", "askpass"),
        ] {
            let path = trap(&world, name);
            world.sh(&format!("git config {key} {path}"));
        }
        for target in ["stack", "stack_short", "info"] {
            drop(soon(&world, &["run"], &INSPECT.replace("state", target)).expect("answered", ""));
        }
        drop(soon(&world, &["run"], CREATE).done());
        assert_eq!(marks(&world), [""; 0], "{gt:?}");
    }
}

#[test]
fn what_gt_will_run_of_the_repository_is_named_in_the_warnings() {
    let world = world(Gt::Fake);
    let path = trap(&world, "hook");
    world.sh(&format!("mkdir hooks; ln -s {path} hooks/pre-commit; git config core.hooksPath hooks; echo '*.bin filter=big' > .git/info/attributes; git config filter.big.clean cat"));
    let warnings = creates(&world).report["warnings"].to_string();
    assert!(warnings.contains("pre-commit") && warnings.contains("big"), "{warnings}");
}
