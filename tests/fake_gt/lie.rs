//! What the fake does wrong on purpose, read from `lie.json` beside the binary.
//!
//! The file holds an array of steps `{"when": "before"|"instead"|"after", "do": KIND, …}`; `when`
//! is `after` by default. `"on"` limits a step to a subcommand (or an array of them), `"nth": N`
//! to the N-th recorded call of that subcommand, counted from 1. Steps run in the file's order in
//! the working directory. Kinds and their fields:
//!
//! - `git` `args`, `may_fail`; `write` `path`, `content`, `append`; `remove` `path`;
//!   `sql` `statement`, on the metadata; `touch_index_lock`
//! - `stdout`, `stderr` `text`; `flood` `bytes`; `exit` `code`
//! - `sleep` `ms`; `hang` `ignore_sigint`; `read_stdin`; `editor`
//! - `kill_self`; `crash_after`, which dies by SIGKILL after the honest work, with nothing more
//!   said; `spawn_background` `ms`, `path`

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::interruptible;

/// When a step runs in relation to the honest command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    Before,
    Instead,
    After,
}

/// The steps that apply to this invocation.
pub(crate) struct Lies {
    steps: Vec<Value>,
}

impl Lies {
    /// Reads the steps for a command line. A broken file is a test's bug, hence the panic.
    pub(crate) fn load(home: &Path, args: &[String]) -> Self {
        let Ok(text) = std::fs::read_to_string(home.join("lie.json")) else {
            return Self { steps: Vec::new() };
        };
        let all: Value = serde_json::from_str(&text).expect("lie.json is JSON");
        let command = subcommand(args);
        let earlier = earlier_calls(home, command);
        let applies = |step: &Value| {
            let named = match &step["on"] {
                Value::Null => true,
                Value::Array(names) => names.iter().any(|name| name == command),
                name => name == command,
            };
            named && step["nth"].as_u64().is_none_or(|nth| nth == earlier + 1)
        };
        let steps = all.as_array().expect("lie.json is an array").iter().filter(|step| applies(step)).cloned();
        Self { steps: steps.collect() }
    }

    /// Performs the steps of one moment; the exit code of a step that ends the command, if any.
    pub(crate) fn tell(&self, when: When) -> Option<i32> {
        self.at(when).fold(None, |code, step| perform(step).or(code))
    }

    /// Whether the honest command is replaced.
    pub(crate) fn replaces(&self) -> bool {
        self.at(When::Instead).next().is_some()
    }

    /// The exit code forced by an `exit` step.
    pub(crate) fn exit_code(&self) -> Option<i32> {
        let step = self.steps.iter().rfind(|step| kind(step) == "exit")?;
        Some(step["code"].as_i64().and_then(|code| i32::try_from(code).ok()).unwrap_or(1))
    }

    /// Dies after the honest work, before anything more is said (`crash_after`).
    pub(crate) fn crash_if_asked(&self) {
        if self.steps.iter().any(|step| kind(step) == "crash_after") {
            kill_self();
        }
    }

    pub(crate) fn survives_sigint(&self) -> bool {
        self.steps.iter().any(|step| step["ignore_sigint"] == true)
    }

    fn at(&self, when: When) -> impl Iterator<Item = &Value> {
        let word = match when {
            When::Before => "before",
            When::Instead => "instead",
            When::After => "after",
        };
        self.steps.iter().filter(move |step| step["when"].as_str().unwrap_or("after") == word)
    }
}

/// The first word that is no flag, or the first flag if there is no word.
pub(crate) fn subcommand(args: &[String]) -> &str {
    let word = args.iter().find(|word| !word.starts_with('-'));
    word.or(args.first()).map_or("", String::as_str)
}

fn kind(step: &Value) -> &str {
    step["do"].as_str().expect("a lie has a \"do\"")
}

fn text<'a>(step: &'a Value, key: &str) -> &'a str {
    step[key].as_str().unwrap_or_default()
}

fn millis(step: &Value) -> Duration {
    Duration::from_millis(step["ms"].as_u64().unwrap_or(0))
}

/// Does one step in the working directory.
fn perform(step: &Value) -> Option<i32> {
    match kind(step) {
        "git" => git(step),
        "write" => write(step),
        "remove" => remove(Path::new(text(step, "path"))),
        "sql" => sql(step),
        "stdout" => print!("{}", text(step, "text")),
        "stderr" => eprint!("{}", text(step, "text")),
        "sleep" => std::thread::sleep(millis(step)),
        "hang" => return Some(hang(step)),
        "flood" => flood(step["bytes"].as_u64().unwrap_or(1 << 20)),
        "read_stdin" => {
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes).expect("read stdin");
            println!("{}", bytes.len());
        }
        "editor" => return editor(),
        "touch_index_lock" => {
            std::fs::write(git_path("index.lock"), "").expect("create index.lock");
        }
        "kill_self" => kill_self(),
        "spawn_background" => background(step),
        "exit" | "crash_after" => {}
        other => panic!("unknown lie {other:?}"),
    }
    let _ = std::io::stdout().flush();
    None
}

