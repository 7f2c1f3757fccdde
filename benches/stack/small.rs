//! What is paid for nothing: starting, refusing, and the memory of a small operation.

use serde_json::json;

use super::repository::{Repository, SMALL};
use crate::harness::{Effort, in_turn};
use crate::table::{self, Target};

/// The most that a start or a refusal may take, in milliseconds.
const MOST: f64 = 5.0;
/// The most memory beside gt, in bytes.
const MEMORY: u64 = 40_000_000;

pub(crate) fn run(effort: &Effort) {
    let repository = Repository::new(SMALL);
    let ours = env!("CARGO_BIN_EXE_pi-graphite");
    let request = json!({ "operation": "checkout", "branch": "a", "force": true });
    let [nothing, start, refusal] = in_turn(
        effort.rounds,
        [
            Box::new(|| repository.time("true", &[])),
            Box::new(|| repository.time(ours, &["--version"])),
            Box::new(|| repository.answer(&["run"], &request, "refused").0),
        ],
    );
    table::alone("`true`, to compare with", &nothing, None);
    table::alone("`pi-graphite --version`", &start, Some(Target::Millis(MOST)));
    table::alone("a bad request", &refusal, Some(Target::Millis(MOST)));
    let peak = repository.peak(&json!({ "operation": "checkout", "branch": "a" }));
    table::bytes("memory of `checkout`, without gt's", peak, MEMORY);
}
