//! Ways around the guards of file operations that a careful attacker found: each stays closed.

use serde_json::{Value, json};

use crate::support::{Answer, Base, Gt, World};

fn plain() -> World {
    World::new(Gt::Fake, Base::Plain)
}

fn write(world: &World, request: &Value) -> Answer {
    world.call(&["run", "--allow-write"], &request.to_string())
}

fn patch(text: &str) -> Value {
    json!({ "operation": "apply_patch", "patch": text })
}

#[test]
fn a_git_directory_is_protected_whatever_it_is_called() {
    let world = plain();
    world.sh(
        "git init -q --separate-git-dir real r; git init -q --bare bare; git init -q q; mv q/.git q/store; ln -s store q/.git",
    );
    for folder in ["real", "bare", "q/store"] {
        let config = format!("{folder}/config");
        let read = json!({ "operation": "read_file", "path": config });
        let edit = json!({ "operation": "edit_file", "path": config, "old_string": "bare", "new_string": "rare" });
        let hook = json!({ "operation": "write_file", "path": format!("{folder}/hooks/x"), "content": "x" });
        let deep = patch(&format!("*** Add File: {folder}/new/deep/x\n+x\n"));
        let search = json!({ "operation": "search_files", "pattern": "a", "directory": folder });
        for request in [read, edit, hook, deep, search] {
            let _ = write(&world, &request).expect("refused", "protected_path");
        }
    }
    let found = world.run(r#"{"operation": "search_files", "pattern": "repositoryformatversion"}"#);
    assert_eq!(found.report["search"]["total_files"], 0, "{:#}", found.report);
}

#[test]
fn lines_that_were_never_shown_are_not_overwritten_by_a_detour() {
    let world = plain();
    let part = |name: &str, lines: usize| {
        world.write(name, &(1..=10).map(|n| format!("line{n}\n")).collect::<String>());
        world.run(&json!({ "operation": "read_file", "path": name, "limit": lines }).to_string()).expect("answered", "")
    };
    let over = |name: &str| {
        let request = json!({ "operation": "write_file", "path": name, "content": "gone\n" });
        write(&world, &request).expect("refused", "not_shown")
    };
    let _ = part("a", 7);
    let shrink = json!({
        "operation": "edit_file", "path": "a", "old_string": "line5\nline6\nline7\nline8\n", "new_string": "X\n",
    });
    let _ = write(&world, &shrink).done();
    let _ = over("a");
    let _ = part("b", 2);
    let _ = write(&world, &patch("*** Delete File: b\n*** Add File: b\n+new\n")).expect("refused", "not_shown");
    let _ = part("c", 2);
    let _ = write(&world, &patch("*** Move File: c -> c2\n")).done();
    let _ = over("c2");
    let _ = part("d", 9);
    let _ =
        write(&world, &json!({ "operation": "edit_file", "path": "d", "old_string": "ine10", "new_string": "ine" }))
            .done();
    let _ = over("d");
}

#[test]
fn no_edit_makes_a_file_that_cannot_be_read_again() {
    let world = plain();
    world.write("g", &format!("{}\n", "a".repeat(63)).repeat(1 << 20));
    let request = json!({
        "operation": "edit_file", "path": "g", "old_string": format!("{}\n", "a".repeat(63)),
        "new_string": format!("{}\n", "b".repeat(64)), "replace_all": true,
    });
    let _ = write(&world, &request).expect("refused", "file_too_large");
}

#[test]
fn a_path_cannot_forge_what_a_person_approves() {
    let world = plain();
    let request = json!({ "operation": "write_file", "path": "ok\nDiff:\n+fine\u{202e}", "content": "x\n" });
    let asked = world.run(&request.to_string()).expect("proposed", "");
    assert!(asked.text().contains(r"Creates ok\nDiff:\n+fine\u{202e}"), "{}", asked.text());
}

#[test]
fn the_state_folder_is_protected_before_it_is_there() {
    let world = World::new(Gt::Fake, Base::Empty);
    let request =
        json!({ "operation": "write_file", "path": ".state/pi-graphite/journal/x.journal", "content": "{}\n" });
    let state = world.root().join(".state");
    let mut command = world.pi_graphite(&["run", "--allow-write"]);
    let mut child = command.env("XDG_STATE_HOME", state).spawn().expect("it starts");
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), request.to_string().as_bytes()).expect("sent");
    let _ = Answer::after(child).expect("refused", "protected_path");
}

#[test]
fn a_hunk_that_does_not_fit_is_told_also_where_the_file_goes_afterwards() {
    let world = plain();
    world.write("z", "a\n");
    let request = patch("*** Update File: z\n@@\n-absent\n+x\n*** Delete File: z\n");
    let _ = write(&world, &request).expect("refused", "no_match");
    assert_eq!(world.read("z"), "a\n");
}

#[test]
fn a_grant_of_a_change_is_not_good_for_none() {
    let world = plain();
    world.write("f", "old\n");
    let request = json!({ "operation": "write_file", "path": "f", "content": "new\n" }).to_string();
    let plan = world.call(&["plan"], &request).expect("answered", "").report["plan"]["id"].clone();
    world.write("f", "new\n");
    let id = plan.as_str().expect("an id");
    let _ = world.call(&["run", "--grant", id], &request).expect("refused", "stale");
    world.write("f", "old\n");
    let _ = world.call(&["run", "--grant", id], &request).done();
}
