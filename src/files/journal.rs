//! What is written down before files change, so that whoever comes after a kill can tell what was meant.
//!
//! A journal is a log of a few lines. The first, the intent, names every file with its temporary name, and every
//! folder that will be made: with it, nothing that was left behind is unknown. The second, the commitment, holds the
//! identity of each old and each new file; from there on the change is finished rather than taken back. Verdicts
//! follow: that it is being taken back, and then nobody finishes it any more, or that it is done, and only what waits
//! beside the files is still to be removed. Who settles it later, perhaps after others have changed the files, needs not
//! guess which of its own steps were taken.

use std::time::Duration;

use super::root::Root;
use crate::disk::{Entry, FileId, Lasting, Log, ProcessId, StateDir, StateError, is_temp_name};

/// The folder of journals in a store.
pub(super) const FOLDER: &str = "journal";
/// The folder of bytes that had no place to go back to.
pub(super) const RESCUED: &str = "rescued";
const SUFFIX: &str = ".journal";
const UNBORN: &str = ".new";
const VERSION: u32 = 1;
const WITHDRAWN: &[u8] = b"\"withdrawn\"";
const FINISHED: &[u8] = b"\"finished\"";

/// What has been decided about a change that was committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is being taken back.
    Withdrawn,
    /// All its steps are taken.
    Finished,
}

/// The first line.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Intent {
    version: u32,
    /// Who writes.
    pub process: ProcessId,
    /// When it began, seconds since the epoch.
    pub since: u64,
    /// The operation.
    pub operation: String,
    /// The workspace root.
    pub root: String,
    /// Which directory that is.
    pub root_id: FileId,
    /// What happens to each file.
    pub steps: Vec<Meant>,
    /// Folders that are made, outer ones first.
    pub folders: Vec<String>,
}

/// What is meant to happen to one file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Meant {
    /// The file, relative to the root.
    pub path: String,
    /// The name beside it under which the new file is made, and the old one waits.
    pub temp: String,
    /// What happens.
    pub does: Does,
}

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Does {
    /// It gets other bytes.
    Replace,
    /// It was not there.
    Create,
    /// It goes.
    Delete,
}

/// The second line: the old and the new file of each step.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Commitment {
    /// In the order of the intent.
    pub files: Vec<OldNew>,
}

/// The identities of one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OldNew {
    /// What stood there.
    pub old: Option<Seen>,
    /// What will stand there.
    pub new: Option<Seen>,
}

/// Enough to know a file with its content again: a rename changes none of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Seen {
    id: FileId,
    size: u64,
    modified: (i64, i64),
}

impl Seen {
    /// What an entry is known by.
    #[must_use]
    pub(super) const fn of(entry: &Entry) -> Self {
        Self { id: entry.id, size: entry.size, modified: entry.modified }
    }

    /// Whether an entry is this file, whatever is in it now.
    pub(super) fn is_same_file(&self, entry: Option<&Entry>) -> bool {
        entry.is_some_and(|entry| entry.id == self.id)
    }

    /// Whether an entry is this file, unchanged.
    #[must_use]
    pub(super) fn is(&self, entry: Option<&Entry>) -> bool {
        entry.is_some_and(|entry| Self::of(entry) == *self)
    }
}

impl Intent {
    /// An intent of this process.
    #[must_use]
    pub(super) fn new(
        root: &Root,
        (operation, now): (&str, Duration),
        steps: Vec<Meant>,
        folders: Vec<String>,
    ) -> Self {
        Self {
            version: VERSION,
            process: ProcessId::current(),
            since: now.as_secs(),
            operation: operation.to_owned(),
            root: root.path().display().to_string(),
            root_id: root.dir().id(),
            steps,
            folders,
        }
    }

    /// How long the journal must last. That of several files outlives a loss of power; for a single file that would
    /// cost as much as the write itself, and only a temporary file could be left.
    fn lasting(&self) -> Lasting {
        if self.steps.len() > 1 { Lasting::Power } else { Lasting::Process }
    }

