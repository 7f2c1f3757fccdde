//! Where this program keeps what belongs to a workspace: beside the repository, or in the person's state folder. And
//! the locks that lie there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::root::{Place, Root};
use crate::command::Cancel;
use crate::disk::{Busy, Held, Sharing, StateDir, acquire};
use crate::fault::{Code, Fault};
use crate::repo::{Area, Lock, state_fault};
use crate::value::Digest;

const FOLDER: &str = "pi-graphite";
const LOCKS: &str = "locks";
/// How long an edit waits for another edit of the same file.
pub const FILE_WAIT: Duration = Duration::from_secs(10);

/// The folder in which locks, journal and read hashes lie.
#[derive(Debug)]
pub struct Store {
    state: StateDir,
}

/// The locks that a request holds. Dropping releases them.
pub struct Hold {
    /// The shared lock of every repository that is touched.
    pub repositories: Vec<Lock>,
    _files: Vec<Held>,
}

/// How long to wait, and who may end the wait.
#[derive(Clone, Copy)]
pub struct Patience<'a> {
    /// For a repository's lock.
    pub repository: Duration,
    /// The caller's cancellation.
    pub cancel: &'a Cancel,
}

impl Store {
    /// The store that guards files of this worktree, or of a plain folder when there is none. `person` is
    /// `$XDG_STATE_HOME`.
    ///
    /// # Errors
    /// `read_only_repository`, `state_refused`.
    pub fn of(area: Option<&Area>, person: Option<&Path>) -> Result<Self, Fault> {
        let state = match area {
            Some(area) => StateDir::open_or_create(&area.common_dir, FOLDER).map_err(|error| state_fault(&error))?,
            None => {
                let base = person.ok_or_else(|| {
                    Fault::new(Code::StateRefused, "neither HOME nor XDG_STATE_HOME is an absolute path")
                })?;
                StateDir::open_or_create_below(base, FOLDER)
                    .map_err(|error| Fault::new(Code::StateRefused, error.to_string()))?
            }
        };
        Ok(Self { state })
    }

    /// Whether a journal in this store may speak of a root: that of a repository of its own worktrees only, while the
    /// person's own folder is nobody else's to write.
    #[must_use]
    pub fn speaks_of(&self, root: &Root, person: Option<&Path>) -> bool {
        let own = root.area().map(|area| area.common_dir.join(FOLDER));
        own.as_deref() == Some(self.path()) || person.is_some_and(|base| base.join(FOLDER) == self.path())
    }

    /// A folder for one kind of records.
    ///
    /// # Errors
    /// `read_only_repository`, `state_refused`.
    pub fn folder(&self, name: &str) -> Result<StateDir, Fault> {
        self.state.folder(name).map_err(|error| state_fault(&error))
    }

    /// The folder itself, for what belongs to the whole store.
    #[must_use]
    pub const fn state(&self) -> &StateDir {
        &self.state
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.state.path()
    }
}

/// The key of a root's records: its path and which directory it is.
#[must_use]
pub fn key_of(root: &Root) -> String {
    let id = root.dir().id();
    let parts = Digest::parts().part(root.path().as_os_str().as_encoded_bytes());
    let digest = parts.part(id.device.to_le_bytes()).part(id.inode.to_le_bytes()).finish().to_string();
    digest[..32].to_owned()
}

impl Hold {
    /// Takes the shared lock of the workspace's repository and of every other repository that these files lie in, so
    /// that no edit lands in the middle of a restack.
    ///
    /// # Errors
    /// `lock_busy`, `cancelled`, `read_only_repository`, `state_refused`.
    pub fn repositories(root: &Root, places: &[Place], patience: Patience<'_>) -> Result<Self, Fault> {
        let areas = areas(root, places);
        let mut common: Vec<&PathBuf> = areas.values().flatten().map(|area| &area.common_dir).collect();
        common.sort();
        common.dedup();
        let repositories = common.iter().map(|dir| repository(dir, patience)).collect::<Result<_, Fault>>()?;
        Ok(Self { repositories, _files: Vec::new() })
    }

