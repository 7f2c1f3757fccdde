//! Graphite's database when it is damaged, empty, locked, or says impossible things.

use rusqlite::Connection;

use super::{CREATE, INSPECT, creates, creates_or_stops, refuses, refuses_all, soon, world};
use crate::support::{Gt, Treasure, World};

const DELETE: &str = r#"{"operation": "delete", "branch": "b"}"#;

fn database(world: &World) -> Connection {
    Connection::open(world.root().join(".git/.graphite_metadata.db")).expect("the database")
}

#[test]
fn a_damaged_database_is_refused() {
    for damage in [
        "head -c 20000 /dev/urandom > .git/.graphite_metadata.db",
        "printf nonsense > .git/.graphite_metadata.db",
        "rm .git/.graphite_metadata.db; mkdir .git/.graphite_metadata.db",
        "head -c 5000 .git/.graphite_metadata.db > ../cut; cp ../cut .git/.graphite_metadata.db",
        "mv .git/.graphite_metadata.db ../kept; ln -s ../../kept .git/.graphite_metadata.db",
    ] {
        let world = world(Gt::Fake);
        world.sh(damage);
        drop(refuses_all(&world, "state_unreadable"));
    }
}

#[test]
fn a_database_that_is_empty_or_gone_loses_the_stack_and_nothing_else() {
    for gt in [Gt::Fake, Gt::Real] {
        for damage in [": > .git/.graphite_metadata.db", "rm .git/.graphite_metadata.db"] {
            let world = world(gt);
            world.sh(damage);
            let answer = soon(&world, &["run"], INSPECT).expect("answered", "");
            assert!(answer.report["warnings"][0].as_str().is_some_and(|text| text.contains("database is")));
            drop(refuses(&world, "refused", "not_tracked"));
        }
    }
}

#[test]
fn a_database_of_another_version_is_refused() {
    let world = world(Gt::Fake);
    database(&world).execute("insert into kysely_migration values ('20990101_future', '2099')", []).expect("written");
    drop(refuses_all(&world, "state_unreadable"));
}

