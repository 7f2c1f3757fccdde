//! A directory handle. Everything beneath it is reached through it; no link is followed on the way or at the end.

use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags, Stat};
use rustix::io::Errno;

use super::failpoint::{Call, lacks, step};

/// An open directory.
#[derive(Debug)]
pub struct Dir {
    fd: OwnedFd,
    id: FileId,
}

/// Which file it is, whatever it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileId {
    /// The device.
    pub device: u64,
    /// The inode.
    pub inode: u64,
}

/// What the system says about a name: equal again when nobody has touched it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// File, directory, link, fifo …
    pub kind: FileType,
    /// Which one.
    pub id: FileId,
    /// Bytes.
    pub size: u64,
    /// Hard links.
    pub links: u64,
    /// Permission bits, with set-user-id and kin.
    pub mode: Mode,
    /// Owner and group.
    pub owner: (u32, u32),
    /// When the content changed: seconds, nanoseconds.
    pub modified: (i64, i64),
    /// When the inode changed.
    pub changed: (i64, i64),
}

/// What became of the file that stood there before an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Old {
    /// It stands under the other name.
    Kept,
    /// The file system could not keep it.
    Gone,
}

impl Entry {
    #[expect(
        clippy::unnecessary_cast,
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap,
        trivial_numeric_casts,
        reason = "the fields have other types on other systems"
    )]
    pub(super) fn of(stat: &Stat) -> Self {
        Self {
            kind: FileType::from_raw_mode(stat.st_mode),
            id: FileId { device: stat.st_dev as u64, inode: stat.st_ino as u64 },
            size: stat.st_size as u64,
            links: stat.st_nlink as u64,
            mode: Mode::from_raw_mode(stat.st_mode),
            owner: (stat.st_uid, stat.st_gid),
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        }
    }

    /// What an open file is.
    ///
    /// # Errors
    /// The system's.
    pub fn of_file(file: impl AsFd) -> Result<Self> {
        Ok(Self::of(&rustix::fs::fstat(file)?))
    }

    /// Whether it is the same file with the same content as far as size and time tell. A rename changes neither.
    #[must_use]
    pub fn same_content(&self, other: &Self) -> bool {
        (self.id, self.size, self.modified) == (other.id, other.size, other.modified)
    }
}

/// Opens a directory beneath another one: see [`Dir::beneath`].
///
/// # Errors
/// As it has them.
pub fn open_beneath(at: BorrowedFd<'_>, path: &[u8]) -> std::result::Result<OwnedFd, Errno> {
    if path.is_empty() {
        return at.try_clone_to_owned().map_err(errno);
    }
    if path.split(|byte| *byte == b'/').any(|part| matches!(part, b"" | b"." | b"..")) {
        return Err(Errno::XDEV);
    }
    #[cfg(target_os = "linux")]
    if !lacks(Call::Openat2) {
        use rustix::fs::ResolveFlags;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match rustix::fs::openat2(at, path, DIRECTORY, Mode::empty(), resolve) {
            // An old kernel, or a sandbox that does not know the call. EAGAIN: something on the way was moved.
            Err(Errno::NOSYS | Errno::PERM | Errno::INVAL | Errno::AGAIN | Errno::NAMETOOLONG) => {}
            opened => return opened,
        }
    }
    walk(at, path)
}

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// One component after the other, each in the handle of the one before.
fn walk(at: BorrowedFd<'_>, path: &[u8]) -> std::result::Result<OwnedFd, Errno> {
    let mut reached: Option<OwnedFd> = None;
    for part in path.split(|byte| *byte == b'/') {
        let from = reached.as_ref().map_or(at, AsFd::as_fd);
        reached = Some(rustix::fs::openat(from, part, DIRECTORY, Mode::empty())?);
    }
    reached.ok_or(Errno::XDEV)
}

