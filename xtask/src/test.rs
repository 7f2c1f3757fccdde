//! `test`: every test of the workspace, against the fake and the real `gt`.

use crate::cargo::{self, FOR_TESTS, PACKAGE};
use crate::failure::Result;
use crate::{process, tools};

/// Runs all tests; the arguments go to the test binaries.
///
/// One run of the workspace would end with these commands' own tests and the doc tests, since cargo goes by
/// package name and keeps doc tests for the end. Three runs, smallest first, let the product's suite have the
/// last word: its closing line is the last one printed.
pub(crate) fn run(arguments: &[String]) -> Result {
    let gt = tools::gt()?;
    let runs: [&[&str]; 3] = [
        &["test", "--package", "xtask"],
        &["test", "--package", PACKAGE, "--features", FOR_TESTS, "--doc"],
        &["test", "--package", PACKAGE, "--features", FOR_TESTS, "--tests"],
    ];
    for words in runs {
        let mut command = cargo::cargo(words);
        command.arg("--").args(for_binaries(arguments));
        command.env("PI_GRAPHITE_TEST_GT", &gt.binary_folder);
        command.env("PI_GRAPHITE_TEST_GT_SHIM", &gt.shim_folder);
        process::run(&mut command)?;
    }
    Ok(())
}

/// `cargo xtask test -- ARGS` and `cargo xtask test ARGS` mean the same.
fn for_binaries(arguments: &[String]) -> &[String] {
    match arguments {
        [first, rest @ ..] if first == "--" => rest,
        all => all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leading_separator_is_not_passed_on() {
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        assert_eq!(for_binaries(&words("-- fold --nocapture")), words("fold --nocapture"));
        assert_eq!(for_binaries(&words("fold")), words("fold"));
    }
}
