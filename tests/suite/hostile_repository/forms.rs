//! Repositories of an unusual form: bare, without a commit, behind a file or a link, of another format, of another user.

use super::{CREATE, INSPECT, busy, creates, creates_or_stops, refuses_all, soon, world};
use crate::support::{Base, Gt, Treasure, World, give_away};

fn empty(gt: Gt) -> World {
    World::new(gt, Base::Empty)
}

#[test]
fn a_bare_repository_is_no_worktree() {
    let world = empty(Gt::Fake);
    world.sh("git init -q --bare -b main .");
    drop(refuses_all(&world, "no_repository"));
    drop(soon(&world, &["run", "--cwd", "refs"], INSPECT).expect("unavailable", "no_repository"));
}

#[test]
fn the_git_directory_itself_is_no_worktree() {
    let world = world(Gt::Fake);
    for inside in [".git", ".git/refs"] {
        drop(soon(&world, &["run", "--cwd", inside], CREATE).expect("unavailable", "no_repository"));
    }
}

#[test]
fn a_repository_that_says_it_is_bare_is_refused() {
    let world = world(Gt::Fake);
    world.sh("git config core.bare true");
    let answer = soon(&world, &["run"], CREATE);
    assert!(["no_repository", "unsupported_repository"].contains(&answer.code()), "{:#}", answer.report);
}

#[test]
fn a_git_file_that_points_nowhere_is_refused() {
    let world = world(Gt::Fake);
    world.sh("mv .git ../kept");
    for text in ["gitdir: ../nowhere", "gitdir:", "gitdir: ", "nonsense", ""] {
        world.write(".git", text);
        let answer = refuses_all(&world, "unsupported_repository");
        assert!(answer.text().contains("repo"), "{}", answer.text());
    }
}

#[test]
fn a_git_file_that_points_to_itself_or_to_no_text_is_refused() {
    let world = world(Gt::Fake);
    world.sh("mv .git ../kept; echo 'gitdir: .git' > .git");
    drop(refuses_all(&world, "unsupported_repository"));
    world.sh(r"printf 'gitdir: \377\376\0' > .git");
    drop(refuses_all(&world, "unsupported_repository"));
}

#[test]
fn a_git_file_that_points_to_the_repository_works() {
    for gt in [Gt::Fake, Gt::Real] {
        let world = world(gt);
        world.sh("mv .git ../kept; echo 'gitdir: ../kept' > .git");
        drop(creates(&world));
    }
}

#[test]
fn a_git_link_works_as_git_has_it() {
    for gt in [Gt::Fake, Gt::Real] {
        let world = world(gt);
        world.sh("mv .git ../kept; ln -s ../kept .git");
        drop(creates(&world));
    }
}

#[test]
fn a_git_link_to_nowhere_is_refused() {
    let world = world(Gt::Fake);
    world.sh("mv .git ../kept; ln -s ../nowhere .git");
    drop(refuses_all(&world, "unsupported_repository"));
    world.sh("ln -sfn .git .git");
    drop(refuses_all(&world, "unsupported_repository"));
}

#[test]
fn a_branch_without_a_commit_is_looked_at_and_not_built_on() {
    let world = world(Gt::Fake);
    world.sh("git symbolic-ref HEAD refs/heads/unborn");
    drop(soon(&world, &["run"], INSPECT).expect("answered", ""));
    let answer = soon(&world, &["run"], CREATE);
    assert_eq!((answer.status(), answer.exit), ("refused", Some(3)), "{:#}", answer.report);
}

