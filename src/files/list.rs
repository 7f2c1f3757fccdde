//! `list_files`: the files beneath a folder that are not ignored, without their content.

use std::time::Duration;

use rustix::fs::FileType;

use super::root::Root;
use super::walk::{Scope, Skipped, Stop, Walk, Watch};
use crate::fault::Fault;

/// Where a listing ends.
#[derive(Debug, Clone, Copy)]
pub struct ListLimits {
    /// Most files.
    pub files: usize,
    /// Most bytes of the answer's JSON.
    pub bytes: usize,
    /// Longest time.
    pub time: Duration,
}

impl ListLimits {
    /// What the documentation publishes.
    pub const PUBLISHED: Self = Self { files: 5_000, bytes: 256 * 1024, time: Duration::from_secs(10) };
}

/// The files beneath a folder.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Listing {
    /// The folder, relative to the workspace root; `.` is the root.
    pub directory: String,
    /// The files, in the byte order of their paths.
    pub entries: Vec<Listed>,
    /// How many are listed.
    pub total_files: usize,
    /// What was passed over.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(default)]
    pub skipped: Skipped,
    /// Why the listing is not complete; absent when it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stop>,
}

/// A file of a listing.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Listed {
    /// Its path, relative to the workspace root.
    pub path: String,
    /// What it is.
    pub kind: Kind,
    /// Bytes; of a link, the length of its text.
    pub size: u64,
    /// When its content changed, in seconds since 1970.
    pub modified: i64,
}

/// What a listed name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A regular file.
    File,
    /// A symbolic link. It is named so that a person knows of it; where it leads is not looked at.
    Symlink,
    /// A fifo, a socket or a device.
    Special,
}

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Lists the files beneath a folder, links and special files by name only.
///
/// # Errors
/// `bad_request` for the pattern; `file_missing`, `parent_not_directory`, `symlink`, `read_failed` for the folder.
pub fn list(root: &Root, scope: &Scope<'_>, limits: &ListLimits) -> Result<Listing, Fault> {
    let watch = Watch::new(limits.time, scope.cancelled);
    let mut walk = Walk::new(root, scope, &watch)?;
    let mut entries = Vec::new();
    let mut bytes = 0;
    let mut stopped = None;
    while let Some(found) = walk.next() {
        // Asked again in the handle, since the name may stand for something else by now.
        let Ok(Some(entry)) = found.folder.entry(found.name()) else {
            walk.skipped.unreadable += 1;
            continue;
        };
        let kind = match entry.kind {
            FileType::RegularFile => Kind::File,
            FileType::Symlink => Kind::Symlink,
            FileType::Directory => {
                walk.skipped.unreadable += 1;
                continue;
            }
            FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => Kind::Special,
        };
        let listed = Listed { path: found.path, kind, size: entry.size, modified: entry.modified.0 };
        bytes += json_size(&listed);
        stopped = if entries.len() == limits.files {
            Some(Stop::Files)
        } else if bytes > limits.bytes {
            Some(Stop::Bytes)
        } else {
            None
        };
        if stopped.is_some() {
            break;
        }
        entries.push(listed);
    }
    Ok(Listing {
        directory: shown(scope),
        total_files: entries.len(),
        entries,
        skipped: walk.skipped,
        stopped: stopped.or_else(|| watch.stopped()),
    })
}

/// The folder as answers name it.
pub(super) fn shown(scope: &Scope<'_>) -> String {
    match scope.folder.as_str() {
        "" => ".".to_owned(),
        path => path.to_owned(),
    }
}

