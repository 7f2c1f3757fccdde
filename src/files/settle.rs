//! The steps of a change, each of which can be taken forward and back, and what is cleared away after them.
//!
//! Where a step stands is read off the names, by the identity of what is there: nothing else is believed.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::commit::{changed, write_failed};
use super::journal::{Commitment, Does, Intent, Meant, OldNew};
use super::root::{Access, Parent, Place, Root};
use crate::disk::{Dir, Entry, FileId, Old, spare_of};
use crate::fault::{Code, Fault};

/// One file of a change, ready to be exchanged.
pub(super) struct Step {
    dir: Arc<Dir>,
    place: Place,
    temp: String,
    does: Does,
    file: OldNew,
}

/// Where a step stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stand {
    /// Not taken: the old state stands there.
    Before,
    /// Taken: the new state stands there.
    After,
    /// Not taken, and somebody else has changed the file since.
    BeforeForeign,
    /// Taken, and somebody else has changed the file since.
    AfterForeign,
}

/// The steps of a change.
pub(super) fn steps(intent: &Intent, commitment: &Commitment, dirs: &[Arc<Dir>]) -> Vec<Step> {
    let all = intent.steps.iter().zip(&commitment.files).zip(dirs);
    all.map(|((meant, file), dir)| Step::new(meant, *file, Arc::clone(dir))).collect()
}

impl Step {
    pub(super) fn new(meant: &Meant, file: OldNew, dir: Arc<Dir>) -> Self {
        Self { dir, place: Place::trusted(&meant.path), temp: meant.temp.clone(), does: meant.does, file }
    }

    pub(super) const fn place(&self) -> &Place {
        &self.place
    }

    pub(super) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// What stands at the target.
    pub(super) fn target(&self) -> std::io::Result<Option<Entry>> {
        self.dir.entry(self.place.name())
    }

    fn beside(&self, name: &str) -> std::io::Result<Option<Entry>> {
        self.dir.entry(name)
    }

    /// Where the step stands.
    pub(super) fn stand(&self) -> Result<Stand, Fault> {
        let failed = |error: std::io::Error| write_failed(&self.place, &error);
        let target = self.target().map_err(failed)?;
        let temp = self.beside(&self.temp).map_err(failed)?;
        let is = |seen: Option<super::journal::Seen>, entry: &Option<Entry>| {
            seen.is_some_and(|seen| seen.is(entry.as_ref()))
        };
        let OldNew { old, new } = self.file;
        let foreign = |taken: bool| if taken { Stand::AfterForeign } else { Stand::BeforeForeign };
        Ok(match self.does {
            Does::Replace | Does::Create if is(new, &target) => Stand::After,
            Does::Replace | Does::Delete if is(old, &target) => Stand::Before,
            Does::Create if is(new, &temp) && target.is_none() => Stand::Before,
            Does::Delete if target.is_none() => Stand::After,
            // Something else stands there; the name beside it tells whether the step was taken before.
            Does::Replace | Does::Create => foreign(!is(new, &temp)),
            Does::Delete => foreign(is(old, &temp)),
        })
    }

    /// Whether the old state stands there.
    pub(super) fn is_before(&self) -> bool {
        matches!(self.stand(), Ok(Stand::Before))
    }