    /// Takes the locks of these files too, in one order for everybody.
    ///
    /// A file is guarded where it lies: in the innermost repository around it, whatever the workspace root is, else in
    /// the person's store. Two workspaces that overlap so agree on the locks.
    ///
    /// # Errors
    /// `lock_busy`, `cancelled`, `read_only_repository`, `state_refused`.
    pub fn and_files(
        self,
        root: &Root,
        places: &[Place],
        (person, patience): (Option<&Path>, Patience<'_>),
    ) -> Result<Self, Fault> {
        let files = lock_files(root, places, &areas(root, places), (person, patience.cancel))?;
        Ok(Self { _files: files, ..self })
    }

    /// The same without the locks of files.
    #[must_use]
    pub fn without_files(self) -> Self {
        Self { _files: Vec::new(), ..self }
    }
}

fn repository(common_dir: &Path, patience: Patience<'_>) -> Result<Lock, Fault> {
    Lock::take(common_dir, Sharing::Shared, patience.repository, patience.cancel)
}

/// The worktree around each folder that is named, the workspace's own too.
fn areas<'p>(root: &Root, places: &'p [Place]) -> BTreeMap<&'p str, Option<Area>> {
    let mut areas = BTreeMap::from([("", root.area().cloned())]);
    for place in places {
        if !areas.contains_key(place.parent()) {
            areas.insert(place.parent(), root.area_of(place));
        }
    }
    areas
}

/// Takes only the locks of files, for the recovery of a journal.
///
/// # Errors
/// As for [`Hold::and_files`].
pub(super) fn files_alone(
    root: &Root,
    places: &[Place],
    (person, cancel): (Option<&Path>, &Cancel),
) -> Result<Vec<Held>, Fault> {
    lock_files(root, places, &areas(root, places), (person, cancel))
}

fn lock_files(
    root: &Root,
    places: &[Place],
    areas: &BTreeMap<&str, Option<Area>>,
    (person, cancel): (Option<&Path>, &Cancel),
) -> Result<Vec<Held>, Fault> {
    let mut folders: BTreeMap<PathBuf, StateDir> = BTreeMap::new();
    let mut wanted: BTreeMap<(PathBuf, String), &Place> = BTreeMap::new();
    for place in places {
        let area = areas.get(place.parent()).expect("every folder was looked at").as_ref();
        let store = match area {
            Some(area) => area.common_dir.clone(),
            None => person.map(Path::to_owned).unwrap_or_default(),
        };
        if !folders.contains_key(&store) {
            folders.insert(store.clone(), Store::of(area, person)?.folder(LOCKS)?);
        }
        wanted.entry((store, stripe(root, place))).or_insert(place);
    }
    let take = |((store, stripe), place): (&(PathBuf, String), &&Place)| {
        let file = folders[store].lock_file(stripe).map_err(|error| state_fault(&error))?;
        let taken = acquire(file, Sharing::Exclusive, FILE_WAIT, &|| cancel.is_requested(), &mut |_| {});
        taken.map_err(|busy| busy_fault(&busy, place))
    };
    wanted.iter().map(take).collect()
}

/// The lock file of a path, one of 256: files that share one wait for each other, and nothing is left to be removed.
/// Letter case is set aside, since some file systems do not know it.
fn stripe(root: &Root, place: &Place) -> String {
    let path = root.path().join(place.as_str());
    Digest::of(path.to_string_lossy().to_lowercase().as_bytes()).to_string()[..2].to_owned()
}

fn busy_fault(busy: &Busy, place: &Place) -> Fault {
    let fault = match busy {
        Busy::Held => {
            Fault::new(Code::LockBusy, format!("another process edits `{place}`; waited {} s", FILE_WAIT.as_secs()))
        }
        Busy::Cancelled => Fault::new(Code::Cancelled, format!("cancelled while waiting for the lock of `{place}`")),
        Busy::Io(error) => Fault::new(Code::StateRefused, format!("the lock of `{place}` does not work: {error}")),
    };
    fault.detail("path", place.as_str())
}
