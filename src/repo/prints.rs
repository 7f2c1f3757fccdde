//! Prints of everything in the worktree that git could lose: unstaged changes and untracked files, by content.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;

use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::entry::{Flags, Mode};
use rustix::fs::{AtFlags, Dir, FileType, OFlags};

use super::index::Index;
use super::{text_of, unreadable};
use crate::fault::Fault;
use crate::value::Digest;

/// How deep submodules inside submodules are followed.
const MAX_NESTING: usize = 8;
/// Largest file that is converted (line endings, encodings) to be compared with the index; larger ones by raw bytes.
const MAX_CONVERTED: u64 = 64 * 1024 * 1024;

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
}

/// Walks a worktree once for untracked files and once along the index for changes.
///
/// Guarantees: no link is followed, nothing special is opened, no program is started.
pub(super) fn look(gix: &gix::Repository, index: &Index) -> Result<Prints, Fault> {
    look_nested(gix, index, 0)
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

fn look_nested(gix: &gix::Repository, index: &Index, depth: usize) -> Result<Prints, Fault> {
    let root = gix.workdir().ok_or_else(|| unreadable("the worktree", "there is none"))?;
    let fd =
        rustix::fs::open(root, DIR, rustix::fs::Mode::empty()).map_err(|error| unreadable("the worktree", error))?;
    let source = gix::worktree::stack::state::ignore::Source::WorktreeThenIdMappingIfNotSkipped;
    let excludes = gix.excludes(&index.state, None, source).map_err(|error| unreadable("the ignore rules", error))?;
    let mut walk = Untracked { index, excludes, found: BTreeMap::new() };
    walk.folder(fd.try_clone().map_err(|error| unreadable("the worktree", error))?, BString::default())?;
    let untracked = walk.found;
    let unstaged = Tracked { gix, index, root: fd, depth, filters: None }.all()?;
    Ok(Prints { unstaged, untracked })
}

struct Untracked<'a> {
    index: &'a Index,
    excludes: gix::AttributeStack<'a>,
    found: BTreeMap<String, Print>,
}

impl Untracked<'_> {
    /// `prefix` is empty or ends with a slash.
    fn folder(&mut self, fd: OwnedFd, prefix: BString) -> Result<(), Fault> {
        let fail = |error: rustix::io::Errno| unreadable(&format!("`{}`", text_of(prefix.as_bstr())), error);
        let mut entries = Vec::new();
        for entry in Dir::read_from(&fd).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let name: BString = entry.file_name().to_bytes().into();
            if name != "." && name != ".." && name != ".git" {
                let kind = match entry.file_type() {
                    FileType::Unknown => kind_at(fd.as_fd(), name.as_bstr()).map_err(fail)?,
                    kind => kind,
                };
                refuse_special_rules(prefix.as_bstr(), name.as_bstr(), kind)?;
                entries.push((name, kind));
            }
        }
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        entries.into_iter().try_for_each(|(name, kind)| self.entry(&fd, &prefix, &name, kind))
    }

    fn entry(&mut self, fd: &OwnedFd, prefix: &BString, name: &BString, kind: FileType) -> Result<(), Fault> {
        let mut path = prefix.clone();
        path.extend_from_slice(name);
        match kind {
            FileType::Directory => self.directory(fd, path, name),
            FileType::RegularFile | FileType::Symlink => {
                if !self.index.has(path.as_bstr()) && !self.is_excluded(path.as_bstr(), Mode::FILE)? {
                    let print = print(fd.as_fd(), name.as_bstr()).unwrap_or_else(|_| special());
                    self.found.insert(text_of(path.as_bstr()), print);
                }
                Ok(())
            }
            // git lists no fifos, sockets and devices either.
            _ => Ok(()),
        }
    }

    fn directory(&mut self, fd: &OwnedFd, path: BString, name: &BString) -> Result<(), Fault> {
        if self.index.has(path.as_bstr())
            && self.index.state.entry_by_path(path.as_bstr()).is_some_and(|e| e.mode.is_submodule())
        {
            return Ok(());
        }
        let mut below = path.clone();
        below.push(b'/');
        let tracked = self.index.has_below(below.as_bstr());
        if self.is_excluded(path.as_bstr(), Mode::DIR)? {
            return Ok(());
        }
        let inner = match rustix::fs::openat(fd, name.as_slice(), DIR, rustix::fs::Mode::empty()) {
            Ok(inner) => inner,
            Err(rustix::io::Errno::ACCESS | rustix::io::Errno::NOENT) => return Ok(()),
            Err(error) => return Err(unreadable(&format!("`{}`", text_of(path.as_bstr())), error)),
        };
        let nested = !tracked && rustix::fs::statat(&inner, ".git", AtFlags::SYMLINK_NOFOLLOW).is_ok();
        if nested {
            // As git lists it: the nested repository as one thing.
            let print = Print { kind: Kind::Repository, digest: Digest::of(b""), size: 0 };
            self.found.insert(text_of(below.as_bstr()), print);
            return Ok(());
        }
        self.folder(inner, below)
    }

    fn is_excluded(&mut self, path: &BStr, mode: Mode) -> Result<bool, Fault> {
        let platform =
            self.excludes.at_entry(path, Some(mode)).map_err(|error| unreadable("the ignore rules", error))?;
        Ok(platform.is_excluded())
    }
}

