//! Finishes or takes back what a killed process left half done. It runs at the start of every call.

use std::path::Path;
use std::time::{Duration, Instant};

use super::base::MAX_FILE;
use super::journal::{self, Commitment, Intent, Orphan, RESCUED, Verdict};
use super::root::{Access, Parent, Place, Root};
use super::settle::{self, Stand, Step};
use super::store::{FILE_WAIT, Store, files_alone};
use crate::command::Cancel;
use crate::disk::{Log, StateDir};
use crate::fault::{Code, Fault};
use crate::repo::state_fault;

/// What was found in the journals, a sentence each.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Recovered {
    /// Changes that were finished.
    pub finished: Vec<String>,
    /// Changes that were taken back.
    pub taken_back: Vec<String>,
    /// What could not be settled, and what else is worth saying.
    pub told: Vec<String>,
    /// The journals that could not be settled.
    #[serde(skip)]
    pub unsettled: Vec<String>,
}

impl Recovered {
    /// All of it, as sentences.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        [&self.finished, &self.taken_back, &self.told].into_iter().flatten().cloned().collect()
    }
}

/// Settles every journal of this store whose writer is dead.
///
/// A journal is input: its root must still be the same directory, and its paths go through the same confinement as
/// those of a request. What is not so is told and left alone.
///
/// # Errors
/// `lock_busy` while somebody edits one of the files; `state_refused`.
pub fn recover(store: &Store, person: Option<&Path>, cancel: &Cancel) -> Result<Recovered, Fault> {
    let mut recovered = Recovered::default();
    if !store.path().join(journal::FOLDER).is_dir() {
        return Ok(recovered);
    }
    let folder = store.folder(journal::FOLDER)?;
    wait_for_others(&folder, cancel)?;
    let orphans = journal::orphans(&folder, &mut recovered.told).map_err(|error| state_fault(&error))?;
    for orphan in orphans {
        let name = orphan.log.name().to_owned();
        match settle_one(store, orphan, (person, cancel), &mut recovered) {
            Ok(()) => {}
            Err(fault) if matches!(fault.code, Code::LockBusy | Code::Cancelled) => return Err(fault),
            Err(fault) => {
                recovered.told.push(format!("the journal `{name}` could not be settled: {}", fault.message));
                recovered.unsettled.push(name);
            }
        }
    }
    Ok(recovered)
}

/// Whether a journal is there whose writer is dead, settled by another process just now or by nobody, other than those
/// that could not be settled: to be asked again once the locks are held.
///
/// # Errors
/// `state_refused`.
pub fn has_orphans(store: &Store, unsettled: &[String]) -> Result<bool, Fault> {
    if !store.path().join(journal::FOLDER).is_dir() {
        return Ok(false);
    }
    let folder = store.folder(journal::FOLDER)?;
    let orphans = journal::orphans(&folder, &mut Vec::new()).map_err(|error| state_fault(&error))?;
    let settled = |orphan: &Orphan<'_>| unsettled.iter().any(|name| name == orphan.log.name());
    let left = !orphans.iter().all(settled);
    // Those that stay are ours while they are open, and would look like somebody else's.
    drop(orphans);
    Ok(left || journal::is_being_settled(&folder).map_err(|error| state_fault(&error))?)
}

