//! Child processes: run one and turn a bad end into a sentence.

use std::io::ErrorKind;
use std::process::{Command, ExitStatus, Output, Stdio};

use crate::failure::{Failure, Result};

/// Runs a command with our own terminal and wants it to succeed.
pub(crate) fn run(command: &mut Command) -> Result {
    let status = command.status();
    let status = status.map_err(|error| not_started(command, &error))?;
    succeeded(command, status)
}

/// Runs a command with closed stdin and collects what it prints, whatever its exit status.
pub(crate) fn collect(command: &mut Command) -> Result<Output> {
    let output = command.stdin(Stdio::null()).output();
    output.map_err(|error| not_started(command, &error))
}

/// Runs a command and gives its stdout; stderr is shown only inside the error.
pub(crate) fn capture(command: &mut Command) -> Result<String> {
    let output = collect(command)?;
    succeeded(command, output.status).map_err(|failure| {
        let stderr = String::from_utf8_lossy(&output.stderr);
        Failure::new(format!("{failure}\n{}", stderr.trim_end()))
    })?;
    String::from_utf8(output.stdout).map_err(|_| Failure::new(format!("`{}` printed invalid UTF-8", shown(command))))
}

/// The command as a person would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = command.get_program().to_string_lossy();
    let program = program.rsplit('/').next().unwrap_or_default().to_owned();
    let words = command.get_args().map(|word| quoted(&word.to_string_lossy()));
    std::iter::once(program).chain(words).collect::<Vec<_>>().join(" ")
}

fn succeeded(command: &Command, status: ExitStatus) -> Result {
    if status.success() {
        return Ok(());
    }
    Err(Failure::new(format!("`{}` ended with {status}", shown(command))))
}

fn not_started(command: &Command, error: &std::io::Error) -> Failure {
    let program = command.get_program().to_string_lossy();
    if error.kind() == ErrorKind::NotFound {
        return Failure::new(format!("`{program}` was not found; install it and put it on PATH"));
    }
    Failure::new(format!("`{program}` could not be started: {error}"))
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:@,+^~".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_it_would_be_typed() {
        let mut command = Command::new("/opt/x/bin/gt");
        command.args(["create", "--message=it's two words", ""]);
        assert_eq!(shown(&command), r"gt create '--message=it'\''s two words' ''");
    }

    #[test]
    fn a_missing_program_says_what_to_do() {
        let failure = run(&mut Command::new("no-such-program-here")).expect_err("not there");
        assert_eq!(failure.to_string(), "`no-such-program-here` was not found; install it and put it on PATH");
    }

    #[test]
    fn a_failed_command_brings_its_stderr_along() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo because >&2; exit 3"]);
        let text = capture(&mut command).expect_err("exit 3").to_string();
        assert!(text.contains("exit status: 3"), "{text}");
        assert!(text.ends_with("\nbecause"), "{text}");
    }
}
