//! Prints of everything in the worktree that git could lose: unstaged changes and untracked files, by content.

mod tracked;
mod untracked;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use gix::bstr::{BStr, ByteSlice};
use rustix::fs::{AtFlags, FileType, OFlags};

use self::tracked::Tracked;
use self::untracked::Untracked;
use super::index::Index;
use super::unreadable;
use crate::fault::Fault;
use crate::value::Digest;

/// What lies at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A regular file.
    File,
    /// A regular file that may be executed.
    Executable,
    /// A symbolic link, by its target.
    Link,
    /// Nothing, where the index has a file.
    Gone,
    /// A submodule or nested repository, by its HEAD and its own prints.
    Repository,
    /// A fifo, socket or device where the index has a file, or something unreadable.
    Special,
}

/// The state of one path, so that two looks can be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Print {
    /// What lies there.
    pub kind: Kind,
    /// Digest of the raw content.
    pub digest: Digest,
    /// Bytes.
    pub size: u64,
}

/// Both lists of a worktree.
pub(super) struct Prints {
    pub unstaged: BTreeMap<String, Print>,
    pub untracked: BTreeMap<String, Print>,
    /// Unstaged paths that only a filter driver, which is not run, could compare with the index.
    pub unverified: BTreeSet<String>,
    /// What each submodule holds, by a digest.
    pub submodules: BTreeMap<String, Digest>,
}

/// Walks a worktree once, then looks at what may have changed and at what the index does not have.
///
/// Guarantees: no link is followed, nothing special is opened, no program is started.
///
/// # Errors
/// `state_unreadable`, and those of what is done meanwhile.
pub(super) fn look<T>(
    gix: &gix::Repository,
    index: &Index,
    drivers: &[String],
    meanwhile: impl FnOnce() -> Result<T, Fault>,
) -> Result<(Prints, T), Fault> {
    look_at_depth(gix, index, (0, drivers), meanwhile)
}

/// What the submodule in a folder holds now; `None` when it is none.
pub(super) fn submodule_state(folder: &std::path::Path) -> Option<Digest> {
    let inner = super::open::open_nested(folder)?;
    let index = super::index::read(&inner).ok()?;
    let prints = look_nested(&inner, &index, 1).ok()?;
    Some(tracked::state_of(&inner, &prints))
}

/// The print of one path as it is now.
pub(super) fn print_at(gix: &gix::Repository, path: &str) -> Print {
    folder_and_name(gix, path).and_then(|(dir, name)| print(dir.as_fd(), name).ok()).unwrap_or_else(gone)
}

/// The bytes of a regular file, `None` when it is none or larger than `limit`.
pub(super) fn read_at(gix: &gix::Repository, path: &str, limit: u64) -> Option<Vec<u8>> {
    let (dir, name) = folder_and_name(gix, path)?;
    let mut bytes = Vec::new();
    open_file(dir.as_fd(), name).ok()?.take(limit + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= limit).then_some(bytes)
}

fn folder_and_name<'a>(gix: &gix::Repository, path: &'a str) -> Option<(OwnedFd, &'a BStr)> {
    let root = rustix::fs::open(gix.workdir()?, DIR, rustix::fs::Mode::empty()).ok()?;
    let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
    Some((open_beneath(root.as_fd(), parent.as_bytes().as_bstr())?, name.as_bytes().as_bstr()))
}

const DIR: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// The same for a submodule, at a depth; its drivers never run.
fn look_nested(gix: &gix::Repository, index: &Index, depth: usize) -> Result<Prints, Fault> {
    look_at_depth(gix, index, (depth, &[]), || Ok(())).map(|(prints, ())| prints)
}

fn look_at_depth<T>(
    gix: &gix::Repository,
    index: &Index,
    (depth, drivers): (usize, &[String]),
    meanwhile: impl FnOnce() -> Result<T, Fault>,
) -> Result<(Prints, T), Fault> {
    let root = gix.workdir().ok_or_else(|| unreadable("the worktree", "there is none"))?;
    let fd =
        rustix::fs::open(root, DIR, rustix::fs::Mode::empty()).map_err(|error| unreadable("the worktree", error))?;
    let (walked, other) = walk::walk(&index.state, fd.as_fd(), meanwhile)?;
    let mut untracked = BTreeMap::new();
    if !walked.unknown.is_empty() {
        let source = gix::worktree::stack::state::ignore::Source::WorktreeThenIdMappingIfNotSkipped;
        let excludes =
            gix.excludes(&index.state, None, source).map_err(|error| unreadable("the ignore rules", error))?;
        let mut walk = Untracked { excludes, ignored: BTreeMap::new(), found: BTreeMap::new() };
        walked.unknown.iter().try_for_each(|(path, kind)| walk.unknown(fd.as_fd(), path, *kind))?;
        untracked = walk.found;
    }
    let mut tracked = Tracked {
        gix,
        index,
        root: fd,
        depth,
        drivers,
        filters: None,
        attributes: None,
        unverified: BTreeSet::new(),
        submodules: BTreeMap::new(),
    };
    let unstaged = tracked.all(&walked.suspects)?;
    let prints = Prints { unstaged, untracked, unverified: tracked.unverified, submodules: tracked.submodules };
    Ok((prints, other))
}

/// Opens a folder beneath `root`, following no link; `None` when it is not there as folders.
fn open_beneath(root: BorrowedFd<'_>, path: &BStr) -> Option<OwnedFd> {
    crate::disk::open_beneath(root, path).ok()
}

fn kind_at(dir: BorrowedFd<'_>, name: &BStr) -> Result<FileType, rustix::io::Errno> {
    rustix::fs::statat(dir, name.as_bytes(), AtFlags::SYMLINK_NOFOLLOW)
        .map(|stat| FileType::from_raw_mode(stat.st_mode))
}

fn print(dir: BorrowedFd<'_>, name: &BStr) -> std::io::Result<Print> {
    match kind_at(dir, name)? {
        FileType::Symlink => {
            let target = link_target(dir, name)?;
            Ok(Print { kind: Kind::Link, digest: Digest::of(&target), size: target.len() as u64 })
        }
        FileType::RegularFile => {
            let file = open_file(dir, name)?;
            let stat = rustix::fs::fstat(&file)?;
            let kind = if stat.st_mode & 0o100 == 0 { Kind::File } else { Kind::Executable };
            let size = u64::try_from(stat.st_size).unwrap_or_default();
            Ok(Print { kind, digest: Digest::read(file)?, size })
        }
        _ => Ok(special()),
    }
}

/// Opens a regular file, following no link and waiting for no writer.
fn open_file(dir: BorrowedFd<'_>, name: &BStr) -> std::io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::openat(dir, name.as_bytes(), flags, rustix::fs::Mode::empty())?);
    if file.metadata()?.is_file() { Ok(file) } else { Err(std::io::Error::other("it is not a regular file")) }
}

fn link_target(dir: BorrowedFd<'_>, name: &BStr) -> Result<Vec<u8>, rustix::io::Errno> {
    rustix::fs::readlinkat(dir, name.as_bytes(), Vec::new()).map(std::ffi::CString::into_bytes)
}

fn gone() -> Print {
    Print { kind: Kind::Gone, digest: Digest::of(b""), size: 0 }
}

fn special() -> Print {
    Print { kind: Kind::Special, digest: Digest::of(b""), size: 0 }
}
