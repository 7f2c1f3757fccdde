//! What one call of the binary led to.

use serde_json::Value;

/// Exit status, report and standard error of one call.
#[derive(Debug)]
#[must_use]
pub(crate) struct Answer {
    pub(crate) exit: Option<i32>,
    pub(crate) report: Value,
    pub(crate) stderr: String,
}

impl Answer {
    /// Reads what a finished process left.
    pub(crate) fn of(output: &std::process::Output) -> Self {
        let stdout = String::from_utf8_lossy(&output.stdout);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let report =
            serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("no report ({error}): {stdout:?} {stderr:?}"));
        Self { exit: output.status.code(), report, stderr }
    }

    /// Waits for a started process and reads what it left.
    pub(crate) fn after(child: std::process::Child) -> Self {
        Self::of(&child.wait_with_output().expect("it ends"))
    }

    pub(crate) fn status(&self) -> &str {
        self.report["status"].as_str().unwrap_or_default()
    }

    /// The fault's code, empty when there is none.
    pub(crate) fn code(&self) -> &str {
        self.report["fault"]["code"].as_str().unwrap_or_default()
    }

    pub(crate) fn text(&self) -> &str {
        self.report["text"].as_str().unwrap_or_default()
    }

    /// Asserts status and code, showing the whole report when they differ.
    pub(crate) fn expect(self, status: &str, code: &str) -> Self {
        assert_eq!((self.status(), self.code()), (status, code), "{:#}\n{}", self.report, self.stderr);
        self
    }

    /// Asserts that it was done.
    pub(crate) fn done(self) -> Self {
        self.expect("done", "")
    }
}