    /// Takes the step, and makes sure that what it took away was what the plan was made from.
    pub(super) fn forward(&self) -> Result<(), Fault> {
        let (name, temp) = (self.place.name(), &self.temp);
        let failed = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::AlreadyExists | std::io::ErrorKind::NotFound => changed(&self.place),
            _ => write_failed(&self.place, &error),
        };
        let kept = match self.does {
            Does::Replace => self.dir.exchange(temp, name).map_err(failed)? == Old::Kept,
            Does::Create => {
                self.dir.rename_to_free(temp, name).map_err(failed)?;
                false
            }
            Does::Delete => {
                self.dir.rename(name, temp).map_err(failed)?;
                true
            }
        };
        if !kept {
            return Ok(());
        }
        let taken = self.beside(temp).map_err(failed)?;
        if self.file.old.is_some_and(|old| old.is(taken.as_ref())) { Ok(()) } else { Err(changed(&self.place)) }
    }

    /// Takes the step back, wherever it stands. What somebody else has put in the place since stays there.
    pub(super) fn backward(&self) -> Result<(), Fault> {
        let (name, temp) = (self.place.name(), &self.temp);
        let failed = |error: std::io::Error| write_failed(&self.place, &error);
        let beside = |name: &str| self.beside(name).map_err(failed);
        match self.does {
            Does::Replace => {
                let target = self.target().map_err(failed)?;
                if !self.file.new.is_some_and(|new| new.is(target.as_ref())) {
                    return Ok(());
                }
                // What came out of the exchange goes back, also when it was not what the plan was made from.
                for from in waiting(temp) {
                    if beside(&from)?.is_some() {
                        self.dir.exchange(&from, name).map_err(failed)?;
                        return Ok(());
                    }
                }
                Err(Fault::new(Code::WriteFailed, format!("the old `{}` was not kept by the file system", self.place)))
            }
            Does::Create => {
                if self.stand()? != Stand::After {
                    return Ok(());
                }
                if beside(temp)?.is_some() {
                    return self.dir.remove(name).map_err(failed);
                }
                self.dir.rename_to_free(name, temp).map_err(failed)
            }
            Does::Delete => {
                if beside(temp)?.is_none() || self.target().map_err(failed)?.is_some() {
                    return Ok(());
                }
                self.dir.rename_to_free(temp, name).map_err(failed)
            }
        }
    }

    /// Whether the new file stands there, also when somebody has written to it since.
    pub(super) fn stands_new(&self) -> bool {
        let target = self.target().ok().flatten();
        self.file.new.is_some_and(|new| new.is_same_file(target.as_ref()))
    }

    /// Whether the step was taken and the file system could not keep what stood there before.
    pub(super) fn has_no_way_back(&self) -> bool {
        self.does == Does::Replace
            && matches!(self.stand(), Ok(Stand::After))
            && waiting(&self.temp).iter().all(|name| matches!(self.beside(name), Ok(None)))
    }

    /// Whether the step was taken and took away something else than what the plan was made from: somebody changed it just
    /// before, and the writer was killed before it could put that back.
    pub(super) fn has_taken_theirs(&self) -> bool {
        self.does != Does::Create && matches!(self.stand(), Ok(Stand::After)) && self.theirs().is_some()
    }

    /// The name beside the target under which something waits that is neither the old nor the new file.
    fn theirs(&self) -> Option<String> {
        let OldNew { old, new } = self.file;
        let is_ours = |entry: &Entry| [old, new].into_iter().flatten().any(|seen| seen.is(Some(entry)));
        let is_theirs = |name: &String| matches!(self.beside(name), Ok(Some(entry)) if !is_ours(&entry));
        waiting(&self.temp).into_iter().find(is_theirs)
    }

    /// What waits beside the target and is somebody else's.
    pub(super) fn taken(&self) -> std::io::Result<Option<std::fs::File>> {
        let regular = |name: &String| {
            let entry = self.beside(name).ok().flatten();
            entry.is_some_and(|entry| entry.kind == rustix::fs::FileType::RegularFile)
        };
        self.theirs().filter(regular).map(|name| self.dir.open_file(&name).map(|(file, _)| file)).transpose()
    }

    /// The old bytes that have no place to go back to, since somebody else's stand there.
    pub(super) fn left_over(&self) -> std::io::Result<Option<std::fs::File>> {
        for name in waiting(&self.temp) {
            if self.file.old.is_some_and(|old| old.is(self.beside(&name).ok().flatten().as_ref())) {
                return self.dir.open_file(&name).map(|(file, _)| Some(file));
            }
        }
        Ok(None)
    }

    fn clear(&self) -> std::io::Result<()> {
        for name in waiting(&self.temp) {
            remove_if_there(&self.dir, &name)?;
        }
        Ok(())
    }
}

