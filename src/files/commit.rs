//! The one writer: all files of a request change, or none does.
//!
//! 1. Intent: what will be made is written down.
//! 2. Stage: every new file is written beside its target, with mode, owner and attributes, and synced.
//! 3. Verify: every target is still what the plan was made from, and its folder still where it was.
//! 4. Commitment: from here on a killed change is finished by whoever comes next.
//! 5. Exchange: each new file changes places with the old one in a single instant, and what came out is compared with
//!    what the plan was made from. A change that somebody made in between is found and put back.
//! 6. Clear: the old files are removed, the folders synced, the journal removed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::base::Base;
use super::content::Content;
use super::journal::{self, Commitment, Does, Intent, Meant, OldNew, Seen, Verdict};
use super::root::{Access, Parent, Place, Root};
use super::settle::{self, Step};
use super::store::Store;
use crate::disk::{Dir, Entry, Like, Log, StageError, stage, temp_name};
use crate::fault::{Code, Effect, Fault};

/// Threads that write and sync: they wait for the disk, not for a core.
const WRITERS: usize = 8;

/// What is to become of one file.
#[derive(Debug, Clone, Copy)]
pub struct Write<'a> {
    /// Where.
    pub place: &'a Place,
    /// What is there now; `None` when nothing is.
    pub base: Option<&'a Base>,
    /// What it gets; `None` to remove it.
    pub after: Option<&'a Content>,
    /// Whose mode, owner and attributes it gets, when not its own.
    pub like: Option<&'a Place>,
}

/// What a change led to.
#[derive(Debug)]
pub struct Landed {
    /// What now stands at each place, in the order of the writes.
    pub entries: Vec<Option<Entry>>,
    /// What is worth saying although it worked.
    pub warnings: Vec<String>,
}

/// A change that did not land, and what is true now.
#[derive(Debug)]
pub struct NotLanded {
    /// Why.
    pub fault: Fault,
    /// What is left of it.
    pub effect: Effect,
    /// What is worth saying.
    pub warnings: Vec<String>,
}

impl From<Fault> for NotLanded {
    fn from(fault: Fault) -> Self {
        Self { fault, effect: Effect::None, warnings: Vec::new() }
    }
}

