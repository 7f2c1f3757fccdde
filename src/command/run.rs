//! Starts one child, waits for it, and stops its whole group when the caller or the deadline says so.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use tokio::sync::watch;

use super::{Argv, Capture, Environment, Executable, Patience, capture};

/// Everything that decides how one child runs.
pub struct Invocation<'a> {
    /// What to start.
    pub executable: &'a Executable,
    /// Its arguments.
    pub argv: &'a Argv,
    /// Where it works.
    pub cwd: &'a Path,
    /// Where its environment comes from.
    pub env: &'a Environment,
    /// Whether it may wait and update itself.
    pub patience: Patience,
    /// The lock file, empty, given as standard input: reading ends at once, and while the child or a git process of
    /// its lives, the kernel lock lives, even when this process is killed.
    pub lock: Option<&'a File>,
    /// Two empty scratch files for its output. Files instead of pipes: when this process is killed, the child does
    /// not die of a broken pipe half way through.
    pub output: [&'a File; 2],
}

/// How long a child may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// From start to the interrupt.
    pub deadline: Duration,
    /// From the interrupt to the kill.
    pub grace: Duration,
}

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this exit code.
    Exited(i32),
    /// By a signal that was not ours.
    Signalled(i32),
    /// Stopped by us at the deadline.
    TimedOut,
    /// Stopped by us because the caller cancelled.
    Cancelled,
}

/// A child's end and what it wrote.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The executable that was started.
    pub executable: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// How it ended.
    pub ended: Ended,
    /// Standard output.
    pub stdout: Capture,
    /// Standard error.
    pub stderr: Capture,
    /// How long it ran.
    pub duration: Duration,
    /// Whether processes of its group still ran after it had ended by itself.
    pub left_running: bool,
}

/// Why a child could not be run.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// The last check refused the command line.
    #[error("the command line was refused: {0}")]
    Argv(#[from] super::ArgvError),
    /// The system could not start it or wait for it.
    #[error("`{path}` could not be run: {error}")]
    Io {
        /// The executable.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
}

/// The caller's side of a cancellation.
#[derive(Debug, Clone)]
pub struct CancelSource(Arc<watch::Sender<bool>>);

/// The worker's side of a cancellation.
#[derive(Debug, Clone)]
pub struct Cancel(watch::Receiver<bool>);

impl CancelSource {
    /// A source and its first receiver.
    #[must_use]
    pub fn new() -> (Self, Cancel) {
        let (sender, receiver) = watch::channel(false);
        (Self(Arc::new(sender)), Cancel(receiver))
    }

    /// Asks for the end. Asking twice is asking once.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }
}

impl Cancel {
    /// One that is never asked for.
    #[must_use]
    pub fn never() -> Self {
        Self(watch::channel(false).1)
    }

    /// Whether the end was asked for.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        *self.0.borrow()
    }

    async fn requested(&self) {
        let mut receiver = self.0.clone();
        if receiver.wait_for(|requested| *requested).await.is_err() {
            // The source is gone without asking: nobody can ask any more.
            std::future::pending::<()>().await;
        }
    }
}

/// Runs one child to its end.
///
/// Guarantees: own process group; closed or empty standard input; at the deadline or on cancel SIGINT goes to the
/// whole group (which makes gt put everything back), after the grace SIGKILL; output is bounded.
///
/// # Errors
/// [`SpawnError`].
pub fn run(invocation: &Invocation<'_>, limits: Limits, cancel: &Cancel) -> Result<Outcome, SpawnError> {
    let args = invocation.argv.checked()?.to_vec();
    let path = &invocation.executable.path;
    let io = |error| SpawnError::Io { path: path.clone(), error };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(io)?;
    let started = Instant::now();
    let (ended, left_running) = runtime.block_on(attend(invocation, &args, limits, cancel)).map_err(io)?;
    Ok(Outcome {
        executable: path.clone(),
        args,
        ended,
        stdout: capture::read(invocation.output[0]).map_err(io)?,
        stderr: capture::read(invocation.output[1]).map_err(io)?,
        duration: started.elapsed(),
        left_running,
    })
}

async fn attend(
    invocation: &Invocation<'_>,
    args: &[String],
    limits: Limits,
    cancel: &Cancel,
) -> std::io::Result<(Ended, bool)> {
    let mut child = spawn(invocation, args)?;
    let id = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    let group = id.ok_or_else(|| std::io::Error::other("the child has no process id"))?;
    let deadline = tokio::time::sleep(limits.deadline);
    tokio::pin!(deadline);
    let mut tick = tokio::time::interval(Duration::from_millis(50));
    let stopped = loop {
        tokio::select! {
            status = child.wait() => {
                let ended = by_itself(status?);
                if matches!(ended, Ended::Signalled(_)) {
                    // Somebody killed the leader; a git that it started would go on and commit after the second look.
                    end_group(group, limits.grace).await;
                    return Ok((ended, false));
                }
                return Ok((ended, is_left_running(group).await));
            }
            () = cancel.requested() => break Ended::Cancelled,
            () = &mut deadline => break Ended::TimedOut,
            _ = tick.tick() => invocation.output.into_iter().for_each(capture::trim),
        }
    };
    interrupt(&mut child, group, limits.grace).await?;
    Ok((stopped, false))
}

fn spawn(invocation: &Invocation<'_>, args: &[String]) -> std::io::Result<tokio::process::Child> {
    let stdin = invocation.lock.map_or_else(|| Ok(Stdio::null()), |file| file.try_clone().map(Stdio::from))?;
    let [out, err] = invocation.output;
    #[expect(clippy::disallowed_methods, reason = "this is the one place that starts a process")]
    let mut command = tokio::process::Command::new(&invocation.executable.path);
    command
        .args(args)
        .current_dir(invocation.cwd)
        .env_clear()
        .envs(invocation.env.for_child(invocation.patience, invocation.cwd))
        .stdin(stdin)
        .stdout(out.try_clone()?)
        .stderr(err.try_clone()?)
        .process_group(0);
    command.spawn()
}

/// Interrupts the whole group, waits, and kills what is left. The leader is reaped; the group's last members are
/// waited for too, so that nothing works on the repository while the second look is taken.
async fn interrupt(child: &mut tokio::process::Child, group: Pid, grace: Duration) -> std::io::Result<()> {
    // An error means that nobody is left to signal.
    let _ = rustix::process::kill_process_group(group, Signal::INT);
    let reaped = tokio::time::timeout(grace, child.wait()).await;
    if reaped.is_err() {
        let _ = rustix::process::kill_process_group(group, Signal::KILL);
        child.wait().await?;
    }
    end_group(group, grace).await;
    Ok(())
}

/// Ends the members of a group whose leader is gone: interrupt, grace, kill.
async fn end_group(group: Pid, grace: Duration) {
    let gone = async {
        while rustix::process::test_kill_process_group(group).is_ok() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let _ = rustix::process::kill_process_group(group, Signal::INT);
    if tokio::time::timeout(grace, gone).await.is_ok() {
        return;
    }
    for _ in 0..200 {
        if rustix::process::kill_process_group(group, Signal::KILL).is_err() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Whether the group has members a moment after its leader has ended.
async fn is_left_running(group: Pid) -> bool {
    for _ in 0..20 {
        if rustix::process::test_kill_process_group(group).is_err() {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    true
}

fn by_itself(status: std::process::ExitStatus) -> Ended {
    use std::os::unix::process::ExitStatusExt;
    match status.code() {
        Some(code) => Ended::Exited(code),
        None => Ended::Signalled(status.signal().unwrap_or_default()),
    }
}
