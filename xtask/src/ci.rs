//! `ci`: everything that a change must pass, cheapest first and the tests last.

use std::time::{Duration, Instant};

use crate::cargo::{self, FOR_TESTS};
use crate::failure::{Failure, Result};
use crate::{demo, generate, layers, process, test, tidy};

/// A step: its heading and what it does.
type Step = (&'static str, fn() -> Result);

const CHECKS: &[Step] = &[
    ("format", format),
    ("clippy", clippy),
    ("generated files", generate::check),
    ("tidy", tidy::run),
    ("layers", layers::run),
    ("demo", demo::run),
];

/// Runs all steps and stops at the first that fails.
pub(crate) fn run() -> Result {
    for (index, step) in CHECKS.iter().enumerate() {
        check(index + 1, step)?;
    }
    // No duration behind it: the suite's closing line, which has its own, stays the last line.
    heading(CHECKS.len() + 1, "tests");
    test::run(&[]).map_err(|failure| failed("tests", &failure))
}

fn check(number: usize, (name, step): &Step) -> Result {
    heading(number, name);
    let start = Instant::now();
    step().map_err(|failure| failed(name, &failure))?;
    println!("-- {name}: ok in {}", seconds(start.elapsed()));
    Ok(())
}

fn heading(number: usize, name: &str) {
    println!("\n== {number}/{} {name}", CHECKS.len() + 1);
}

fn failed(name: &str, failure: &Failure) -> Failure {
    Failure::new(format!("step `{name}` failed: {failure}"))
}

fn format() -> Result {
    process::run(&mut cargo::cargo(&["fmt", "--all", "--check"]))
}

fn clippy() -> Result {
    let mut command = cargo::cargo(&["clippy", "--workspace", "--all-targets"]);
    command.args(["--features", FOR_TESTS, "--", "-D", "warnings"]);
    process::run(&mut command)
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_step_is_named() {
        let step: Step = ("weather", || Err(Failure::new("rain")));
        let failure = check(1, &step).expect_err("it rains");
        assert_eq!(failure.to_string(), "step `weather` failed: rain");
    }

    #[test]
    fn durations_are_short() {
        assert_eq!(seconds(Duration::from_millis(1_249)), "1.2 s");
    }
}
