//! Standard input that is no request, and a standard output that nobody reads.

use std::process::Stdio;

use super::{CREATE, INSPECT, send, world};
use crate::support::{Answer, Base, Gt, Treasure, World};

fn sent(world: &World, input: &[u8]) -> Answer {
    send(world.pi_graphite(&["run"]), input)
}

/// Refused with exit status 2, and no process was started.
fn refused(world: &World, input: &[u8], code: &str) -> Answer {
    let answer = sent(world, input).expect("refused", code);
    assert_eq!(answer.exit, Some(2));
    assert_eq!(world.gt_calls().len(), calls_of_the_setup(world));
    answer
}

fn calls_of_the_setup(world: &World) -> usize {
    world.gt_calls().iter().filter(|call| !call.contains("--version")).count()
}

#[test]
fn what_is_no_json_is_refused() {
    let world = World::new(Gt::Fake, Base::Plain);
    let bom = [b"\xef\xbb\xbf", INSPECT.as_bytes()].concat();
    let utf16: Vec<u8> = INSPECT.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for input in [
        &b""[..],
        b"\n",
        b"\0",
        b"{",
        b"nonsense",
        b"[]",
        b"null",
        b"17",
        b"\"inspect\"",
        b"{\"operation\": \"inspect\xff\", \"target\": \"state\"}",
        b"{'operation': 'inspect'}",
        b"{\"operation\": \"inspect\", \"target\": \"state\",}",
        b"{\"operation\": \"\\ud800\"}",
        &bom,
        &utf16,
    ] {
        drop(refused(&world, input, "bad_json"));
    }
}

#[test]
fn a_second_value_after_the_request_is_refused() {
    let world = World::new(Gt::Fake, Base::Plain);
    for tail in [INSPECT, "x", "}", "\0", "// comment"] {
        drop(refused(&world, format!("{INSPECT}{tail}").as_bytes(), "bad_json"));
    }
}

#[test]
fn white_space_around_the_request_is_fine() {
    let world = world(Gt::Fake);
    drop(sent(&world, format!("\r\n\t {INSPECT} \n\n").as_bytes()).expect("answered", ""));
}

#[test]
fn deep_nesting_crashes_nothing() {
    let world = World::new(Gt::Fake, Base::Plain);
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
        let deep = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        drop(refused(&world, deep.as_bytes(), "bad_json"));
        drop(refused(&world, open.repeat(100_000).as_bytes(), "bad_json"));
        let inside = format!(r#"{{"operation": "inspect", "target": {deep}}}"#);
        drop(refused(&world, inside.as_bytes(), "bad_json"));
    }
}

#[test]
fn a_key_that_stands_twice_is_refused_at_any_depth() {
    let world = World::new(Gt::Fake, Base::Plain);
    for (input, key) in [
        (r#"{"operation": "inspect", "operation": "inspect", "target": "state"}"#, "operation"),
        (r#"{"operation": "delete", "branch": "a", "branch": "b"}"#, "branch"),
        (r#"{"operation": "delete", "branch": "a", "br\u0061nch": "b"}"#, "branch"),
        (r#"{"operation": "inspect", "target": {"x": 1, "x": 2}}"#, "x"),
        (r#"{"operation": "stage", "paths": [{"a": {"deep": 1, "deep": 1}}]}"#, "deep"),
        (r#"{"operation": "inspect", "target": "state", "": 1, "": 2}"#, ""),
    ] {
        let answer = refused(&world, input.as_bytes(), "bad_json");
        assert!(answer.text().contains(&format!("`{key}`")), "{}", answer.text());
    }
}

#[test]
fn oversize_input_is_refused_and_the_limit_is_named() {
    let world = World::new(Gt::Fake, Base::Plain);
    let mut input = vec![b' '; 33 * 1024 * 1024];
    input[..INSPECT.len()].copy_from_slice(INSPECT.as_bytes());
    let answer = refused(&world, &input, "too_large");
    assert_eq!(answer.report["fault"]["details"]["limit"], 32 * 1024 * 1024);
}

#[test]
fn a_request_of_exactly_the_limit_is_read() {
    let world = world(Gt::Fake);
    let mut input = vec![b' '; 32 * 1024 * 1024];
    input[..INSPECT.len()].copy_from_slice(INSPECT.as_bytes());
    drop(sent(&world, &input).expect("answered", ""));
    input.push(b' ');
    drop(sent(&world, &input).expect("refused", "too_large"));
}

#[test]
fn a_huge_field_is_refused_shortly() {
    let world = World::new(Gt::Fake, Base::Plain);
    let huge = "x".repeat(5_000_000);
    for input in [
        format!(r#"{{"operation": "{huge}"}}"#),
        format!(r#"{{"operation": "delete", "branch": "{huge}"}}"#),
        format!(r#"{{"operation": "inspect", "target": "state", "{huge}": 1}}"#),
        format!(r#"{{"operation": "inspect", "target": "{huge}"}}"#),
        format!(r#"{{"operation": "create", "name": "n", "subject": "{huge}", "body": "b"}}"#),
    ] {
        let answer = sent(&world, input.as_bytes());
        assert_eq!((answer.status(), answer.exit), ("refused", Some(2)));
        let length = answer.report.to_string().len();
        assert!(length < 10_000, "a report of {length} bytes on {}", &input[..60]);
    }
}

#[test]
fn a_closed_standard_input_is_no_request() {
    let world = World::new(Gt::Fake, Base::Plain);
    let output = world.command("sh").args(["-c", &format!("{} run <&-", env!("CARGO_BIN_EXE_pi-graphite"))]).output();
    let answer = Answer::of(&output.expect("it ends")).expect("refused", "bad_json");
    assert_eq!(answer.exit, Some(2));
}

#[test]
fn an_output_that_nobody_reads_changes_nothing_about_the_work() {
    for (redirect, exits) in [(">&-", &[0][..]), ("> /dev/full", &[70]), ("| true", &[0])] {
        let world = world(Gt::Fake);
        let before = Treasure::of(&world);
        let script = format!("echo '{CREATE}' | {} run {redirect}", env!("CARGO_BIN_EXE_pi-graphite"));
        let status = world.command("sh").args(["-c", &script]).stdout(Stdio::null()).stderr(Stdio::null()).status();
        assert!(status.expect("it ends").code().is_some_and(|code| exits.contains(&code)), "{redirect}");
        world.sh("for i in $(seq 100); do test \"$(git symbolic-ref --short HEAD)\" = new && break; sleep 0.05; done");
        before.assert_kept(&world);
        assert_eq!(
            world.sh("git symbolic-ref --short HEAD; test -e .git/pi-graphite/holder.json || echo told"),
            "new\ntold"
        );
    }
}