/// Bytes that a part of the answer takes in it, with a comma.
pub(super) fn json_size(part: &impl serde::Serialize) -> usize {
    serde_json::to_string(part).expect("plain data is JSON").len() + 1
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its files by hand")]
mod tests {
    use std::os::unix::fs::symlink;
    use std::time::Duration;

    use super::{Kind, ListLimits, Listing, list};
    use crate::fault::Code;
    use crate::files::tree::{Tree, whole};
    use crate::files::walk::{Scope, Skipped, Stop};

    fn listing(tree: &Tree, limits: &ListLimits) -> Listing {
        list(&tree.root, &whole(&tree.folder(".")), limits).expect("the folder is there")
    }

    #[test]
    fn files_and_links_are_listed_with_what_is_known_of_them() {
        let tree = Tree::of(&[("a/x.rs", "12345"), (".gitignore", "no\n"), ("no/y", ""), ("a/z.md", "")]);
        symlink("/etc/passwd", tree.path().join("link.rs")).expect("the name is free");
        let all = listing(&tree, &ListLimits::PUBLISHED);
        let shown: Vec<_> = all.entries.iter().map(|entry| (entry.path.as_str(), entry.kind, entry.size)).collect();
        let expected = [
            (".gitignore", Kind::File, 3),
            ("a/x.rs", Kind::File, 5),
            ("a/z.md", Kind::File, 0),
            ("link.rs", Kind::Symlink, 11),
        ];
        assert_eq!(shown, expected);
        assert_eq!((all.directory.as_str(), all.total_files, all.stopped), (".", 4, None));
        assert_eq!(all.skipped, Skipped { ignored: 1, ..Skipped::default() });
        assert!(all.entries.iter().all(|entry| entry.modified > 1_600_000_000));
        let json = serde_json::to_value(&all.entries[3]).expect("plain data is JSON");
        assert_eq!((&json["kind"], &json["path"]), (&"symlink".into(), &"link.rs".into()));
    }

    #[test]
    fn a_pattern_chooses_and_never_leads_out() {
        let tree = Tree::of(&[("a/x.rs", ""), ("a/b/y.rs", ""), ("z.rs", ""), ("a/n.md", "")]);
        let folder = tree.folder("a");
        let with = |pattern| {
            let scope = Scope { file_pattern: Some(pattern), ..whole(&folder) };
            list(&tree.root, &scope, &ListLimits::PUBLISHED)
        };
        let paths = |pattern| -> Vec<String> {
            with(pattern).expect("it is a pattern").entries.into_iter().map(|entry| entry.path).collect()
        };
        assert_eq!(paths("*.rs"), ["a/b/y.rs", "a/x.rs"]);
        assert_eq!(paths("b/*"), ["a/b/y.rs"]);
        for pattern in ["/etc/passwd", "../z.rs", "../../../../etc/passwd"] {
            assert_eq!(with(pattern).expect_err(pattern).code, Code::BadRequest);
        }
    }

    #[test]
    fn each_limit_ends_a_listing() {
        let tree = Tree::of(&[("a", ""), ("b", ""), ("c", "")]);
        let limits = ListLimits::PUBLISHED;
        let of = |limits: &ListLimits| {
            let listing = listing(&tree, limits);
            (listing.total_files, listing.stopped)
        };
        assert_eq!(of(&limits), (3, None));
        assert_eq!(of(&ListLimits { files: 3, ..limits }), (3, None));
        assert_eq!(of(&ListLimits { files: 2, ..limits }), (2, Some(Stop::Files)));
        assert_eq!(of(&ListLimits { bytes: 150, ..limits }), (2, Some(Stop::Bytes)));
        assert_eq!(of(&ListLimits { time: Duration::ZERO, ..limits }), (0, Some(Stop::Time)));
        let folder = tree.folder(".");
        let cancelled = Scope { cancelled: &|| true, ..whole(&folder) };
        let listing = list(&tree.root, &cancelled, &limits).expect("the folder is there");
        assert_eq!((listing.total_files, listing.stopped), (0, Some(Stop::Cancelled)));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_fifo_is_named_and_not_opened() {
        let tree = Tree::of(&[]);
        tree.fifo("pipe");
        let entries = listing(&tree, &ListLimits::PUBLISHED).entries;
        assert_eq!((entries[0].path.as_str(), entries[0].kind), ("pipe", Kind::Special));
    }
}
