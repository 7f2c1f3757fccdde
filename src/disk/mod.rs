//! The one door to writing: atomic files inside a directory handle, this program's own folder, and kernel locks.

mod atomic;
mod dir;
mod failpoint;
mod lock;
mod log;
mod process;
mod stage;
mod state;

use std::fs::File;

pub use atomic::{replace_under_git_lock, write_atomic};
pub use dir::{Dir, Entry, FileId, Old, open_beneath, spare_of};
#[cfg(feature = "failpoints")]
pub use failpoint::arm;
pub use lock::{Busy, Held, Sharing, acquire};
pub use log::{Lasting, Log};
pub use process::{Orphans, ProcessId, orphans_holding};
pub use stage::{Like, StageError, is_temp_name, stage, temp_name};
pub use state::{StateDir, StateError};

/// An empty file without a name, for a child's output. It lives in memory where the system can do that, so that a
/// full disk does not stop a guarded command.
///
/// # Errors
/// The system's.
pub fn scratch() -> std::io::Result<File> {
    #[cfg(target_os = "linux")]
    {
        let fd = rustix::fs::memfd_create("pi-graphite-output", rustix::fs::MemfdFlags::CLOEXEC)?;
        Ok(File::from(fd))
    }
    #[cfg(not(target_os = "linux"))]
    tempfile::tempfile()
}
