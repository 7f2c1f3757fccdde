//! Our own files in the repository, prepared by somebody else.

use super::{CREATE, INSPECT, creates, refuses, refuses_all, soon, world};
use crate::support::{Gt, give_away};

/// Does something to our folder; looking and creating are then refused, naming it.
fn refused_after(script: &str) {
    let world = world(Gt::Fake);
    world.sh(script);
    let answer = refuses_all(&world, "state_refused");
    assert!(answer.text().contains("pi-graphite"), "{}", answer.text());
}

#[test]
fn a_state_folder_that_is_a_link_is_refused() {
    refused_after("mkdir -m 700 ../outside/state; ln -s ../../outside/state .git/pi-graphite");
}

#[test]
fn a_state_folder_that_links_to_nowhere_is_refused() {
    refused_after("ln -s nowhere .git/pi-graphite");
}

#[test]
fn a_state_folder_that_is_a_file_is_refused() {
    refused_after("touch .git/pi-graphite");
}

#[test]
fn a_state_folder_that_others_may_write_is_refused() {
    refused_after("mkdir -m 777 .git/pi-graphite");
    refused_after("mkdir .git/pi-graphite; chmod 720 .git/pi-graphite");
}

#[test]
fn a_state_folder_of_another_user_is_refused() {
    let world = world(Gt::Fake);
    world.sh("mkdir -m 700 .git/pi-graphite");
    let folder = world.root().join(".git/pi-graphite");
    let _given = give_away(&folder);
    drop(refuses_all(&world, "state_refused"));
}

#[test]
fn a_lock_that_is_a_link_or_a_folder_is_refused() {
    refused_after("mkdir -m 700 .git/pi-graphite; ln -s ../../../outside/lock .git/pi-graphite/lock");
    refused_after("mkdir -m 700 .git/pi-graphite; mkdir .git/pi-graphite/lock");
}

#[test]
fn a_lock_that_is_a_link_makes_nothing_outside() {
    let world = world(Gt::Fake);
    world.sh("mkdir -m 700 .git/pi-graphite; ln -s ../../../outside/lock .git/pi-graphite/lock");
    drop(refuses(&world, "unavailable", "state_refused"));
    assert!(!world.path("outside/lock").exists());
}

#[test]
fn a_record_of_a_holder_that_is_a_link_is_refused() {
    refused_after("mkdir -m 700 .git/pi-graphite; ln -s /etc/passwd .git/pi-graphite/holder.json");
}

#[test]
fn a_record_that_others_may_write_is_refused() {
    refused_after(
        "mkdir -m 700 .git/pi-graphite; touch .git/pi-graphite/holder.json; chmod 666 .git/pi-graphite/holder.json",
    );
}

#[test]
fn a_record_that_nobody_can_read_is_replaced() {
    for text in ["", "{", "[]", "nonsense", r#"{"version": 99}"#] {
        let world = world(Gt::Fake);
        world.sh(&format!(
            "mkdir -m 700 .git/pi-graphite; umask 077; printf '%s' '{text}' > .git/pi-graphite/holder.json"
        ));
        drop(creates(&world));
        assert!(!world.root().join(".git/pi-graphite/holder.json").exists(), "{text}");
    }
}

#[test]
fn a_record_of_a_dead_holder_with_invented_tips_is_only_told() {
    let world = world(Gt::Fake);
    let record = r#"{"version":1,"process":{"pid":1,"started":1},"since":1,"operation":"restack","branch":"a","tips":{"a":"nonsense"}}"#;
    world.sh(&format!(
        "mkdir -m 700 .git/pi-graphite; umask 077; printf '%s' '{record}' > .git/pi-graphite/holder.json"
    ));
    drop(soon(&world, &["run"], INSPECT).expect("answered", ""));
    drop(creates(&world));
}

#[test]
fn folders_in_the_place_of_records_are_refused_or_replaced() {
    let world = world(Gt::Fake);
    world.sh("mkdir -m 700 .git/pi-graphite .git/pi-graphite/holder.json");
    drop(refuses(&world, "unavailable", "state_refused"));
    world.sh("rmdir .git/pi-graphite/holder.json; mkdir .git/pi-graphite.json");
    let answer = soon(&world, &["run"], CREATE).done();
    assert_eq!(answer.report["repository"]["cache"], "unavailable");
    assert!(answer.report["repository"]["cache_warning"].as_str().is_some_and(|why| why.contains("pi-graphite.json")));
}

#[test]
fn a_cache_that_is_a_link_is_replaced_and_not_followed() {
    let world = world(Gt::Fake);
    world.sh("echo kept > ../outside/file; ln -s ../../outside/file .git/pi-graphite.json");
    drop(soon(&world, &["run"], INSPECT).expect("answered", ""));
    assert_eq!(world.sh("cat ../outside/file; test -L .git/pi-graphite.json || echo a file"), "kept\na file");
}

#[test]
fn plans_that_others_made_are_no_grants() {
    let world = world(Gt::Fake);
    world.sh("git checkout -q -f c; git reset -q --hard; rm -f untracked.txt");
    let delete = r#"{"operation": "delete", "branch": "b"}"#;
    let id = soon(&world, &["run"], delete).expect("refused", "approval_needed").report["plan"]["id"].clone();
    let id = id.as_str().expect("an id").to_owned();
    let file = format!(".git/pi-graphite/plans/{id}.json");
    for (forge, code) in [
        (format!("cp {file} ../plan; rm {file}; ln -s ../../../../plan {file}"), "state_refused"),
        (format!("rm {file}; cp ../plan {file}; chmod 666 {file}"), "state_refused"),
        (format!("chmod 600 {file}; echo nonsense > {file}"), "stale"),
        (format!("rm {file}"), "stale"),
    ] {
        world.sh(&forge);
        assert_eq!(soon(&world, &["run", "--grant", &id], delete).code(), code, "{forge}");
    }
    assert_eq!(world.sh("git rev-parse --verify -q b > /dev/null && echo there"), "there");
}
