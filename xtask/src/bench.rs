//! `bench`: the file operations beside what an optimised program needs for the same bytes, measured in one run.

use crate::cargo::{self, PACKAGE};
use crate::failure::Result;
use crate::process;

/// Builds everything with optimisation and runs the benchmark; the arguments go to it.
pub(crate) fn run(arguments: &[String]) -> Result {
    let mut command = cargo::cargo(&["bench", "--package", PACKAGE, "--bench", "files", "--"]);
    process::run(command.args(arguments))
}
