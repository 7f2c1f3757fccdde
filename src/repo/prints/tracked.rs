//! Changes of tracked files: those that the walk could not clear.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;

use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::entry::{Flags, Mode};
use rustix::fs::{AtFlags, FileType};

use super::{Kind, Print, Prints, gone, link_target, look_nested, open_beneath, open_file, print, special};
use crate::fault::Fault;
use crate::repo::index::Index;
use crate::repo::{text_of, unreadable};
use crate::value::Digest;

/// How deep submodules inside submodules are followed.
const MAX_NESTING: usize = 8;
/// Largest file that is converted (line endings, encodings) to be compared with the index; larger ones by raw bytes.
const MAX_CONVERTED: u64 = 64 * 1024 * 1024;

/// Compares index entries with the worktree.
pub(super) struct Tracked<'a> {
    pub(super) gix: &'a gix::Repository,
    pub(super) index: &'a Index,
    pub(super) root: OwnedFd,
    pub(super) depth: usize,
    /// Names of the filter drivers that git would run.
    pub(super) drivers: &'a [String],
    pub(super) filters: Option<gix::filter::Pipeline<'a>>,
    pub(super) attributes: Option<gix::AttributeStack<'a>>,
    /// Changed paths that only a driver could compare.
    pub(super) unverified: BTreeSet<String>,
    /// What each submodule holds.
    pub(super) submodules: BTreeMap<String, Digest>,
}

