//! One request from top to bottom: each step goes down once and comes back with a value.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::execute::{self, Tried};
use super::files;
use super::gate::Accepted;
use super::prepare::{self, Answers, Ready, Site};
use super::report::{Change, CommandReport, LeftBehind, PlanReport, Report, RepositoryReport, Status, strip_ansi};
use super::summary;
use super::view::View;
use crate::approval::{self, GrantError};
use crate::command::{Argv, Cancel, Ended, Environment, Executable, Outcome, Program, find_git};
use crate::config::Config;
use crate::disk::{Sharing, StateDir};
use crate::fault::{Code, Effect, Fault};
use crate::files::{Store, recover};
use crate::operation::{Request, StackRequest};
use crate::plan::{self, Action, Plan, Tier, list};
use crate::repo::{Area, Depth, Lock, Record, Repo, Snapshot, refuse_special_git_files, state_fault};
use crate::value::PlanId;

/// Everything that a model must not choose: the caller gives it by flag, environment or parameter.
#[derive(Clone)]
pub struct Context {
    /// Where to work.
    pub cwd: PathBuf,
    /// The caller's environment.
    pub env: Environment,
    /// The person's configuration.
    pub config: Config,
    /// A person's yes to the plan with this id.
    pub grant: Option<PlanId>,
    /// Whether anything may change at all.
    pub read_only: bool,
    /// The root of file operations; `None` is the worktree's root, else `cwd`.
    pub workspace: Option<PathBuf>,
    /// Who reads and edits: the guard against stale edits is kept for each session.
    pub session: String,
    /// Whether files may be changed without a grant.
    pub allow_write: bool,
    /// How long one command may take.
    pub timeout: Duration,
    /// How long to wait for locks and for others.
    pub lock_wait: Duration,
    /// The caller's cancellation.
    pub cancel: Cancel,
    /// The wall clock: time since the epoch.
    pub clock: fn() -> Duration,
}

/// Whether the request is carried out or only planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Carry it out.
    Run,
    /// Show the plan and its id.
    Plan,
}

/// Performs one request and reports. It never panics on the world's state and never retries a change.
#[must_use]
pub fn perform(context: &Context, accepted: &Accepted, mode: Mode) -> Report {
    let started = Instant::now();
    let mut report = Report::new(Some(accepted.request.name()));
    match &accepted.request {
        Request::Stack(request) => {
            if let Err(fault) = steps(context, (accepted, request), mode, &mut report) {
                report.fail(&fault, Effect::None);
            }
        }
        Request::Files(request) => {
            if let Err(failed) = files::steps(context, (accepted, request), mode, &mut report) {
                files::not_landed(&mut report, failed);
            }
        }
    }
    report.timing.total_ms = started.elapsed().as_secs_f64() * 1e3;
    report
}

fn steps(
    context: &Context,
    (accepted, request): (&Accepted, &StackRequest),
    mode: Mode,
    report: &mut Report,
) -> Result<(), Fault> {
    let spec = request.spec();
    let changes = spec.tier != Tier::Read && mode == Mode::Run;
    if changes && context.read_only {
        return Err(Fault::new(Code::ReadOnly, format!("`{}` changes the repository", request.name())));
    }
    let sharing = if changes { Sharing::Exclusive } else { Sharing::Shared };

    refuse_special_git_files(&context.env)?;
    let repo = Repo::open(&context.cwd)?;
    report.repository = Some(repository(&repo, None));
    let lock = Lock::take(&repo.common_dir, sharing, context.lock_wait, &context.cancel)?;
    report.warnings.extend(lock.warning.clone());
    let ready = prepare::ready_if_needed(context, &repo, &lock, spec)?;
    report.repository = Some(repository(&repo, ready.as_ref()));
    let site = Site { context, repo, lock, ready };
    recover_files(&site, report)?;
    if changes {
        prepare::wait_for_others(context, &site.repo)?;
    }
    let before = first_look(&site, spec.depth, sharing, report)?;
    report.before = Some(View::of(&site.repo, &before));

    let (plan, id) = planned(&site, (accepted, request), &before)?;
    report.warnings.extend(plan.warnings.clone());
    if matches!(plan.action, Action::Change(_)) {
        report.warnings.extend(site.repo.programs());
    }
    let shown = plan_report(request.name(), spec.tier, &plan, &id);
    if mode == Mode::Plan {
        if spec.tier != Tier::Read {
            offer(site.lock.state()?, &id, context)?;
        }
        report.text = summary::plan(&shown);
        report.plan = Some(shown);
        return Ok(());
    }
    if context.cancel.is_requested() {
        return Err(Fault::new(Code::Cancelled, "cancelled before anything ran"));
    }
    // After the last point at which nothing has happened yet: a grant that is spent has been used.
    approve(&site, &plan, (spec.tier, &id), &shown, report)?;
    act(&site, request.name(), &plan, &before, report)
}

