//! A patch of many files beside writing and syncing the same files one after the other.

use std::path::{Path, PathBuf};

use super::bare;
use super::input::{self, SIZES};
use super::site::{Flip, Site, patch};
use crate::harness::{Effort, in_turn};
use crate::table::{self, Target};

/// The folders that the files lie in.
const FOLDERS: usize = 10;

pub(crate) fn run(effort: &Effort) {
    for (files, rounds) in [(100, effort.rounds), (1000, effort.long)] {
        for (size, bytes) in SIZES {
            let target = (files == 100).then_some(Target::Ratio(1.0));
            compare(rounds, (files, bytes / files), size, target);
        }
    }
}

fn compare(rounds: usize, (files, bytes): (usize, usize), size: &str, target: Option<Target>) {
    let (site, text) = (Site::new(), input::source(bytes));
    let name = |side: &str, at: usize| format!("{side}/{}/file_{at}.rs", at % FOLDERS);
    for at in 0..files {
        site.put(&name("bare", at), &text);
        site.put(&name("ours", at), &text);
    }
    let paths: Vec<PathBuf> = (0..files).map(|at| site.path(&name("bare", at))).collect();
    let folders: Vec<&Path> = paths.iter().take(FOLDERS).filter_map(|path| path.parent()).collect();
    let mut flip = flip(&text, files);
    let [plain, engine] = in_turn(
        rounds,
        [
            Box::new(|| bare::write_each(paths.iter().map(|path| (path.as_path(), text.as_bytes())), &folders)),
            Box::new(|| site.done(flip.turn())),
        ],
    );
    table::base(&format!("{files} files, {size} in all: one by one"), &plain);
    table::compared(&format!("{files} files, {size} in all: one patch"), (&engine, &plain), target);
}

/// Changes one line of each file.
pub(crate) fn flip(text: &str, files: usize) -> Flip {
    let number = input::middle(text);
    Flip::new(("value", "other"), |old, new| {
        let section = |at: usize| {
            let (old, new) = (input::line(number, old), input::line(number, new));
            format!("*** Update File: ours/{}/file_{at}.rs\n@@\n{old}\n===\n{new}\n", at % FOLDERS)
        };
        let sections: String = (0..files).map(section).collect();
        patch(&format!("*** Begin Patch\n{sections}*** End Patch\n"))
    })
}
