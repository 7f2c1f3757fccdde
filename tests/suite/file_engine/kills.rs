//! A patch of twenty files is killed before every step, and so is the call that settles what it left.

use serde_json::json;

use super::tools::{Ended, Tree, before_twenty, call_at, difference, journals, read, restore, start_at, tree, twenty};
use crate::support::{Answer, Base, Gt, World};

/// A world with the tree before the patch, and the tree that the patch leads to.
fn twenty_files() -> (World, Tree, Tree) {
    let world = World::new(Gt::Fake, Base::Init);
    let before = before_twenty(&world);
    let _ = call_at(&world, &twenty(), "").reported().done();
    let after = tree(&world.root());
    assert_eq!(difference(&before, &after).len(), 9 + 5 + 3 + 6 + 3, "20 files, and three new folders");
    (world, before, after)
}

/// A call that may settle what is left; several kinds take turns.
fn next_call(world: &World, turn: u64) -> Answer {
    match turn % 3 {
        0 => call_at(world, &read("base.txt"), "").reported(),
        1 => call_at(world, &json!({"operation": "stage", "paths": ["base.txt"]}), "").reported(),
        _ => {
            let output = world.pi_graphite(&["recover", "--json"]).output().expect("it runs");
            Answer::of(&output)
        }
    }
}

/// Where the tree stands; anything between is a failure.
fn side(world: &World, (before, after): (&Tree, &Tree), what: &str) -> &'static str {
    let now = tree(&world.root());
    let journals = journals(world);
    assert!(journals.is_empty(), "{what}: {journals:?} stayed");
    if now == *before {
        return "before";
    }
    assert!(now == *after, "{what}: torn: {:?} and {:?}", difference(&now, before), difference(&now, after));
    "after"
}

/// Kills the patch before every `stride`th step; returns at how many of them it ended before and after.
fn killed_at_every_step(lacking: &str, stride: u64) -> (u64, u64) {
    let (world, before, after) = twenty_files();
    let (mut at, mut ends) = (1, (0, 0));
    loop {
        restore(&world.root(), &before);
        let failpoint = format!("kill:{at}{lacking}");
        match call_at(&world, &twenty(), &failpoint) {
            Ended::Killed => {}
            Ended::Reported(answer) => {
                let _ = answer.done();
                assert_eq!(side(&world, (&before, &after), &failpoint), "after");
                return ends;
            }
        }
        let told = next_call(&world, at);
        match side(&world, (&before, &after), &format!("{failpoint} {:#}", told.report)) {
            "before" => ends.0 += 1,
            _ => ends.1 += 1,
        }
        at += stride;
        assert!(at < 2000, "it never ends");
    }
}

#[test]
fn a_patch_of_twenty_files_killed_before_any_step_is_all_before_or_all_after() {
    let (before, after) = killed_at_every_step("", 1);
    println!("{before} before, {after} after");
    assert!(before >= 40 && after >= 40 && before + after >= 100, "{before} {after}");
}

#[test]
fn without_an_exchange_a_killed_patch_is_all_before_or_all_after() {
    let (before, after) = killed_at_every_step(",no-exchange", 1);
    println!("{before} before, {after} after");
    assert!(before + after >= 100, "{before} {after}");
}

#[test]
fn without_exchange_and_links_a_killed_patch_is_all_before_or_all_after() {
    let (before, after) = killed_at_every_step(",no-exchange,no-link", 3);
    println!("{before} before, {after} after");
    assert!(before + after >= 30, "{before} {after}");
}

#[test]
fn on_an_old_kernel_a_killed_patch_is_all_before_or_all_after() {
    let (before, after) = killed_at_every_step(",no-openat2", 4);
    println!("{before} before, {after} after");
    assert!(before + after >= 25, "{before} {after}");
}