/// Carries the plan out.
fn act(site: &Site<'_>, operation: &str, plan: &Plan, before: &Snapshot, report: &mut Report) -> Result<(), Fault> {
    match &plan.action {
        Action::Answer(text) => report.text.clone_from(text),
        Action::Nothing(why) => {
            report.status = Status::Done;
            report.text = format!("Done: nothing to do, {why}.");
            report.changes = Some(Vec::new());
        }
        Action::Show(argv) => show(site, argv, report)?,
        Action::Change(argv) => {
            let executable = executable(site, argv)?;
            site.lock.begin(&record(site.context, operation, before))?;
            let tried = execute::change(site, &executable, (plan, argv), before);
            // Whatever happened is in the report now, also when the command could not be started.
            let concluded = tried.map(|tried| conclude(site, plan, before, tried, report));
            site.lock.end();
            concluded?;
        }
    }
    Ok(())
}

fn first_look(site: &Site<'_>, depth: Depth, sharing: Sharing, report: &mut Report) -> Result<Snapshot, Fault> {
    let Some(abandoned) = &site.lock.abandoned else { return prepare::look(site, depth, &mut report.warnings) };
    let found = prepare::look(site, Depth::Content, &mut report.warnings)?;
    report.warnings.push(prepare::inherit(&site.repo, abandoned, sharing, &found)?);
    if sharing == Sharing::Exclusive {
        site.lock.end();
    }
    prepare::look(site, depth, &mut report.warnings)
}

/// Settles edits that were killed half way before anything is looked at.
fn recover_files(site: &Site<'_>, report: &mut Report) -> Result<(), Fault> {
    // Where nothing can be written, nothing was left half done either.
    if site.lock.state().is_err() {
        return Ok(());
    }
    let (repo, person) = (&site.repo, files::person(site.context));
    let area = Area { root: repo.root.clone(), git_dir: repo.git_dir.clone(), common_dir: repo.common_dir.clone() };
    let recovered = recover(&Store::of(Some(&area), person.as_deref())?, person.as_deref(), &site.context.cancel)?;
    report.warnings.extend(recovered.sentences());
    Ok(())
}

fn planned(
    site: &Site<'_>,
    (accepted, request): (&Accepted, &StackRequest),
    before: &Snapshot,
) -> Result<(Plan, PlanId), Fault> {
    let answers = Answers { site, before, proved: std::cell::RefCell::default() };
    let mut plan = request.plan(&answers)?;
    plan.preconditions = answers.proved.into_inner();
    let id = plan.id(&accepted.canonical, &site.repo, before);
    Ok((plan, id))
}

/// A grant must name exactly this plan; what always needs a person's yes is refused without one.
fn approve(
    site: &Site<'_>,
    plan: &Plan,
    (tier, id): (Tier, &PlanId),
    shown: &PlanReport,
    report: &mut Report,
) -> Result<(), Fault> {
    if let Some(grant) = &site.context.grant {
        if grant != id {
            report.plan = Some(shown.clone());
        }
        return granted(site.context, site.lock.state()?, id);
    }
    if tier != Tier::Ask || matches!(plan.action, Action::Nothing(_)) {
        return Ok(());
    }
    offer(site.lock.state()?, id, site.context)?;
    report.plan = Some(shown.clone());
    report.recovery.push(format!(
        "A person grants it within an hour by sending the same request to `pi-graphite run --grant {}`.",
        id.as_str()
    ));
    Err(Fault::new(
        Code::ApprovalNeeded,
        format!("a person must say yes first: {}", plan.effect_sentences().collect::<Vec<_>>().join("; ")),
    )
    .detail("plan", id.as_str()))
}

/// Uses up the caller's grant, which must name exactly this plan.
pub(super) fn granted(context: &Context, state: &StateDir, id: &PlanId) -> Result<(), Fault> {
    let grant = context.grant.as_ref().filter(|grant| *grant != id);
    if let Some(grant) = grant {
        return Err(Fault::new(
            Code::Stale,
            format!("the grant is for plan `{}`, but the plan would now be `{}`", grant.as_str(), id.as_str()),
        )
        .detail("plan", id.as_str()));
    }
    approval::spend(state, id, (context.clock)()).map_err(|error| match error {
        GrantError::Unknown(_) | GrantError::Used(_) => Fault::new(Code::Stale, error.to_string()),
        GrantError::State(error) => state_fault(&error),
    })
}

/// Notes that a plan was shown, so that a person can grant it.
pub(super) fn offer(state: &StateDir, id: &PlanId, context: &Context) -> Result<(), Fault> {
    approval::offer(state, id, (context.clock)()).map_err(|error| state_fault(&error))
}

/// Runs a command whose output is the answer.
fn show(site: &Site<'_>, argv: &Argv, report: &mut Report) -> Result<(), Fault> {
    let executable = executable(site, argv)?;
    let outcome = execute::run(site.context, &site.repo, &site.lock, &executable, argv)?;
    report.timing.command_ms = outcome.duration.as_secs_f64() * 1e3;
    report.command = Some(CommandReport::of(&outcome));
    if outcome.ended != Ended::Exited(0) {
        return Err(ended_badly(&outcome));
    }
    strip_ansi(&outcome.stdout.text).trim_end().clone_into(&mut report.text);
    Ok(())
}

