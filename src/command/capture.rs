//! Output of a child in a scratch file: bounded on disk while it runs, head and tail afterwards.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// Bytes kept from the start and from the end of each stream.
const KEEP: u64 = 64 * 1024;

/// What a child wrote to one stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Capture {
    /// The text, invalid UTF-8 replaced; the middle left out and marked when long.
    pub text: String,
    /// How many bytes the child wrote.
    pub bytes: u64,
}

/// Gives the middle of a growing file back to the system, so that a flood of output stays bounded.
///
/// Limitation: where the file system cannot punch holes the file grows until the deadline.
pub(super) fn trim(file: &File) {
    let Ok(size) = file.metadata().map(|meta| meta.len()) else { return };
    if size > 4 * KEEP {
        punch(file, KEEP, size - 2 * KEEP);
    }
}

#[cfg(target_os = "linux")]
fn punch(file: &File, offset: u64, len: u64) {
    use rustix::fs::FallocateFlags;
    // Best effort by design: see the limitation of `trim`.
    let _ = rustix::fs::fallocate(file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, offset, len);
}

#[cfg(not(target_os = "linux"))]
fn punch(_: &File, _: u64, _: u64) {}

/// Reads head and tail, without moving the offset that a surviving child may share.
pub(super) fn read(file: &File) -> std::io::Result<Capture> {
    let bytes = file.metadata()?.len();
    let text = if bytes <= 2 * KEEP {
        text_of(file, 0, bytes)?
    } else {
        let left_out = bytes - 2 * KEEP;
        format!("{}\n… {left_out} bytes left out …\n{}", text_of(file, 0, KEEP)?, text_of(file, bytes - KEEP, KEEP)?)
    };
    Ok(Capture { text, bytes })
}

fn text_of(file: &File, offset: u64, len: u64) -> std::io::Result<String> {
    let mut buffer = vec![0; usize::try_from(len).expect("at most 128 KiB")];
    file.read_exact_at(&mut buffer, offset)?;
    Ok(String::from_utf8_lossy(&buffer).into_owned())
}