/// Kills the patch at some steps, then the recovery at every step, then settles.
fn killed_twice(lacking: &str, firsts: impl Iterator<Item = u64>) -> u64 {
    let (world, before, after) = twenty_files();
    let mut kills = 0;
    for first in firsts {
        let mut side_of_first = None;
        for second in 1..2000 {
            restore(&world.root(), &before);
            if !call_at(&world, &twenty(), &format!("kill:{first}{lacking}")).is_killed() {
                return kills;
            }
            let failpoint = format!("kill:{second}{lacking}");
            let args = if second % 2 == 0 { vec!["recover", "--json"] } else { vec!["run"] };
            let recovering = Ended::after(start_at(&world, &args, &read("base.txt"), &failpoint));
            let what = format!("kill:{first}, then {failpoint}");
            if recovering.is_killed() {
                kills += 1;
                let _ = next_call(&world, second);
            }
            let ended = side(&world, (&before, &after), &what);
            assert_eq!(*side_of_first.get_or_insert(ended), ended, "{what}: a second kill changes the outcome");
            if !recovering.is_killed() {
                break;
            }
        }
    }
    kills
}

#[test]
fn a_recovery_killed_before_any_step_is_finished_by_the_next_call() {
    let kills = killed_twice("", (5..).step_by(24));
    println!("{kills} recoveries killed");
    assert!(kills >= 60, "{kills}");
}

#[test]
fn without_an_exchange_a_killed_recovery_is_finished_by_the_next_call() {
    let kills = killed_twice(",no-exchange", (9..).step_by(40));
    println!("{kills} recoveries killed");
    assert!(kills >= 60, "{kills}");
}

/// A recovery that fails half way, as where a folder may not be written for a while, and a file that another program has
/// changed: the next call knows its own steps, settles the rest, and leaves nothing beside the files.
#[test]
fn a_recovery_that_failed_half_way_knows_its_own_steps() {
    const THEIRS: &str = "b/deep/2.txt";
    let (world, before, after) = twenty_files();
    let without = |tree: &Tree| {
        tree.iter().filter(|(name, _)| *name != THEIRS).map(|(n, b)| (n.clone(), b.clone())).collect::<Tree>()
    };
    let (before_others, after_others) = (without(&before), without(&after));
    let mut sides = (0, 0);
    for (first, second) in
        (30..110).step_by(10).flat_map(|first| (1..120).step_by(3).map(move |second| (first, second)))
    {
        restore(&world.root(), &before);
        assert!(call_at(&world, &twenty(), &format!("kill:{first}")).is_killed(), "{first}");
        world.write(THEIRS, "theirs\n");
        let failpoint = format!("fail:{second}");
        let failed = call_at(&world, &read("base.txt"), &failpoint).reported();
        let next = next_call(&world, 0);
        let what = format!("kill:{first}, then {failpoint}: {} {}", failed.report["warnings"], next.report["warnings"]);
        let now = tree(&world.root());
        assert!(journals(&world).is_empty(), "{what}: a journal stayed");
        assert_eq!(now[THEIRS], b"theirs\n", "{what}");
        let others = without(&now);
        if others == before_others {
            sides.0 += 1;
        } else {
            assert!(others == after_others, "{what}: torn: {:?}", difference(&others, &before_others));
            sides.1 += 1;
        }
    }
    println!("{sides:?} before and after");
    assert!(sides.0 >= 60, "{sides:?}");
}

#[test]
fn a_folder_that_is_gone_does_not_keep_a_change_from_being_settled() {
    let (world, before, after) = twenty_files();
    let mut settled = 0;
    for first in (30..110).step_by(5) {
        restore(&world.root(), &before);
        assert!(call_at(&world, &twenty(), &format!("kill:{first}")).is_killed(), "{first}");
        std::fs::remove_dir_all(world.root().join("b/deep")).expect("it goes");
        let told = next_call(&world, 0);
        let what = format!("kill:{first}: {}", told.report["warnings"]);
        assert!(journals(&world).is_empty(), "{what}: a journal stayed");
        let now = tree(&world.root());
        // What was finished before the kill stays so.
        let is_back = what.contains("taken back") || what.contains("before it changed anything");
        let mut others = difference(if is_back { &before } else { &after }, &now);
        others.retain(|name| !name.starts_with("b/deep"));
        assert!(others.is_empty(), "{what}: {others:?}");
        settled += usize::from(what.contains("is taken back"));
    }
    assert!(settled >= 5, "{settled}");
}
