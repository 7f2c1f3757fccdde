//! Instructions instead of time: the same in every run, whatever else the machine does.
//!
//! Each whole run of the product is counted by callgrind and compared with `benches/instructions.json`. Hash tables are
//! seeded by chance, so counts differ by a part of a percent from run to run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::stack::repository::{Repository, SMALL, Size, WIDE};
use crate::{files, table};

/// From here on a difference to the baseline is told as one.
const NOISE: f64 = 1.03;

/// What is counted: a name, where, the arguments and the request.
struct Case<'r> {
    name: &'static str,
    repository: &'r Repository,
    args: &'static [&'static str],
    request: Value,
}

/// Counts all, and shows each beside the baseline or writes a new one. Tells whether none has grown.
pub(crate) fn run(save: bool) -> bool {
    let small = Repository::new(SMALL);
    let wide = Repository::new(WIDE);
    let files = Repository::new(Size { files: 5_000, ..SMALL });
    let text = files::input::source(1_000_000);
    std::fs::write(small.path("work/ours.rs"), &text).expect("there is room");
    let number = files::input::middle(&text);
    let (old, new) = (files::input::line(number, "value"), files::input::line(number, "other"));
    let edit = |old: &str, new: &str| json!({ "operation": "edit_file", "path": "ours.rs", "old_string": old, "new_string": new });
    let case = |name, repository, args, request| Case { name, repository, args, request };
    let state = json!({ "operation": "inspect", "target": "state" });
    let checkout = json!({ "operation": "checkout", "branch": "a" });
    let cases = [
        case("start", &small, &["--version"], Value::Null),
        case("refusal", &small, &["run"], json!({ "operation": "checkout" })),
        case("inspect state, 3 branches", &small, &["run"], state.clone()),
        case("inspect state, 203 branches", &wide, &["run"], state),
        case("plan of checkout, 3 files", &small, &["plan"], checkout.clone()),
        case("plan of checkout, 5,000 files", &files, &["plan"], checkout),
        case("plan of an exact edit, 1 MB", &small, &["plan"], edit(&old, &new)),
        case("plan of an edit on the second rung, 1 MB", &small, &["plan"], edit(&format!("{old} "), &new)),
        case("miss, 1 MB", &small, &["plan"], edit("alpha beta\ngamma delta", &new)),
    ];
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/instructions.json");
    let counts: BTreeMap<&str, u64> = cases.iter().map(|case| (case.name, count(case))).collect();
    if save {
        let text = serde_json::to_string_pretty(&counts).expect("names and numbers") + "\n";
        std::fs::write(&path, text).expect("the folder is ours");
        println!("written to {}", path.display());
        return true;
    }
    let baseline = baseline(&path);
    let mut is_well = true;
    for (name, count) in counts {
        let ratio = baseline.get(name).map(|known| table::quotient(count, *known));
        is_well &= ratio.is_none_or(|ratio| ratio <= NOISE);
        table::instructions(name, count, ratio, NOISE);
    }
    is_well
}

fn baseline(path: &PathBuf) -> BTreeMap<String, u64> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|_| "{}".to_owned());
    serde_json::from_str(&text).expect("names and numbers")
}

/// The instructions of one run.
fn count(case: &Case<'_>) -> u64 {
    let request = case.repository.request(&case.request);
    let mut command: Command = case.repository.command("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", env!("CARGO_BIN_EXE_pi-graphite")]);
    let output = command.args(case.args).stdin(request).output().expect("counting needs valgrind: it is not installed");
    let told = String::from_utf8_lossy(&output.stderr);
    let counted = told.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    counted.unwrap_or_else(|| panic!("{}: no count: {told}", case.name))
}
