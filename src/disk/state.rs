//! This program's own folder. What is found there is input: it counts only when it is ours and nobody else can write.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};

use super::write_atomic;

/// Largest file that is read from the folder.
const MAX_FILE: u64 = 64 * 1024 * 1024;

/// A folder with mode 0700 that belongs to the current user.
#[derive(Debug)]
pub struct StateDir {
    fd: OwnedFd,
    path: PathBuf,
}

/// Why the folder or a file in it cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The file system does not let us write.
    #[error("`{0}` cannot be written: {1}")]
    ReadOnly(PathBuf, std::io::Error),
    /// Found, but not safe to use.
    #[error("`{path}` is not used: {why}")]
    Refused {
        /// What was found.
        path: PathBuf,
        /// Which rule it breaks.
        why: &'static str,
    },
    /// Any other error of the system.
    #[error("`{0}`: {1}")]
    Io(PathBuf, std::io::Error),
}

impl StateDir {
    /// Opens the folder `name` inside `parent`, making it when it is not there.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn open_or_create(parent: &Path, name: &str) -> Result<Self, StateError> {
        let path = parent.join(name);
        match rustix::fs::mkdir(&path, Mode::RWXU) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error @ (rustix::io::Errno::ROFS | rustix::io::Errno::ACCESS | rustix::io::Errno::PERM)) => {
                return Self::open(path.clone()).map_err(|_| StateError::ReadOnly(path, error.into()));
            }
            Err(error) => return Err(StateError::Io(path, error.into())),
        }
        Self::open(path)
    }

    /// Like [`open_or_create`](Self::open_or_create), making the folders above it too, each with mode 0700.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn open_or_create_below(base: &Path, name: &str) -> Result<Self, StateError> {
        let missing: Vec<&Path> = base.ancestors().take_while(|folder| !folder.exists()).collect();
        for folder in missing.into_iter().rev() {
            match rustix::fs::mkdir(folder, Mode::RWXU) {
                Ok(()) | Err(rustix::io::Errno::EXIST) => {}
                Err(error) => return Err(StateError::ReadOnly(folder.to_owned(), error.into())),
            }
        }
        Self::open_or_create(base, name)
    }

    /// Opens a folder inside this one, making it when it is not there.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn folder(&self, name: &str) -> Result<Self, StateError> {
        Self::open_or_create(&self.path, name)
    }

    fn open(path: PathBuf) -> Result<Self, StateError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = match rustix::fs::open(&path, flags, Mode::empty()) {
            Ok(fd) => fd,
            Err(rustix::io::Errno::NOTDIR | rustix::io::Errno::LOOP) => {
                return Err(StateError::Refused { path, why: "it is not a directory of its own" });
            }
            Err(error) => return Err(StateError::Io(path, error.into())),
        };
        let stat = rustix::fs::fstat(&fd).map_err(|error| StateError::Io(path.clone(), error.into()))?;
        check_owner(&path, &stat)?;
        Ok(Self { fd, path })
    }

    /// Where the folder is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads a file, `None` when it is not there.
    ///
    /// # Errors
    /// [`StateError`]: not a regular file, not ours, writable by others, or over 64 MiB.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, StateError> {
        let Some(file) = self.open_own(name, OFlags::RDONLY)? else { return Ok(None) };
        let path = self.path.join(name);
        let io = |error| StateError::Io(path.clone(), error);
        // The size is only a hint: with it, a small file takes two calls instead of four.
        let size = file.metadata().map_or(0, |metadata| metadata.len().min(MAX_FILE));
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default() + 1);
        file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(io)?;
        if bytes.len() as u64 > MAX_FILE {
            return Err(StateError::Refused { path, why: "it is over 64 MiB" });
        }
        Ok(Some(bytes))
    }

    /// Opens a regular file that is ours alone, `None` when it is not there.
    pub(super) fn open_own(&self, name: &str, access: OFlags) -> Result<Option<File>, StateError> {
        let path = self.path.join(name);
        let io = |error: rustix::io::Errno| StateError::Io(path.clone(), error.into());
        // NONBLOCK: a fifo in the place of the file must not hang us.
        let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match rustix::fs::openat(&self.fd, name, flags, Mode::empty()) {
            Ok(fd) => File::from(fd),
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(rustix::io::Errno::LOOP) => return Err(StateError::Refused { path, why: "it is a symbolic link" }),
            Err(error) => return Err(io(error)),
        };
        let stat = rustix::fs::fstat(&file).map_err(io)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(StateError::Refused { path, why: "it is not a regular file" });
        }
        check_owner(&path, &stat)?;
        Ok(Some(file))
    }

    /// Replaces a file as a whole. What was written last is what a loss of power may take.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn write_lightly(&self, name: &str, bytes: &[u8]) -> Result<(), StateError> {
        super::atomic::write_unsynced(&self.fd, name, bytes)
            .map_err(|error| StateError::Io(self.path.join(name), error))
    }

    /// Replaces a file as a whole.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), StateError> {
        let path = || self.path.join(name);
        write_atomic(&self.fd, name, bytes).map_err(|error| match error.kind() {
            ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => StateError::ReadOnly(path(), error),
            _ => StateError::Io(path(), error),
        })
    }

    /// Removes a file; one that is not there is removed already.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn remove(&self, name: &str) -> Result<(), StateError> {
        match rustix::fs::unlinkat(&self.fd, name, AtFlags::empty()) {
            Ok(()) | Err(rustix::io::Errno::NOENT) => Ok(()),
            Err(error) => Err(StateError::Io(self.path.join(name), error.into())),
        }
    }

    /// Names of the files in the folder, sorted.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn names(&self) -> Result<Vec<String>, StateError> {
        let io = |error: std::io::Error| StateError::Io(self.path.clone(), error);
        let entries = std::fs::read_dir(&self.path).map_err(io)?;
        let mut names: Vec<_> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort_unstable();
        Ok(names)
    }

    /// Opens the lock file, making it when it is not there. It stays empty for ever.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn lock_file(&self, name: &str) -> Result<File, StateError> {
        let path = self.path.join(name);
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.fd, name, flags, Mode::RUSR | Mode::WUSR);
        let file = file.map(File::from).map_err(|error| match error {
            rustix::io::Errno::ROFS | rustix::io::Errno::ACCESS => StateError::ReadOnly(path.clone(), error.into()),
            _ => StateError::Io(path.clone(), error.into()),
        })?;
        let stat = rustix::fs::fstat(&file).map_err(|error| StateError::Io(path.clone(), error.into()))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(StateError::Refused { path, why: "it is not a regular file" });
        }
        Ok(file)
    }
}

impl AsFd for StateDir {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

fn check_owner(path: &Path, stat: &rustix::fs::Stat) -> Result<(), StateError> {
    let refused = |why| Err(StateError::Refused { path: path.to_owned(), why });
    if stat.st_uid != rustix::process::geteuid().as_raw() {
        return refused("it belongs to another user");
    }
    if Mode::from_raw_mode(stat.st_mode).intersects(Mode::WGRP | Mode::WOTH) {
        return refused("others may write it");
    }
    Ok(())
}