#[test]
fn a_repository_without_any_commit_has_no_graphite() {
    let world = empty(Gt::Fake);
    world.sh("git init -qb main; echo x > x; git add x");
    drop(refuses_all(&world, "not_graphite"));
    world.sh("echo y > y");
    drop(soon(&world, &["run"], r#"{"operation": "unstage", "paths": ["x"]}"#).expect("refused", "branch_missing"));
    drop(soon(&world, &["run"], r#"{"operation": "stage", "paths": ["y"]}"#).done());
    assert_eq!(world.sh("git status --porcelain"), "A  x\nA  y");
}

#[test]
fn a_reftable_is_refused() {
    let world = empty(Gt::Fake);
    world.sh(
        "git init -qb main --ref-format=reftable; commit base.txt; gt init --trunk main --no-interactive > /dev/null",
    );
    busy(&world);
    let answer = refuses_all(&world, "unsupported_repository");
    assert!(answer.text().contains("reftable"), "{}", answer.text());
}

#[test]
fn an_extension_that_git_does_not_know_loses_nothing() {
    let world = world(Gt::Fake);
    world.sh("git config core.repositoryFormatVersion 1; git config extensions.fancy true");
    drop(creates_or_stops(&world));
}

#[test]
fn a_repository_of_longer_ids_works() {
    for gt in [Gt::Fake, Gt::Real] {
        let world = empty(gt);
        world.sh("git init -qb main --object-format=sha256; commit base.txt; gt init --trunk main --no-interactive > /dev/null 2>&1; mk a a.txt");
        busy(&world);
        drop(creates(&world));
        let answer = soon(&world, &["run"], r#"{"operation": "inspect", "target": "parent"}"#).expect("answered", "");
        assert_eq!(answer.text(), "a");
    }
}

#[test]
fn a_repository_of_another_user_is_refused_until_the_person_trusts_it() {
    let world = world(Gt::Fake);
    let root = world.root();
    let given = give_away(&root);
    drop(refuses_all(&world, "untrusted_repository"));
    world.sh("git config --global --add safe.directory \"$PWD\"");
    drop(soon(&world, &["run"], INSPECT).expect("answered", ""));
    drop(given);
}

#[test]
fn a_git_directory_of_another_user_is_refused() {
    let world = world(Gt::Fake);
    let git_dir = world.root().join(".git");
    let _given = give_away(&git_dir);
    drop(refuses_all(&world, "untrusted_repository"));
}

#[test]
fn a_damaged_index_is_refused() {
    let world = world(Gt::Fake);
    let before = Treasure::of(&world);
    for damage in [
        "printf 'DIRC' > .git/index",
        "head -c 40 ../index > .git/index",
        "{ head -c 60 ../index; printf 'XXXX'; tail -c +65 ../index; } > .git/index",
        "head -c 4096 /dev/urandom > .git/index",
    ] {
        world.sh(&format!("test -e ../index || cp .git/index ../index; {damage}"));
        let answer = soon(&world, &["run"], CREATE).expect("unavailable", "unsupported_repository");
        assert!(answer.text().contains("index"), "{}", answer.text());
    }
    world.sh("cp ../index .git/index");
    before.assert_untouched(&world);
}

#[test]
fn a_damaged_head_is_refused() {
    let world = world(Gt::Fake);
    for text in ["", "nonsense", "ref: ", "ref: refs/heads/../../x", "ref: HEAD"] {
        world.sh(&format!("printf '%s' '{text}' > .git/HEAD"));
        let answer = soon(&world, &["run"], CREATE);
        assert!(["unavailable", "refused"].contains(&answer.status()), "{text:?}: {:#}", answer.report);
    }
}

#[test]
fn a_missing_object_is_refused_and_named() {
    let world = world(Gt::Fake);
    let head = world.sh("git rev-parse HEAD");
    world.sh(&format!("rm -f .git/objects/{}/{}", &head[..2], &head[2..]));
    let answer = soon(&world, &["run"], CREATE).expect("unavailable", "unsupported_repository");
    assert!(answer.text().contains(&head), "{}", answer.text());
}

#[test]
fn a_missing_worktree_of_another_checkout_stops_nothing() {
    let world = world(Gt::Fake);
    world.sh("git worktree add -q ../wt a; rm -rf ../wt");
    drop(creates(&world));
}

#[test]
fn a_worktree_somewhere_else_is_followed() {
    let world = world(Gt::Fake);
    world.sh("mkdir ../elsewhere; cp -a *.txt ../elsewhere; git config core.worktree ../../elsewhere");
    let answer = soon(&world, &["run"], INSPECT);
    let root = world.path("elsewhere").display().to_string();
    assert!(answer.status() == "unavailable" || answer.report["repository"]["root"] == root, "{:#}", answer.report);
}
