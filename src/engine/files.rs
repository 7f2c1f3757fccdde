//! One request on files from top to bottom: locks, recovery, plan, approval, one commit, report.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::gate::Accepted;
use super::perform::{Context, Mode, granted, offer};
use super::report::{Change, PlanReport, Report, RepositoryReport, Status, printable};
use super::summary;
use crate::disk::Entry;
use crate::fault::{Code, Effect, Fault};
use crate::files::{
    Access, Base, Hold, Known, MAX_FILE, NotLanded, Patience, Place, Reads, Recovered, Root, Store, Write, commit,
    excludes_file, has_orphans, read, read_all, recover,
};
use crate::operation::FileRequest;
use crate::plan::{FileAction, FileNeed, FilePlan, Tier};
use crate::value::PlanId;

/// Carries out or plans one request on files.
pub(super) fn steps(
    context: &Context,
    (accepted, request): (&Accepted, &FileRequest),
    mode: Mode,
    report: &mut Report,
) -> Result<(), NotLanded> {
    let writes = request.spec().tier != Tier::Read;
    if writes && mode == Mode::Run && context.read_only {
        return Err(Fault::new(Code::ReadOnly, format!("`{}` changes files", request.name())).into());
    }
    let root = workspace(context, report)?;
    let places = request.writes(&root)?;
    let (store, hold) = hold(context, &root, &places, report)?;
    let now = (context.clock)();
    let reads = Reads::of(store.as_ref(), &root, &context.session, now)?;
    let answers = FileAnswers::new(context, &root, &reads, &places);
    let mut plan = request.plan(&answers)?;
    report.warnings.append(&mut plan.warnings);

    within_limit(&plan)?;
    if mode == Mode::Plan {
        return show(&plan, (accepted, &root), store.as_ref(), (context, answers.proved.take()), report);
    }
    // A grant is for a change: that there is none by now is not what the person has seen.
    if plan.changes.is_empty() && !(writes && context.grant.is_some()) {
        answer(plan, writes, &reads, report);
        return Ok(());
    }
    if context.cancel.is_requested() {
        return Err(Fault::new(Code::Cancelled, "cancelled before anything was written").into());
    }
    let store =
        store.ok_or_else(|| Fault::new(Code::ReadOnlyRepository, "there is no place for locks and a journal"))?;
    if !approve(&plan, (accepted, &root), &store, (context, answers.proved.take()), report)? {
        return Ok(());
    }
    let entries = write(&root, &store, (request.name(), now), &plan, report)?;
    landed(plan, &entries, &reads, report);
    // Only now: whoever comes next in this session must find the new hash.
    drop(hold);
    Ok(())
}

/// The workspace root: the flag's, else the worktree's, else the working directory.
pub(super) fn workspace(context: &Context, report: &mut Report) -> Result<Root, Fault> {
    let named = context.workspace.as_ref().map(|path| context.cwd.join(path));
    let path = match named {
        Some(path) => path,
        None => worktree_of(&context.cwd)?,
    };
    let state = person(context).map(|base| base.join("pi-graphite"));
    let root = Root::open(&path, context.env.home().as_deref(), state.as_deref())?;
    report.workspace = Some(root.path().display().to_string());
    let text = |path: &Path| path.display().to_string();
    report.repository = root.area().map(|area| RepositoryReport {
        root: text(&area.root),
        git_dir: text(&area.git_dir),
        common_dir: text(&area.common_dir),
        trunk: None,
        gt_version: None,
        cache: None,
        cache_warning: None,
    });
    Ok(root)
}

/// Settles what killed processes left in the workspace, for a person who asks.
///
/// # Errors
/// `bad_root`, `lock_busy`, `state_refused`, `read_only_repository`.
pub fn recover_now(context: &Context) -> Result<Recovered, Fault> {
    let root = workspace(context, &mut Report::new(None))?;
    let patience = Patience { repository: context.lock_wait, cancel: &context.cancel };
    let _hold = Hold::repositories(&root, &[], patience)?;
    let person = person(context);
    recover(&Store::of(root.area(), person.as_deref())?, person.as_deref(), &context.cancel)
}

