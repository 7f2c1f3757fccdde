//! Everything in a repository that must never be lost.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::World;

/// Refs, index and files at one moment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Treasure {
    /// Every ref with its commit; empty where git itself cannot read them.
    refs: BTreeMap<Vec<u8>, Vec<u8>>,
    /// Every entry of the index; empty where git itself cannot read it.
    index: Vec<u8>,
    /// Every file of the worktree, a link by its target.
    files: BTreeMap<String, Vec<u8>>,
    /// Whether git was asked.
    whole: bool,
}

impl Treasure {
    pub(crate) fn of(world: &World) -> Self {
        let git = |words: &[&str]| {
            let output =
                world.command("git").args(["-c", "core.fsmonitor=false"]).args(words).output().expect("git runs");
            if output.status.success() { output.stdout } else { Vec::new() }
        };
        let refs = git(&["for-each-ref", "--format=%(objectname) %(refname)"]);
        let refs = refs.split(|byte| *byte == b'\n').filter_map(|line| {
            let at = line.iter().position(|byte| *byte == b' ')?;
            Some((line[at + 1..].to_vec(), line[..at].to_vec()))
        });
        Self {
            refs: refs.collect(),
            index: git(&["ls-files", "--stage", "-z", "--sparse"]),
            files: files(&world.root()),
            whole: true,
        }
    }

    /// Only the files: where git cannot be asked without hanging.
    pub(crate) fn of_files(world: &World) -> Self {
        Self { refs: BTreeMap::new(), index: Vec::new(), files: files(&world.root()), whole: false }
    }

    /// Asserts that all of it is still there: files and index as they were, every ref where it was. Further refs and
    /// a HEAD that has moved to one of them are the operation's work.
    pub(crate) fn assert_kept(&self, world: &World) {
        let now = if self.whole { Self::of(world) } else { Self::of_files(world) };
        assert_eq!(self.files, now.files, "the files");
        assert_eq!(String::from_utf8_lossy(&self.index), String::from_utf8_lossy(&now.index), "the index");
        for (name, commit) in &self.refs {
            assert_eq!(Some(commit), now.refs.get(name), "{}", String::from_utf8_lossy(name));
        }
    }

    /// Asserts that nothing at all has changed.
    pub(crate) fn assert_untouched(&self, world: &World) {
        self.assert_kept(world);
        assert_eq!(self.refs, Self::of(world).refs, "the refs");
    }
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type().expect("a kind");
        if kind.is_dir() && name != ".git" {
            found.extend(files(&entry.path()).into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
        } else if kind.is_symlink() {
            let target = fs::read_link(entry.path()).expect("a link");
            found.insert(name, target.into_os_string().into_encoded_bytes());
        } else if kind.is_file() {
            found.insert(name, fs::read(entry.path()).expect("readable"));
        }
    }
    found
}
