//! The command line: one request on standard input, one report on standard output, and the views for people.
#![expect(clippy::disallowed_methods, reason = "a front reads the environment and the clock, and ends the process")]
#![expect(clippy::print_stderr, reason = "a front talks to the terminal")]

use std::io::{IsTerminal, Read};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::catalog::{self, SchemaKind};
use crate::command::{Cancel, CancelSource, Environment};
use crate::config::Config;
use crate::engine::{Accepted, Context, MAX_REQUEST, Mode, Report, accept, exit_status, named_operation, perform};
use crate::fault::{Code, Fault};
use crate::value::PlanId;

/// Most characters of a session's name.
const MAX_SESSION: usize = 200;

const EXAMPLE: &str = r#"Example:
  echo '{"operation": "inspect", "target": "stack"}' | pi-graphite run"#;

/// Guarded Graphite stack operations and file edits for software agents.
///
/// `run` and `plan` take one JSON request on standard input and print one JSON report. `stack`, `doctor` and `recover`
/// are for people. Exit status: 0 done, 2 bad request, 3 precondition, 4 approval, 5 failed with nothing changed, 6 halted,
/// 7 uncertain, 8 unavailable, 9 cancelled.
#[derive(Parser)]
#[command(name = "pi-graphite", version, max_term_width = 100, after_help = EXAMPLE)]
struct Cli {
    #[command(flatten)]
    flags: Flags,
    #[command(subcommand)]
    command: Command,
}

#[derive(Args)]
struct Flags {
    /// Where to work; default the current folder.
    #[arg(long, global = true, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// Root of file operations; default the worktree's root, else where to work.
    #[arg(long, global = true, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Who reads and edits: stale edits are noticed within a session; default "default".
    #[arg(long, global = true, value_name = "ID")]
    session: Option<String>,
    /// Let file operations write without asking.
    #[arg(long, global = true)]
    allow_write: bool,
    /// A person's yes to the plan with this id.
    #[arg(long, global = true, value_name = "PLAN_ID")]
    grant: Option<String>,
    /// Refuse everything that changes something.
    #[arg(long, global = true)]
    read_only: bool,
    /// How long one command may take; default 300.
    #[arg(long, global = true, value_name = "SECONDS")]
    timeout: Option<f64>,
    /// How long to wait for locks and for other programs; default 30.
    #[arg(long, global = true, value_name = "SECONDS")]
    lock_wait: Option<f64>,
    /// The person's configuration file.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Carry out one request from standard input.
    Run,
    /// Show what a request would do, with an id for `run --grant`; nothing runs.
    Plan,
    /// Draw the stack.
    Stack {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Check that everything needed is there and safe.
    Doctor {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Finish or take back edits of files that were killed half way.
    Recover {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print a JSON Schema.
    Schema {
        /// Which one.
        kind: Kind,
    },
    /// Print every generated file as one JSON object.
    #[command(hide = true)]
    Generated,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    Request,
    Report,
    Tools,
    Config,
}

/// Runs the command line to its end.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    #[cfg(feature = "failpoints")]
    if let Ok(plan) = std::env::var("PI_GRAPHITE_FAILPOINT") {
        crate::disk::arm(&plan);
    }
    match &cli.command {
        Command::Run => one_shot(&cli.flags, Mode::Run),
        Command::Plan => one_shot(&cli.flags, Mode::Plan),
        Command::Stack { json } => match context(&cli.flags, Cancel::never()) {
            Ok(context) => super::stack::show(&context, *json),
            Err(fault) => refuse_view(&fault),
        },
        Command::Doctor { json } => match context(&cli.flags, Cancel::never()) {
            Ok(context) => super::doctor::show(&context, *json),
            Err(fault) => refuse_view(&fault),
        },
        Command::Recover { json } => match context(&cli.flags, Cancel::never()) {
            Ok(context) => super::recover::show(&context, *json),
            Err(fault) => refuse_view(&fault),
        },
        Command::Schema { kind } => {
            let kind = match kind {
                Kind::Request => SchemaKind::Request,
                Kind::Report => SchemaKind::Report,
                Kind::Tools => SchemaKind::Tools,
                Kind::Config => SchemaKind::Config,
            };
            print_out(&format!("{:#}", catalog::schema(kind)))
        }
        Command::Generated => print_out(&serde_json::to_string(&catalog::generated()).expect("plain data serialises")),
    }
}

/// One request, one report.
fn one_shot(flags: &Flags, mode: Mode) -> ExitCode {
    let report = match request() {
        Err(fault) => Report::refusal(None, &fault),
        Ok(bytes) => match accept(&bytes) {
            Err(fault) => Report::refusal(named_operation(&bytes), &fault),
            Ok(accepted) => carry_out(flags, &accepted, mode),
        },
    };
    let text = if std::io::stdout().is_terminal() {
        serde_json::to_string_pretty(&report)
    } else {
        serde_json::to_string(&report)
    };
    let written = print_out(&text.expect("plain data serialises"));
    if written == ExitCode::SUCCESS { ExitCode::from(exit_status(&report)) } else { written }
}

fn carry_out(flags: &Flags, accepted: &Accepted, mode: Mode) -> Report {
    let (source, cancel) = CancelSource::new();
    listen(source);
    match context(flags, cancel) {
        Ok(context) => perform(&context, accepted, mode),
        Err(fault) => Report::refusal(Some(accepted.request.name()), &fault),
    }
}

fn request() -> Result<Vec<u8>, Fault> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        eprintln!("Type one JSON request and end it with Ctrl-D; `pi-graphite schema request` says what it may hold.");
    }
    let mut bytes = Vec::new();
    let limit = u64::try_from(MAX_REQUEST).unwrap_or(u64::MAX) + 1;
    stdin
        .lock()
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| Fault::new(Code::BadJson, format!("standard input cannot be read: {error}")))?;
    Ok(bytes)
}

