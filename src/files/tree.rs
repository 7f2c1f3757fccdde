//! Workspaces for the tests of the walk.
#![expect(clippy::disallowed_methods, reason = "a test makes its files by hand")]

use std::path::Path;

use super::root::{Place, Root};
use super::walk::{Scope, joined};

/// A workspace with files; its folder is removed in the end.
pub(super) struct Tree {
    keep: tempfile::TempDir,
    pub(super) root: Root,
}

impl Tree {
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        Self::at("", files)
    }

    /// With the workspace root in a folder of the tree.
    pub(super) fn at(workspace: &str, files: &[(&str, &str)]) -> Self {
        let keep = tempfile::tempdir().expect("there is room");
        std::fs::create_dir_all(keep.path().join(workspace)).expect("it is free");
        for (path, content) in files {
            put(&keep.path().join(path), content.as_bytes());
        }
        let root = Root::open(&keep.path().join(workspace), None, None).expect("it is a folder");
        Self { keep, root }
    }

    pub(super) fn path(&self) -> &Path {
        self.keep.path()
    }

    pub(super) fn put(&self, path: &str, content: &[u8]) {
        put(&self.path().join(path), content);
    }

    pub(super) fn folder(&self, path: &str) -> Place {
        self.root.folder(path).expect("it is beneath the root")
    }

    #[cfg(target_os = "linux")]
    pub(super) fn fifo(&self, path: &str) {
        let mode = rustix::fs::Mode::from_raw_mode(0o644);
        rustix::fs::mkfifoat(rustix::fs::CWD, self.path().join(path), mode).expect("the name is free");
    }

    /// The smallest repository that git's own rule knows.
    pub(super) fn repository(path: &str) -> [(String, &'static str); 3] {
        let file = |name: &str| joined(path, &format!(".git/{name}"));
        [(file("HEAD"), "ref: refs/heads/main\n"), (file("objects/x"), ""), (file("refs/x"), "")]
    }
}

pub(super) fn put(path: &Path, content: &[u8]) {
    std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it is free");
    std::fs::write(path, content).expect("there is room");
}

pub(super) fn whole(folder: &Place) -> Scope<'_> {
    Scope { folder, file_pattern: None, excludes: None, cancelled: &|| false }
}
