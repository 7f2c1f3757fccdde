//! One walk over the worktree beside the index, on all cores: which entries have to be looked at, and which names the
//! index does not have. It asks nothing of git and reads no file.

use std::collections::HashMap;
use std::num::NonZero;
use std::ops::Range;
use std::os::fd::BorrowedFd;
use std::sync::{Condvar, Mutex, MutexGuard};

use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::State;
use gix::index::entry::Flags;
use rustix::fs::{AtFlags, Dir, FileType};
use rustix::io::Errno;

use super::DIR;
use super::tracked::is_fresh;
use super::untracked::each_name;
use crate::fault::Fault;
use crate::repo::{text_of, unreadable};

/// So few entries are walked on one core: starting another costs more.
const FEW: usize = 512;

/// What a walk has found.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// Index entries, by their number, that the file system's word alone does not show to be unchanged; of an unmerged
    /// path the first one.
    pub(super) suspects: Vec<usize>,
    /// Files, links and folders that the index neither has nor has anything below.
    pub(super) unknown: Vec<(BString, FileType)>,
}

/// Walks everything that the index has something below, and does something else meanwhile, since a walk mostly waits.
///
/// # Errors
/// `state_unreadable` where a folder cannot be read, or where rules of git are no regular file; those of the other work.
pub(super) fn walk<T>(
    index: &State,
    root: BorrowedFd<'_>,
    meanwhile: impl FnOnce() -> Result<T, Fault>,
) -> Result<(Walked, T), Fault> {
    let entries = index.entries().len();
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let queue = Queue::new(Folder { prefix: BString::default(), entries: 0..entries });
    let work = || Walker { index, root, queue: &queue }.work();
    if entries <= FEW {
        let walked = work()?;
        return Ok((walked.in_order(), meanwhile()?));
    }
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let other = meanwhile();
        let mut walked = Walked::default();
        for thread in threads {
            let part = thread.join().expect("a walk does not panic")?;
            walked.suspects.extend(part.suspects);
            walked.unknown.extend(part.unknown);
        }
        Ok((walked.in_order(), other?))
    })
}

impl Walked {
    fn in_order(mut self) -> Self {
        self.suspects.sort_unstable();
        self.unknown.sort_by(|one, other| one.0.cmp(&other.0));
        self
    }
}

/// A folder that is still to be walked.
struct Folder {
    /// Empty, or its path with a slash at the end.
    prefix: BString,
    /// The entries below it.
    entries: Range<usize>,
}

/// Folders that are to be walked, and how many are being walked just now.
struct Queue {
    state: Mutex<(Vec<Folder>, usize)>,
    changed: Condvar,
}

impl Queue {
    fn new(first: Folder) -> Self {
        Self { state: Mutex::new((vec![first], 0)), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, (Vec<Folder>, usize)> {
        self.state.lock().expect("no walker panics")
    }

    /// Waits for a folder; nothing once all are walked.
    fn next(&self) -> Option<Folder> {
        let mut state = self.state();
        loop {
            if let Some(folder) = state.0.pop() {
                state.1 += 1;
                return Some(folder);
            }
            if state.1 == 0 {
                return None;
            }
            state = self.changed.wait(state).expect("no walker panics");
        }
    }

    /// Ends one folder; `None` ends the whole walk.
    fn done(&self, below: Option<Vec<Folder>>) {
        let mut state = self.state();
        state.1 -= 1;
        match below {
            Some(below) => state.0.extend(below),
            None => state.0.clear(),
        }
        drop(state);
        self.changed.notify_all();
    }
}

struct Walker<'w> {
    index: &'w State,
    root: BorrowedFd<'w>,
    queue: &'w Queue,
}

impl<'w> Walker<'w> {
    fn work(&self) -> Result<Walked, Fault> {
        let mut walked = Walked::default();
        while let Some(folder) = self.queue.next() {
            match self.folder(&folder, &mut walked) {
                Ok(below) => self.queue.done(Some(below)),
                Err(fault) => {
                    self.queue.done(None);
                    return Err(fault);
                }
            }
        }
        Ok(walked)
    }

