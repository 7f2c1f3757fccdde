//! A new file that takes the place of another: its bytes, and everything about it that is not bytes.

use std::fs::File;
use std::io::{Result, Write};

use rustix::fs::{Gid, Mode, Uid, XattrFlags};
use rustix::io::Errno;

use super::dir::{Dir, Entry};
use super::failpoint::step;

/// Why a file could not be staged.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// The system's.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// An owner, group, mode or attribute that cannot be kept.
    #[error("{what} cannot be kept: {error}")]
    Metadata {
        /// What would be lost.
        what: String,
        /// Why.
        error: std::io::Error,
    },
}

/// Whose mode, owner and attributes a new file gets.
#[derive(Debug, Clone, Copy)]
pub enum Like<'a> {
    /// Those that a new file has here.
    New,
    /// Those of an open file.
    File(&'a File),
}

/// Attributes that belong to the bytes or to the place, and so not to the new file.
const NOT_CARRIED: &[&str] = &["security.ima", "security.evm"];
/// Most bytes of one attribute, and of the list of names.
const MAX_ATTRIBUTE: usize = 64 * 1024;

/// Writes bytes to a new file, piece by piece and durably, and returns what the system says about it.
///
/// # Errors
/// [`StageError`]; the file may then be there in part.
pub fn stage(
    dir: &Dir,
    name: &str,
    pieces: &mut dyn Iterator<Item = &[u8]>,
    like: Like<'_>,
) -> std::result::Result<Entry, StageError> {
    let mut file = match like {
        Like::New => dir.create(name, Mode::from_raw_mode(0o666))?,
        Like::File(_) => dir.create(name, Mode::RUSR | Mode::WUSR)?,
    };
    step()?;
    for piece in pieces {
        file.write_all(piece)?;
    }
    if let Like::File(old) = like {
        carry_over(old, &file)?;
    }
    step()?;
    file.sync_all()?;
    Ok(Entry::of_file(&file)?)
}

fn carry_over(old: &File, new: &File) -> std::result::Result<(), StageError> {
    let (was, is) = (Entry::of_file(old)?, Entry::of_file(new)?);
    let lost = |what: String| move |error: Errno| StageError::Metadata { what, error: error.into() };
    if was.owner != is.owner {
        let (owner, group) = was.owner;
        rustix::fs::fchown(new, Some(Uid::from_raw(owner)), Some(Gid::from_raw(group)))
            .map_err(lost(format!("owner {owner} and group {group}")))?;
    }
    // After the owner: changing that clears set-user-id.
    rustix::fs::fchmod(new, was.mode).map_err(lost(format!("mode {:o}", was.mode.as_raw_mode())))?;
    for name in attributes(old).map_err(lost("the list of extended attributes".to_owned()))? {
        if NOT_CARRIED.contains(&name.as_str()) {
            continue;
        }
        let value = attribute(old, &name).map_err(lost(format!("attribute `{name}`")))?;
        if attribute(new, &name).is_ok_and(|own| own == value) {
            continue;
        }
        rustix::fs::fsetxattr(new, &*name, &value, XattrFlags::empty()).map_err(lost(format!("attribute `{name}`")))?;
    }
    Ok(())
}

fn attributes(file: &File) -> std::result::Result<Vec<String>, Errno> {
    let list = |names: &mut [u8]| match rustix::fs::flistxattr(file, names) {
        Err(error) if error == Errno::NOTSUP || error == Errno::OPNOTSUPP => Ok(0),
        length => length,
    };
    // Most files have few or none: room for many is only made when it is needed.
    let mut few = [0; 1024];
    let mut many = Vec::new();
    let names: &[u8] = match list(&mut few) {
        Ok(length) => &few[..length],
        Err(Errno::RANGE) => {
            many.resize(MAX_ATTRIBUTE, 0);
            let length = list(&mut many)?;
            &many[..length]
        }
        Err(error) => return Err(error),
    };
    let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names.map(|name| String::from_utf8(name.to_vec()).map_err(|_| Errno::ILSEQ)).collect()
}

fn attribute(file: &File, name: &str) -> std::result::Result<Vec<u8>, Errno> {
    let mut value = vec![0; MAX_ATTRIBUTE];
    let length = rustix::fs::fgetxattr(file, name, &mut value[..])?;
    value.truncate(length);
    Ok(value)
}

/// A name that nobody can foresee and that tells whose file it is.
///
/// # Errors
/// The system's.
pub fn temp_name() -> Result<String> {
    Ok(format!("{TEMP_PREFIX}{}", super::atomic::random_suffix()?))
}

const TEMP_PREFIX: &str = ".pi-graphite-";

/// Whether a name is one that [`temp_name`] makes.
#[must_use]
pub fn is_temp_name(name: &str) -> bool {
    let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    name.strip_prefix(TEMP_PREFIX).is_some_and(|suffix| suffix.len() == 16 && suffix.bytes().all(hex))
}