impl Tracked<'_> {
    /// The suspects that differ, by path.
    pub(super) fn all(&mut self, suspects: &[usize]) -> Result<BTreeMap<String, Print>, Fault> {
        let mut found = BTreeMap::new();
        let mut folder: (BString, Option<OwnedFd>) = (BString::from("/"), None);
        let state = &self.index.state;
        for entry in suspects.iter().map(|at| &state.entries()[*at]) {
            let path = entry.path(state);
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
        let driven = !always && self.has_driver(path)?;
        if driven && is_same_file(entry, &stat) {
            return Ok(None);
        }
        let print = print(folder.as_fd(), name).unwrap_or_else(|_| special());
        if driven && self.same_kind(entry.mode, print.kind) {
            self.unverified.insert(text_of(path));
            return Ok(Some(print));
        }
        if always || !self.same_kind(entry.mode, print.kind) || !self.same_content(folder, entry, path, &print)? {
            return Ok(Some(print));
        }
        Ok(None)
    }

    /// Whether git would run a filter driver to compare the file.
    fn has_driver(&mut self, path: &BStr) -> Result<bool, Fault> {
        if self.drivers.is_empty() {
            return Ok(false);
        }
        let fail = |error: gix::Error| unreadable("the attributes", error);
        if self.attributes.is_none() {
            let source = gix::worktree::stack::state::attributes::Source::WorktreeThenIdMapping;
            self.attributes = Some(self.gix.attributes_only(&self.index.state, source).map_err(fail)?);
        }
        let stack = self.attributes.as_mut().expect("it was just made");
        let mut found = stack.selected_attribute_matches(["filter"]);
        stack.at_entry(path, Some(Mode::FILE)).map_err(fail)?.matching_attributes(&mut found);
        let driver = found.iter_selected().find_map(|found| match found.assignment.state {
            gix::attrs::StateRef::Value(name) => Some(text_of(name.as_bstr())),
            _ => None,
        });
        Ok(driver.is_some_and(|driver| self.drivers.contains(&driver)))
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
        print: &Print,
    ) -> Result<bool, Fault> {
        let fail = |error: std::io::Error| unreadable(&format!("`{}`", text_of(path)), error);
        let name = path.rfind_byte(b'/').map_or(path, |at| path[at + 1..].as_bstr());
        let content = if print.kind == Kind::Link {
            link_target(folder.as_fd(), name).map_err(|error| fail(error.into()))?
        } else if print.size <= MAX_CONVERTED {
            let mut bytes = Vec::new();
            let file = open_file(folder.as_fd(), name).map_err(fail)?;
            file.take(MAX_CONVERTED + 1).read_to_end(&mut bytes).map_err(fail)?;
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
        let converted = self.as_stored(&content, path)?;
        Ok(converted.is_some_and(|bytes| id_of(&bytes) == Some(entry.id)))
    }

    /// The content as git would store it; `None` when that is the content itself or cannot be told.
    fn as_stored(&mut self, content: &[u8], path: &BStr) -> Result<Option<Vec<u8>>, Fault> {
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
    fn submodule(&mut self, entry: &gix::index::Entry, path: &BStr) -> Result<Option<Print>, Fault> {
        let root = self.gix.workdir().expect("a worktree is being walked");
        let folder = root.join(std::ffi::OsStr::from_bytes(path));
        if self.depth >= MAX_NESTING || std::fs::symlink_metadata(folder.join(".git")).is_err() {
            return Ok(None);
        }
        let Some(inner) = crate::repo::open::open_nested(&folder) else { return Ok(Some(special())) };
        let head = inner.head_id().map(gix::Id::detach).ok();
        let index = crate::repo::index::read(&inner)?;
        let prints = look_nested(&inner, &index, self.depth + 1)?;
        let digest = state_of(&inner, &prints);
        if self.depth == 0 {
            self.submodules.insert(text_of(path), digest);
        }
        let clean = head == Some(entry.id) && prints.unstaged.is_empty() && prints.untracked.is_empty();
        Ok((!clean).then_some(Print { kind: Kind::Repository, digest, size: 0 }))
    }
}

/// What a submodule holds: its HEAD and everything changed or untracked in it.
pub(super) fn state_of(inner: &gix::Repository, prints: &Prints) -> Digest {
    let head = inner.head_id().map(|id| id.to_string()).unwrap_or_default();
    let mut digest = Digest::parts().part(head);
    for (path, print) in prints.unstaged.iter().chain(&prints.untracked) {
        digest.add(path);
        digest.add(print.digest.to_string());
    }
    digest.finish()
}

/// Whether the file is the one that the index entry was made from, and old enough for the index's own time to prove it.
pub(super) fn is_fresh(entry: &gix::index::Entry, stat: &rustix::fs::Stat, index_time: (i64, u32)) -> bool {
    let written = (i64::from(entry.stat.mtime.secs), entry.stat.mtime.nsecs);
    written < index_time && entry.stat.size == low(i128::from(stat.st_size)) && is_same_file(entry, stat)
}

/// Whether the file is the one that the index entry was made from, by all that a stat tells. git sets the size to zero
/// in an entry that it wants to compare again.
fn is_same_file(entry: &gix::index::Entry, stat: &rustix::fs::Stat) -> bool {
    let known = &entry.stat;
    let same_time = |known: gix::index::entry::stat::Time, secs: i128, nsecs: i128| {
        known.secs == low(secs) && (known.nsecs == 0 || known.nsecs == low(nsecs))
    };
    let mode = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile if stat.st_mode & 0o100 != 0 => Mode::FILE_EXECUTABLE,
        FileType::RegularFile => Mode::FILE,
        FileType::Symlink => Mode::SYMLINK,
        _ => return false,
    };
    entry.mode == mode
        && (known.size == 0 || known.size == low(i128::from(stat.st_size)))
        && (known.ino == 0 || known.ino == low(i128::from(stat.st_ino)))
        && same_time(known.mtime, i128::from(stat.st_mtime), i128::from(stat.st_mtime_nsec))
        && same_time(known.ctime, i128::from(stat.st_ctime), i128::from(stat.st_ctime_nsec))
}

/// The part of a number that the index keeps.
fn low(value: i128) -> u32 {
    u32::try_from(value & 0xffff_ffff).expect("32 bits")
}