fn context(flags: &Flags, cancel: Cancel) -> Result<Context, Fault> {
    let env = Environment::of_process();
    let named = flags.config.clone().or_else(|| env.get("PI_GRAPHITE_CONFIG").map(PathBuf::from));
    let default = env.xdg("XDG_CONFIG_HOME", ".config").map(|dir| dir.join("pi-graphite/config.json"));
    let config = Config::load(named.as_deref(), default.as_deref())?;
    let bad = |flag: &str, why: &str| Fault::new(Code::BadFlag, format!("`--{flag}`: {why}"));
    let seconds = |flag: &str, given: Option<f64>, configured: Option<u64>, default: u64| match given {
        None => Ok(Duration::from_secs(configured.unwrap_or(default))),
        Some(value) => Duration::try_from_secs_f64(value).map_err(|_| bad(flag, "a number of seconds, zero or more")),
    };
    let grant = flags
        .grant
        .as_deref()
        .map(|text| PlanId::parse(text).ok_or_else(|| bad("grant", "a plan's id is 32 lowercase hex digits")))
        .transpose()?;
    let session = flags.session.clone().unwrap_or_else(|| "default".to_owned());
    if session.is_empty() || session.chars().count() > MAX_SESSION {
        return Err(bad("session", "a name of 1 to 200 characters"));
    }
    let here = std::env::current_dir()
        .map_err(|error| Fault::new(Code::NoRepository, format!("the current folder is gone: {error}")));
    Ok(Context {
        cwd: flags.cwd.clone().map_or(here, Ok)?,
        grant,
        read_only: flags.read_only,
        workspace: flags.workspace.clone(),
        session,
        allow_write: flags.allow_write,
        timeout: seconds("timeout", flags.timeout, config.timeout_seconds, 300)?,
        lock_wait: seconds("lock-wait", flags.lock_wait, config.lock_wait_seconds, 30)?,
        env,
        config,
        cancel,
        clock: || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
    })
}

/// Turns SIGINT, SIGTERM and SIGHUP into a cancellation: the report still says what is true.
fn listen(source: CancelSource) {
    use tokio::signal::unix::{SignalKind, signal};
    let (ready, is_ready) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
            let [Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)] = kinds.map(signal) else { return };
            // Nobody waits any more when the process is ending.
            let _ = ready.send(());
            loop {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                    _ = hangup.recv() => {}
                }
                source.cancel();
            }
        });
    });
    // Before this returns, a signal would kill us without a report; an error means that the thread could not listen.
    let _ = is_ready.recv();
}

fn refuse_view(fault: &Fault) -> ExitCode {
    eprintln!("{} ({})\n{}", fault.message, fault.code.name(), fault.hint);
    ExitCode::from(fault.code.class().exit())
}

/// Prints to standard output; a reader that has gone away is not an error of ours.
pub(super) fn print_out(text: &str) -> ExitCode {
    use std::io::Write;
    match writeln!(std::io::stdout().lock(), "{text}") {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("standard output cannot be written: {error}");
            ExitCode::from(70)
        }
    }
}

/// Prints why a view cannot be shown.
pub(super) fn view_fault(fault: &Fault, json: bool) -> ExitCode {
    if json {
        print_out(&serde_json::to_string(&Report::refusal(None, fault)).expect("plain data serialises"));
        return ExitCode::from(fault.code.class().exit());
    }
    refuse_view(fault)
}
