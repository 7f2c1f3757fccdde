//! The yardstick: the same file read, hashed, written, synced, renamed and its folder synced, with nothing else.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use pi_graphite::value::Digest;

/// Replaces one text by another in a file, in a straight line on one core.
pub(crate) fn edit(path: &Path, old: &str, new: &str) -> Duration {
    let started = Instant::now();
    let file = File::open(path).expect("the file was made before");
    let size = file.metadata().expect("it is open").len();
    let mut bytes = Vec::with_capacity(usize::try_from(size).expect("it fits") + 1);
    file.take(size + 1).read_to_end(&mut bytes).expect("it can be read");
    std::hint::black_box(Digest::of(&bytes));
    let at = memchr::memmem::find(&bytes, old.as_bytes()).expect("the text is there");
    let temp = path.with_extension("bare");
    let mut out = File::create(&temp).expect("there is room");
    for part in [&bytes[..at], new.as_bytes(), &bytes[at + old.len()..]] {
        out.write_all(part).expect("there is room");
    }
    out.sync_all().expect("the disk takes it");
    std::fs::rename(&temp, path).expect("the folder is ours");
    sync_folder(path.parent().expect("a file lies in a folder"));
    started.elapsed()
}

/// Writes files one after the other, each synced and renamed, and syncs their folders at the end.
pub(crate) fn write_each<'a>(files: impl Iterator<Item = (&'a Path, &'a [u8])>, folders: &[&Path]) -> Duration {
    let started = Instant::now();
    for (path, bytes) in files {
        let temp = path.with_extension("bare");
        let mut out = File::create(&temp).expect("there is room");
        out.write_all(bytes).expect("there is room");
        out.sync_all().expect("the disk takes it");
        std::fs::rename(&temp, path).expect("the folder is ours");
    }
    for folder in folders {
        sync_folder(folder);
    }
    started.elapsed()
}

fn sync_folder(folder: &Path) {
    File::open(folder).and_then(|folder| folder.sync_all()).expect("the disk takes it");
}

/// The same as a program: the file, the text and its replacement are the arguments.
pub(crate) fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, old, new] = &arguments[..] else { return ExitCode::FAILURE };
    edit(Path::new(path), old, new);
    ExitCode::SUCCESS
}