    /// Walks one folder and returns those in it that the index has something below.
    fn folder(&self, folder: &Folder, walked: &mut Walked) -> Result<Vec<Folder>, Fault> {
        let prefix = folder.prefix.as_bstr();
        let fail = |error: Errno| unreadable(&format!("`{}`", text_of(prefix)), error);
        let opened = match prefix.strip_suffix(b"/") {
            Some(path) => crate::disk::open_beneath(self.root, path),
            None => rustix::fs::openat(self.root, ".", DIR, rustix::fs::Mode::empty()),
        };
        let mut level = self.level(folder);
        let mut dir = match opened {
            Ok(fd) => Dir::new(fd).map_err(fail)?,
            Err(Errno::ACCESS | Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {
                walked.suspects.extend(self.paths(&folder.entries));
                return Ok(Vec::new());
            }
            Err(error) => return Err(fail(error)),
        };
        let mut below = Vec::new();
        each_name(&mut dir, prefix, |name, kind| {
            let file = level.files.binary_search_by(|(file, _)| (**file).cmp(name)).ok().map(|at| level.files[at].1);
            let is_known = match kind {
                FileType::Directory => {
                    let inner = level.folders.remove(name);
                    let is_known = inner.is_some();
                    let prefix: BString = [prefix.as_bytes(), name, b"/"].concat().into();
                    below.extend(inner.map(|entries| Folder { prefix, entries }));
                    is_known || file.is_some_and(|file| self.index.entries()[file].mode.is_submodule())
                }
                // git lists no fifos, sockets and devices.
                FileType::RegularFile | FileType::Symlink => file.is_some(),
                _ => true,
            };
            if !is_known {
                walked.unknown.push(([prefix.as_bytes(), name].concat().into(), kind));
            }
        })?;
        let fd = dir.fd().map_err(fail)?;
        let suspects = level.files.iter().filter(|(name, entry)| self.is_suspect(fd, name, *entry));
        walked.suspects.extend(suspects.map(|(_, entry)| *entry));
        walked.suspects.extend(level.folders.values().flat_map(|gone| self.paths(gone)));
        Ok(below)
    }

    /// What the index has in a folder: files by their first entry, in order, and folders.
    fn level(&self, folder: &Folder) -> Level<'w> {
        let state = self.index;
        let all = state.entries();
        let mut level = Level { files: Vec::new(), folders: HashMap::new() };
        let mut at = folder.entries.start;
        while at < folder.entries.end {
            let path = all[at].path(state);
            let rest = &path[folder.prefix.len()..];
            let same = match rest.find_byte(b'/') {
                Some(slash) => &path[..=folder.prefix.len() + slash],
                None => path.as_bytes(),
            };
            let is_folder = same.len() < path.len() || same.ends_with(b"/");
            let count = if is_folder {
                all[at..folder.entries.end].partition_point(|entry| entry.path(state).starts_with(same))
            } else {
                all[at..folder.entries.end].iter().take_while(|entry| entry.path(state) == path).count()
            };
            if is_folder {
                level.folders.insert(same[folder.prefix.len()..same.len() - 1].as_bstr(), at..at + count);
            } else {
                level.files.push((rest.as_bstr(), at));
            }
            at += count;
        }
        level
    }

    /// The first entry of each path.
    fn paths(&self, entries: &Range<usize>) -> impl Iterator<Item = usize> {
        let state = self.index;
        let path = |at: usize| state.entries()[at].path(state);
        entries.clone().filter(move |at| *at == 0 || path(at - 1) != path(*at))
    }

    fn is_suspect(&self, dir: BorrowedFd<'_>, name: &BStr, entry: usize) -> bool {
        let entry = &self.index.entries()[entry];
        if entry.stage_raw() != 0 || entry.flags.contains(Flags::INTENT_TO_ADD) || entry.mode.is_submodule() {
            return true;
        }
        let written = self.index.timestamp();
        let stat = rustix::fs::statat(dir, name.as_bytes(), AtFlags::SYMLINK_NOFOLLOW);
        !stat.is_ok_and(|stat| is_fresh(entry, &stat, (written.unix_seconds(), written.nanoseconds())))
    }
}

/// What the index has in one folder.
struct Level<'w> {
    files: Vec<(&'w BStr, usize)>,
    folders: HashMap<&'w BStr, Range<usize>>,
}