/// gix opens these by name on its way: a fifo there would hang it.
fn refuse_special_rules(prefix: &BStr, name: &BStr, kind: FileType) -> Result<(), Fault> {
    let rules = name == ".gitignore" || name == ".gitattributes" || name == ".gitmodules";
    if rules && matches!(kind, FileType::Fifo | FileType::Socket | FileType::CharacterDevice | FileType::BlockDevice) {
        return Err(unreadable(&format!("`{}{}`", text_of(prefix), text_of(name)), "it is a fifo, socket or device"));
    }
    Ok(())
}

struct Tracked<'a> {
    gix: &'a gix::Repository,
    index: &'a Index,
    root: OwnedFd,
    depth: usize,
    filters: Option<gix::filter::Pipeline<'a>>,
}

impl Tracked<'_> {
    fn all(mut self) -> Result<BTreeMap<String, Print>, Fault> {
        let mut found = BTreeMap::new();
        let mut folder: (BString, Option<OwnedFd>) = (BString::from("/"), None);
        let mut seen = BTreeSet::new();
        for entry in self.index.state.entries() {
            let path = entry.path(&self.index.state);
            if entry.stage_raw() != 0 && !seen.insert(path) {
                continue;
            }
            let (parent, name) = path
                .rfind_byte(b'/')
                .map_or((BStr::new(b""), path), |at| (path[..at].as_bstr(), path[at + 1..].as_bstr()));
            if folder.0 != parent {
                folder = (parent.to_owned(), open_beneath(self.root.as_fd(), parent));
            }
            if let Some(print) = self.changed(folder.1.as_ref(), entry, path, name)? {
                found.insert(text_of(path), print);
            }
        }
        Ok(found)
    }

    /// The print when the worktree differs from the entry.
    fn changed(
        &mut self,
        folder: Option<&OwnedFd>,
        entry: &gix::index::Entry,
        path: &BStr,
        name: &BStr,
    ) -> Result<Option<Print>, Fault> {
        let stat = folder.and_then(|fd| rustix::fs::statat(fd, name.as_bytes(), AtFlags::SYMLINK_NOFOLLOW).ok());
        let (Some(folder), Some(stat)) = (folder, stat) else {
            return Ok((!self.index.skipped.contains(path)).then(gone));
        };
        let always = entry.stage_raw() != 0 || entry.flags.contains(Flags::INTENT_TO_ADD);
        if entry.mode.is_submodule() {
            return self.submodule(entry, path);
        }
        let written = self.index.state.timestamp();
        if !always && is_fresh(entry, &stat, (written.unix_seconds(), written.nanoseconds())) {
            return Ok(None);
        }
        let print = print(folder.as_fd(), name).unwrap_or_else(|_| special());
        if always || !self.same_kind(entry.mode, print.kind) || !self.same_content(folder, entry, path, name, &print)? {
            return Ok(Some(print));
        }
        Ok(None)
    }

    fn same_kind(&self, mode: Mode, kind: Kind) -> bool {
        let modes_matter = self.gix.config_snapshot().boolean("core.fileMode").unwrap_or(true);
        match kind {
            Kind::Link => mode == Mode::SYMLINK,
            Kind::File => mode == Mode::FILE || (!modes_matter && mode == Mode::FILE_EXECUTABLE),
            Kind::Executable => mode == Mode::FILE_EXECUTABLE || (!modes_matter && mode == Mode::FILE),
            Kind::Gone | Kind::Repository | Kind::Special => false,
        }
    }

    /// Compares by raw bytes first, then as git would store them (line endings, encodings; never a driver).
    fn same_content(
        &mut self,
        folder: &OwnedFd,
        entry: &gix::index::Entry,
        path: &BStr,
        name: &BStr,
        print: &Print,
    ) -> Result<bool, Fault> {
        let fail = |error: std::io::Error| unreadable(&format!("`{}`", text_of(path)), error);
        let content = if print.kind == Kind::Link {
            link_target(folder.as_fd(), name).map_err(|error| fail(error.into()))?
        } else if print.size <= MAX_CONVERTED {
            let mut bytes = Vec::new();
            open_file(folder.as_fd(), name).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(fail)?;
            bytes
        } else {
            return Ok(false);
        };
        let id_of = |bytes: &[u8]| gix::objs::compute_hash(entry.id.kind(), gix::objs::Kind::Blob, bytes).ok();
        if id_of(&content) == Some(entry.id) {
            return Ok(true);
        }
        if print.kind == Kind::Link {
            return Ok(false);
        }
        let converted = self.to_git(&content, path)?;
        Ok(converted.is_some_and(|bytes| id_of(&bytes) == Some(entry.id)))
    }

    /// The content as git would store it; `None` when that is the content itself or cannot be told.
    fn to_git(&mut self, content: &[u8], path: &BStr) -> Result<Option<Vec<u8>>, Fault> {
        let fail = |error: gix::Error| unreadable("the attributes", error);
        if self.filters.is_none() {
            self.filters = Some(self.gix.filter_pipeline(None).map_err(fail)?.0);
        }
        let filters = self.filters.as_mut().expect("it was just made");
        let Ok(outcome) =
            filters.convert_to_git(content, std::path::Path::new(std::ffi::OsStr::from_bytes(path)), &self.index.state)
        else {
            return Ok(None);
        };
        Ok(match outcome {
            gix::filter::plumbing::pipeline::convert::ToGitOutcome::Buffer(bytes) => Some(bytes.to_vec()),
            _ => None,
        })
    }

    /// A submodule counts as changed when its HEAD, index or worktree is not what the entry says.
    fn submodule(&self, entry: &gix::index::Entry, path: &BStr) -> Result<Option<Print>, Fault> {
        let root = self.gix.workdir().expect("a worktree is being walked");
        let folder = root.join(std::ffi::OsStr::from_bytes(path));
        if self.depth >= MAX_NESTING || std::fs::symlink_metadata(folder.join(".git")).is_err() {
            return Ok(None);
        }
        let Some(inner) = super::open::open_nested(&folder) else { return Ok(Some(special())) };
        let head = inner.head_id().map(gix::Id::detach).ok();
        let index = super::index::read(&inner)?;
        let prints = look_nested(&inner, &index, self.depth + 1)?;
        let clean = head == Some(entry.id) && prints.unstaged.is_empty() && prints.untracked.is_empty();
        if clean {
            return Ok(None);
        }
        let mut digest = Digest::parts().part(head.map(|id| id.to_string()).unwrap_or_default());
        for (path, print) in prints.unstaged.iter().chain(&prints.untracked) {
            digest.add(path);
            digest.add(print.digest.to_string());
        }
        Ok(Some(Print { kind: Kind::Repository, digest: digest.finish(), size: 0 }))
    }
}

