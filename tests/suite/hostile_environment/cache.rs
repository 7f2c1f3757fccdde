//! The cache of what is known about gt, when it is not what we wrote.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::{INSPECT, world};
use crate::support::{Gt, World};

const FILE: &str = ".git/pi-graphite.json";

/// A world whose cache is warm, and the cache.
fn warm() -> (World, Value) {
    let world = world(Gt::Fake);
    drop(world.run(INSPECT).expect("answered", ""));
    let answer = world.run(INSPECT).expect("answered", "");
    assert_eq!(answer.report["repository"]["cache"], "persistent");
    let cache = serde_json::from_str(&world.read(FILE)).expect("JSON");
    (world, cache)
}

fn put(world: &World, text: &str) {
    // In place: the file keeps its mode.
    std::fs::write(world.root().join(FILE), text).expect("written");
}

/// The cache is ignored: gt is asked again, and a good cache is written.
fn ignored(world: &World, what: &str) {
    let before = world.gt_calls().len();
    let answer = world.run(INSPECT).expect("answered", "");
    assert_eq!(answer.report["repository"]["cache"], "written", "{what}");
    assert_eq!(world.gt_calls()[before..], [r#"["--version"]"#], "{what}");
    let again = world.run(INSPECT).expect("answered", "");
    assert_eq!(again.report["repository"]["cache"], "persistent", "{what}");
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after the epoch").as_secs()
}

#[test]
fn a_cache_that_is_no_cache_is_ignored_and_written_again() {
    let (world, cache) = warm();
    for text in ["", "{", "[]", "null", "nonsense", "{}", "\u{feff}{}"] {
        put(&world, text);
        ignored(&world, text);
    }
    put(&world, &format!("{}{cache}", " ".repeat(100_000)));
    ignored(&world, "a large one");
    put(&world, &format!("{cache}{cache}"));
    ignored(&world, "two");
}

#[test]
fn a_cache_with_a_wrong_field_is_ignored_and_written_again() {
    let (world, cache) = warm();
    let root = world.path("elsewhere").display().to_string();
    for (field, value) in [
        ("version", json!(0)),
        ("version", json!(2)),
        ("usesGraphite", json!(false)),
        ("repositoryRoot", json!(root)),
        ("graphiteVersion", json!("1.8.5")),
        ("graphiteVersion", json!("")),
        ("trunk", json!("other")),
        ("verifiedAt", json!(now() + 3600)),
        ("verifiedAt", json!(u64::MAX)),
        ("verifiedAt", json!(now() - 24 * 3600 - 5)),
        ("verifiedAt", json!(0)),
        ("verifiedAt", json!(-1)),
        ("verifiedAt", json!("now")),
        ("unknown", json!(1)),
    ] {
        let mut changed = cache.clone();
        changed[field] = value.clone();
        put(&world, &changed.to_string());
        ignored(&world, &format!("{field} {value}"));
    }
    let mut changed = cache.clone();
    changed.as_object_mut().expect("an object").remove("trunk");
    put(&world, &changed.to_string());
    ignored(&world, "no trunk");
}

#[test]
fn a_cache_from_a_clock_that_was_set_back_a_little_counts() {
    let (world, mut cache) = warm();
    cache["verifiedAt"] = json!(now() + 120);
    put(&world, &cache.to_string());
    let answer = world.run(INSPECT).expect("answered", "");
    assert_eq!(answer.report["repository"]["cache"], "persistent");
}

#[test]
fn a_cache_that_others_may_write_is_ignored_and_written_again() {
    let (world, _) = warm();
    world.sh(&format!("chmod 666 {FILE}"));
    ignored(&world, "others may write it");
    assert_eq!(world.sh(&format!("stat -c %a {FILE}")), "600");
}

#[test]
fn a_failure_is_never_kept() {
    let world = world(Gt::Fake);
    world.sh("mv .git/.graphite_repo_config ../config");
    drop(world.run(INSPECT).expect("unavailable", "not_graphite"));
    world.sh("mv ../config .git/.graphite_repo_config");
    drop(world.run(INSPECT).expect("answered", ""));
}

#[test]
fn a_trunk_that_is_gone_is_seen_in_spite_of_the_cache() {
    let (world, _) = warm();
    world.sh("git update-ref -d refs/heads/main");
    drop(world.run(INSPECT).expect("unavailable", "not_graphite"));
}
