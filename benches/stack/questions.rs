//! Questions that Graphite's own state answers: whole processes, beside gt.

use serde_json::json;

use super::repository::{Repository, SMALL, WIDE};
use crate::harness::{Contender, Effort, alone, in_turn};
use crate::table::{self, Target};

/// At most so many milliseconds.
const WHOLE: f64 = 8.0;
/// gt takes at least so many times as long.
const FASTER: f64 = 1.0 / 40.0;

pub(crate) fn run(effort: &Effort) {
    for (name, size) in [("3 branches", SMALL), ("203 branches", WIDE)] {
        let repository = Repository::new(size);
        for target in ["state", "parent", "children", "trunk"] {
            let request = json!({ "operation": "inspect", "target": target });
            let gt: Contender<'_> = Box::new(|| repository.time("gt", &[target, "--no-interactive"]));
            let ours: Contender<'_> = Box::new(|| repository.answer(&["run"], &request, "answered").0);
            let [gt, ours] = in_turn(effort.long, [gt, ours]);
            table::base(&format!("{target}, {name}: gt"), &gt);
            table::compared(&format!("{target}, {name}: inspect"), (&ours, &gt), Some(Target::Ratio(FASTER)));
            table::alone(&format!("{target}, {name}: inspect, whole"), &ours, Some(Target::Millis(WHOLE)));
        }
        let drawn = alone(effort.rounds, Box::new(|| repository.time(env!("CARGO_BIN_EXE_pi-graphite"), &["stack"])));
        table::alone(&format!("`pi-graphite stack`, {name}"), &drawn, Some(Target::Millis(20.0)));
    }
}