/// The names beside a target under which its new or its old file may wait.
fn waiting(temp: &str) -> [String; 2] {
    [temp.to_owned(), spare_of(temp)]
}

fn remove_if_there(dir: &Dir, name: &str) -> std::io::Result<()> {
    match dir.entry(name)? {
        Some(entry) if entry.kind == rustix::fs::FileType::RegularFile => dir.remove(name),
        Some(_) | None => Ok(()),
    }
}

/// Removes what waits beside the targets, and makes the result outlive a loss of power. What fails is told.
pub(super) fn clear(steps: &[Step], more: &[Arc<Dir>]) -> Vec<String> {
    let mut folders: BTreeMap<FileId, (&Dir, Vec<&Step>)> =
        more.iter().map(|dir| (dir.id(), (&**dir, Vec::new()))).collect();
    for step in steps {
        folders.entry(step.dir.id()).or_insert((step.dir(), Vec::new())).1.push(step);
    }
    let folders: Vec<(&Dir, Vec<&Step>)> = folders.into_values().collect();
    if let [(dir, steps)] = &folders[..] {
        return clear_folder(dir, steps);
    }
    let some = |folders: &[(&Dir, Vec<&Step>)]| -> Vec<String> {
        folders.iter().flat_map(|(dir, steps)| clear_folder(dir, steps)).collect()
    };
    std::thread::scope(|scope| {
        let shares = folders.chunks(folders.len().div_ceil(8).max(1));
        let threads: Vec<_> = shares.map(|share| scope.spawn(move || some(share))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("clearing does not panic")).collect()
    })
}

fn clear_folder(dir: &Dir, steps: &[&Step]) -> Vec<String> {
    let failed = steps.iter().filter_map(|step| Some((step, step.clear().err()?)));
    let mut told: Vec<String> =
        failed.map(|(step, error)| format!("a temporary file beside `{}` stayed: {error}", step.place)).collect();
    if let Err(error) = dir.sync() {
        told.push(format!("the change is there, but a loss of power may undo it: {error}"));
    }
    told
}

/// Removes what was staged for a change that never began. What fails is told. `dirs` are the folders of the steps as far
/// as they were opened: they may have been moved since.
pub(super) fn clear_away(root: &Root, intent: &Intent, dirs: &[Arc<Dir>], made: &[String]) -> Vec<String> {
    let mut told = Vec::new();
    for (at, meant) in intent.steps.iter().enumerate() {
        let place = Place::trusted(&meant.path);
        let dir = match dirs.get(at) {
            Some(dir) => Arc::clone(dir),
            // A folder that cannot be reached holds nothing of ours: we had no handle of it either.
            None => match root.parent(&place, Access::Write) {
                Ok(Parent::There(dir)) => dir,
                Ok(Parent::Missing(..)) | Err(_) => continue,
            },
        };
        for name in waiting(&meant.temp) {
            if let Err(error) = remove_if_there(&dir, &name) {
                told.push(format!("a temporary file beside `{place}` stayed: {error}"));
            }
        }
    }
    told.extend(remove_folders(root, made));
    told
}

/// Removes folders that were made for a change, inner ones first, as long as they are empty.
pub(super) fn remove_folders(root: &Root, made: &[String]) -> Vec<String> {
    let mut told = Vec::new();
    for folder in made.iter().rev() {
        let (outer, name) = folder.rsplit_once('/').unwrap_or(("", folder));
        let Ok(dir) = root.dir().beneath(outer) else { continue };
        match dir.remove_dir(name) {
            Err(error)
                if !matches!(
                    error.kind(),
                    std::io::ErrorKind::DirectoryNotEmpty
                        | std::io::ErrorKind::NotFound
                        | std::io::ErrorKind::NotADirectory
                ) =>
            {
                told.push(format!("the folder `{folder}` stayed: {error}"));
            }
            Ok(()) | Err(_) => {}
        }
    }
    told
}
