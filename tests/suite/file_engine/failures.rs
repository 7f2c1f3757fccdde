//! A step that fails: the change is there as a whole or not at all, and the report says which.

use super::tools::{Tree, before_twenty, call_at, difference, journals, read, restore, tree, twenty, warnings};
use crate::support::{Answer, Base, Gt, World};

fn twenty_files() -> (World, Tree, Tree) {
    let world = World::new(Gt::Fake, Base::Init);
    let before = before_twenty(&world);
    let _ = call_at(&world, &twenty(), "").reported().done();
    let after = tree(&world.root());
    (world, before, after)
}

/// Fails one step after the other until none is left that could fail.
fn at_every_step(
    (word, lacking, stride): (&str, &str, u64),
    mut judge: impl FnMut(&World, (&Tree, &Tree), &Answer, &str),
) -> u64 {
    let (world, before, after) = twenty_files();
    let (mut at, mut calls) = (1, 0);
    loop {
        restore(&world.root(), &before);
        let failpoint = format!("{word}:{at}{lacking}");
        let answer = call_at(&world, &twenty(), &failpoint).reported();
        judge(&world, (&before, &after), &answer, &failpoint);
        calls += 1;
        if answer.status() == "done" && warnings(&answer).is_empty() {
            return calls;
        }
        // Recovery is not needed, but it must not undo or redo anything either.
        let _ = call_at(&world, &read("base.txt"), "").reported().expect("answered", "");
        let now = tree(&world.root());
        match answer.status() {
            "failed" => assert!(now == before, "{failpoint}: {:?}", difference(&now, &before)),
            "done" => assert!(now == after, "{failpoint}: {:?}", difference(&now, &after)),
            _ => assert!(now == before || now == after, "{failpoint}: {:?}", difference(&now, &before)),
        }
        assert!(journals(&world).is_empty(), "{failpoint}: {:?}", journals(&world));
        at += stride;
        assert!(at < 2000, "it never ends");
    }
}

/// A single failing step: everything is settled in the same call.
fn settled_at_once(world: &World, (before, after): (&Tree, &Tree), answer: &Answer, what: &str) {
    let now = tree(&world.root());
    let effect = answer.report["fault"]["effect"].as_str();
    match answer.status() {
        // A temporary file that could not be removed is told, and the next call removes it.
        "failed" if !warnings(answer).is_empty() => assert_eq!(effect, Some("none"), "{what}"),
        "failed" => {
            assert_eq!((answer.code(), effect), ("write_failed", Some("none")), "{what}");
            assert!(now == *before, "{what}: {:?}", difference(&now, before));
            assert!(journals(world).is_empty(), "{what}: {:?}", journals(world));
        }
        "done" => {
            let left = difference(&now, after);
            let temporary = left.iter().all(|name| name.contains(".pi-graphite-"));
            assert!(temporary && (left.is_empty() || !warnings(answer).is_empty()), "{what}: {left:?}");
        }
        status => panic!("{what}: {status} {:#}", answer.report),
    }
}

#[test]
fn a_patch_with_one_failing_step_is_there_as_a_whole_or_not_at_all() {
    let calls = at_every_step(("fail", "", 1), settled_at_once);
    println!("{calls} steps failed");
    assert!(calls >= 100, "{calls}");
}

#[test]
fn without_an_exchange_a_patch_with_one_failing_step_is_there_as_a_whole_or_not_at_all() {
    let calls = at_every_step(("fail", ",no-exchange", 2), settled_at_once);
    println!("{calls} steps failed");
    assert!(calls >= 50, "{calls}");
}

/// Nothing works any more from some step on: what the report says must be true of the disk.
fn told_truly(world: &World, (before, after): (&Tree, &Tree), answer: &Answer, what: &str) {
    let mut now = tree(&world.root());
    now.retain(|name, _| !name.contains(".pi-graphite-"));
    match (answer.status(), answer.report["fault"]["effect"].as_str()) {
        ("failed" | "uncertain", Some("none")) => {
            // Folders that could not be removed stay until the next call.
            now.retain(|name, _| before.contains_key(name) || !name.ends_with('/'));
            assert!(now == *before, "{what}: {:?}", difference(&now, before));
        }
        ("done", None) => assert!(now == *after, "{what}: {:?}", difference(&now, after)),
        ("uncertain", Some("applied")) => {
            assert!(now != *before, "{what}");
            assert!(answer.report["recovery"].to_string().contains("recover"), "{what}: {:#}", answer.report);
        }
        ("uncertain", Some("unknown")) => {}
        status => panic!("{what}: {status:?} {:#}", answer.report),
    }
}

#[test]
fn when_the_disk_dies_at_any_step_the_report_is_true_and_the_next_call_settles_it() {
    let calls = at_every_step(("dead", "", 1), told_truly);
    println!("{calls} steps at which the disk died");
    assert!(calls >= 100, "{calls}");
}

#[test]
fn without_exchange_and_links_a_report_is_true_too() {
    for word in ["fail", "dead"] {
        let calls = at_every_step((word, ",no-exchange,no-link", 4), told_truly);
        println!("{calls} steps at which it failed");
        assert!(calls >= 25, "{calls}");
    }
}