/// Changes all files or none. The caller holds the locks of all places.
///
/// # Errors
/// `file_changed`, `file_exists`, `metadata`, `symlink`, `parent_not_directory`, `write_failed` with nothing changed;
/// `incomplete` when the way back failed too.
pub fn commit(
    root: &Root,
    store: &Store,
    (operation, now): (&str, Duration),
    writes: &[Write<'_>],
) -> Result<Landed, NotLanded> {
    let folders = missing_folders(root, writes)?;
    let meant = writes.iter().map(meant).collect::<Result<Vec<_>, Fault>>()?;
    let intent = Intent::new(root, (operation, now), meant, folders);
    let folder = store.folder(journal::FOLDER)?;
    let name = temp_name().map_err(|error| write_failed("a name", &error))?;
    let mut log =
        intent.begin(&folder, name.trim_start_matches('.')).map_err(|error| write_failed("the journal", &error))?;

    let (mut made, mut dirs) = (Vec::new(), Vec::new());
    let prepared = make_folders(root, &intent.folders, &mut made)
        .and_then(|()| open_folders(root, writes, &mut dirs))
        .and_then(|()| stage_all(writes, &intent, &dirs))
        .and_then(|new| Ok(Commitment { files: verified(root, writes, new, &dirs)? }));
    let commitment = match prepared {
        Ok(prepared) => prepared,
        Err(fault) => return Err(give_up(root, (&intent, &dirs, &made), fault, log)),
    };
    if let Err(error) = intent.commit(&commitment, &mut log) {
        // The line may be there all the same.
        let withdrawn = intent.decide(Verdict::Withdrawn, &mut log);
        let mut failed = give_up(root, (&intent, &dirs, &made), write_failed("the journal", &error), log);
        if withdrawn.is_err() && !failed.warnings.is_empty() {
            failed.fault = unsettled(&intent, &failed.fault, "the journal stays");
        }
        return Err(failed);
    }
    let steps: Vec<Step> = settle::steps(&intent, &commitment, &dirs);
    if let Err(fault) = exchange_all(root, &steps) {
        return Err(take_back((root, store), (&intent, &made), &steps, fault, log));
    }
    // Where it cannot be written, who comes after a kill finds all steps taken.
    let decided = intent.decide(Verdict::Finished, &mut log);
    let mut warnings = settle::clear(&steps, &parents_of(root, &made));
    warnings.extend(decided.err().map(|error| format!("the journal could not be written at its end: {error}")));
    end(log, &mut warnings);
    let entries = commitment.files.iter().zip(&steps).map(|(file, step)| file.new.and_then(|_| step.target().ok()?));
    Ok(Landed { entries: entries.collect(), warnings })
}

fn meant(write: &Write<'_>) -> Result<Meant, Fault> {
    let does = match (write.base, write.after) {
        (Some(_), Some(_)) => Does::Replace,
        (None, Some(_)) => Does::Create,
        (Some(_), None) => Does::Delete,
        (None, None) => return Err(Fault::new(Code::Internal, "nothing is to become of nothing")),
    };
    let temp = temp_name().map_err(|error| write_failed("a name", &error))?;
    Ok(Meant { path: write.place.to_string(), temp, does })
}

/// The folders that new files need, outer ones first.
fn missing_folders(root: &Root, writes: &[Write<'_>]) -> Result<Vec<String>, Fault> {
    let mut missing = BTreeSet::new();
    let one_of_each = writes.iter().map(|write| (write.place.parent(), write.place)).collect::<BTreeMap<_, _>>();
    for parent in one_of_each.into_values() {
        if let Parent::Missing(names) = root.parent(parent, Access::Write)? {
            let all: Vec<&str> = parent.parent().split('/').collect();
            let first = all.len() - names.len();
            missing.extend((first..all.len()).map(|end| all[..=end].join("/")));
        }
    }
    Ok(missing.into_iter().collect())
}

fn make_folders(root: &Root, folders: &[String], made: &mut Vec<String>) -> Result<(), Fault> {
    for folder in folders {
        let (outer, name) = folder.rsplit_once('/').unwrap_or(("", folder));
        let dir = root.dir().beneath(outer).map_err(|error| write_failed(folder, &error.into()))?;
        match dir.make_dir(name) {
            Ok(()) => made.push(folder.clone()),
            // Somebody else was faster: it is theirs.
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(write_failed(folder, &error)),
        }
    }
    Ok(())
}

/// The folder of each write, every folder opened once.
fn open_folders(root: &Root, writes: &[Write<'_>], all: &mut Vec<Arc<Dir>>) -> Result<(), Fault> {
    let mut open: BTreeMap<&str, Arc<Dir>> = BTreeMap::new();
    for write in writes {
        let parent = write.place.parent();
        if !open.contains_key(parent) {
            let Parent::There(dir) = root.parent(write.place, Access::Write)? else {
                return Err(Fault::new(Code::FileChanged, format!("the folder `{parent}` was removed meanwhile")));
            };
            if dir.is_append_only() {
                let why = format!("`{}` lies in a folder whose files can only be added to (`chattr +a`)", write.place);
                return Err(Fault::new(Code::WriteFailed, why).detail("path", write.place.as_str()));
            }
            open.insert(parent, dir);
        }
        all.push(Arc::clone(&open[parent]));
    }
    Ok(())
}

/// Writes every new file beside its target, several at a time.
fn stage_all(writes: &[Write<'_>], intent: &Intent, dirs: &[Arc<Dir>]) -> Result<Vec<Option<Entry>>, Fault> {
    let like = |write: &Write<'_>| write.like.map(|place| writes.iter().position(|other| other.place == place));
    let one = |at: usize| -> Result<Option<Entry>, Fault> {
        let write = &writes[at];
        let Some(after) = write.after else { return Ok(None) };
        let source = like(write).flatten().or(write.base.map(|_| at)).map(|at| (&writes[at], &*dirs[at]));
        let staged = stage_one((write.place, after), (&dirs[at], &intent.steps[at].temp), source)?;
        if writes.len() > 1 {
            // Here, where the other threads wait for the disk: afterwards everybody would wait for it.
            let _known_from_now_on = after.digest();
        }
        Ok(Some(staged))
    };
    if writes.len() == 1 {
        return Ok(vec![one(0)?]);
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= writes.len() {
                return done;
            }
            let staged = one(at);
            if staged.is_err() {
                // The others need not go on.
                next.store(writes.len(), Ordering::Relaxed);
            }
            done.push((at, staged));
        }
    };
    let mut staged: Vec<(usize, Result<Option<Entry>, Fault>)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..WRITERS.min(writes.len())).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a writer does not panic")).collect()
    });
    staged.sort_by_key(|(at, _)| *at);
    staged.into_iter().map(|(_, entry)| entry).collect()
}

