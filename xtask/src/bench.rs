//! `bench`: what the guard costs, beside bare work, gt and git, measured in one run.

use crate::cargo::{self, PACKAGE};
use crate::failure::Result;
use crate::{process, tools};

/// Builds everything with optimisation and runs the benchmark; the arguments go to it.
pub(crate) fn run(arguments: &[String]) -> Result {
    let mut command = cargo::cargo(&["bench", "--package", PACKAGE, "--bench", "guard", "--"]);
    command.env("PI_GRAPHITE_TEST_GT_SHIM", &tools::gt()?.shim_folder);
    process::run(command.args(arguments))
}
