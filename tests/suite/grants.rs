//! A person's yes: exactly one plan, once.

use crate::support::{Base, Gt, World};

const DELETE: &str = r#"{"operation": "delete", "branch": "c"}"#;

fn granted(world: &World, id: &str, request: &str) -> crate::support::Answer {
    world.call(&["run", "--grant", id], request)
}

fn planned(world: &World, request: &str) -> String {
    let answer = world.call(&["plan"], request).expect("answered", "");
    answer.report["plan"]["id"].as_str().expect("an id").to_owned()
}

fn on_main() -> World {
    let world = World::new(Gt::Fake, Base::Stack);
    world.sh("git checkout -q main");
    world
}

#[test]
fn a_plan_is_stale_when_the_world_has_moved() {
    let world = on_main();
    let id = planned(&world, DELETE);
    world.sh("git checkout -q c; commit late.txt; git checkout -q main");
    let stale = granted(&world, &id, DELETE).expect("refused", "stale");
    assert_eq!(stale.exit, Some(3));
    assert_eq!(world.sh("git log -1 --format=%s c --"), "late.txt");
    // The report shows the plan that would run now, but a person must see it first.
    let shown = stale.report["plan"]["id"].as_str().expect("an id").to_owned();
    let _ = granted(&world, &shown, DELETE).expect("refused", "stale");
    let again = planned(&world, DELETE);
    let _ = granted(&world, &again, DELETE).done();
}

#[test]
fn a_grant_is_for_one_request() {
    let world = on_main();
    let id = planned(&world, DELETE);
    let _ = granted(&world, &id, r#"{"operation": "delete", "branch": "b"}"#).expect("refused", "stale");
    let _ = granted(&world, &id, DELETE).done();
}

#[test]
fn a_used_grant_does_not_count_when_the_same_state_comes_back() {
    let world = on_main();
    let checkout = r#"{"operation": "checkout", "branch": "c"}"#;
    let id = planned(&world, checkout);
    let _ = granted(&world, &id, checkout).done();
    world.sh("git checkout -q main");
    let used = granted(&world, &id, checkout).expect("refused", "stale");
    assert!(used.text().contains("was used before"), "{}", used.text());
    assert_eq!(planned(&world, checkout), id, "it is the same plan, and has now been shown again");
    let _ = granted(&world, &id, checkout).done();
}

#[test]
fn a_refused_plan_offers_nothing_to_grant() {
    let world = World::new(Gt::Fake, Base::Stack);
    let answer = world.run(DELETE).expect("refused", "checked_out");
    assert!(answer.report["plan"].is_null() && answer.report["recovery"].is_null(), "{:#}", answer.report);
}

#[test]
fn any_change_can_be_planned_first_and_run_as_planned() {
    let world = World::new(Gt::Fake, Base::Stack);
    world.sh("echo n > n; git add n");
    let create = r#"{"operation": "create", "name": "d", "subject": "d", "body": "b"}"#;
    let id = planned(&world, create);
    let spaced = create.replace(": ", " :\n ");
    let _ = granted(&world, &id, &spaced).done();
    let stale = granted(&world, &id, create).expect("refused", "branch_exists");
    assert_eq!(stale.report["plan"], serde_json::Value::Null);
}

#[test]
fn of_two_that_spend_one_grant_at_once_one_wins() {
    let world = on_main();
    let id = planned(&world, DELETE);
    let both = [0, 1].map(|_| world.start(&["run", "--grant", &id], DELETE));
    let mut ends = both.map(|child| {
        let answer = crate::support::Answer::of(&child.wait_with_output().expect("it ends"));
        answer.status().to_owned()
    });
    ends.sort();
    assert_eq!(ends, ["done", "refused"]);
}
