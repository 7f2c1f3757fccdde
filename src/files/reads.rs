//! What each session has seen of each file: the guard against writing over what somebody else has changed since.
//!
//! One small file a path, so that sessions and processes never wait for each other. Losing one only disarms the guard.

use std::time::Duration;

use super::root::{Place, Root};
use super::store::{Store, key_of};
use crate::disk::{StateDir, StateError};
use crate::fault::Fault;
use crate::value::Digest;

const FOLDER: &str = "reads";
const VERSION: u32 = 1;
/// Most files that a session remembers; when there are more, the oldest quarter is forgotten.
const MAX_FILES: usize = 4096;
/// Sessions that were idle for longer are forgotten.
const MAX_IDLE: Duration = Duration::from_hours(30 * 24);

/// The records of one session in one workspace.
#[derive(Debug)]
pub struct Reads {
    folder: Option<StateDir>,
}

/// What a session knows of a file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    version: u32,
    path: String,
    /// SHA-256 of the raw bytes, as hex.
    pub sha256: String,
    /// What was shown of them.
    pub shown: Shown,
}

/// The lines that a session was shown.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// All of them.
    All,
    /// These ranges, first and last line from 1, in order, not touching.
    Lines(Vec<(usize, usize)>),
    /// The session wrote the file without reading it first.
    Unread,
}

impl Shown {
    /// Whether every line of a range was shown.
    #[must_use]
    pub fn covers(&self, first: usize, last: usize) -> bool {
        match self {
            Self::All | Self::Unread => true,
            Self::Lines(ranges) => ranges.iter().any(|(from, to)| *from <= first && last <= *to),
        }
    }

    /// The same with one more range; a file whose every line is shown is all shown.
    #[must_use]
    pub fn and(&self, first: usize, last: usize, total: usize) -> Self {
        let mut ranges = match self {
            Self::All => return Self::All,
            Self::Lines(ranges) => ranges.clone(),
            Self::Unread => Vec::new(),
        };
        if first <= last {
            ranges.push((first, last));
        }
        ranges.sort_unstable();
        let mut joined: Vec<(usize, usize)> = Vec::with_capacity(ranges.len());
        for (from, to) in ranges {
            match joined.last_mut() {
                Some(before) if from <= before.1 + 1 => before.1 = before.1.max(to),
                _ => joined.push((from, to)),
            }
        }
        if joined == [(1, total)] || total == 0 { Self::All } else { Self::Lines(joined) }
    }
}

/// Lines that an edit has replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rewritten {
    /// First and last line before, from 1.
    pub lines: (usize, usize),
    /// How many lines more there are now.
    pub more: isize,
    /// Whether it begins within its first line, and whether it ends within its last.
    pub within: (bool, bool),
}

impl Shown {
    /// What was shown of a file, after the session's own edits of it: the lines have moved, and what the session wrote
    /// it has seen. The edits are in order; `total` is the number of lines now.
    #[must_use]
    pub fn through(&self, edits: &[Rewritten], total: usize) -> Self {
        let Self::Lines(ranges) = self else { return self.clone() };
        let moved = |line: usize, by: isize| line.saturating_add_signed(by).max(1);
        let mut now = Self::Lines(Vec::new());
        let mut by = 0;
        // What was shown between the edits has only moved; what an edit has replaced is gone.
        let mut kept = |from: usize, to: usize, by: isize| {
            for (first, last) in ranges.iter().map(|(first, last)| (*first.max(&from), *last.min(&to))) {
                if first <= last {
                    now = now.and(moved(first, by), moved(last, by), total);
                }
            }
        };
        let mut next = 1;
        for edit in edits {
            kept(next, edit.lines.0.saturating_sub(1), by);
            by += edit.more;
            next = edit.lines.1 + 1;
        }
        kept(next, usize::MAX, by);
        // What the session wrote it has seen; of a line that it wrote in part, only when it had seen the rest.
        by = 0;
        for edit in edits {
            let (first, last) = edit.lines;
            let hidden = |is_part: bool, line: usize| usize::from(is_part && !self.covers(line, line));
            let (from, to) = (moved(first, by), moved(last, by + edit.more));
            by += edit.more;
            let (skip, drop) = (hidden(edit.within.0, first), hidden(edit.within.1, last));
            now = now.and(from + skip, to.saturating_sub(drop), total);
        }
        now
    }
}

impl Reads {
    /// The records of a session. Where the store cannot be used, nothing is known and nothing is kept.
    ///
    /// # Errors
    /// `state_refused`.
    pub fn of(store: Option<&Store>, root: &Root, session: &str, now: Duration) -> Result<Self, Fault> {
        let Some(store) = store else { return Ok(Self { folder: None }) };
        let failed = |error: StateError| crate::repo::state_fault(&error);
        let workspace = store.folder(FOLDER)?.folder(&key_of(root)).map_err(failed)?;
        let name = Digest::of(session.as_bytes()).to_string()[..32].to_owned();
        if !workspace.path().join(&name).exists() {
            forget_idle(&workspace, now);
        }
        Ok(Self { folder: Some(workspace.folder(&name).map_err(failed)?) })
    }

