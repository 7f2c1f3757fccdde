//! Colour for people: only on a terminal, and never when `NO_COLOR` is set.

use std::io::IsTerminal;

use crate::command::Environment;

/// Paints or does not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paint(bool);

impl Paint {
    /// Paints when standard output is a terminal that wants colour.
    pub(super) fn for_stdout(env: &Environment) -> Self {
        Self(
            std::io::stdout().is_terminal()
                && env.get("NO_COLOR").is_none()
                && env.get("TERM").is_none_or(|term| term != "dumb"),
        )
    }

    pub(super) fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }
    pub(super) fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }
    pub(super) fn green(self, text: &str) -> String {
        self.wrap("32", text)
    }
    pub(super) fn yellow(self, text: &str) -> String {
        self.wrap("33", text)
    }
    pub(super) fn red(self, text: &str) -> String {
        self.wrap("31", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.0 { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// Text from the repository without control characters, so that it cannot drive the terminal.
pub(super) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
