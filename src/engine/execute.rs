//! Runs one command under the lock and looks again, whatever has happened.

use crate::command::{self, Argv, Ended, Executable, Invocation, Limits, Outcome, Patience};
use crate::disk;
use crate::fault::{Code, Fault};
use crate::plan::{Hints, Plan, Verdict, verify};
use crate::repo::{Depth, Lock, Repo, Snapshot};

use super::perform::Context;
use super::prepare::{self, Site};

/// From the interrupt to the kill: gt puts everything back within this.
const GRACE: std::time::Duration = std::time::Duration::from_secs(5);

/// What is known after a change was tried.
pub(super) struct Tried {
    pub outcome: Outcome,
    /// The second look with what it proves; a fault when it was not possible.
    pub second: Result<(Snapshot, Verdict), Fault>,
    /// Whether HEAD was put back on its branch.
    pub mended: Option<String>,
}

/// Runs one command to its end.
pub(super) fn run(
    context: &Context,
    repo: &Repo,
    lock: &Lock,
    executable: &Executable,
    argv: &Argv,
) -> Result<Outcome, Fault> {
    let io = |error: std::io::Error| {
        Fault::new(Code::Internal, format!("no scratch file for the command's output: {error}"))
    };
    let output = [disk::scratch().map_err(io)?, disk::scratch().map_err(io)?];
    let invocation = Invocation {
        executable,
        argv,
        cwd: &repo.root,
        env: &context.env,
        patience: if context.config.gt_as_configured == Some(true) {
            Patience::AsThePersonHasIt
        } else {
            Patience::Guarded
        },
        lock: lock.file(),
        output: [&output[0], &output[1]],
    };
    let limits = Limits { deadline: context.timeout, grace: GRACE };
    command::run(&invocation, limits, &context.cancel).map_err(|error| match error {
        command::SpawnError::Argv(_) => Fault::new(Code::Internal, error.to_string()),
        command::SpawnError::Io { error: ref system, .. }
            if system.kind() == std::io::ErrorKind::ArgumentListTooLong =>
        {
            Fault::new(Code::TooLarge, "the command line is longer than the system takes")
                .hint("Name fewer files in one request.")
        }
        command::SpawnError::Io { .. } => {
            Fault::new(Code::GtMissing, error.to_string()).hint("Ask the person to look at that executable.")
        }
    })
}

/// Runs the change and takes the second look.
pub(super) fn change(
    site: &Site<'_>,
    executable: &Executable,
    (plan, argv): (&Plan, &Argv),
    before: &Snapshot,
) -> Result<Tried, Fault> {
    let outcome = run(site.context, &site.repo, &site.lock, executable, argv)?;
    let mut mended = None;
    let second = second_look(site, plan, (before, &outcome), &mut mended);
    Ok(Tried { outcome, second, mended })
}

fn second_look(
    site: &Site<'_>,
    plan: &Plan,
    (before, outcome): (&Snapshot, &Outcome),
    mended: &mut Option<String>,
) -> Result<(Snapshot, Verdict), Fault> {
    // What the look has to say beyond what is true is said by the first one.
    let mut ignored = Vec::new();
    let mut after = prepare::look(site, Depth::Content, &mut ignored)?;
    if let Some(branch) = before.current().filter(|_| outcome.ended != Ended::Exited(0))
        && before.branch_tip(branch) == after.branch_tip(branch)
        && site.repo.put_back(branch, &after)?
    {
        *mended = Some(branch.to_owned());
        after = prepare::look(site, Depth::Content, &mut ignored)?;
    }
    let skipped = command::skipped_branches(&outcome.stdout.text, &outcome.stderr.text);
    let hints = Hints { skipped: &skipped, began: site.lock.began() };
    let verdict = verify(&site.repo, plan, (before, &after), hints)?;
    Ok((after, verdict))
}
