//! Replaces one file as a whole: readers see the old bytes or the new ones.

use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::OnceLock;

use rustix::fs::{AtFlags, Mode, OFlags};

/// Writes `bytes` to `name` inside the directory: temporary file with a random name, sync, rename, sync of the
/// directory. Mode 0600.
///
/// # Errors
/// The system's; the temporary file is then removed.
pub fn write_atomic(dir: impl AsFd, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    let dir = dir.as_fd();
    let temp = format!(".{name}.{}", random_suffix()?);
    let written =
        write_new(dir, &temp, bytes).and_then(|()| rustix::fs::renameat(dir, &temp, dir, name).map_err(Into::into));
    if let Err(error) = written {
        // The first error is the one to tell; what is left behind is a temporary file at worst.
        let _ = rustix::fs::unlinkat(dir, &temp, AtFlags::empty());
        return Err(error);
    }
    rustix::fs::fsync(dir).map_err(Into::into)
}

/// Like [`write_atomic`], without a sync: readers see the old bytes or the new ones, and a loss of power may leave
/// the old ones, or an empty file.
///
/// # Errors
/// The system's; the temporary file is then removed.
pub(super) fn write_unsynced(dir: impl AsFd, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    let dir = dir.as_fd();
    let temp = format!(".{name}.{}", random_suffix()?);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(rustix::fs::openat(dir, &temp, flags, Mode::RUSR | Mode::WUSR)?);
    let written = file.write_all(bytes).and_then(|()| Ok(rustix::fs::renameat(dir, &temp, dir, name)?));
    if written.is_err() {
        let _ = rustix::fs::unlinkat(dir, &temp, AtFlags::empty());
    }
    written
}

/// Replaces a file of git's own the way git does: `<name>.lock` is made exclusively, written and renamed.
///
/// # Errors
/// `AlreadyExists` while git holds the lock; the system's others.
pub fn replace_under_git_lock(dir: impl AsFd, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    let dir = dir.as_fd();
    let lock = format!("{name}.lock");
    write_new(dir, &lock, bytes)?;
    let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH;
    let renamed = rustix::fs::chmodat(dir, &lock, mode, AtFlags::empty())
        .and_then(|()| rustix::fs::renameat(dir, &lock, dir, name));
    if renamed.is_err() {
        let _ = rustix::fs::unlinkat(dir, &lock, AtFlags::empty());
    }
    renamed.map_err(Into::into)
}

fn write_new(dir: BorrowedFd<'_>, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(rustix::fs::openat(dir, name, flags, Mode::RUSR | Mode::WUSR)?);
    file.write_all(bytes)?;
    file.sync_all()
}

/// Sixteen hex digits that nobody can foresee.
pub(super) fn random_suffix() -> std::io::Result<String> {
    use std::io::Read;
    // Opened once: a patch of a thousand files needs two thousand names.
    static SOURCE: OnceLock<File> = OnceLock::new();
    let mut source = match SOURCE.get() {
        Some(open) => open,
        None => {
            let opened = File::open("/dev/urandom")?;
            SOURCE.get_or_init(|| opened)
        }
    };
    let mut bytes = [0; 8];
    source.read_exact(&mut bytes)?;
    Ok(format!("{:016x}", u64::from_le_bytes(bytes)))
}
