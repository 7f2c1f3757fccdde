//! The repository's lock, who holds it, and what a killed holder left behind.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use gix::ObjectId;

use crate::command::Cancel;
use crate::disk::{Busy, Held, ProcessId, Sharing, StateDir, StateError, acquire, orphans_holding};
use crate::fault::{Code, Fault};

const FOLDER: &str = "pi-graphite";
const LOCK: &str = "lock";
const HOLDER: &str = "holder.json";
const HALT: &str = "halt.json";
const VERSION: u32 = 2;
/// The least time that the gt of a killed holder gets to finish.
const PATIENCE: Duration = Duration::from_secs(2);

/// The held lock. Reads in a repository that cannot be written go on without one.
pub struct Lock {
    held: Option<Held>,
    state: Option<StateDir>,
    /// Why there is no lock.
    pub warning: Option<String>,
    /// What a holder that was killed left behind.
    pub abandoned: Option<Abandoned>,
}

/// What an exclusive holder writes down before it changes anything.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    version: u32,
    /// The holder.
    pub process: ProcessId,
    /// When it began, seconds since the epoch.
    pub since: u64,
    /// The operation.
    pub operation: String,
    /// The branch that was checked out.
    pub branch: Option<String>,
    /// Everything that the look before saw, by name: values that differ when the thing differs.
    pub things: BTreeMap<String, String>,
}

/// A holder that was killed before it could report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Abandoned(pub Record);

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct HaltRecord {
    version: u32,
    event: String,
    tips: BTreeMap<String, String>,
}

impl Record {
    /// A record of this process.
    #[must_use]
    pub fn new(operation: &str, since: Duration, branch: Option<&str>, things: BTreeMap<String, String>) -> Self {
        Self {
            version: VERSION,
            process: ProcessId::current(),
            since: since.as_secs(),
            operation: operation.to_owned(),
            branch: branch.map(str::to_owned),
            things,
        }
    }
}

impl Lock {
    /// Takes the lock of the repository with this common git directory.
    ///
    /// When the holder was killed but its gt still runs, that gt keeps the lock. It may finish for half of the wait;
    /// then it is interrupted, which makes it put everything back, and killed when it does not listen.
    ///
    /// # Errors
    /// `lock_busy` naming the holder; `read_only_repository` for changes; `state_refused`; `cancelled`.
    pub fn take(common_dir: &Path, sharing: Sharing, wait: Duration, cancel: &Cancel) -> Result<Self, Fault> {
        let opened = StateDir::open_or_create(common_dir, FOLDER).and_then(|state| Ok((state.lock_file(LOCK)?, state)));
        let (file, state) = match (opened, sharing) {
            (Ok(opened), _) => opened,
            (Err(error @ StateError::ReadOnly(..)), Sharing::Shared) => {
                let warning = format!("read without a lock: {error}");
                return Ok(Self { held: None, state: None, warning: Some(warning), abandoned: None });
            }
            (Err(error), _) => return Err(state_fault(&error)),
        };
        let mut heir = Heir { state: &state, lock: file.try_clone().ok(), wait, sent: Sent::Nothing };
        let held = acquire(file, sharing, wait, &|| cancel.is_requested(), &mut |waited| heir.tick(waited));
        let held = held.map_err(|busy| match busy {
            Busy::Held => busy_fault(&state, wait),
            Busy::Cancelled => Fault::new(Code::Cancelled, "cancelled while waiting for the repository's lock"),
            Busy::Io(error) => Fault::new(
                Code::StateRefused,
                format!("the lock in `{}` does not work: {error}", state.path().display()),
            ),
        })?;
        let abandoned = read_record(&state)?.map(Abandoned);
        Ok(Self { held: Some(held), state: Some(state), warning: None, abandoned })
    }

    /// The lock file, to hand to a child.
    #[must_use]
    pub fn file(&self) -> Option<&std::fs::File> {
        self.held.as_ref().map(Held::file)
    }

    /// The folder for this program's other files of the repository.
    ///
    /// # Errors
    /// `read_only_repository`.
    pub fn state(&self) -> Result<&StateDir, Fault> {
        self.state
            .as_ref()
            .ok_or_else(|| Fault::new(Code::ReadOnlyRepository, self.warning.clone().unwrap_or_default()))
    }

    /// Writes down what is about to happen, so that the next call can tell when this process is killed.
    ///
    /// # Errors
    /// `read_only_repository`, `state_refused`.
    pub fn begin(&self, record: &Record) -> Result<(), Fault> {
        let bytes = serde_json::to_vec(record).expect("plain data serialises");
        self.state()?.write(HOLDER, &bytes).map_err(|error| state_fault(&error))
    }