pub(super) fn ended_badly(outcome: &Outcome) -> Fault {
    let said = strip_ansi(&format!("{}\n{}", outcome.stderr.text.trim(), outcome.stdout.text.trim()));
    let said: String = said.trim().chars().take(1000).collect();
    match outcome.ended {
        Ended::Exited(code) => Fault::new(Code::GtFailed, format!("it ended with exit code {code} and said: {said}")),
        Ended::Signalled(signal) => Fault::new(Code::GtFailed, format!("it was killed by signal {signal}")),
        Ended::TimedOut => Fault::new(
            Code::TimedOut,
            format!("it was stopped at the deadline, after {:.0} s", outcome.duration.as_secs_f64()),
        ),
        Ended::Cancelled => Fault::new(Code::Cancelled, "it was stopped because the request was cancelled"),
    }
}

/// Turns what was tried into status, text and recovery.
fn conclude(site: &Site<'_>, plan: &Plan, before: &Snapshot, tried: Tried, report: &mut Report) {
    report.timing.command_ms = tried.outcome.duration.as_secs_f64() * 1e3;
    report.command = Some(CommandReport::of(&tried.outcome));
    if let Some(branch) = &tried.mended {
        report.recovery.push(format!("HEAD had been left detached at the tip of `{branch}` and was put back on it."));
    }
    if tried.outcome.left_running {
        report.warnings.push("a process that a hook started still runs".to_owned());
    }
    let (after, verdict) = match tried.second {
        Ok(second) => second,
        Err(fault) => {
            let fault =
                Fault::new(Code::Incomplete, format!("the command ran, but the second look failed: {}", fault.message))
                    .hint(fault.hint);
            return report.fail(&fault, Effect::Unknown);
        }
    };
    report.after = Some(View::of(&site.repo, &after));
    if !verdict.appeared.is_empty() {
        report.warnings.push(format!("came up meanwhile, from a hook or another program: {}", list(&verdict.appeared)));
    }
    report.changes = Some(verdict.changes.iter().map(|change| Change::of(change, &verdict.outside)).collect());
    let ended_well = tried.outcome.ended == Ended::Exited(0);
    if verdict.halted {
        let tips = after.refs.iter().filter_map(|(name, id)| Some((name.strip_prefix("refs/heads/")?.to_owned(), *id)));
        let event = after.halt.as_ref().map(|halt| halt.event.clone()).unwrap_or_default();
        site.lock.remember_halt(&event, &tips.collect::<BTreeMap<_, _>>());
    }
    summary::outcome(
        plan,
        (before, &after),
        &verdict,
        if ended_well { None } else { Some(ended_badly(&tried.outcome)) },
        report,
    );
    report.checks = Some(verdict.checks);
    let left = verdict.needs_restack.into_iter();
    report.needs_restack = left.map(|(branch, reason)| LeftBehind { branch, reason }).collect();
}

fn executable(site: &Site<'_>, argv: &Argv) -> Result<Executable, Fault> {
    match (argv.program(), &site.ready) {
        (Program::Gt, Some(ready)) => Ok(ready.gt.clone()),
        (Program::Gt, None) => Err(Fault::new(Code::Internal, "gt is not ready")),
        (Program::Git, _) => find_git(&site.context.env, &site.repo.root)
            .map_err(|error| Fault::new(Code::GtMissing, error.to_string()).hint("Ask the person to install git.")),
    }
}

fn record(context: &Context, operation: &str, before: &Snapshot) -> Record {
    Record::new(operation, (context.clock)(), before.current(), plan::values(before))
}

fn repository(repo: &Repo, ready: Option<&Ready>) -> RepositoryReport {
    let text = |path: &std::path::Path| path.display().to_string();
    RepositoryReport {
        root: text(&repo.root),
        git_dir: text(&repo.git_dir),
        common_dir: text(&repo.common_dir),
        trunk: ready.map(|ready| ready.graphite.trunk.to_string()),
        gt_version: ready.map(|ready| ready.detection.version.clone()),
        cache: ready.map(|ready| ready.detection.cache),
        cache_warning: ready.and_then(|ready| ready.detection.warning.clone()),
    }
}

fn plan_report(operation: &str, tier: Tier, plan: &Plan, id: &PlanId) -> PlanReport {
    PlanReport {
        id: id.as_str().to_owned(),
        operation: operation.to_owned(),
        tier,
        argv: match &plan.action {
            Action::Show(argv) | Action::Change(argv) => Some(argv.args().to_vec()),
            Action::Answer(_) | Action::Nothing(_) => None,
        },
        files: Vec::new(),
        preconditions: plan.preconditions.clone(),
        effects: plan.effect_sentences().collect(),
        may_change: plan.may_change.iter().map(ToString::to_string).collect(),
        promises: plan.promises.iter().map(plan::Promise::sentence).collect(),
    }
}
