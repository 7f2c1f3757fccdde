//! Untracked files: one walk over the folders that git does not ignore.

use std::collections::BTreeMap;
use std::os::fd::{AsFd, OwnedFd};

use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::entry::Mode;
use rustix::fs::{AtFlags, Dir, FileType};

use super::{DIR, Kind, Print, kind_at, print, special};
use crate::fault::Fault;
use crate::repo::index::Index;
use crate::repo::{text_of, unreadable};
use crate::value::Digest;

/// Collects untracked files by content.
pub(super) struct Untracked<'a> {
    pub(super) index: &'a Index,
    pub(super) excludes: gix::AttributeStack<'a>,
    pub(super) found: BTreeMap<String, Print>,
}

impl Untracked<'_> {
    /// `prefix` is empty or ends with a slash.
    pub(super) fn folder(&mut self, fd: &OwnedFd, prefix: &BString) -> Result<(), Fault> {
        let fail = |error: rustix::io::Errno| unreadable(&format!("`{}`", text_of(prefix.as_bstr())), error);
        let mut entries = Vec::new();
        for entry in Dir::read_from(fd).map_err(fail)? {
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
        entries.into_iter().try_for_each(|(name, kind)| self.entry(fd, prefix, &name, kind))
    }

    fn entry(&mut self, fd: &OwnedFd, prefix: &BString, name: &BString, kind: FileType) -> Result<(), Fault> {
        let mut path = prefix.clone();
        path.extend_from_slice(name);
        match kind {
            FileType::Directory => self.directory(fd, &path, name),
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

    fn directory(&mut self, fd: &OwnedFd, path: &BString, name: &BString) -> Result<(), Fault> {
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
        self.folder(&inner, &below)
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
