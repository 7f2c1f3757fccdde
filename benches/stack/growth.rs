//! Twice as much of everything: nothing may take much more than twice as long.

use super::looks::look;
use super::repository::{Repository, SMALL, Size};
use crate::harness::{Effort, in_turn};
use crate::table;

/// The most that twice as much may take.
const MOST: f64 = 2.3;

pub(crate) fn run(effort: &Effort) {
    let pairs = [
        ("files, 20,000 and 40,000", Size { files: 20_000, ..SMALL }, Size { files: 40_000, ..SMALL }),
        ("branches, 200 and 400", Size { branches: 200, ..SMALL }, Size { branches: 400, ..SMALL }),
        ("packed tags, 10,000 and 20,000", Size { tags: 10_000, ..SMALL }, Size { tags: 20_000, ..SMALL }),
    ];
    for (name, once, twice) in pairs {
        let (once, twice) = (Repository::new(once), Repository::new(twice));
        let [once, twice] = in_turn(effort.rounds, [Box::new(|| look(&once)), Box::new(|| look(&twice))]);
        table::grown(name, (&once, &twice), MOST);
    }
}