fn stage_one(
    (place, after): (&Place, &Content),
    (dir, temp): (&Dir, &str),
    source: Option<(&Write<'_>, &Dir)>,
) -> Result<Entry, Fault> {
    let staged = match source.and_then(|(write, dir)| Some((write.place, write.base?, dir))) {
        None => stage(dir, temp, &mut after.pieces(), Like::New),
        Some((from, base, from_dir)) => {
            let (file, entry) = from_dir.open_file(from.name()).map_err(|error| write_failed(from, &error))?;
            if entry.id != base.entry.id {
                return Err(changed(from));
            }
            stage(dir, temp, &mut after.pieces(), Like::File(&file))
        }
    };
    staged.map_err(|error| match error {
        StageError::Io(error) => write_failed(place, &error),
        StageError::Metadata { what, error } => {
            Fault::new(Code::Metadata, format!("`{place}`: {what} cannot be kept: {error}"))
                .detail("path", place.as_str())
        }
    })
}

/// Compares every target with what the plan was made from.
fn verified(
    root: &Root,
    writes: &[Write<'_>],
    new: Vec<Option<Entry>>,
    dirs: &[Arc<Dir>],
) -> Result<Vec<OldNew>, Fault> {
    let mut files = Vec::with_capacity(writes.len());
    for ((write, new), dir) in writes.iter().zip(new).zip(dirs) {
        still_there(root, write.place, dir)?;
        let now = dir.entry(write.place.name()).map_err(|error| write_failed(write.place, &error))?;
        let old = match (write.base, now) {
            (None, None) => None,
            (Some(base), Some(now)) if now == base.entry || same_bytes(dir, write.place, base, &now) => {
                Some(Seen::of(&now))
            }
            (Some(_), _) | (None, Some(_)) => return Err(changed(write.place)),
        };
        files.push(OldNew { old, new: new.as_ref().map(Seen::of) });
    }
    Ok(files)
}

/// Touched, but with the same content and the same right to be replaced.
fn same_bytes(dir: &Dir, place: &Place, base: &Base, now: &Entry) -> bool {
    use std::io::Read;
    let alike = (now.id, now.kind, now.size) == (base.entry.id, base.entry.kind, base.entry.size);
    let read = || {
        let (file, opened) = dir.open_file(place.name()).ok()?;
        let mut bytes = Vec::with_capacity(base.bytes().len());
        file.take(base.entry.size + 1).read_to_end(&mut bytes).ok()?;
        (opened == *now && bytes == base.bytes()).then_some(())
    };
    alike && now.links == 1 && read().is_some()
}

/// The folder is still where its path says, beneath the root.
fn still_there(root: &Root, place: &Place, dir: &Dir) -> Result<(), Fault> {
    match root.dir().beneath(place.parent()) {
        Ok(now) if now.id() == dir.id() => Ok(()),
        _ => match root.parent(place, Access::Write) {
            // The refusal knows what stands there now, such as a link.
            Err(fault) => Err(fault),
            Ok(_) => Err(Fault::new(Code::FileChanged, format!("the folder of `{place}` was replaced meanwhile"))
                .detail("path", place.as_str())),
        },
    }
}

fn exchange_all(root: &Root, steps: &[Step]) -> Result<(), Fault> {
    for step in steps {
        step.forward()?;
    }
    // A folder that was moved away meanwhile has taken the new files along: they must not stay there.
    let folders: BTreeMap<_, &Step> =
        steps.iter().map(|step| ((step.place().parent(), step.dir().id()), step)).collect();
    folders.values().try_for_each(|step| still_there(root, step.place(), step.dir()))
}

/// Removes what was staged: no target was touched.
fn give_up(
    root: &Root,
    (intent, dirs, made): (&Intent, &[Arc<Dir>], &[String]),
    fault: Fault,
    log: Log<'_>,
) -> NotLanded {
    let mut warnings = settle::clear_away(root, intent, dirs, made);
    end(log, &mut warnings);
    NotLanded { fault, effect: Effect::None, warnings }
}

/// Puts everything back after a step failed.
fn take_back(
    (root, store): (&Root, &Store),
    (intent, made): (&Intent, &[String]),
    steps: &[Step],
    fault: Fault,
    mut log: Log<'_>,
) -> NotLanded {
    if let Some(stuck) = steps.iter().find(|step| step.has_no_way_back()) {
        let why = format!("the file system did not keep the old `{}`, so only finishing is possible", stuck.place());
        return NotLanded { fault: unsettled(intent, &fault, &why), effect: Effect::Applied, warnings: Vec::new() };
    }
    let withdrawn = intent.decide(Verdict::Withdrawn, &mut log);
    let put_back = steps.iter().rev().try_for_each(Step::backward);
    let put_back = put_back.and_then(|()| super::recover::rescue_theirs(store, steps));
    // Somebody has written to a new file in the moment when it stood there: theirs stays, and ours with it.
    let mixed = steps.iter().find(|step| step.stands_new()).map(|step| step.place().clone());
    let mut warnings = Vec::new();
    if put_back.is_ok() {
        warnings = settle::clear(steps, &[]);
        warnings.extend(settle::remove_folders(root, made));
        end(log, &mut warnings);
    }
    let why = match (put_back, withdrawn) {
        (Err(worse), _) => worse.message,
        // What is left would be finished by the next call, although it is told as failed here.
        (Ok(_), Err(_)) if !warnings.is_empty() => "the journal stays".to_owned(),
        (Ok(rescued), _) => {
            warnings.extend(rescued);
            let Some(place) = mixed else { return NotLanded { fault, effect: Effect::None, warnings } };
            let message = format!("{}; it has written to the new `{place}` too, which stays", fault.message);
            let fault = Fault::new(Code::Incomplete, message)
                .hint("Read the file; `warnings` names where its older content is.")
                .detail("path", place.as_str());
            return NotLanded { fault, effect: Effect::Applied, warnings };
        }
    };
    let effect = if steps.iter().all(Step::is_before) { Effect::None } else { Effect::Applied };
    NotLanded { fault: unsettled(intent, &fault, &why), effect, warnings }
}

/// The journal has done its work, unless something is left that only it knows.
fn end(log: Log<'_>, warnings: &mut Vec<String>) {
    if warnings.is_empty()
        && let Err(error) = log.remove()
    {
        warnings.push(format!("the journal stayed, and the next call removes it: {error}"));
    }
}

fn unsettled(intent: &Intent, fault: &Fault, why: &str) -> Fault {
    Fault::new(Code::Incomplete, format!("{}; putting everything back failed too: {why}", fault.message))
        .hint("Run `pi-graphite recover`: the journal has everything that is needed.")
        .detail("operation", intent.operation.clone())
}

/// The folders in which a new folder's name was made.
fn parents_of(root: &Root, made: &[String]) -> Vec<Arc<Dir>> {
    let outer: BTreeSet<&str> =
        made.iter().map(|folder| folder.rsplit_once('/').map_or("", |(outer, _)| outer)).collect();
    outer.into_iter().filter_map(|folder| Some(Arc::new(root.dir().beneath(folder).ok()?))).collect()
}

pub(super) fn changed(place: &Place) -> Fault {
    Fault::new(Code::FileChanged, format!("`{place}` was changed by another program meanwhile"))
        .detail("path", place.as_str())
}

pub(super) fn write_failed(what: impl std::fmt::Display, error: &std::io::Error) -> Fault {
    if error.kind() == std::io::ErrorKind::StorageFull {
        return Fault::new(Code::WriteFailed, format!("`{what}` cannot be written: the disk is full"))
            .hint("Ask the person to make room, then try again.");
    }
    Fault::new(Code::WriteFailed, format!("`{what}` cannot be written: {error}"))
}
