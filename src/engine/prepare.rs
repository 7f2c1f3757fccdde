//! Everything between a valid request and its plan: the repository, gt, the wait for others, the first look.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use gix::ObjectId;

use super::perform::Context;
use crate::command::{Argv, Cancel, Ended, Executable, Flag, SUPPORTED_GT, Word, find_gt, parse_version};
use crate::config::Config;
use crate::disk::Sharing;
use crate::fault::{Code, Fault};
use crate::operation::Spec;
use crate::plan::{Need, Thing, values};
use crate::repo::{
    Abandoned, Depth, Detection, Graphite, Head, Intruder, Lock, Naming, Repo, Snapshot, StackError, aliases_of,
    detect_cached, graphite, intruder, refuse_special_git_files, remember,
};

/// gt, ready to work in this repository.
pub(super) struct Ready {
    pub graphite: Graphite,
    pub gt: Executable,
    pub detection: Detection,
}

/// Where a request is carried out, while the lock is held.
pub(super) struct Site<'a> {
    pub context: &'a Context,
    pub repo: Repo,
    pub lock: Lock,
    /// `None` in a repository without Graphite.
    pub ready: Option<Ready>,
}

/// What an operation asks: see [`Need`].
pub(super) struct Answers<'a> {
    pub site: &'a Site<'a>,
    pub before: &'a Snapshot,
    pub proved: std::cell::RefCell<Vec<String>>,
}

impl Need for Answers<'_> {
    fn before(&self) -> &Snapshot {
        self.before
    }
    fn repo(&self) -> &Repo {
        &self.site.repo
    }
    fn config(&self) -> &Config {
        &self.site.context.config
    }
    fn naming(&self) -> Result<Naming, Fault> {
        Naming::of(&self.site.context.env)
    }
    fn tips_at_halt(&self, event: &str) -> Option<BTreeMap<String, ObjectId>> {
        self.site.lock.tips_at_halt(event)
    }
    fn proved(&self, sentence: String) {
        let mut proved = self.proved.borrow_mut();
        if !proved.contains(&sentence) {
            proved.push(sentence);
        }
    }
}

/// Finds gt and proves that it may work here. The version is asked when the cache does not know it.
pub(super) fn ready(context: &Context, repo: &Repo, lock: &Lock) -> Result<Ready, Fault> {
    let graphite = graphite(repo)?;
    let trunk = graphite.trunk.as_str();
    if !repo.has_branch(&graphite.trunk)? {
        return Err(Fault::new(Code::NotGraphite, format!("Graphite's trunk `{trunk}` is no local branch"))
            .hint("Ask the person to run `gt init` again."));
    }
    let gt = find_gt(&context.env, &repo.root).map_err(|error| Fault::new(Code::GtMissing, error.to_string()))?;
    aliases_of(&context.env)?;
    let now = (context.clock)();
    let detection = match detect_cached(repo, trunk, &gt.identity, now) {
        Some(detection) => detection,
        None => remember(repo, trunk, &gt.identity, &ask_version(context, repo, lock, &gt)?, now),
    };
    Ok(Ready { graphite, gt, detection })
}

fn ask_version(context: &Context, repo: &Repo, lock: &Lock, gt: &Executable) -> Result<String, Fault> {
    let outcome = super::execute::run(context, repo, lock, gt, &Argv::gt_version())?;
    if matches!(outcome.ended, Ended::TimedOut | Ended::Cancelled) {
        return Err(super::perform::ended_badly(&outcome));
    }
    match parse_version(&outcome.stdout.text).filter(|_| outcome.ended == Ended::Exited(0)) {
        Some(version) if SUPPORTED_GT.contains(&version) => Ok(version.to_owned()),
        Some(version) => Err(Fault::new(
            Code::GtVersion,
            format!("gt {version} at `{}` is not supported; {} is", gt.path.display(), SUPPORTED_GT.join(", ")),
        )
        .detail("version", version)),
        None => {
            let said: String = outcome.stdout.text.chars().chain(outcome.stderr.text.chars()).take(200).collect();
            Err(Fault::new(
                Code::GtVersion,
                format!("`{} --version` does not answer with a version: {:?}", gt.path.display(), said),
            ))
        }
    }
}

