//! A file as it is before anything happens to it: bytes, digest, and what the system says about it.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;

use rustix::fs::FileType;

use super::content::Content;
use super::cores::on_all_cores;
use super::root::{Access, Parent, Place, Root};
use crate::disk::{Dir, Entry};
use crate::fault::{Code, Fault};
use crate::value::Digest;

/// Largest file that is read or written, in bytes.
pub const MAX_FILE: u64 = 64 * 1024 * 1024;

/// A regular file that was read as a whole.
#[derive(Debug)]
pub struct Base {
    /// What the system said, before and after reading.
    pub entry: Entry,
    /// What is in it.
    pub content: Content,
}

impl Base {
    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.content.bytes()
    }

    /// SHA-256 of the raw bytes.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.content.digest()
    }
}

/// Reads the file at a place; `None` when nothing is there.
///
/// # Errors
/// `symlink`, `parent_not_directory`, `not_regular_file`, `hard_link` (to write), `file_too_large`, `read_failed`,
/// `file_changed` when it does not hold still.
pub fn read(root: &Root, place: &Place, access: Access) -> Result<Option<Base>, Fault> {
    let Parent::There(dir) = root.parent(place, access)? else { return Ok(None) };
    let Some(entry) = dir.entry(place.name()).map_err(|error| read_failed(place, &error))? else { return Ok(None) };
    check(root, place, &entry, access)?;
    read_in(&dir, place, access).map(Some)
}

/// Reads several files that are to be written, with their digests, on all cores. One that cannot be read is left out:
/// whoever asks for it again learns why.
#[must_use]
pub fn read_all(root: &Root, places: &[Place]) -> BTreeMap<Place, Option<Arc<Base>>> {
    if places.len() < 2 {
        return BTreeMap::new();
    }
    let one = |place: &Place| {
        let base = read(root, place, Access::Write).ok()?.map(Arc::new);
        if let Some(base) = &base {
            let _known_from_now_on = base.digest();
        }
        Some((place.clone(), base))
    };
    on_all_cores(places.iter().collect(), one).into_iter().flatten().collect()
}

/// Reads a file in the handle of its folder.
fn read_in(dir: &Dir, place: &Place, access: Access) -> Result<Base, Fault> {
    // A file that somebody writes just now is read again: half of it would be neither old nor new.
    for _ in 0..3 {
        let (mut file, before) = dir.open_file(place.name()).map_err(|error| match error.kind() {
            std::io::ErrorKind::InvalidInput => special(place, "it is not a regular file"),
            _ => read_failed(place, &error),
        })?;
        if access == Access::Write && before.links > 1 {
            return Err(hard_link(place, before.links));
        }
        if before.size > MAX_FILE {
            return Err(too_large(place, before.size));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(before.size).unwrap_or_default() + 1);
        let read = file.by_ref().take(MAX_FILE + 1).read_to_end(&mut bytes);
        read.map_err(|error| read_failed(place, &error))?;
        let after = Entry::of_file(&file).map_err(|error| read_failed(place, &error))?;
        if after.same_content(&before) && bytes.len() as u64 == after.size {
            return Ok(Base { entry: after, content: Content::new(bytes) });
        }
    }
    Err(Fault::new(Code::FileChanged, format!("`{place}` is being written by another program"))
        .hint("Wait until that program is done, then try again.")
        .detail("path", place.as_str()))
}

/// What may not be read or replaced, each with its own words.
fn check(root: &Root, place: &Place, entry: &Entry, access: Access) -> Result<(), Fault> {
    let at = root.path().join(place.as_str());
    match entry.kind {
        FileType::RegularFile => {}
        FileType::Symlink => {
            let verb = if access == Access::Write { "write" } else { "read" };
            let words = format!("Refusing to {verb} through symlinked target {}", at.display());
            return Err(Fault::words(Code::Symlink, words).detail("path", place.as_str()));
        }
        FileType::Directory => return Err(special(place, "it is a directory")),
        FileType::Fifo => return Err(special(place, "it is a fifo")),
        FileType::Socket => return Err(special(place, "it is a socket")),
        FileType::CharacterDevice | FileType::BlockDevice => return Err(special(place, "it is a device")),
        FileType::Unknown => return Err(special(place, "it is not a regular file")),
    }
    if access == Access::Write && entry.links > 1 { Err(hard_link(place, entry.links)) } else { Ok(()) }
}

fn hard_link(place: &Place, links: u64) -> Fault {
    Fault::new(Code::HardLink, format!("`{place}` is one file with {links} names")).detail("path", place.as_str())
}

fn special(place: &Place, why: &str) -> Fault {
    Fault::new(Code::NotRegularFile, format!("`{place}`: {why}")).detail("path", place.as_str())
}

fn too_large(place: &Place, size: u64) -> Fault {
    Fault::new(Code::FileTooLarge, format!("`{place}` has {size} bytes; the limit is {MAX_FILE}"))
        .detail("path", place.as_str())
        .detail("limit", MAX_FILE)
}

fn read_failed(place: &Place, error: &std::io::Error) -> Fault {
    Fault::new(Code::ReadFailed, format!("`{place}` cannot be read: {error}")).detail("path", place.as_str())
}
