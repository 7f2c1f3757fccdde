//! Untracked files: those of the names which the index does not have that git does not ignore, and what lies below.

use std::collections::BTreeMap;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::entry::Mode;
use rustix::fs::{AtFlags, Dir, FileType};

use super::{DIR, Kind, Print, kind_at, print, special};
use crate::fault::Fault;
use crate::repo::{text_of, unreadable};
use crate::value::Digest;

/// Collects untracked files by content.
pub(super) struct Untracked<'a> {
    pub(super) excludes: gix::AttributeStack<'a>,
    /// Whether git ignores a folder that the index has something below.
    pub(super) ignored: BTreeMap<BString, bool>,
    pub(super) found: BTreeMap<String, Print>,
}

impl Untracked<'_> {
    /// Looks at one name that the index does not have.
    pub(super) fn unknown(&mut self, root: BorrowedFd<'_>, path: &BString, kind: FileType) -> Result<(), Fault> {
        let (prefix, name) = path.split_at(path.rfind_byte(b'/').map_or(0, |slash| slash + 1));
        if self.is_below_ignored(prefix.as_bstr())? {
            return Ok(());
        }
        let folder = prefix.strip_suffix(b"/").unwrap_or_default();
        match crate::disk::open_beneath(root, folder) {
            Ok(fd) => self.entry(&fd, &prefix.into(), &name.into(), kind),
            // It went away meanwhile.
            Err(_) => Ok(()),
        }
    }

    /// Whether git ignores a folder, or one around it. `prefix` is empty or ends with a slash.
    fn is_below_ignored(&mut self, prefix: &BStr) -> Result<bool, Fault> {
        let Some(folder) = prefix.strip_suffix(b"/") else { return Ok(false) };
        if let Some(known) = self.ignored.get(folder.as_bstr()) {
            return Ok(*known);
        }
        let around = &folder[..folder.rfind_byte(b'/').map_or(0, |slash| slash + 1)];
        let ignored = self.is_below_ignored(around.as_bstr())? || self.is_excluded(folder.as_bstr(), Mode::DIR)?;
        self.ignored.insert(folder.into(), ignored);
        Ok(ignored)
    }

    /// `prefix` is empty or ends with a slash.
    fn folder(&mut self, fd: &OwnedFd, prefix: &BString) -> Result<(), Fault> {
        let fail = |error: rustix::io::Errno| unreadable(&format!("`{}`", text_of(prefix.as_bstr())), error);
        let mut entries = Vec::new();
        let mut dir = Dir::read_from(fd).map_err(fail)?;
        each_name(&mut dir, prefix.as_bstr(), |name, kind| entries.push((name.to_owned(), kind)))?;
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        entries.into_iter().try_for_each(|(name, kind)| self.entry(fd, prefix, &name, kind))
    }

    fn entry(&mut self, fd: &OwnedFd, prefix: &BString, name: &BString, kind: FileType) -> Result<(), Fault> {
        let mut path = prefix.clone();
        path.extend_from_slice(name);
        match kind {
            FileType::Directory => self.directory(fd, &path, name),
            FileType::RegularFile | FileType::Symlink => {
                if !self.is_excluded(path.as_bstr(), Mode::FILE)? {
                    let print = print(fd.as_fd(), name.as_bstr()).unwrap_or_else(|_| special());
                    self.found.insert(text_of(path.as_bstr()), print);
                }
                Ok(())
            }
            // git lists no fifos, sockets and devices either.
            _ => Ok(()),
        }
    }

    fn directory(&mut self, fd: &OwnedFd, path: &BString, name: &BString) -> Result<(), Fault> {
        if self.is_excluded(path.as_bstr(), Mode::DIR)? {
            return Ok(());
        }
        let inner = match rustix::fs::openat(fd, name.as_slice(), DIR, rustix::fs::Mode::empty()) {
            Ok(inner) => inner,
            Err(rustix::io::Errno::ACCESS | rustix::io::Errno::NOENT) => return Ok(()),
            Err(error) => return Err(unreadable(&format!("`{}`", text_of(path.as_bstr())), error)),
        };
        let mut below = path.clone();
        below.push(b'/');
        if rustix::fs::statat(&inner, ".git", AtFlags::SYMLINK_NOFOLLOW).is_ok() {
            // As git lists it: the nested repository as one thing.
            let print = Print { kind: Kind::Repository, digest: Digest::of(b""), size: 0 };
            self.found.insert(text_of(below.as_bstr()), print);
            return Ok(());
        }
        self.folder(&inner, &below)
    }

    fn is_excluded(&mut self, path: &BStr, mode: Mode) -> Result<bool, Fault> {
        let platform =
            self.excludes.at_entry(path, Some(mode)).map_err(|error| unreadable("the ignore rules", error))?;
        Ok(platform.is_excluded())
    }
}

/// Visits the names in a folder, git's own apart.
///
/// # Errors
/// `state_unreadable`, also where rules of git are no regular file.
pub(super) fn each_name(dir: &mut Dir, prefix: &BStr, mut visit: impl FnMut(&BStr, FileType)) -> Result<(), Fault> {
    let fail = |error: rustix::io::Errno| unreadable(&format!("`{}`", text_of(prefix)), error);
    while let Some(entry) = dir.read() {
        let entry = entry.map_err(fail)?;
        let name = entry.file_name().to_bytes().as_bstr();
        if name == "." || name == ".." || name == ".git" {
            continue;
        }
        let kind = match entry.file_type() {
            FileType::Unknown => kind_at(dir.fd().map_err(fail)?, name).map_err(fail)?,
            kind => kind,
        };
        refuse_special_rules(prefix, name, kind)?;
        visit(name, kind);
    }
    Ok(())
}

/// gix opens these by name on its way: a fifo there would hang it.
fn refuse_special_rules(prefix: &BStr, name: &BStr, kind: FileType) -> Result<(), Fault> {
    let rules = name == ".gitignore" || name == ".gitattributes" || name == ".gitmodules";
    if rules && matches!(kind, FileType::Fifo | FileType::Socket | FileType::CharacterDevice | FileType::BlockDevice) {
        return Err(unreadable(&format!("`{}{}`", text_of(prefix), text_of(name)), "it is a fifo, socket or device"));
    }
    Ok(())
}