fn worktree_of(cwd: &Path) -> Result<PathBuf, Fault> {
    let bad = |error: std::io::Error| Fault::new(Code::BadRoot, format!("`{}`: {error}", cwd.display()));
    let here = cwd.canonicalize().map_err(bad)?;
    // Inside git's own directory there is no worktree: the root itself is refused with its own words.
    let area = crate::repo::Area::around(&here).ok().flatten();
    Ok(area.map_or(here, |area| area.root))
}

/// Where this program keeps its files for folders that are no repository.
pub(super) fn person(context: &Context) -> Option<PathBuf> {
    context.env.xdg("XDG_STATE_HOME", ".local/state")
}

/// So often journals of processes that were killed meanwhile are settled before one call.
const MOST_RECOVERIES: usize = 100;

/// Takes the locks, and settles what killed processes left before and while they were waited for.
fn hold(context: &Context, root: &Root, places: &[Place], report: &mut Report) -> Result<(Option<Store>, Hold), Fault> {
    let patience = Patience { repository: context.lock_wait, cancel: &context.cancel };
    let person = person(context);
    let mut hold = Hold::repositories(root, places, patience)?;
    for lock in &hold.repositories {
        report.warnings.extend(lock.warning.clone());
        if let Some(abandoned) = &lock.abandoned {
            report.warnings.push(format!(
                "`{}` of process {} was killed; the next stack operation tells what it has changed",
                abandoned.0.operation, abandoned.0.process.pid
            ));
        }
    }
    let store = match Store::of(root.area(), person.as_deref()) {
        Ok(store) => store,
        // Reading goes on where nothing can be kept; the lock has warned already, or nothing is guarded.
        Err(fault) if places.is_empty() => {
            if hold.repositories.is_empty() {
                report.warnings.push(format!("read without a record of it: {}", fault.message));
            }
            return Ok((None, hold));
        }
        Err(fault) => return Err(fault),
    };
    for _ in 0..MOST_RECOVERIES {
        let recovered = recover(&store, person.as_deref(), &context.cancel)?;
        report.warnings.extend(recovered.sentences());
        if places.is_empty() {
            return Ok((Some(store), hold));
        }
        hold = hold.and_files(root, places, (person.as_deref(), patience))?;
        // Whoever held the locks before may have been killed meanwhile.
        if !has_orphans(&store, &recovered.unsettled)? {
            return Ok((Some(store), hold));
        }
        hold = hold.without_files();
    }
    Err(Fault::new(Code::LockBusy, "other processes are killed again and again while they change files here"))
}

/// What an operation asks: see [`FileNeed`].
struct FileAnswers<'a> {
    context: &'a Context,
    root: &'a Root,
    reads: &'a Reads,
    seen: RefCell<BTreeMap<Place, Option<Arc<Base>>>>,
    known: RefCell<BTreeMap<Place, Option<Known>>>,
    proved: RefCell<Vec<String>>,
}

impl<'a> FileAnswers<'a> {
    fn new(context: &'a Context, root: &'a Root, reads: &'a Reads, places: &[Place]) -> Self {
        let seen = RefCell::new(read_all(root, places));
        Self { context, root, reads, seen, known: RefCell::default(), proved: RefCell::default() }
    }

    fn once(&self, place: &Place, access: Access) -> Result<Option<Arc<Base>>, Fault> {
        if let Some(known) = self.seen.borrow().get(place) {
            return Ok(known.clone());
        }
        let base = read(self.root, place, access)?.map(Arc::new);
        self.seen.borrow_mut().insert(place.clone(), base.clone());
        Ok(base)
    }
}

