//! An environment that would lead us or gt astray: variables, executables, caches, configuration, input and output.

mod cache;
mod executable;
mod input;
mod read_only;
mod variables;

use std::process::Command;

use crate::support::{Answer, Base, Gt, World};

const INSPECT: &str = r#"{"operation": "inspect", "target": "state"}"#;
const CREATE: &str = r#"{"operation": "create", "name": "new", "subject": "s", "body": "b"}"#;

/// A stack with something staged.
fn world(gt: Gt) -> World {
    let world = World::new(gt, Base::Stack);
    world.sh("echo staged > staged.txt; git add staged.txt");
    world
}

/// Sends a request by a command that was changed before.
fn send(mut command: Command, request: &[u8]) -> Answer {
    use std::io::Write;
    let mut child = command.spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    // A binary that refuses early does not read to the end.
    drop(stdin.write_all(request));
    drop(stdin);
    Answer::of(&child.wait_with_output().expect("it ends"))
}

/// Runs a request with further variables.
fn run_with(world: &World, variables: &[(&str, &str)], request: &str) -> Answer {
    let mut command = world.pi_graphite(&["run"]);
    command.envs(variables.iter().copied());
    send(command, request.as_bytes())
}

/// Runs a request with another PATH, `$BIN` being the world's own folder with gt and `$SYSTEM` what the rest needs.
fn run_on_path(world: &World, path: &str, request: &str) -> Answer {
    let path = path.replace("$BIN", &world.path("bin").display().to_string());
    run_with(world, &[("PATH", &path.replace("$SYSTEM", "/usr/local/bin:/usr/bin:/bin"))], request)
}
