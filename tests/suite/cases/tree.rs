//! Everything below a folder at one moment, and what an answer says of it afterwards.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::Path;

use super::case::{Expect, Files};

/// Longest content that a complaint shows.
const SHOWN: usize = 400;

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    Folder,
    /// Content, and the mode unless any will do.
    File(Vec<u8>, Option<u32>),
    Link(String),
    Fifo,
    Socket,
    Device,
}

/// All paths below a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tree(BTreeMap<String, Node>);

impl Tree {
    /// Everything below a folder; none when there is no such folder. What stands directly in it under one of the
    /// `skipped` names is left out.
    pub(super) fn of(folder: &Path, skipped: &[&str]) -> Self {
        let mut tree = Self::default();
        if folder.exists() {
            tree.gather(folder, "", skipped);
        }
        tree
    }

    fn gather(&mut self, folder: &Path, prefix: &str, skipped: &[&str]) {
        for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
            let name = entry.file_name().to_string_lossy().into_owned();
            if skipped.contains(&name.as_str()) {
                continue;
            }
            let full = format!("{prefix}{name}");
            let (kind, path) = (entry.file_type().expect("a kind"), entry.path());
            let node = if kind.is_dir() {
                self.gather(&path, &format!("{full}/"), &[]);
                Node::Folder
            } else if kind.is_file() {
                let mode = entry.metadata().expect("it is there").permissions().mode() & 0o7777;
                Node::File(fs::read(&path).expect("readable"), Some(mode))
            } else if kind.is_symlink() {
                Node::Link(fs::read_link(&path).expect("a link").to_string_lossy().into_owned())
            } else if kind.is_fifo() {
                Node::Fifo
            } else if kind.is_socket() {
                Node::Socket
            } else {
                Node::Device
            };
            self.0.insert(full, node);
        }
    }

    /// Takes over what changed between two moments.
    pub(super) fn follow(&mut self, before: &Self, after: &Self) {
        for name in before.0.keys().chain(after.0.keys()) {
            if before.0.get(name) == after.0.get(name) {
                continue;
            }
            match after.0.get(name) {
                Some(node) => drop(self.0.insert(name.clone(), node.clone())),
                None => drop(self.0.remove(name)),
            }
        }
    }

    /// How it must look after an answer: the named files and modes, with their folders, and all else as it is. A file
    /// that is changed keeps its mode unless another one is named.
    pub(super) fn with(&self, files: Option<&Files>, expect: &Expect) -> Self {
        let mut tree = self.clone();
        for (name, content) in files.into_iter().flatten() {
            let Some(content) = content else {
                tree.0.remove(name);
                continue;
            };
            let mode = match self.0.get(name) {
                Some(Node::File(_, mode)) => *mode,
                _ => None,
            };
            tree.0.insert(name.clone(), Node::File(content.bytes(), mode));
            for (at, _) in name.match_indices('/') {
                tree.0.entry(name[..at].to_owned()).or_insert(Node::Folder);
            }
        }
        for (name, wanted) in &expect.modes_after {
            if let Some(Node::File(_, mode)) = tree.0.get_mut(name) {
                *mode = Some(u32::from_str_radix(wanted, 8).expect("an octal mode"));
            }
        }
        tree
    }

    /// Where this is not as it should be.
    pub(super) fn complaints(&self, what: &str, wanted: &Self) -> Vec<String> {
        let mut names: Vec<&String> = self.0.keys().chain(wanted.0.keys()).collect();
        names.sort();
        names.dedup();
        let all = names.into_iter().map(|name| (name, self.0.get(name), wanted.0.get(name)));
        let wrong = all.filter(|(_, is, wanted)| match (is, wanted) {
            (Some(Node::File(is, _)), Some(Node::File(wanted, None))) => is != wanted,
            (is, wanted) => is != wanted,
        });
        wrong.map(|(name, is, wanted)| format!("{what} {name}: {} instead of {}", told(is), told(wanted))).collect()
    }

    /// The files that are neither as they were nor as they become, seen at a moment between. Others may lie beside them.
    pub(super) fn torn(&self, after: &Self, between: &Self) -> Vec<String> {
        let named = self.0.keys().chain(after.0.keys());
        let wrong = named.filter(|name| {
            let seen = between.content(name);
            seen != self.content(name) && seen != after.content(name)
        });
        wrong.cloned().collect()
    }

    /// The content of a file.
    pub(super) fn content(&self, name: &str) -> Option<&[u8]> {
        match self.0.get(name) {
            Some(Node::File(bytes, _)) => Some(bytes),
            _ => None,
        }
    }

    /// The target of a link.
    pub(super) fn link(&self, name: &str) -> Option<&str> {
        match self.0.get(name) {
            Some(Node::Link(target)) => Some(target),
            _ => None,
        }
    }

    /// Whether anything stands there.
    pub(super) fn holds(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The paths of all that is no folder.
    pub(super) fn files(&self) -> Vec<&str> {
        self.0.iter().filter(|(_, node)| **node != Node::Folder).map(|(name, _)| name.as_str()).collect()
    }

    /// Puts files and folders back that differ from another moment; links and the like stay as they are.
    pub(super) fn restore(&self, folder: &Path) {
        let now = Self::of(folder, &[".git"]);
        for name in now.0.keys().rev().filter(|name| !self.0.contains_key(*name)) {
            let path = folder.join(name);
            if path.is_dir() { fs::remove_dir(path) } else { fs::remove_file(path) }.expect("removed");
        }
        for (name, node) in self.0.iter().filter(|(name, node)| now.0.get(*name) != Some(*node)) {
            match node {
                Node::Folder => fs::create_dir(folder.join(name)).expect("a folder"),
                Node::File(bytes, mode) => {
                    fs::write(folder.join(name), bytes).expect("written");
                    let mode = fs::Permissions::from_mode(mode.expect("it was seen"));
                    fs::set_permissions(folder.join(name), mode).expect("a mode");
                }
                other => panic!("{name} was {other:?} and is no more"),
            }
        }
    }
}

fn told(node: Option<&Node>) -> String {
    match node {
        None => "nothing".to_owned(),
        Some(Node::File(bytes, mode)) => {
            let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)]).into_owned();
            let mode = mode.map(|mode| format!(" with mode {mode:o}")).unwrap_or_default();
            format!("{shown:?} ({} bytes){mode}", bytes.len())
        }
        Some(other) => format!("{other:?}"),
    }
}