impl FileNeed for FileAnswers<'_> {
    fn root(&self) -> &Root {
        self.root
    }
    fn to_write(&self, place: &Place) -> Result<Option<Arc<Base>>, Fault> {
        self.once(place, Access::Write)
    }
    fn to_read(&self, place: &Place) -> Result<Option<Arc<Base>>, Fault> {
        self.once(place, Access::Read)
    }
    fn known(&self, place: &Place) -> Option<Known> {
        self.known.borrow_mut().entry(place.clone()).or_insert_with(|| self.reads.known(place)).clone()
    }
    fn excludes(&self) -> Option<PathBuf> {
        let env = &self.context.env;
        excludes_file(env.home().as_deref(), env.xdg("XDG_CONFIG_HOME", ".config").as_deref())
    }
    fn is_cancelled(&self) -> bool {
        self.context.cancel.is_requested()
    }
    fn proved(&self, sentence: String) {
        self.proved.borrow_mut().push(sentence);
    }
}

/// Shows the plan; one that changes something can be granted for an hour.
fn show(
    plan: &FilePlan,
    (accepted, root): (&Accepted, &Root),
    store: Option<&Store>,
    (context, proved): (&Context, Vec<String>),
    report: &mut Report,
) -> Result<(), NotLanded> {
    let id = plan.id(&accepted.canonical, root);
    let shown = plan_report(accepted, plan, &id, proved);
    if let Some(store) = store.filter(|_| !plan.changes.is_empty()) {
        offer(store.state(), &id, context)?;
    }
    report.text = printable(&summary::file_plan(&shown));
    report.plan = Some(shown);
    Ok(())
}

/// Whether the change may be made now. Without a permission it is proposed instead.
fn approve(
    plan: &FilePlan,
    (accepted, root): (&Accepted, &Root),
    store: &Store,
    (context, proved): (&Context, Vec<String>),
    report: &mut Report,
) -> Result<bool, NotLanded> {
    if context.grant.is_none() && context.allow_write {
        return Ok(true);
    }
    let id = plan.id(&accepted.canonical, root);
    let shown = plan_report(accepted, plan, &id, proved);
    if context.grant.is_some() {
        if context.grant.as_ref() != Some(&id) {
            report.plan = Some(shown);
        }
        granted(context, store.state(), &id)?;
        return Ok(true);
    }
    offer(store.state(), &id, context)?;
    report.status = Status::Proposed;
    report.text = printable(&summary::proposal(&shown));
    report.recovery.push(format!(
        "A person allows it within an hour by sending the same request to `pi-graphite run --grant {}`.",
        id.as_str()
    ));
    report.plan = Some(shown);
    Ok(false)
}

fn plan_report(accepted: &Accepted, plan: &FilePlan, id: &PlanId, preconditions: Vec<String>) -> PlanReport {
    let mut files = plan.files.clone();
    fill_in(&mut files, plan);
    let paths = |wanted: fn(&crate::plan::FileChange) -> bool| -> Vec<String> {
        plan.changes.iter().filter(|change| wanted(change)).map(|change| format!("`{}`", change.place)).collect()
    };
    let effect = |verb: &str, paths: Vec<String>| (!paths.is_empty()).then(|| format!("{verb} {}", paths.join(", ")));
    let effects = [
        effect("makes", paths(|change| change.base.is_none())),
        effect("changes", paths(|change| change.base.is_some() && change.after.is_some())),
        effect("removes", paths(|change| change.after.is_none())),
    ];
    PlanReport {
        id: id.as_str().to_owned(),
        operation: accepted.request.name().to_owned(),
        tier: if plan.changes.is_empty() { Tier::Read } else { Tier::Write },
        argv: None,
        files,
        preconditions,
        effects: effects.into_iter().flatten().collect(),
        may_change: plan.changes.iter().map(|change| format!("file `{}`", change.place)).collect(),
        promises: plan
            .changes
            .iter()
            .map(|change| match &change.after {
                Some(after) => format!("`{}` has the bytes with SHA-256 {}", change.place, after.digest()),
                None => format!("`{}` is gone", change.place),
            })
            .collect(),
    }
}