    /// What the session knows of a file; `None` when it never read or wrote it. A record that cannot be read is none.
    #[must_use]
    pub fn known(&self, place: &Place) -> Option<Known> {
        let bytes = self.folder.as_ref()?.read(&file_name(place)).ok()??;
        let known: Known = serde_json::from_slice(&bytes).ok()?;
        (known.version == VERSION && known.path == place.as_str()).then_some(known)
    }

    /// Notes what the session has seen. It is a warning when that cannot be kept, since the guard is then not armed.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn note(&self, place: &Place, digest: Digest, shown: Shown) -> Result<(), StateError> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let known = Known { version: VERSION, path: place.to_string(), sha256: digest.to_string(), shown };
        let name = file_name(place);
        if !folder.path().join(&name).exists() {
            forget_oldest(folder)?;
        }
        folder.write_lightly(&name, &serde_json::to_vec(&known).expect("plain data serialises"))
    }

    /// Forgets a file that is gone.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn forget(&self, place: &Place) -> Result<(), StateError> {
        self.folder.as_ref().map_or(Ok(()), |folder| folder.remove(&file_name(place)))
    }
}

fn file_name(place: &Place) -> String {
    format!("{}.json", &Digest::of(place.as_str().as_bytes()).to_string()[..32])
}

fn modified(folder: &StateDir, name: &str) -> Option<Duration> {
    let time = std::fs::symlink_metadata(folder.path().join(name)).ok()?.modified().ok()?;
    time.duration_since(std::time::UNIX_EPOCH).ok()
}

fn forget_oldest(folder: &StateDir) -> Result<(), StateError> {
    let names = folder.names()?;
    if names.len() < MAX_FILES {
        return Ok(());
    }
    let mut aged: Vec<_> = names.into_iter().map(|name| (modified(folder, &name), name)).collect();
    aged.sort_unstable();
    aged.into_iter().take(MAX_FILES / 4).try_for_each(|(_, name)| folder.remove(&name))
}

/// Forgets sessions that were idle for a month. What cannot be removed stays.
fn forget_idle(workspace: &StateDir, now: Duration) {
    for name in workspace.names().unwrap_or_default() {
        let idle = modified(workspace, &name).is_some_and(|time| now.saturating_sub(time) > MAX_IDLE);
        if idle && let Ok(folder) = workspace.folder(&name) {
            let removed = folder.names().unwrap_or_default().iter().try_for_each(|file| folder.remove(file));
            if removed.is_ok() {
                let _ = rustix::fs::unlinkat(workspace, &*name, rustix::fs::AtFlags::REMOVEDIR);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Rewritten, Shown};

    #[test]
    fn ranges_join_until_all_is_shown() {
        let shown = Shown::Unread.and(1, 10, 30);
        assert_eq!(shown, Shown::Lines(vec![(1, 10)]));
        assert!(shown.covers(2, 10) && !shown.covers(2, 11));
        let shown = shown.and(21, 30, 30);
        assert_eq!(shown, Shown::Lines(vec![(1, 10), (21, 30)]));
        assert!(!shown.covers(5, 25));
        assert_eq!(shown.and(8, 20, 30), Shown::All);
        assert_eq!(Shown::Unread.and(1, 0, 0), Shown::All);
    }

    #[test]
    fn an_edit_moves_what_was_shown() {
        let shown = Shown::Lines(vec![(1, 10), (20, 30)]);
        let grown = shown.through(&[Rewritten { lines: (5, 5), more: 2, within: (false, false) }], 102);
        assert_eq!(grown, Shown::Lines(vec![(1, 12), (22, 32)]));
        let shrunk = shown.through(&[Rewritten { lines: (12, 18), more: -6, within: (false, false) }], 94);
        assert_eq!(shrunk, Shown::Lines(vec![(1, 10), (12, 12), (14, 24)]));
        let seven = Shown::Lines(vec![(1, 7)]);
        let cut = seven.through(&[Rewritten { lines: (5, 8), more: -3, within: (false, false) }], 7);
        assert_eq!(cut, Shown::Lines(vec![(1, 5)]), "what follows was never shown");
        let part = seven.through(&[Rewritten { lines: (9, 9), more: 0, within: (true, true) }], 10);
        assert_eq!(part, seven, "a word of a line is not the line");
        assert_eq!(Shown::All.through(&[Rewritten { lines: (1, 1), more: 5, within: (false, false) }], 6), Shown::All);
    }
}