impl Dir {
    /// Opens a directory by its path; links on the way are followed, for this is a person's choice.
    ///
    /// # Errors
    /// The system's.
    pub fn open(path: &Path) -> Result<Self> {
        Self::of(rustix::fs::open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
    }

    fn of(fd: OwnedFd) -> Result<Self> {
        let id = Entry::of_file(&fd)?.id;
        Ok(Self { fd, id })
    }

    /// Which directory it is.
    #[must_use]
    pub const fn id(&self) -> FileId {
        self.id
    }

    /// Opens a directory beneath this one: plain components joined by `/`, or nothing for this one again. No component
    /// may be a link, and the kernel keeps the walk beneath this directory where it can.
    ///
    /// # Errors
    /// `ELOOP` or `ENOTDIR` for a link, `ENOTDIR` for another file, `ENOENT`; `EXDEV` for a path that is not plain.
    pub fn beneath(&self, path: &str) -> std::result::Result<Self, Errno> {
        open_beneath(self.fd.as_fd(), path.as_bytes()).and_then(|fd| Self::of(fd).map_err(errno))
    }

    /// What stands under a name, links not followed; `None` when nothing does.
    ///
    /// # Errors
    /// The system's.
    pub fn entry(&self, name: &str) -> Result<Option<Entry>> {
        match rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(Entry::of(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether names in this folder can only be added (`chattr +a`): then no file in it can be replaced, nor a new one
    /// be finished. Nothing is known where the system does not tell.
    #[must_use]
    pub fn is_append_only(&self) -> bool {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{StatxAttributes, StatxFlags, statx};
            statx(&self.fd, "", AtFlags::EMPTY_PATH, StatxFlags::TYPE)
                .is_ok_and(|found| found.stx_attributes.contains(StatxAttributes::APPEND))
        }
        #[cfg(not(target_os = "linux"))]
        false
    }

    /// Opens a regular file for reading, with what the system says about it. A fifo or a device is not opened.
    ///
    /// # Errors
    /// `InvalidInput` when it is not a regular file; the system's.
    pub fn open_file(&self, name: &str) -> Result<(File, Entry)> {
        let regular = |entry: &Entry| entry.kind == FileType::RegularFile;
        let special = || Error::new(ErrorKind::InvalidInput, "not a regular file");
        // Looked at before it is opened, since opening a device can do things; and again, since it may be swapped.
        let seen = self.entry(name)?.ok_or_else(|| Error::from(ErrorKind::NotFound))?;
        if !regular(&seen) {
            return Err(special());
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::openat(&self.fd, name, flags, Mode::empty())?);
        let entry = Entry::of_file(&file)?;
        if regular(&entry) { Ok((file, entry)) } else { Err(special()) }
    }

    /// Makes a new file for writing; the name must be free. `mode` is what the umask leaves of it.
    ///
    /// # Errors
    /// The system's.
    pub fn create(&self, name: &str, mode: Mode) -> Result<File> {
        step()?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(rustix::fs::openat(&self.fd, name, flags, mode)?))
    }

    /// Makes a directory; one that is there already is `AlreadyExists`.
    ///
    /// # Errors
    /// The system's.
    pub fn make_dir(&self, name: &str) -> Result<()> {
        step()?;
        Ok(rustix::fs::mkdirat(&self.fd, name, Mode::RWXU | Mode::RWXG | Mode::RWXO)?)
    }

    /// Removes an empty directory.
    ///
    /// # Errors
    /// The system's.
    pub fn remove_dir(&self, name: &str) -> Result<()> {
        step()?;
        Ok(rustix::fs::unlinkat(&self.fd, name, AtFlags::REMOVEDIR)?)
    }

    /// Removes a file.
    ///
    /// # Errors
    /// The system's.
    pub fn remove(&self, name: &str) -> Result<()> {
        step()?;
        Ok(rustix::fs::unlinkat(&self.fd, name, AtFlags::empty())?)
    }

    /// Gives a file another name; what stood there is gone.
    ///
    /// # Errors
    /// The system's.
    pub fn rename(&self, from: &str, to: &str) -> Result<()> {
        step()?;
        Ok(rustix::fs::renameat(&self.fd, from, &self.fd, to)?)
    }

    /// Gives a file another name that must be free.
    ///
    /// # Errors
    /// `AlreadyExists`; the system's.
    pub fn rename_to_free(&self, from: &str, to: &str) -> Result<()> {
        step()?;
        if !lacks(Call::Exchange) {
            match rustix::fs::renameat_with(&self.fd, from, &self.fd, to, RenameFlags::NOREPLACE) {
                Err(error) if unsupported(error) => {}
                renamed => return Ok(renamed?),
            }
        }
        // Without the call: a link fails when the name is taken, which a plain rename does not.
        if !lacks(Call::Link) {
            match rustix::fs::linkat(&self.fd, from, &self.fd, to, AtFlags::empty()) {
                Err(error) if unsupported(error) || error == Errno::PERM => {}
                linked => return linked.map_err(Error::from).and_then(|()| self.remove(from)),
            }
        }
        if self.entry(to)?.is_some() {
            return Err(ErrorKind::AlreadyExists.into());
        }
        Ok(rustix::fs::renameat(&self.fd, from, &self.fd, to)?)
    }

    /// Puts `new` in the place of `name` in one instant, so that readers see the one or the other. What stood there
    /// then stands under `new`; only where the file system has neither exchange nor links, it is gone.
    ///
    /// # Errors
    /// The system's. Nothing has happened then, or the old file stands under [`spare_of`] too.
    pub fn exchange(&self, new: &str, name: &str) -> Result<Old> {
        step()?;
        if !lacks(Call::Exchange) {
            match rustix::fs::renameat_with(&self.fd, new, &self.fd, name, RenameFlags::EXCHANGE) {
                Err(error) if unsupported(error) => {}
                exchanged => return Ok(exchanged.map(|()| Old::Kept)?),
            }
        }
        let spare = spare_of(new);
        if !lacks(Call::Link) {
            match rustix::fs::linkat(&self.fd, name, &self.fd, &spare, AtFlags::empty()) {
                Err(error) if unsupported(error) || error == Errno::PERM => {}
                Err(error) => return Err(error.into()),
                Ok(()) => {
                    step()?;
                    rustix::fs::renameat(&self.fd, new, &self.fd, name)?;
                    step()?;
                    rustix::fs::renameat(&self.fd, &spare, &self.fd, new)?;
                    return Ok(Old::Kept);
                }
            }
        }
        rustix::fs::renameat(&self.fd, new, &self.fd, name)?;
        Ok(Old::Gone)
    }

    /// Makes renames and removals in this directory outlive a loss of power.
    ///
    /// # Errors
    /// The system's.
    pub fn sync(&self) -> Result<()> {
        step()?;
        match rustix::fs::fsync(&self.fd) {
            // Some file systems know no sync of a directory.
            Ok(()) | Err(Errno::INVAL) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

impl AsFd for Dir {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// The name under which the old file waits while an exchange is done in several steps.
#[must_use]
pub fn spare_of(name: &str) -> String {
    format!("{name}~")
}

/// The call or the flag is not known here.
fn unsupported(error: Errno) -> bool {
    matches!(error, Errno::NOSYS | Errno::INVAL | Errno::OPNOTSUPP) || error == Errno::NOTSUP
}

#[expect(clippy::needless_pass_by_value, reason = "it is used as a plain function")]
fn errno(error: Error) -> Errno {
    Errno::from_io_error(&error).unwrap_or(Errno::IO)
}