/// Whether the file is the one that the index entry was made from, by all that a stat tells, and old enough for the
/// index's own time to prove it.
fn is_fresh(entry: &gix::index::Entry, stat: &rustix::fs::Stat, index_time: (i64, u32)) -> bool {
    let known = &entry.stat;
    let low = |value: i128| u32::try_from(value & 0xffff_ffff).expect("32 bits");
    let same_time = |known: gix::index::entry::stat::Time, secs: i128, nsecs: i128| {
        known.secs == low(secs) && (known.nsecs == 0 || known.nsecs == low(nsecs))
    };
    let mode = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile if stat.st_mode & 0o100 != 0 => Mode::FILE_EXECUTABLE,
        FileType::RegularFile => Mode::FILE,
        FileType::Symlink => Mode::SYMLINK,
        _ => return false,
    };
    let racy = (i64::from(known.mtime.secs), known.mtime.nsecs) >= index_time;
    !racy
        && entry.mode == mode
        && known.size == low(i128::from(stat.st_size))
        && (known.ino == 0 || known.ino == low(i128::from(stat.st_ino)))
        && same_time(known.mtime, i128::from(stat.st_mtime), i128::from(stat.st_mtime_nsec))
        && same_time(known.ctime, i128::from(stat.st_ctime), i128::from(stat.st_ctime_nsec))
}

/// Opens a folder beneath `root` component by component, following no link; `None` when it is not there as folders.
fn open_beneath(root: BorrowedFd<'_>, path: &BStr) -> Option<OwnedFd> {
    let mut at = root.try_clone_to_owned().ok()?;
    for part in path.split_str("/").filter(|part| !part.is_empty()) {
        at = rustix::fs::openat(&at, part, DIR, rustix::fs::Mode::empty()).ok()?;
    }
    Some(at)
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
