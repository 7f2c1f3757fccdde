//! A stand-in for the Graphite CLI `gt` 1.8.6, used only by tests.
//!
//! It acts on real git repositories through `git` and on Graphite's real metadata, and is honest
//! by default: exit codes, refs, index, worktree, database rows, halts and journal follow the
//! real program in what matters to a guard. A `lie.json` beside the binary makes it misbehave
//! (see [`lie`]); `calls.jsonl` beside the binary gets one line per invocation.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test double of another program: it runs git and writes files as that program does"
)]

mod halt;
mod journal;
mod lie;
mod metadata;
mod name;
mod ops;
mod rearrange;
mod restack;
mod stack;
mod view;

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};

use lie::{Lies, When};

fn main() {
    let argv: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let home = binary_dir(&argv[0]);
    let words = &argv[1..];
    let lies = Lies::load(&home, words);
    if (lies.survives_sigint() || lie::subcommand(words) == "create") && !sigint_ignored() {
        restart_ignoring_sigint();
    }
    record_call(&home, words);
    lies.tell(When::Before);
    let code = if lies.replaces() { lies.tell(When::Instead).unwrap_or(0) } else { honest(words, &lies) };
    let code = lies.tell(When::After).unwrap_or(code);
    exit(lies.exit_code().unwrap_or(code));
}

/// Why a command stopped early: with an error for stderr, or having said everything already.
#[derive(Debug)]
pub(crate) enum Stop {
    Error(String),
    Quiet,
}

impl<E: std::error::Error> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Error(error.to_string())
    }
}

pub(crate) type Outcome<T = ()> = Result<T, Stop>;

/// `Err` with an `ERROR:` text for stderr.
pub(crate) fn fail<T>(text: impl Into<String>) -> Outcome<T> {
    Err(Stop::Error(text.into()))
}

/// The command line after aliases: subcommand, positional words, `--name[=value]` flags.
#[derive(Debug, Default)]
pub(crate) struct Args {
    pub(crate) words: Vec<String>,
    pub(crate) flags: Vec<(String, Option<String>)>,
}

impl Args {
    pub(crate) fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|(name, _)| name == flag)
    }

    pub(crate) fn value(&self, flag: &str) -> Option<&str> {
        self.flags.iter().rev().find(|(name, _)| name == flag)?.1.as_deref()
    }

    /// All `--message` values joined the way `git commit -m … -m …` joins them.
    pub(crate) fn message(&self) -> Option<String> {
        let parts: Vec<&str> =
            self.flags.iter().filter(|(name, _)| name == "message").filter_map(|(_, value)| value.as_deref()).collect();
        (!parts.is_empty()).then(|| parts.join("\n\n"))
    }

    fn parse(words: &[String]) -> Self {
        const TAKE_VALUE: [&str; 7] = ["message", "source", "onto", "branch", "trunk", "cwd", "m"];
        let mut args = Self::default();
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let Some(flag) = word.strip_prefix('-').filter(|flag| !flag.is_empty()) else {
                args.words.push(word.clone());
                continue;
            };
            let flag = flag.strip_prefix('-').unwrap_or(flag);
            let (name, mut value) = match flag.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (flag, None),
            };
            if value.is_none() && TAKE_VALUE.contains(&name) {
                value = rest.next().cloned();
            }
            let name = match name {
                "m" => "message",
                "a" => "all",
                "f" => "force",
                "c" => "commit",
                other => other,
            };
            args.flags.push((name.to_owned(), value));
        }
        args
    }
}

/// Runs the honest command and returns its exit code.
fn honest(words: &[String], lies: &Lies) -> i32 {
    let expanded = expand_alias(words);
    let args = Args::parse(&expanded);
    match dispatch(&args, words, lies) {
        Ok(()) => 0,
        Err(Stop::Quiet) => 1,
        Err(Stop::Error(text)) => {
            eprintln!("ERROR: {text}");
            1
        }
    }
}

fn dispatch(args: &Args, words: &[String], lies: &Lies) -> Outcome {
    if args.has("version") {
        println!("1.8.6");
        return Ok(());
    }
    let Some(command) = args.words.first().map(String::as_str) else {
        println!("gt is a command line tool that makes working with stacked changes fast & intuitive.");
        return Ok(());
    };
    let mut stack = stack::Stack::open(args, command)?;
    let done = match command {
        "init" => Ok(()),
        "log" if args.words.get(1).is_some_and(|word| word == "short" || word == "s") => {
            view::log_short(&stack);
            Ok(())
        }
        "log" => view::log(&stack, args),
        "info" => view::info(&stack, args),
        "state" => view::state(&stack),
        "parent" => view::parent(&stack),
        "children" => view::children(&stack),
        "trunk" => view::trunk(&stack),
        "checkout" => ops::checkout(&stack, args),
        "continue" => halt::resume(&mut stack),
        "abort" => halt::abort(&mut stack, args),
        _ => journal::record(&mut stack, command, words, |stack| ops::mutate(stack, command, args)),
    };
    lies.crash_if_asked();
    stack.warn_diverged();
    done
}

/// Replaces the first word by the words of a user alias, once, as real gt does.
fn expand_alias(words: &[String]) -> Vec<String> {
    let text = std::fs::read_to_string(config_dir().join("aliases")).unwrap_or_default();
    for line in text.lines() {
        let mut alias = line.split_whitespace().map(str::to_owned);
        if let (Some(name), Some(first)) = (alias.next(), words.first())
            && name == *first
            && !name.starts_with('#')
        {
            return alias.chain(words[1..].iter().cloned()).collect();
        }
    }
    words.to_vec()
}

/// Graphite's configuration directory of this user.
pub(crate) fn config_dir() -> PathBuf {
    std::env::var_os("XDG_CONFIG_HOME")
        .filter(|dir| !dir.is_empty())
        .map_or_else(|| PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".config"), PathBuf::from)
        .join("graphite")
}

fn binary_dir(argv0: &str) -> PathBuf {
    // A shell that found us on PATH passes the bare name.
    let path = if argv0.starts_with('/') { PathBuf::from(argv0) } else { std::env::current_exe().unwrap_or_default() };
    path.parent().map(Path::to_path_buf).unwrap_or_default()
}

fn record_call(home: &Path, args: &[String]) {
    let line = format!("{}\n", serde_json::json!(args));
    if let Ok(mut file) = OpenOptions::new().append(true).create(true).open(home.join("calls.jsonl")) {
        file.write_all(line.as_bytes()).expect("append to calls.jsonl");
    }
}

/// Whether SIGINT is ignored in this process (Linux only; elsewhere `true`, so nothing restarts).
pub(crate) fn sigint_ignored() -> bool {
    const SIGINT_BIT: u64 = 1 << 1;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.is_none_or(|mask| u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask & SIGINT_BIT != 0))
}

/// Starts this program anew in the same process with SIGINT ignored. Real gt catches SIGINT to
/// roll back; an ignored signal with dying git children has the same effect.
fn restart_ignoring_sigint() {
    let mut command = Command::new("sh");
    command.arg("-c").arg("trap '' INT; exec \"$0\" \"$@\"").args(std::env::args_os());
    let error = command.exec();
    eprintln!("fake gt: cannot restart: {error}");
}

/// A command whose process gets the default SIGINT action even if this one ignores it.
pub(crate) fn interruptible(program: impl AsRef<OsStr>) -> Command {
    if !sigint_ignored() {
        return Command::new(program);
    }
    let mut command = Command::new("env");
    command.arg("--default-signal=INT").arg(program);
    command
}
