//! Measures what the guard costs: file operations beside bare ones, stack operations beside gt, looks beside git.
//!
//! `cargo xtask bench [--quick] [FILTER]`, and `cargo xtask bench instructions [--save]`. Everything that is compared runs
//! in turn within each round, so that the noise of the machine meets all of it. A line is a measurement, never an
//! assertion: the exit status is 0 also when a target is missed. Only `instructions` fails, when counts have grown.

#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark makes its own files and starts what it measures; the guard's doors are in `src`"
)]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for people: printing is its job")]

mod files;
mod harness;
mod instructions;
mod stack;
mod table;

use std::process::ExitCode;

use harness::Effort;

/// The variable that makes this program, started again by itself, another one.
const ROLE: &str = "PI_GRAPHITE_BENCH_ROLE";

/// A part of the benchmark: its name and what it prints.
type Part = (&'static str, fn(&Effort));

const PARTS: &[Part] = &[
    ("exact", files::exact::run),
    ("ladder", files::ladder::run),
    ("miss", files::ladder::misses),
    ("hunks", files::hunks::run),
    ("several", files::several::run),
    ("peak", files::peak::run),
    ("small", stack::small::run),
    ("questions", stack::questions::run),
    ("looks", stack::looks::run),
    ("growth", stack::growth::run),
    ("mutations", stack::mutations::small),
    ("mutations-large", stack::mutations::large),
];

fn main() -> ExitCode {
    match std::env::var(ROLE).as_deref() {
        Ok("bare") => files::bare::main(),
        Ok("peak") => files::peak::main(),
        Ok(_) | Err(_) => all(),
    }
}

fn all() -> ExitCode {
    // Cargo adds `--bench` itself.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let filters: Vec<&String> = arguments.iter().filter(|word| !word.starts_with("--")).collect();
    let known = ["--quick", "--save"];
    if let Some(unknown) = arguments.iter().find(|word| word.starts_with("--") && !known.contains(&word.as_str())) {
        eprintln!("`{unknown}` is not known; the flags are `--quick`, and `--save` for `instructions`");
        return ExitCode::FAILURE;
    }
    if filters.iter().any(|filter| *filter == "instructions") {
        table::heading("instructions");
        let is_well = instructions::run(arguments.iter().any(|word| word == "--save"));
        return if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let quick = arguments.iter().any(|word| word == "--quick");
    let effort = if quick { Effort::quick() } else { Effort::full() };
    let wanted = |name: &str| filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()));
    let parts: Vec<&Part> = PARTS.iter().filter(|(name, _)| wanted(name)).collect();
    if parts.is_empty() {
        let names: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
        eprintln!("nothing has this name; the parts are {}", names.join(", "));
        return ExitCode::FAILURE;
    }
    table::machine();
    for (name, part) in parts {
        table::heading(name);
        part(&effort);
    }
    table::machine();
    ExitCode::SUCCESS
}
