//! Odd places that could hang a reader, or decide what runs.

use crate::support::{Base, Gt, World};

const STATE: &str = r#"{"operation": "inspect", "target": "state"}"#;
const CREATE: &str = r#"{"operation": "create", "name": "d", "subject": "d", "body": "b"}"#;

#[test]
fn a_fifo_as_the_persons_own_git_file_hangs_nothing() {
    for file in [".gitconfig", ".config/git/config", ".config/git/ignore", ".config/git/attributes"] {
        let world = World::new(Gt::Fake, Base::Stack);
        world.sh(&format!("mkdir -p \"$HOME/.config/git\"; mkfifo \"$HOME/{file}\""));
        for command in ["run", "plan"] {
            let refused = world.call(&[command], STATE).expect("unavailable", "unsupported_repository");
            assert!(refused.text().contains(file), "{}", refused.text());
        }
    }
}

#[test]
fn a_git_extension_that_is_not_known_is_named() {
    let world = World::new(Gt::Fake, Base::Stack);
    world.sh("git config core.repositoryFormatVersion 1; git config extensions.fancy true");
    let refused = world.run(STATE).expect("unavailable", "unsupported_repository");
    assert!(refused.text().contains("`fancy`"), "{}", refused.text());
}

#[test]
fn parents_that_form_a_cycle_are_named() {
    let world = World::new(Gt::Fake, Base::Stack);
    world.sh("gt state > /dev/null 2>&1");
    let database = rusqlite::Connection::open(world.root().join(".git/.graphite_metadata.db")).expect("opened");
    // As gt itself would have cached it: every row counts as valid.
    let row = "update branch_metadata set parent_branch_name = ?1, parent_head_revision = (select branch_revision from \
               branch_metadata where branch_name = ?1) where branch_name = ?2";
    for (parent, branch) in [("c", "a"), ("a", "b"), ("b", "c")] {
        database.execute(row, [parent, branch]).expect("changed");
    }
    drop(database);
    let refused = world.run(STATE).expect("unavailable", "state_unreadable");
    assert!(refused.text().contains("cycle"), "{}", refused.text());
}

#[test]
fn a_branch_named_like_gits_head_stops_every_change() {
    let world = World::new(Gt::Fake, Base::Stack);
    world.sh("echo n > n; git add n; git update-ref refs/heads/HEAD main");
    let refused = world.run(CREATE).expect("refused", "ambiguous_ref");
    assert!(refused.text().contains("refs/heads/HEAD"), "{}", refused.text());
}

#[test]
fn a_git_inside_the_worktree_is_not_what_gt_runs() {
    let world = World::new(Gt::Fake, Base::Stack);
    World::script(
        &world.root().join("node_modules/.bin/git"),
        "#!/bin/sh\necho ran > ../mark\nexec /usr/bin/env false\n",
    );
    world.sh("echo node_modules > .git/info/exclude; echo n > n; git add n");
    let mut command = world.pi_graphite(&["run"]);
    let path = std::env::var("PATH").unwrap_or_default();
    let inside = world.root().join("node_modules/.bin");
    command.env("PATH", format!("{}:{}:{path}", inside.display(), world.path("bin").display()));
    let mut child = command.spawn().expect("it starts");
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), CREATE.as_bytes()).expect("written");
    let _ = crate::support::Answer::of(&child.wait_with_output().expect("it ends")).done();
    assert!(!world.path("mark").exists(), "the repository's own git ran");
}