fn git(step: &Value) {
    let args: Vec<&str> =
        step["args"].as_array().expect("git needs \"args\"").iter().filter_map(Value::as_str).collect();
    let mut command = Command::new("git");
    command.args(&args).stdin(Stdio::null()).stdout(Stdio::null());
    let status = command.status().expect("git runs");
    assert!(status.success() || step["may_fail"] == true, "fake gt: lie `git {args:?}` failed");
}

fn write(step: &Value) {
    let path = Path::new(text(step, "path"));
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir).expect("create the directory");
    }
    let mut options = std::fs::OpenOptions::new();
    options.create(true).write(true).append(step["append"] == true).truncate(step["append"] != true);
    let mut file = options.open(path).expect("open the file");
    file.write_all(text(step, "content").as_bytes()).expect("write the file");
}

fn remove(path: &Path) {
    if path.is_dir() {
        std::fs::remove_dir_all(path).expect("remove the directory");
    } else {
        std::fs::remove_file(path).expect("remove the file");
    }
}

fn sql(step: &Value) {
    let database = rusqlite::Connection::open(common_path(".graphite_metadata.db")).expect("open the metadata");
    database.busy_timeout(Duration::from_secs(5)).expect("set the timeout");
    database.execute_batch(text(step, "statement")).expect("run the statement");
}

/// Sleeps for ever in a child of the same process group. Without `ignore_sigint` a SIGINT ends
/// it; with it only SIGTERM or SIGKILL do.
fn hang(step: &Value) -> i32 {
    let mut command = if step["ignore_sigint"] == true {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg("trap '' INT; exec sleep 1000000");
        shell
    } else {
        let mut sleep = interruptible("sleep");
        sleep.arg("1000000");
        sleep
    };
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().expect("sleep runs").code().unwrap_or(130)
}

fn flood(bytes: u64) {
    const LINE: &[u8; 64] = b"fake gt floods its standard output with lines of this very text\n";
    let mut out = std::io::stdout().lock();
    let mut left = bytes;
    while left > 0 {
        let take = usize::try_from(left).unwrap_or(usize::MAX).min(LINE.len());
        if out.write_all(&LINE[..take]).is_err() {
            return;
        }
        left -= take as u64;
    }
}

/// Opens the editor on a temporary file like git: through `sh -c`, on this process's terminal.
fn editor() -> Option<i32> {
    let editor = Command::new("git").args(["var", "GIT_EDITOR"]).output().ok()?;
    let editor = String::from_utf8_lossy(&editor.stdout).trim().to_owned();
    let file = git_path("COMMIT_EDITMSG");
    std::fs::write(&file, "\n# fake gt wants a message\n").expect("write the message file");
    let script = format!("{editor} \"$@\"");
    let status = Command::new("sh").arg("-c").arg(script).arg(&editor).arg(&file).status().expect("sh runs");
    if status.success() {
        return None;
    }
    eprintln!("error: There was a problem with the editor '{editor}'.");
    Some(1)
}

fn kill_self() {
    Command::new("kill").args(["-9", &std::process::id().to_string()]).status().expect("kill runs");
    std::thread::sleep(Duration::from_secs(10));
}

/// Starts a process in a session of its own that writes a file later, holding no pipe open.
fn background(step: &Value) {
    let script = format!("sleep {}; echo written >\"$1\"", millis(step).as_secs_f64());
    let mut command = Command::new("setsid");
    command.arg("--fork");
    command.args(["sh", "-c", &script, "sh", text(step, "path")]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().expect("setsid runs");
}

fn git_path(name: &str) -> PathBuf {
    rev_parse("--git-dir").join(name)
}

fn common_path(name: &str) -> PathBuf {
    rev_parse("--git-common-dir").join(name)
}

fn rev_parse(what: &str) -> PathBuf {
    let output = Command::new("git").args(["rev-parse", "--path-format=absolute", what]).output().expect("git runs");
    PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())
}

/// How many recorded invocations already ran this subcommand.
fn earlier_calls(home: &Path, command: &str) -> u64 {
    let text = std::fs::read_to_string(home.join("calls.jsonl")).unwrap_or_default();
    let of_command =
        |line: &&str| serde_json::from_str::<Vec<String>>(line).is_ok_and(|args| subcommand(&args) == command);
    text.lines().filter(of_command).count() as u64
}