/// No file grows over the size that can be read again.
fn within_limit(plan: &FilePlan) -> Result<(), Fault> {
    let size = |change: &crate::plan::FileChange| change.after.as_ref().map_or(0, |after| after.size() as u64);
    match plan.changes.iter().find(|change| size(change) > MAX_FILE) {
        None => Ok(()),
        Some(change) => {
            let message = format!("`{}` would have {} bytes; the limit is {MAX_FILE}", change.place, size(change));
            Err(Fault::new(Code::FileTooLarge, message).detail("path", change.place.as_str()).detail("limit", MAX_FILE))
        }
    }
}

fn answer(plan: FilePlan, writes: bool, reads: &Reads, report: &mut Report) {
    report.status = if writes { Status::Done } else { Status::Answered };
    report.text = plan.text;
    report.search = plan.search;
    report.listing = plan.listing;
    if writes {
        report.changes = Some(Vec::new());
    }
    for (place, digest, shown) in plan.shown {
        if let Err(error) = reads.note(&place, digest, shown) {
            report
                .warnings
                .push(format!("the read of `{place}` was not noted, so no later edit is guarded by it: {error}"));
        }
    }
    tell(plan.files, plan.several, report);
}

fn tell(mut files: Vec<crate::plan::FileReport>, several: bool, report: &mut Report) {
    if several {
        report.files = Some(files);
    } else {
        report.file = files.pop();
    }
}

fn write(
    root: &Root,
    store: &Store,
    operation: (&str, std::time::Duration),
    plan: &FilePlan,
    report: &mut Report,
) -> Result<Vec<Option<Entry>>, NotLanded> {
    let writes: Vec<Write<'_>> = plan
        .changes
        .iter()
        .map(|change| Write {
            place: &change.place,
            base: change.base.as_deref(),
            after: change.after.as_ref(),
            like: change.like.as_ref(),
        })
        .collect();
    let landed = commit(root, store, operation, &writes)?;
    report.warnings.extend(landed.warnings);
    Ok(landed.entries)
}

/// What now stands there, for the report and for the session.
fn landed(mut plan: FilePlan, entries: &[Option<Entry>], reads: &Reads, report: &mut Report) {
    report.status = Status::Done;
    report.text = printable(&std::mem::take(&mut plan.text));
    let mut files = std::mem::take(&mut plan.files);
    fill_in(&mut files, &plan);
    let mut changes = Vec::with_capacity(plan.changes.len());
    for (change, entry) in plan.changes.iter().zip(entries) {
        let after = change.after.as_ref().map(crate::files::Content::digest);
        changes.push(Change {
            what: format!("file {}", change.place),
            before: change.base.as_ref().map(|base| base.digest().to_string()),
            after: after.map(|digest| digest.to_string()),
            unexpected: false,
        });
        let noted = match (after, entry) {
            (Some(digest), Some(_)) => reads.note(&change.place, digest, change.shown.clone()),
            _ => reads.forget(&change.place),
        };
        if let Err(error) = noted {
            report.warnings.push(format!("what `{}` is now was not noted for later edits: {error}", change.place));
        }
    }
    report.changes = Some(changes);
    tell(files, plan.several, report);
}

/// Digests and sizes, which need not be waited for before the bytes are on their way.
fn fill_in(files: &mut [crate::plan::FileReport], plan: &FilePlan) {
    let changes: BTreeMap<&str, _> = plan.changes.iter().map(|change| (change.place.as_str(), change)).collect();
    for file in files.iter_mut().filter(|file| file.action != FileAction::Read) {
        let from = file.moved_from.as_ref().unwrap_or(&file.path);
        let of = |path: &str| changes.get(path);
        file.before = of(from).and_then(|change| change.base.as_ref()).map(|base| base.digest().to_string());
        if let Some(after) = of(&file.path).and_then(|change| change.after.as_ref()) {
            file.sha256 = Some(after.digest().to_string());
            file.size = Some(after.size() as u64);
        }
    }
}

/// A change that did not land, in the report.
pub(super) fn not_landed(report: &mut Report, failed: NotLanded) {
    report.warnings.extend(failed.warnings);
    if failed.effect != Effect::None {
        report.recovery.push("Run `pi-graphite recover`, or send any request: it settles what is left.".to_owned());
    }
    report.fail(&failed.fault, failed.effect);
}
