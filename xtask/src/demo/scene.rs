//! The place of the story: a repository with a home of its own, and the ways to act in it.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::paper::{Ink, Paper, block, command_line, request_line, say, text_of};
use crate::failure::{Failure, Result, While};
use crate::{cargo, process, tools};

/// A throw-away repository, the binary, and what happened so far.
pub(super) struct Scene {
    folder: PathBuf,
    path: String,
    binary: PathBuf,
    paper: Paper,
    steps: Vec<Played>,
}

/// How a step should end.
#[derive(Clone, Copy)]
pub(super) struct Ending {
    pub(super) status: &'static str,
    pub(super) exit: i32,
}

/// A step as it went.
struct Played {
    what: String,
    ending: Ending,
}

impl Scene {
    /// Makes the folders; the repository is made by the story, in the open.
    pub(super) fn open() -> Result<Self> {
        let gt = tools::gt()?;
        let binary = match std::env::var_os("PI_GRAPHITE_BIN") {
            // The children work in another folder.
            Some(binary) => {
                std::path::absolute(binary).while_doing(|| "find the binary of `PI_GRAPHITE_BIN`".to_owned())?
            }
            None => cargo::build_binary()?,
        };
        let folder = fresh_folder()?;
        for name in ["home", "repo"] {
            let made = fs::create_dir(folder.join(name));
            made.while_doing(|| format!("make `{name}` in `{}`", folder.display()))?;
        }
        let found = std::env::var("PATH").unwrap_or_default();
        Ok(Self {
            path: format!("{}:{found}", gt.binary_folder.display()),
            folder,
            binary,
            paper: Paper::new(),
            steps: Vec::new(),
        })
    }

    pub(super) fn repository(&self) -> PathBuf {
        self.folder.join("repo")
    }

    /// Begins an act.
    pub(super) fn heading(&self, text: &str) {
        self.paper.heading(text);
    }

    /// Runs a plain command, showing it and what it prints.
    pub(super) fn shell(&self, program: &str, arguments: &[&str]) -> Result<String> {
        let mut command = self.child(Path::new(program));
        command.args(arguments);
        self.paper.command(&process::shown(&command));
        let printed = process::capture(&mut command)?;
        block(&printed);
        Ok(printed)
    }

    /// Writes a file of the repository, as an editor would.
    pub(super) fn write(&self, name: &str, content: &str) -> Result {
        self.paper.command(&format!("$EDITOR {name}"));
        block(content);
        let written = fs::write(self.repository().join(name), content);
        written.while_doing(|| format!("write `{name}`"))
    }

    /// Sends one request through `pi-graphite run` and wants it to end as told.
    pub(super) fn request(&mut self, request: &Value, ending: Ending) -> Result<Value> {
        self.request_with(&[], request, ending)
    }

    /// The same, with flags: what only a person may give.
    pub(super) fn request_with(&mut self, flags: &[&str], request: &Value, ending: Ending) -> Result<Value> {
        let operation = text_of(request, "/operation");
        let mut command = self.child(&self.binary);
        command.arg("run").args(flags);
        self.paper.command(&process::shown(&command));
        let request = request_line(request);
        self.paper.request(&request);
        let output = feed(&mut command, &request)?;
        let report = self.show(&output)?;
        let actual = (text_of(&report, "/status"), output.status.code());
        if actual != (ending.status.to_owned(), Some(ending.exit)) {
            let (status, exit) = actual;
            return Err(Failure::new(format!(
                "step {} should end as `{}` with exit status {}; it ended as `{status}` with {}",
                self.steps.len() + 1,
                ending.status,
                ending.exit,
                exit.map_or_else(|| "a signal".to_owned(), |code| code.to_string()),
            )));
        }
        let what = format!("{operation} {}", flags.first().unwrap_or(&""));
        self.steps.push(Played { what, ending });
        Ok(report)
    }

    /// Shows the stack as `pi-graphite stack` draws it for people.
    pub(super) fn draw(&self) -> Result {
        let mut command = self.child(&self.binary);
        command.arg("stack");
        self.paper.command(&process::shown(&command));
        block(&process::capture(&mut command)?);
        Ok(())
    }

    /// Lists how every step ended, and removes the folders.
    pub(super) fn close(&self) -> Result {
        self.paper.heading("How each step ended");
        for (index, Played { what, ending }) in self.steps.iter().enumerate() {
            let ink = if ending.exit == 0 { Ink::Good } else { Ink::Bad };
            let status = self.paper.inked(ink, &format!("{:<9}", ending.status));
            let number = index + 1;
            say(&format!("  {number:>2}  {what:<26} {status} exit {}", ending.exit));
        }
        let removed = fs::remove_dir_all(&self.folder);
        removed.while_doing(|| format!("remove `{}`", self.folder.display()))
    }

    /// Shows the report of one run: its status, its text, the command behind it, and the fault.
    fn show(&self, output: &Output) -> Result<Value> {
        let printed = String::from_utf8_lossy(&output.stdout);
        let report: Value = serde_json::from_str(&printed).map_err(|error| {
            let stderr = String::from_utf8_lossy(&output.stderr);
            Failure::new(format!(
                "`pi-graphite run` did not print one JSON report: {error}\nstdout: {printed}\nstderr: {stderr}"
            ))
        })?;
        let ink = if output.status.success() { Ink::Good } else { Ink::Bad };
        let status = self.paper.inked(ink, &text_of(&report, "/status"));
        self.paper.answer("status:", &status);
        let parts = [
            ("ran:", command_line(&report)),
            ("text:", text_of(&report, "/text")),
            ("plan:", text_of(&report, "/plan/id")),
        ];
        let told = parts.iter().filter(|(_, text)| !text.is_empty());
        told.for_each(|(label, text)| self.paper.answer(label, text));
        Ok(report)
    }

    /// A child in the repository that knows nothing of the person's own settings.
    fn child(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.repository());
        command.env_clear();
        command.env("PATH", &self.path);
        command.env("HOME", self.folder.join("home"));
        command.env("LANG", "C.UTF-8");
        command.env("GRAPHITE_DISABLE_TELEMETRY", "1");
        command.env("GRAPHITE_DISABLE_UPGRADE_PROMPT", "1");
        command
    }
}

/// Runs a command with a text on its stdin, whatever its exit status.
fn feed(command: &mut Command, input: &str) -> Result<Output> {
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped());
    command.stderr(Stdio::piped());
    let running = || "run `pi-graphite`".to_owned();
    let mut child = command.spawn().while_doing(running)?;
    let mut stdin = child.stdin.take().expect("stdin is piped, just above");
    // A child that ends before it reads says why itself, and its answer is what is judged.
    let _ = stdin.write_all(input.as_bytes());
    // One request ends with the end of the input.
    drop(stdin);
    child.wait_with_output().while_doing(running)
}

/// A new folder among the system's temporary ones, with links in its path resolved.
fn fresh_folder() -> Result<PathBuf> {
    let base = std::env::temp_dir();
    let making = || format!("make a folder in `{}`", base.display());
    let base = base.canonicalize().while_doing(making)?;
    let own = std::process::id();
    for attempt in 0..100 {
        let folder = base.join(format!("pi-graphite-demo-{own}-{attempt}"));
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).while_doing(making),
        }
    }
    Err(Failure::new(format!("`{}` is full of old demo folders; remove `pi-graphite-demo-*` there", base.display())))
}
