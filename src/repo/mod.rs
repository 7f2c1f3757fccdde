//! The repository: opening it, locking it, and looking at it in process, without running or writing anything.

mod area;
mod busy;
mod cache;
mod graph;
mod graphite;
mod halt;
mod index;
mod lock;
mod merge;
mod open;
mod paths;
mod prints;
mod progress;
mod snapshot;
mod stack;

pub use area::Area;
pub use busy::{Intruder, intruder};
pub use cache::{CacheState, Detection, detect_cached, remember};
pub use graphite::{Graphite, Naming, aliases_of, graphite};
pub use halt::{Halt, Later};
pub(crate) use lock::state_fault;
pub use lock::{Abandoned, Lock, Record};
pub use merge::{Carried, Forecast};
pub use open::{Repo, refuse_special_git_files};
pub use prints::{Kind, Print};
pub use progress::InProgress;
pub use snapshot::{Content, Depth, Head, IndexState, Snapshot, StagedChange, WorktreeState};
pub use stack::{Stack, StackError, Tracked};

use crate::fault::{Code, Fault};

/// Something in the repository that cannot be read, as a fault.
pub(crate) fn unreadable(what: &str, error: impl std::fmt::Display) -> Fault {
    Fault::new(Code::UnsupportedRepository, format!("{what} cannot be read: {error}"))
}

/// Bytes of a ref or path as text; what is not UTF-8 is escaped, so that two names never become one.
#[must_use]
pub(crate) fn text_of(bytes: &gix::bstr::BStr) -> String {
    use gix::bstr::ByteSlice;
    bytes.to_str().map_or_else(|_| bytes.escape_bytes().to_string(), str::to_owned)
}