    /// Writes it down.
    pub(super) fn begin<'a>(&self, folder: &'a StateDir, name: &str) -> std::io::Result<Log<'a>> {
        let line = serde_json::to_vec(self).expect("plain data serialises");
        Log::create(folder, &format!("{name}{SUFFIX}"), &line, self.lasting())
    }

    /// Adds what is decided, on a line of its own also where the line before was cut.
    pub(super) fn decide(&self, verdict: Verdict, log: &mut Log<'_>) -> std::io::Result<()> {
        match verdict {
            Verdict::Withdrawn => log.append(&[b"\n", WITHDRAWN].concat(), self.lasting()),
            // Without it, who comes after a loss of power finds all steps taken.
            Verdict::Finished => log.append(&[b"\n", FINISHED].concat(), Lasting::Process),
        }
    }

    /// Adds the commitment: the change is now finished rather than taken back.
    pub(super) fn commit(&self, commitment: &Commitment, log: &mut Log<'_>) -> std::io::Result<()> {
        log.append(&serde_json::to_vec(commitment).expect("plain data serialises"), self.lasting())
    }
}

/// A journal whose writer is dead.
pub(super) struct Orphan<'a> {
    pub log: Log<'a>,
    pub intent: Intent,
    pub commitment: Option<Commitment>,
    /// What was decided last.
    pub verdict: Option<Verdict>,
}

/// Every journal whose writer is dead. One that never got its name meant nothing yet, and is removed.
///
/// `told` gets a sentence for each that is not of this version or not ours: it is reported and left alone.
pub(super) fn orphans<'a>(folder: &'a StateDir, told: &mut Vec<String>) -> Result<Vec<Orphan<'a>>, StateError> {
    let mut found = Vec::new();
    for name in folder.names()? {
        if !name.ends_with(SUFFIX) && !name.ends_with(UNBORN) {
            continue;
        }
        let opened = match Log::orphaned(folder, &name) {
            Ok(opened) => opened,
            Err(error @ (StateError::Refused { .. } | StateError::ReadOnly(..) | StateError::Io(..))) => {
                told.push(format!("a journal is left alone: {error}"));
                continue;
            }
        };
        let Some((log, content)) = opened else { continue };
        if name.ends_with(UNBORN) {
            log.remove().map_err(|error| StateError::Io(folder.path().join(&name), error))?;
            continue;
        }
        match parse(&content) {
            Some((intent, commitment, verdict)) => found.push(Orphan { log, intent, commitment, verdict }),
            None => told.push(format!("`{}` is not a journal of this version and is left alone", log.name())),
        }
    }
    Ok(found)
}

/// Whether another process settles a journal just now: its writer is dead, and yet it is locked.
pub(super) fn is_being_settled(folder: &StateDir) -> Result<bool, StateError> {
    for name in folder.names()?.iter().filter(|name| name.ends_with(SUFFIX)) {
        // What cannot be used is told elsewhere, and nobody settles it.
        if !matches!(Log::orphaned(folder, name), Ok(None)) {
            continue;
        }
        let content = folder.read(name).ok().flatten();
        if content.and_then(|content| parse(&content)).is_some_and(|(intent, ..)| !intent.process.is_alive()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Reads a journal. A second line that is torn was never finished, and so nothing was committed.
fn parse(content: &[u8]) -> Option<(Intent, Option<Commitment>, Option<Verdict>)> {
    let mut lines = content.split(|byte| *byte == b'\n');
    let intent: Intent = serde_json::from_slice(lines.next()?).ok()?;
    let commitment = lines.next().and_then(|line| serde_json::from_slice::<Commitment>(line).ok());
    let mut verdicts = lines.filter_map(|line| match line {
        WITHDRAWN => Some(Verdict::Withdrawn),
        FINISHED => Some(Verdict::Finished),
        _ => None,
    });
    let verdict = verdicts.next_back();
    let fits = intent.steps.iter().all(|step| is_temp_name(&step.temp))
        && commitment.as_ref().is_none_or(|all| all.files.len() == intent.steps.len());
    (intent.version == VERSION && fits).then_some((intent, commitment, verdict))
}
