//! A patch with 1,000 hunks for one file, in both dialects.

use super::input::{self, SIZES};
use super::site::{Flip, Site, patch};
use crate::harness::{Effort, alone};
use crate::table::{self, Target};

const HUNKS: usize = 1000;

/// A dialect: its name, and one hunk from the old line and the new one.
type Dialect = (&'static str, fn(&str, &str) -> String);

const DIALECTS: &[Dialect] =
    &[("blocks", |old, new| format!("@@\n{old}\n===\n{new}\n")), ("V4A", |old, new| format!("@@\n-{old}\n+{new}\n"))];

pub(crate) fn run(effort: &Effort) {
    for (dialect, hunk) in DIALECTS {
        for (size, bytes) in SIZES.into_iter().skip(1) {
            let (site, text) = (Site::new(), input::source(bytes));
            site.put("ours.rs", &text);
            let mut flip = flip(&text, *hunk);
            let times = alone(effort.rounds, Box::new(|| site.done(flip.turn())));
            let target = (bytes == 1_000_000).then_some(Target::Millis(50.0));
            table::alone(&format!("{HUNKS} hunks, {dialect}, {size}"), &times, target);
        }
    }
}

/// Changes one line in each of a thousand functions.
pub(crate) fn flip(text: &str, hunk: fn(&str, &str) -> String) -> Flip {
    let every = 2 * input::middle(text) / HUNKS;
    Flip::new(("value", "other"), |old, new| {
        let hunks: String =
            (0..HUNKS).map(|at| hunk(&input::line(at * every, old), &input::line(at * every, new))).collect();
        patch(&format!("*** Begin Patch\n*** Update File: ours.rs\n{hunks}*** End Patch\n"))
    })
}