    /// When the record was written, by the file system's own clock: what has an older change time was not touched since.
    #[must_use]
    pub fn began(&self) -> Option<(i64, i64)> {
        use std::os::unix::fs::MetadataExt;
        let meta = std::fs::symlink_metadata(self.state.as_ref()?.path().join(HOLDER)).ok()?;
        Some((meta.ctime(), meta.ctime_nsec()))
    }

    /// Takes the record back: the report tells everything.
    pub fn end(&self) {
        if let Some(state) = &self.state {
            // A record that stays is told once too often, which is better than not at all.
            drop(state.remove(HOLDER));
        }
    }

    /// Keeps the tips at the moment when an operation halted.
    pub fn remember_halt(&self, event: &str, tips: &BTreeMap<String, ObjectId>) {
        let tips = tips.iter().map(|(name, id)| (name.clone(), id.to_string())).collect();
        let record = HaltRecord { version: VERSION, event: event.to_owned(), tips };
        let bytes = serde_json::to_vec(&record).expect("plain data serialises");
        if let Some(state) = &self.state {
            // Without the record, abort compares commit by commit instead.
            drop(state.write(HALT, &bytes));
        }
    }

    /// The tips at the moment when this event halted, if this program saw it.
    #[must_use]
    pub fn tips_at_halt(&self, event: &str) -> Option<BTreeMap<String, ObjectId>> {
        let bytes = self.state.as_ref()?.read(HALT).ok()??;
        let record: HaltRecord = serde_json::from_slice(&bytes).ok()?;
        if record.version != VERSION || record.event != event {
            return None;
        }
        record.tips.into_iter().map(|(name, id)| Some((name, ObjectId::from_hex(id.as_bytes()).ok()?))).collect()
    }
}

/// What was sent to the children of a killed holder so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sent {
    Nothing,
    Interrupt,
    Kill,
}

/// Looks after the children of a killed holder while waiting.
struct Heir<'a> {
    state: &'a StateDir,
    lock: Option<std::fs::File>,
    wait: Duration,
    sent: Sent,
}

impl Heir<'_> {
    fn tick(&mut self, waited: Duration) {
        let due = match self.sent {
            Sent::Nothing => (self.wait / 2).max(PATIENCE),
            Sent::Interrupt => (self.wait * 3 / 4).max(PATIENCE + PATIENCE / 2),
            Sent::Kill => return,
        };
        let killed = || read_record(self.state).ok().flatten().is_some_and(|record| !record.process.is_alive());
        let Some(lock) = self.lock.as_ref().filter(|_| waited >= due && killed()) else { return };
        let orphans = orphans_holding(lock);
        self.sent = if self.sent == Sent::Nothing {
            orphans.interrupt();
            Sent::Interrupt
        } else {
            orphans.kill();
            Sent::Kill
        };
    }
}

fn read_record(state: &StateDir) -> Result<Option<Record>, Fault> {
    let Some(bytes) = state.read(HOLDER).map_err(|error| state_fault(&error))? else { return Ok(None) };
    // A record that cannot be read tells nothing; it is replaced by the next one.
    Ok(serde_json::from_slice(&bytes).ok().filter(|record: &Record| record.version == VERSION))
}

fn busy_fault(state: &StateDir, wait: Duration) -> Fault {
    let seconds = wait.as_secs_f32();
    match read_record(state).ok().flatten() {
        Some(record) if record.process.is_alive() => {
            let (pid, operation) = (record.process.pid, record.operation);
            Fault::new(
                Code::LockBusy,
                format!("process {pid} works on this repository (`{operation}`); waited {seconds} s"),
            )
            .detail("pid", pid)
            .detail("operation", operation)
        }
        Some(record) => {
            let (pid, operation) = (record.process.pid, record.operation);
            Fault::new(Code::LockBusy, format!("process {pid} (`{operation}`) was killed, but the gt that it started still runs; waited {seconds} s")).detail("pid", pid)
        }
        None => {
            Fault::new(Code::LockBusy, format!("another process reads or works on this repository; waited {seconds} s"))
        }
    }
}

pub(crate) fn state_fault(error: &StateError) -> Fault {
    let code = match error {
        StateError::ReadOnly(..) => Code::ReadOnlyRepository,
        StateError::Refused { .. } | StateError::Io(..) => Code::StateRefused,
    };
    Fault::new(code, error.to_string())
}
