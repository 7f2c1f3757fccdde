//! A small file of lines that outlives its writer: locked while the writer lives, so that others can tell.

use std::fs::File;
use std::io::{Read, Result, Seek, SeekFrom, Write};

use rustix::fs::{AtFlags, Mode, OFlags};

use super::dir::Entry;
use super::failpoint::step;
use super::state::{StateDir, StateError};

/// Largest log that is read.
const MAX_LOG: u64 = 16 * 1024 * 1024;
/// How often a new log is made that somebody else removes before it is locked.
const TRIES: u32 = 100;

/// An open log. The kernel lock on it says that its writer is alive.
#[derive(Debug)]
pub struct Log<'a> {
    folder: &'a StateDir,
    name: String,
    file: File,
}

/// Whether a line must outlive a loss of power, or only this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lasting {
    /// It outlives this process.
    Process,
    /// It outlives a loss of power.
    Power,
}

impl<'a> Log<'a> {
    /// Makes a log with its first line. It appears under its name only when that line is in it.
    ///
    /// # Errors
    /// The system's.
    pub fn create(folder: &'a StateDir, name: &str, line: &[u8], lasting: Lasting) -> Result<Self> {
        step()?;
        let (file, unborn) = Self::unborn(folder, name)?;
        let mut log = Self { folder, name: name.to_owned(), file };
        let born = log
            .append(line, lasting)
            .and_then(|()| step())
            .and_then(|()| Ok(rustix::fs::renameat(folder, &*unborn, folder, name)?));
        if let Err(error) = born {
            // The first error is the one to tell; whoever comes next removes what stays.
            let _ = rustix::fs::unlinkat(folder, &*unborn, AtFlags::empty());
            return Err(error);
        }
        let synced =
            if lasting == Lasting::Power { step().and_then(|()| Ok(rustix::fs::fsync(folder)?)) } else { Ok(()) };
        if let Err(error) = synced {
            let _ = rustix::fs::unlinkat(folder, name, AtFlags::empty());
            return Err(error);
        }
        Ok(log)
    }

    /// A new file that is locked, under a name of its own. Whoever looks for logs of dead writers may take one that is
    /// not locked yet for such a log and remove it: then another one is made.
    fn unborn(folder: &StateDir, name: &str) -> Result<(File, String)> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for attempt in 0..TRIES {
            let unborn = format!("{name}.{attempt}.new");
            let file = File::from(rustix::fs::openat(folder, &*unborn, flags, Mode::RUSR | Mode::WUSR)?);
            match fs4::FileExt::try_lock(&file) {
                Ok(()) if Entry::of_file(&file)?.links == 1 => return Ok((file, unborn)),
                Ok(()) | Err(fs4::TryLockError::WouldBlock) => {}
                Err(fs4::TryLockError::Error(error)) => return Err(error),
            }
        }
        Err(std::io::ErrorKind::ResourceBusy.into())
    }

    /// Adds a line.
    ///
    /// # Errors
    /// The system's.
    pub fn append(&mut self, line: &[u8], lasting: Lasting) -> Result<()> {
        step()?;
        self.file.seek(SeekFrom::End(0))?;
        self.file.write_all(&[line, b"\n"].concat())?;
        if lasting == Lasting::Power {
            step()?;
            self.file.sync_data()?;
        }
        Ok(())
    }

    /// Opens a log whose writer is dead, with its whole content; `None` while the writer lives or when it is done.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn orphaned(folder: &'a StateDir, name: &str) -> std::result::Result<Option<(Self, Vec<u8>)>, StateError> {
        let path = folder.path().join(name);
        let Some(file) = folder.open_own(name, OFlags::RDWR)? else { return Ok(None) };
        let io = |error: std::io::Error| StateError::Io(path.clone(), error);
        match fs4::FileExt::try_lock(&file) {
            Ok(()) => {}
            Err(fs4::TryLockError::WouldBlock) => return Ok(None),
            Err(fs4::TryLockError::Error(error)) => return Err(io(error)),
        }
        // The writer may have finished between opening and locking.
        let now = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).map(|stat| Entry::of(&stat).id);
        if now.ok() != Some(Entry::of_file(&file).map_err(io)?.id) {
            return Ok(None);
        }
        let mut content = Vec::new();
        (&file).take(MAX_LOG).read_to_end(&mut content).map_err(io)?;
        Ok(Some((Self { folder, name: name.to_owned(), file }, content)))
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Removes the log: what it tells is over.
    ///
    /// # Errors
    /// The system's.
    pub fn remove(self) -> Result<()> {
        step()?;
        match rustix::fs::unlinkat(self.folder, &*self.name, AtFlags::empty()) {
            Ok(()) | Err(rustix::io::Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
