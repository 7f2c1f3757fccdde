//! Cargo as a child: one place that knows which cargo runs us and where it puts the binary.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::failure::{Failure, Result};
use crate::{process, workspace};

/// The product's package, and the name of its binary.
pub(crate) const PACKAGE: &str = "pi-graphite";

/// The features that build the fake `gt` and the failpoints, as seen from the workspace.
pub(crate) const FOR_TESTS: &str = "pi-graphite/fake-gt,pi-graphite/failpoints";

/// A cargo command at the workspace's root: the same cargo that started us.
pub(crate) fn cargo(words: &[&str]) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(words).current_dir(workspace::root());
    command
}

/// Builds the product's binary and tells where it is.
pub(crate) fn build_binary() -> Result<PathBuf> {
    let mut build = cargo(&["build", "--quiet", "--package", PACKAGE, "--bin", PACKAGE]);
    // Cargo's own word for the path: a person's configuration may move the target folder.
    build.arg("--message-format=json-render-diagnostics");
    build.stderr(Stdio::inherit());
    let messages = process::capture(&mut build)?;
    messages
        .lines()
        .find_map(executable)
        .ok_or_else(|| Failure::new("cargo built the binary but did not say where it is"))
}

/// The path in one of cargo's messages, if it is the one about the binary.
fn executable(message: &str) -> Option<PathBuf> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    if message["target"]["name"] != PACKAGE {
        return None;
    }
    message["executable"].as_str().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_message_about_the_binary_names_it() {
        let library = r#"{"reason":"compiler-artifact","target":{"name":"serde"},"executable":null}"#;
        let script = r#"{"reason":"compiler-artifact","target":{"name":"pi-graphite"},"executable":null}"#;
        let binary = r#"{"target":{"name":"pi-graphite"},"executable":"/t/debug/pi-graphite"}"#;
        assert_eq!(executable(library), None);
        assert_eq!(executable(script), None);
        assert_eq!(executable("warning: not JSON"), None);
        assert_eq!(executable(binary), Some(PathBuf::from("/t/debug/pi-graphite")));
    }
}
