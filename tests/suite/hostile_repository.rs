//! Repositories that are broken, odd, or set up to run a program: every answer names what it is, and nothing is lost.

mod database;
mod fifos;
mod forms;
mod hidden;
mod programs;
mod refs;
mod state;

use std::process::Stdio;

use crate::support::{Answer, Base, Gt, Treasure, World};

const INSPECT: &str = r#"{"operation": "inspect", "target": "state"}"#;
const CREATE: &str = r#"{"operation": "create", "name": "new", "subject": "s", "body": "b"}"#;

/// A stack with something staged, something unstaged and something untracked.
fn world(gt: Gt) -> World {
    let world = World::new(gt, Base::Stack);
    busy(&world);
    world
}

fn busy(world: &World) {
    world.sh("echo staged > staged.txt; git add staged.txt; echo edited >> base.txt; echo untracked > untracked.txt");
}

/// Sends a request that must be answered within ten seconds.
fn soon(world: &World, args: &[&str], request: &str) -> Answer {
    use std::io::Write;
    let mut command = world.command("timeout");
    command.args(["-s", "KILL", "10", env!("CARGO_BIN_EXE_pi-graphite")]).args(args);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    drop(stdin.write_all(request.as_bytes()));
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    assert!(!output.stdout.is_empty(), "no report within ten seconds ({:?}): {args:?} {request}", output.status);
    Answer::of(&output)
}

/// Creating is done as promised, and everything else stays.
fn creates(world: &World) -> Answer {
    let before = Treasure::of(world);
    let answer = soon(world, &["run"], CREATE).done();
    before.assert_kept(world);
    assert_eq!(world.sh("git symbolic-ref --short HEAD"), "new");
    assert_eq!(world.sh("git diff --cached --name-only --no-ext-diff"), "", "what was staged is committed");
    answer
}

/// Creating is done as promised, or it is refused, or gt fails with nothing changed.
fn creates_or_stops(world: &World) -> Answer {
    let before = Treasure::of(world);
    let answer = soon(world, &["run"], CREATE);
    assert!(["done", "refused", "unavailable", "failed"].contains(&answer.status()), "{:#}", answer.report);
    if answer.status() == "done" {
        before.assert_kept(world);
    } else {
        before.assert_untouched(world);
    }
    answer
}

/// Creating is refused by name, and nothing changes.
fn refuses(world: &World, status: &str, code: &str) -> Answer {
    let before = Treasure::of(world);
    let answer = soon(world, &["run"], CREATE).expect(status, code);
    assert!(!answer.report["fault"]["message"].as_str().unwrap_or_default().is_empty());
    before.assert_untouched(world);
    answer
}

/// Looking and creating are both refused by the same name, and nothing changes.
fn refuses_all(world: &World, code: &str) -> Answer {
    drop(soon(world, &["run"], INSPECT).expect("unavailable", code));
    drop(soon(world, &["plan"], CREATE).expect("unavailable", code));
    refuses(world, "unavailable", code)
}
