//! The one error of these commands: a sentence for the person at the terminal.

use std::fmt;

/// What went wrong and, where it helps, what to do about it.
#[derive(Debug)]
pub(crate) struct Failure(String);

/// The result of a command or of a part of it.
pub(crate) type Result<T = ()> = std::result::Result<T, Failure>;

impl Failure {
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Says what was being done when a lower error came up.
pub(crate) trait While<T> {
    /// Turns the error into `could not <doing>: <error>`.
    fn while_doing(self, doing: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: fmt::Display> While<T> for std::result::Result<T, E> {
    fn while_doing(self, doing: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| Failure::new(format!("could not {}: {error}", doing())))
    }
}
