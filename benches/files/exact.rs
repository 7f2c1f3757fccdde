//! One line of a file is replaced: the engine and the whole program beside the bare program.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::bare;
use super::input::{self, SIZES};
use super::site::{Flip, Site, edit};
use crate::ROLE;
use crate::harness::{Effort, in_turn};
use crate::table::{self, Target};

/// The target of the largest size.
const MOST: Target = Target::Ratio(1.5);

pub(crate) fn run(effort: &Effort) {
    for (size, bytes) in std::iter::once(("100 bytes", 100)).chain(SIZES) {
        let target = (bytes == 10_000_000).then_some(MOST);
        in_process(effort, (size, bytes), target);
        as_program(effort, (size, bytes), target);
    }
}

fn in_process(effort: &Effort, (size, bytes): (&str, usize), target: Option<Target>) {
    let (site, changes) = prepared(bytes);
    let mut pairs = Turns::new(&changes);
    let mut flip = flip(&changes);
    let [plain, engine] = in_turn(
        effort.rounds,
        [
            Box::new(|| {
                let (old, new) = pairs.turn();
                bare::edit(&site.path("bare.rs"), old, new)
            }),
            Box::new(|| site.done(flip.turn())),
        ],
    );
    table::base(&format!("{size}: bare read, hash, write, syncs"), &plain);
    table::compared(&format!("{size}: engine, in process"), (&engine, &plain), target);
}

fn as_program(effort: &Effort, (size, bytes): (&str, usize), target: Option<Target>) {
    let (site, changes) = prepared(bytes);
    let mut pairs = Turns::new(&changes);
    let mut flip = flip(&changes);
    let [plain, whole] = in_turn(
        effort.rounds,
        [
            Box::new(|| {
                let (old, new) = pairs.turn();
                bare_program(&site, old, new)
            }),
            Box::new(|| site.process(flip.turn())),
        ],
    );
    table::base(&format!("{size}: bare, as a program"), &plain);
    table::compared(&format!("{size}: `pi-graphite run`"), (&whole, &plain), target);
}

/// Two equal files in a new repository, and the two states of the line in their middle.
fn prepared(bytes: usize) -> (Site, [String; 2]) {
    let (site, text) = (Site::new(), input::source(bytes));
    site.put("bare.rs", &text);
    site.put("ours.rs", &text);
    let number = input::middle(&text);
    (site, ["value", "other"].map(|verb| input::line(number, verb)))
}

fn flip([one, other]: &[String; 2]) -> Flip {
    Flip::new((one.as_str(), other.as_str()), |old, new| edit("ours.rs", old, new))
}

fn bare_program(site: &Site, old: &str, new: &str) -> Duration {
    let mut command = site.command(Path::new("/proc/self/exe"));
    command.env(ROLE, "bare").arg(site.path("bare.rs")).args([old, new]).stdin(Stdio::null());
    let started = Instant::now();
    let output = command.output().expect("it is this program");
    let time = started.elapsed();
    assert!(output.status.success(), "the bare program fails");
    time
}

/// A change and the same back, in turn.
struct Turns<'a> {
    states: &'a [String; 2],
    next: usize,
}

impl<'a> Turns<'a> {
    const fn new(states: &'a [String; 2]) -> Self {
        Self { states, next: 0 }
    }

    fn turn(&mut self) -> (&'a str, &'a str) {
        let (old, new) = (&self.states[self.next], &self.states[1 - self.next]);
        self.next = 1 - self.next;
        (old, new)
    }
}