/// Waits until no git and no raw gt works here.
pub(super) fn wait_for_others(context: &Context, repo: &Repo) -> Result<(), Fault> {
    let started = Instant::now();
    loop {
        let Some(other) = intruder(repo) else { return Ok(()) };
        if context.cancel.is_requested() {
            return Err(Fault::new(Code::Cancelled, "cancelled while waiting for others"));
        }
        if started.elapsed() >= context.lock_wait {
            let waited = context.lock_wait.as_secs_f32();
            return Err(match other {
                Intruder::LockFile(path) => Fault::new(
                    Code::RepositoryBusy,
                    format!("`{}` is there since before this request; waited {waited} s", path.display()),
                )
                .hint("When no git runs here, a killed git left it behind: ask the person to remove it.")
                .detail("lock_file", path.display().to_string()),
                Intruder::Gt { pid, command } => Fault::new(
                    Code::RepositoryBusy,
                    format!("`gt {command}` (process {pid}) is at work here; waited {waited} s"),
                )
                .detail("pid", pid),
            });
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

/// Looks. Where Graphite's database cannot be read as it is, gt is asked once: that makes gt repair or migrate it.
pub(super) fn look(site: &Site<'_>, depth: Depth, warnings: &mut Vec<String>) -> Result<Snapshot, Fault> {
    let graphite = site.ready.as_ref().map(|ready| &ready.graphite);
    let why = match site.repo.look(graphite, depth) {
        Ok(snapshot) => return Ok(snapshot),
        Err(StackError::Fault(fault)) => return Err(fault),
        Err(StackError::AskGt(why)) => why,
    };
    let ready = site.ready.as_ref().ok_or_else(|| Fault::new(Code::StateUnreadable, why.clone()))?;
    // The look that follows a cancelled command must not be cut short by the cancellation.
    let calm = Context { cancel: Cancel::never(), ..site.context.clone() };
    let argv = Argv::gt(Word::State).flag(Flag::NoInteractive);
    let outcome = super::execute::run(&calm, &site.repo, &site.lock, &ready.gt, &argv)?;
    if outcome.ended != Ended::Exited(0) {
        let said: String = outcome.stderr.text.trim().chars().take(300).collect();
        return Err(Fault::new(Code::StateUnreadable, format!("{why}, and `gt state` fails: {said}")));
    }
    warnings.push(format!("gt was asked to look at its own state first: {why}"));
    if why.contains("missing") || why.contains("empty") {
        warnings.push("gt makes a new database then, in which no branch is tracked".to_owned());
    }
    match site.repo.look(graphite, depth) {
        Ok(snapshot) => Ok(snapshot),
        Err(StackError::Fault(fault)) => Err(fault),
        Err(StackError::AskGt(why)) => Err(Fault::new(Code::StateUnreadable, format!("{why}, also after `gt state`"))),
    }
}

/// Tells what a killed holder left behind, and puts HEAD back on its branch where that is provably safe.
pub(super) fn inherit(
    repo: &Repo,
    Abandoned(record): &Abandoned,
    sharing: Sharing,
    now: &Snapshot,
) -> Result<String, Fault> {
    let (was, is) = (&record.things, values(now));
    let names: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
    let differing: Vec<&String> = names.into_iter().filter(|name| was.get(*name) != is.get(*name)).collect();
    let mut told: Vec<String> =
        differing.iter().take(20).map(|name| changed(name, was.get(*name), is.get(*name))).collect();
    if differing.len() > told.len() {
        told.push(format!("{} more", differing.len() - told.len()));
    }
    if let (Some(branch), Sharing::Exclusive) = (&record.branch, sharing)
        && was.get(&Thing::Branch(branch.clone()).to_string()) == is.get(&Thing::Branch(branch.clone()).to_string())
        && repo.put_back(branch, now)?
    {
        told.push(format!("HEAD had been left detached and is on `{branch}` again"));
    }
    let changed = if told.is_empty() { "nothing has changed since".to_owned() } else { told.join("; ") };
    let (pid, operation) = (record.process.pid, &record.operation);
    Ok(format!("process {pid} was killed during `{operation}` before it could report: {changed}"))
}

/// One thing that has changed since, in words; prints of content say nothing to a person.
fn changed(name: &str, was: Option<&String>, is: Option<&String>) -> String {
    let shown =
        ["branch ", "HEAD", "Graphite's record", "operation in progress"].iter().any(|kind| name.starts_with(kind));
    match (was, is) {
        (None, _) => format!("{name} is new"),
        (Some(was), None) if shown => format!("{name} is gone (it was {was})"),
        (Some(was), Some(is)) if shown => format!("{name} was {was} and is {is}"),
        (Some(_), None) => format!("{name} is gone"),
        (Some(_), Some(_)) => format!("{name} has changed"),
    }
}

/// A look for a person's view: no request, no change, and gt only where its database cannot be read without.
///
/// # Errors
/// As for `inspect`.
pub fn look_only(context: &Context) -> Result<(Repo, Snapshot, Vec<String>), Fault> {
    refuse_special_git_files(&context.env)?;
    let repo = Repo::open(&context.cwd)?;
    let lock = Lock::take(&repo.common_dir, Sharing::Shared, context.lock_wait, &context.cancel)?;
    let mut warnings: Vec<String> = lock.warning.iter().cloned().collect();
    match repo.look(Some(&graphite(&repo)?), Depth::Content) {
        Ok(snapshot) => return Ok((repo, snapshot, warnings)),
        Err(StackError::Fault(fault)) => return Err(fault),
        Err(StackError::AskGt(_)) => {}
    }
    let ready = Some(ready(context, &repo, &lock)?);
    let site = Site { context, repo, lock, ready };
    let snapshot = look(&site, Depth::Content, &mut warnings)?;
    Ok((site.repo, snapshot, warnings))
}

/// gt where the operation needs it or the repository has it.
pub(super) fn ready_if_needed(context: &Context, repo: &Repo, lock: &Lock, spec: Spec) -> Result<Option<Ready>, Fault> {
    if spec.graphite {
        return ready(context, repo, lock).map(Some);
    }
    // Changes of the index need no gt, but a halt must be seen where Graphite is at work.
    match ready(context, repo, lock) {
        Ok(ready) => Ok(Some(ready)),
        Err(fault) if fault.code == Code::NotGraphite => Ok(None),
        Err(fault) => Err(fault),
    }
}

impl Repo {
    /// Puts HEAD back on `branch` when it is detached at exactly the branch's tip and nothing is in progress: then no
    /// file and no commit is affected. Returns whether it was done.
    ///
    /// # Errors
    /// A fault when HEAD cannot be written.
    pub(super) fn put_back(&self, branch: &str, now: &Snapshot) -> Result<bool, Fault> {
        let Head::Detached { at } = now.head else { return Ok(false) };
        if now.branch_tip(branch) != Some(at) || !now.in_progress.is_empty() || now.halt.is_some() {
            return Ok(false);
        }
        self.attach_head(branch).map(|()| true)
    }
}
