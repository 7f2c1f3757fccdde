//! Kernel locks: bounded waits, released by the system when the last holder is gone.

use std::fs::File;
use std::time::{Duration, Instant};

/// How a lock is shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// With other readers.
    Shared,
    /// With nobody.
    Exclusive,
}

/// A held lock. The kernel lock belongs to the open file: a child that got the file as its standard input keeps it
/// when this process is killed. Dropping releases it for all of them.
#[derive(Debug)]
pub struct Held {
    file: File,
}

/// Why a lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum Busy {
    /// Somebody holds it.
    #[error("the lock is held by another process")]
    Held,
    /// The wait was cancelled.
    #[error("the wait was cancelled")]
    Cancelled,
    /// The file system has no locks.
    #[error("the lock cannot be taken: {0}")]
    Io(std::io::Error),
}

/// Takes a lock, trying again until `wait` has passed or `cancelled` says so. `while_waiting` is called between tries
/// with the time waited so far.
///
/// # Errors
/// [`Busy`].
pub fn acquire(
    file: File,
    sharing: Sharing,
    wait: Duration,
    cancelled: &dyn Fn() -> bool,
    while_waiting: &mut dyn FnMut(Duration),
) -> Result<Held, Busy> {
    let started = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        let tried = match sharing {
            Sharing::Shared => fs4::FileExt::try_lock_shared(&file),
            Sharing::Exclusive => fs4::FileExt::try_lock(&file),
        };
        match tried {
            Ok(()) => return Ok(Held { file }),
            Err(fs4::TryLockError::WouldBlock) => {}
            Err(fs4::TryLockError::Error(error)) => return Err(Busy::Io(error)),
        }
        let waited = started.elapsed();
        if cancelled() {
            return Err(Busy::Cancelled);
        }
        if waited >= wait {
            return Err(Busy::Held);
        }
        while_waiting(waited);
        std::thread::sleep(pause.min(wait.saturating_sub(waited)));
        pause = (pause * 2).min(Duration::from_millis(25));
    }
}

impl Held {
    /// The file, to hand to a child as standard input.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // Closing would release it too, unless a stray child still has the file: the work under the lock is done.
        let _ = fs4::FileExt::unlock(&self.file);
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its lock file by hand")]
mod tests {
    use super::{Busy, Sharing, acquire};
    use std::time::Duration;

    #[test]
    fn an_exclusive_lock_keeps_everybody_out_and_is_freed_on_drop() {
        let dir = tempfile::tempdir().expect("a folder");
        let open = || {
            std::fs::File::options()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(dir.path().join("l"))
                .expect("a file")
        };
        let take = |sharing| acquire(open(), sharing, Duration::from_millis(5), &|| false, &mut |_| {});
        let first = take(Sharing::Exclusive).expect("free");
        assert!(matches!(take(Sharing::Shared), Err(Busy::Held)));
        let child_side = first.file().try_clone().expect("a second handle");
        drop(first);
        let readers = [take(Sharing::Shared).expect("free"), take(Sharing::Shared).expect("shared")];
        assert!(matches!(take(Sharing::Exclusive), Err(Busy::Held)));
        drop((readers, child_side));
        assert!(acquire(open(), Sharing::Exclusive, Duration::from_secs(9), &|| true, &mut |_| {}).is_ok());
    }
}