#[test]
fn a_database_with_a_hot_journal_is_recovered_by_gt() {
    for gt in [Gt::Fake, Gt::Real] {
        let world = world(gt);
        let db = database(&world);
        db.execute_batch(
            "pragma cache_size = 1; begin immediate; create table filler (text);
             insert into filler with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
             select hex(randomblob(100)) from n; update branch_metadata set parent_branch_name = 'evil';",
        )
        .expect("written");
        world.sh("cp .git/.graphite_metadata.db ../db; cp .git/.graphite_metadata.db-journal ../journal");
        db.execute_batch("rollback").expect("rolled back");
        drop(db);
        world.sh("cp ../db .git/.graphite_metadata.db; cp ../journal .git/.graphite_metadata.db-journal");
        let answer = soon(&world, &["run"], r#"{"operation": "inspect", "target": "parent"}"#).expect("answered", "");
        assert_eq!(answer.text(), "b", "what was not committed is not believed");
        drop(creates(&world));
    }
}

#[test]
fn a_database_that_another_process_writes_is_waited_for_and_refused() {
    let world = world(Gt::Fake);
    let db = database(&world);
    db.execute_batch("begin exclusive").expect("locked");
    drop(refuses_all(&world, "repository_busy"));
    db.execute_batch("rollback").expect("unlocked");
    drop(creates(&world));
}

#[test]
fn a_database_that_another_process_reads_makes_gt_stop_half_way_and_we_say_so() {
    for gt in [Gt::Fake, Gt::Real] {
        let world = world(gt);
        let before = Treasure::of(&world);
        let db = database(&world);
        db.execute_batch("begin; select * from branch_metadata;").expect("locked");
        drop(soon(&world, &["run"], INSPECT).expect("answered", ""));
        // The fake takes the database first, gt last.
        let answer = match gt {
            Gt::Fake => world.run(CREATE).expect("failed", "gt_failed"),
            Gt::Real => world.run(CREATE).expect("uncertain", "incomplete"),
        };
        assert_eq!(answer.text().contains("`branch new`"), gt == Gt::Real, "{}", answer.text());
        db.execute_batch("rollback").expect("unlocked");
        before.assert_kept(&world);
    }
}

#[test]
fn parents_in_a_circle_hang_nothing() {
    for cached in [true, false] {
        let world = world(Gt::Fake);
        let tip = |branch: &str| world.sh(&format!("git rev-parse {branch}"));
        let circle = [("a", "c"), ("b", "a"), ("c", "b")];
        for (branch, parent) in circle {
            let (own, above) = (tip(branch), if cached { tip(parent) } else { String::new() });
            database(&world)
                .execute(
                    "update branch_metadata set parent_branch_name = ?2, parent_branch_revision = ?4,
                     branch_revision = ?3, parent_head_revision = ?4, validation_result = 'VALID' where branch_name = ?1",
                    [branch, parent, &own, &above],
                )
                .expect("written");
        }
        let before = Treasure::of(&world);
        for target in ["state", "parent", "children", "trunk"] {
            let request = format!(r#"{{"operation": "inspect", "target": "{target}"}}"#);
            let answer = soon(&world, &["run"], &request);
            assert!(["answered", "refused", "unavailable"].contains(&answer.status()), "{:#}", answer.report);
        }
        for request in [
            CREATE,
            DELETE,
            r#"{"operation": "move", "source": "a", "onto": "main"}"#,
            r#"{"operation": "restack", "branch": "a"}"#,
            r#"{"operation": "fold"}"#,
            r#"{"operation": "squash", "subject": "s", "body": "b"}"#,
        ] {
            drop(soon(&world, &["plan"], request));
        }
        before.assert_untouched(&world);
        drop(creates_or_stops(&world));
    }
}

#[test]
fn a_branch_that_is_its_own_parent_hangs_nothing() {
    let world = world(Gt::Fake);
    database(&world)
        .execute("update branch_metadata set parent_branch_name = 'c', parent_head_revision = branch_revision where branch_name = 'c'", [])
        .expect("written");
    drop(soon(&world, &["run"], INSPECT).expect("unavailable", "state_unreadable"));
    drop(creates_or_stops(&world));
}

#[test]
fn rows_of_the_wrong_kind_are_refused_or_passed_over() {
    for change in [
        "update branch_metadata set children = 'nonsense' where branch_name = 'b'",
        "update branch_metadata set children = '[1, 2]' where branch_name = 'b'",
        "update branch_metadata set parent_branch_revision = 'nonsense' where branch_name = 'c'",
        "update branch_metadata set parent_branch_revision = x'ff' where branch_name = 'c'",
        "update branch_metadata set parent_branch_name = '--evil' where branch_name = 'c'",
        "update branch_metadata set parent_branch_name = 17 where branch_name = 'c'",
        "insert into branch_metadata (branch_name, parent_branch_name) values ('--evil', 'c')",
        "insert into branch_metadata (branch_name, parent_branch_name) values (x'ff00', 'c')",
    ] {
        let world = world(Gt::Fake);
        database(&world).execute_batch(change).expect(change);
        drop(creates_or_stops(&world));
    }
}

#[test]
fn a_view_or_a_trigger_in_the_place_of_the_table_runs_nothing() {
    let world = world(Gt::Fake);
    database(&world)
        .execute_batch(
            "alter table branch_metadata rename to hidden; create view branch_metadata as select * from hidden;",
        )
        .expect("written");
    drop(refuses_all(&world, "state_unreadable"));
}

#[test]
fn a_repository_configuration_that_is_no_json_is_refused() {
    for text in ["", "{", "[]", "null", "{}", r#"{"trunk": 7}"#] {
        let world = world(Gt::Fake);
        world.sh(&format!("printf '%s' '{text}' > .git/.graphite_repo_config"));
        drop(refuses_all(&world, "state_unreadable"));
    }
}