/// Waits while another process settles a journal: until then, files may be half of a change.
fn wait_for_others(folder: &StateDir, cancel: &Cancel) -> Result<(), Fault> {
    let begun = Instant::now();
    while journal::is_being_settled(folder).map_err(|error| state_fault(&error))? {
        if cancel.is_requested() {
            return Err(Fault::new(Code::Cancelled, "cancelled while another process settled an interrupted change"));
        }
        if begun.elapsed() > FILE_WAIT {
            let why = format!("another process settles an interrupted change; waited {} s", FILE_WAIT.as_secs());
            return Err(Fault::new(Code::LockBusy, why));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

fn settle_one(
    store: &Store,
    orphan: Orphan<'_>,
    (person, cancel): (Option<&Path>, &Cancel),
    recovered: &mut Recovered,
) -> Result<(), Fault> {
    let Orphan { mut log, intent, commitment, verdict } = orphan;
    let root = Root::open(Path::new(&intent.root), None, person.map(|base| base.join("pi-graphite")).as_deref())?;
    if root.dir().id() != intent.root_id {
        return Err(Fault::new(Code::StateRefused, format!("`{}` is another folder now", intent.root)));
    }
    if !store.speaks_of(&root, person) {
        return Err(Fault::new(Code::StateRefused, format!("`{}` does not belong to this repository", intent.root)));
    }
    let places: Vec<Place> = intent.steps.iter().map(|step| root.place(&step.path)).collect::<Result<_, Fault>>()?;
    let plain = |path: &String| root.place(path).is_ok_and(|place| place.as_str() == path);
    if !intent.steps.iter().map(|step| &step.path).chain(&intent.folders).all(plain) {
        return Err(Fault::new(Code::StateRefused, "it names paths that are not plain"));
    }
    let _held = files_alone(&root, &places, (person, cancel))?;
    let what = format!("`{}` of process {} ({})", intent.operation, intent.process.pid, listed(&intent.steps));
    let remaining = match &commitment {
        None => {
            recovered
                .taken_back
                .push(format!("{what} was interrupted before it changed anything, and nothing of it is left"));
            settle::clear_away(&root, &intent, &[], &intent.folders)
        }
        Some(commitment) => {
            let steps = steps_there(&root, (&intent, commitment), &places)?;
            let now = settle_steps(store, &steps, (&intent, verdict, &mut log), recovered)?;
            let done = if now == Verdict::Withdrawn { "taken back" } else { "finished now" };
            let list = if now == Verdict::Withdrawn { &mut recovered.taken_back } else { &mut recovered.finished };
            list.push(format!("{what} was interrupted and is {done}"));
            recovered.told.extend(rescue_theirs(store, &steps)?);
            let mut told = settle::clear(&steps, &[]);
            if now == Verdict::Withdrawn {
                told.extend(settle::remove_folders(&root, &intent.folders));
            }
            told
        }
    };
    if remaining.is_empty() {
        log.remove().map_err(|error| super::commit::write_failed("the journal", &error))?;
    } else {
        // The files are right; the journal stays for what a later call can remove.
        recovered.unsettled.push(log.name().to_owned());
    }
    recovered.told.extend(remaining);
    Ok(())
}

/// Takes all steps of a committed change forward or back, and writes down which.
fn settle_steps(
    store: &Store,
    steps: &[Step],
    (intent, verdict, log): (&Intent, Option<Verdict>, &mut Log<'_>),
    recovered: &mut Recovered,
) -> Result<Verdict, Fault> {
    let mut decide = |now: Verdict| {
        let decided = if verdict == Some(now) { Ok(()) } else { intent.decide(now, log) };
        decided.map_err(|error| super::commit::write_failed("the journal", &error))
    };
    if verdict == Some(Verdict::Finished) {
        return Ok(Verdict::Finished);
    }
    let stands = steps.iter().map(Step::stand).collect::<Result<Vec<_>, Fault>>()?;
    let is_foreign = || {
        let is_gone = steps.len() < intent.steps.len();
        is_gone || stands.contains(&Stand::BeforeForeign) || steps.iter().any(Step::has_taken_theirs)
    };
    let is_wanted_back = verdict == Some(Verdict::Withdrawn) || is_foreign();
    if is_wanted_back && !steps.iter().any(Step::has_no_way_back) {
        // Before the first step back: from then on the others are not taken forward again.
        decide(Verdict::Withdrawn)?;
        back(store, steps, &stands, recovered)?;
        return Ok(Verdict::Withdrawn);
    }
    forward(steps, &stands)?;
    decide(Verdict::Finished)?;
    Ok(Verdict::Finished)
}

/// Takes the steps that were not taken. What somebody else has changed since stays theirs.
fn forward(steps: &[Step], stands: &[Stand]) -> Result<(), Fault> {
    let pending = steps.iter().zip(stands).filter(|(_, stand)| **stand == Stand::Before);
    pending.map(|(step, _)| step).try_for_each(Step::forward)
}

/// Takes every step back. Old bytes in whose place somebody else's stand are kept in the store.
fn back(store: &Store, steps: &[Step], stands: &[Stand], recovered: &mut Recovered) -> Result<(), Fault> {
    for (step, stand) in steps.iter().zip(stands).rev() {
        match stand {
            Stand::After => step.backward()?,
            Stand::AfterForeign => {
                if let Some(path) = rescue(store, step)? {
                    recovered.told.push(format!(
                        "`{}` was changed by another program and stays; its older content is in `{path}`",
                        step.place()
                    ));
                }
            }
            Stand::Before | Stand::BeforeForeign => {}
        }
    }
    Ok(())
}

fn rescue(store: &Store, step: &Step) -> Result<Option<String>, Fault> {
    let file = step.left_over().map_err(|error| super::commit::write_failed(step.place(), &error))?;
    file.map(|file| keep(store, step.place(), file)).transpose()
}

/// Keeps what other programs wrote and what was taken out of their place, since its temporary name is removed now.
pub(super) fn rescue_theirs(store: &Store, steps: &[Step]) -> Result<Vec<String>, Fault> {
    let mut told = Vec::new();
    for step in steps {
        let place = step.place();
        if let Some(file) = step.taken().map_err(|error| super::commit::write_failed(place, &error))? {
            let path = keep(store, place, file)?;
            told.push(format!("what another program wrote to `{place}` meanwhile is in `{path}`"));
        }
    }
    Ok(told)
}

fn keep(store: &Store, place: &Place, file: std::fs::File) -> Result<String, Fault> {
    use std::io::Read;
    let mut bytes = Vec::new();
    file.take(MAX_FILE).read_to_end(&mut bytes).map_err(|error| super::commit::write_failed(place, &error))?;
    let folder: StateDir = store.folder(RESCUED)?;
    let name = format!("{}-{}", crate::value::Digest::of(&bytes).to_string().split_at(16).0, place.name());
    folder.write(&name, &bytes).map_err(|error| state_fault(&error))?;
    Ok(folder.path().join(name).display().to_string())
}

/// The steps whose folders are there: what was in another one is gone with it.
fn steps_there(
    root: &Root,
    (intent, commitment): (&Intent, &Commitment),
    places: &[Place],
) -> Result<Vec<Step>, Fault> {
    let mut steps = Vec::with_capacity(places.len());
    for ((meant, file), place) in intent.steps.iter().zip(&commitment.files).zip(places) {
        if let Parent::There(dir) = root.parent(place, Access::Write)? {
            steps.push(Step::new(meant, *file, dir));
        }
    }
    Ok(steps)
}

fn listed(steps: &[journal::Meant]) -> String {
    let paths: Vec<String> = steps.iter().map(|step| step.path.clone()).collect();
    let shown = paths.iter().take(10).map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ");
    if paths.len() > 10 { format!("{shown} and {} more", paths.len() - 10) } else { shown }
}
