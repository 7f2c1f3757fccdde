//! A fifo in the place of a file that is read: whoever opens it waits for a writer for ever.

use super::{CREATE, INSPECT, creates, refuses, soon, world};
use crate::support::{Gt, Treasure, World};

/// Puts a fifo in the place of a file, given from the world's own folder.
fn fifo(world: &World, path: &str) {
    world.sh(&format!("cd ..; mkdir -p \"$(dirname {path})\"; rm -rf {path}; mkfifo {path}"));
}

/// Looking, planning and creating are all answered soon, creating with a refusal.
fn answered(path: &str) {
    let world = world(Gt::Fake);
    fifo(&world, path);
    let before = Treasure::of_files(&world);
    for (mode, request) in [("run", INSPECT), ("plan", CREATE)] {
        drop(soon(&world, &[mode], request));
    }
    let answer = soon(&world, &["run"], CREATE);
    assert!(["unavailable", "refused"].contains(&answer.status()), "{path}: {:#}", answer.report);
    let name = path.rsplit('/').next().unwrap_or_default();
    assert!(answer.text().contains(name), "{path} is not named: {}", answer.text());
    before.assert_kept(&world);
}

macro_rules! fifos {
    ($($name:ident: $path:literal;)*) => { $(#[test] fn $name() { answered($path); })* };
}

fifos! {
    a_fifo_as_the_index_is_named: "repo/.git/index";
    a_fifo_as_head_is_named: "repo/.git/HEAD";
    a_fifo_as_the_configuration_is_named: "repo/.git/config";
    a_fifo_as_packed_refs_is_named: "repo/.git/packed-refs";
    a_fifo_as_the_current_branch_is_named: "repo/.git/refs/heads/c";
    a_fifo_as_the_trunk_is_named: "repo/.git/refs/heads/main";
    a_fifo_as_ignore_rules_is_named: "repo/.gitignore";
    a_fifo_as_ignore_rules_of_a_folder_is_named: "repo/deep/er/.gitignore";
    a_fifo_as_attributes_is_named: "repo/.gitattributes";
    a_fifo_as_modules_is_named: "repo/.gitmodules";
    a_fifo_as_own_ignore_rules_is_named: "repo/.git/info/exclude";
    a_fifo_as_own_attributes_is_named: "repo/.git/info/attributes";
    a_fifo_as_alternates_is_named: "repo/.git/objects/info/alternates";
    a_fifo_as_the_database_is_named: "repo/.git/.graphite_metadata.db";
    a_fifo_as_the_repository_configuration_of_graphite_is_named: "repo/.git/.graphite_repo_config";
    a_fifo_as_the_halt_record_is_named: "repo/.git/.gtcontinue";
    a_fifo_as_the_journal_is_named: "repo/.git/.gt/event_log";
    a_fifo_as_the_aliases_is_named: "home/.config/graphite/aliases";
    a_fifo_as_the_persons_graphite_configuration_is_named: "home/.config/graphite/user_config";
    a_fifo_as_our_lock_is_named: "repo/.git/pi-graphite/lock";
    a_fifo_as_our_holder_is_named: "repo/.git/pi-graphite/holder.json";
    a_fifo_as_our_configuration_is_named: "home/.config/pi-graphite/config.json";
}

#[test]
fn a_fifo_where_git_does_not_wait_for_it_stops_nothing() {
    let world = world(Gt::Fake);
    fifo(&world, "repo/.git/refs/heads/odd");
    fifo(&world, "repo/.git/objects/pack/pack-0000000000000000000000000000000000000001.idx");
    drop(creates(&world));
}

/// We see through the fifo, gt's own git does not: the deadline ends it, the report says what is true, and nothing is
/// lost.
fn ends_at_the_deadline(world: &World) {
    let before = Treasure::of_files(world);
    let heads = || world.sh("cat .git/HEAD; find .git/refs -type f -exec cat {} +");
    let refs = heads();
    drop(soon(world, &["run"], INSPECT).expect("answered", ""));
    let answer = soon(world, &["run", "--timeout", "1"], CREATE);
    assert!(["done", "cancelled", "uncertain"].contains(&answer.status()), "{:#}", answer.report);
    before.assert_kept(world);
    assert_eq!(answer.status() == "cancelled", heads() == refs, "{:#}", answer.report);
}

#[test]
fn a_fifo_as_an_included_configuration_ends_at_the_deadline() {
    let world = world(Gt::Fake);
    fifo(&world, "outside/included");
    world.sh("git config include.path ../../outside/included");
    ends_at_the_deadline(&world);
}

#[test]
fn a_fifo_as_the_excludes_file_is_refused() {
    let world = world(Gt::Fake);
    fifo(&world, "outside/rules");
    world.sh("git config core.excludesFile ../outside/rules");
    drop(refuses(&world, "unavailable", "unsupported_repository"));
}

#[test]
fn a_fifo_inside_a_rebase_is_refused_as_in_progress() {
    let world = world(Gt::Fake);
    for name in ["onto", "head-name", "done"] {
        fifo(&world, &format!("repo/.git/rebase-merge/{name}"));
    }
    world.sh(r#"echo '{"currentBranchOverride":"c","branchesToRestack":[],"rebasedBranchBase":"x","eventId":"e"}' > .git/.gtcontinue"#);
    drop(refuses(&world, "refused", "in_progress"));
    for request in [r#"{"operation": "continue"}"#, r#"{"operation": "abort"}"#] {
        drop(soon(&world, &["run"], request).expect("refused", "in_progress"));
    }
}

#[test]
fn a_fifo_as_a_sequence_is_refused_as_in_progress() {
    let world = world(Gt::Fake);
    fifo(&world, "repo/.git/sequencer/todo");
    drop(refuses(&world, "refused", "in_progress"));
}

#[test]
fn a_fifo_as_a_tracked_file_counts_as_changed() {
    let world = world(Gt::Fake);
    fifo(&world, "repo/a.txt");
    drop(soon(&world, &["run"], CREATE).done());
    assert_eq!(world.sh("test -p a.txt && echo fifo"), "fifo");
}

#[test]
fn a_fifo_as_our_plan_or_halt_record_is_no_grant() {
    let world = world(Gt::Fake);
    world.sh("git reset -q --hard");
    let delete = r#"{"operation": "delete", "branch": "b"}"#;
    let id = soon(&world, &["run"], delete).expect("refused", "approval_needed").report["plan"]["id"].clone();
    let id = id.as_str().expect("an id");
    fifo(&world, "repo/.git/pi-graphite/halt.json");
    fifo(&world, &format!("repo/.git/pi-graphite/plans/{id}.json"));
    let before = Treasure::of(&world);
    let answer = soon(&world, &["run", "--grant", id], delete);
    assert!(["stale", "state_refused"].contains(&answer.code()), "{:#}", answer.report);
    before.assert_untouched(&world);
}

#[test]
fn a_fifo_as_our_cache_is_replaced() {
    let world = world(Gt::Fake);
    fifo(&world, "repo/.git/pi-graphite.json");
    let answer = soon(&world, &["run"], INSPECT).expect("answered", "");
    assert_eq!(answer.report["repository"]["cache"], "written");
    assert_eq!(world.sh("test -f .git/pi-graphite.json && echo file"), "file");
}

#[test]
fn fifos_in_another_worktree_hang_nothing() {
    let world = world(Gt::Fake);
    world.sh("git worktree add -q ../wt a");
    for name in ["HEAD", "index", ".gtcontinue", "rebase-merge/onto", "BISECT_START"] {
        fifo(&world, &format!("repo/.git/worktrees/wt/{name}"));
    }
    ends_at_the_deadline(&world);
}

#[test]
fn a_fifo_inside_a_submodule_hangs_nothing() {
    let world = world(Gt::Fake);
    world.sh("git init -qb main ../inner; (cd ../inner; commit x)
git -c protocol.file.allow=always submodule --quiet add ../inner sub; git commit -qm sub; echo more > more; git add more");
    fifo(&world, "repo/sub/.gitignore");
    drop(soon(&world, &["run"], CREATE).expect("unavailable", "unsupported_repository"));
    world.sh("rm sub/.gitignore");
    fifo(&world, "repo/.git/modules/sub/index");
    ends_at_the_deadline(&world);
}
