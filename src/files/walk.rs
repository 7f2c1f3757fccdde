//! The walk behind `search_files` and `list_files`: every folder is read through the handle of the folder above it.
//!
//! The walker of the `ignore` crate goes by path names: a folder that is swapped for a link leads it out of the root,
//! and a fifo called `.gitignore` hangs it. Here only the crate's matching is used; nothing is opened by a path.

use std::cell::Cell;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::fs::FileType;

use super::glob::FilePattern;
use super::root::{Access, MAX_PATH, Parent, Place, Root};
use super::rules::Rules;
use crate::disk::{Dir, is_temp_name};
use crate::fault::{Code, Fault};

/// Deepest nesting of folders, counted from the folder that is walked.
pub const MAX_DEPTH: usize = 128;
/// Most entries of one folder.
pub const MAX_ENTRIES: usize = 100_000;

/// What is walked, and until when.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The folder, from [`Root::folder`].
    pub folder: &'a Place,
    /// The files that are meant, all of them without it. A pattern without `/` is about the name, at any depth; one
    /// with `/` about the path from the folder. `*` and `?` stop at `/`, `**` does not; `{a,b}` and `[a-z]` work.
    pub file_pattern: Option<&'a str>,
    /// The person's own file of ignore rules, see [`excludes_file`](super::excludes_file).
    pub excludes: Option<&'a Path>,
    /// Whether the caller has lost interest.
    pub cancelled: &'a dyn Fn() -> bool,
}

/// Why an answer is not the whole answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// More files would have been shown.
    Files,
    /// More matches would have been shown.
    Matches,
    /// The answer would have become too long.
    Bytes,
    /// The time was up.
    Time,
    /// The request was cancelled.
    Cancelled,
}

/// What was passed over, by reason. Reasons that did not occur are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(default)]
pub struct Skipped {
    /// Files and folders that ignore rules name; a folder counts once.
    #[serde(skip_serializing_if = "none")]
    pub ignored: usize,
    /// Files that hold a NUL byte.
    #[serde(skip_serializing_if = "none")]
    pub binary: usize,
    /// Files larger than the limit for files, or with a line longer than the limit for lines.
    #[serde(skip_serializing_if = "none")]
    pub too_large: usize,
    /// Files and folders that could not be opened or that vanished.
    #[serde(skip_serializing_if = "none")]
    pub unreadable: usize,
    /// Symbolic links, which are never followed.
    #[serde(skip_serializing_if = "none")]
    pub links: usize,
    /// Fifos, sockets and devices.
    #[serde(skip_serializing_if = "none")]
    pub special: usize,
    /// Names that are not UTF-8, so that no request can name them.
    #[serde(skip_serializing_if = "none")]
    pub strange_names: usize,
    /// Folders that are nested too deeply.
    #[serde(skip_serializing_if = "none")]
    pub too_deep: usize,
    /// Folders with too many entries, of which the rest was not seen.
    #[serde(skip_serializing_if = "none")]
    pub too_crowded: usize,
    /// Ignore files that are no regular files, or too large: their rules do not count.
    #[serde(skip_serializing_if = "none")]
    pub ignore_files: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
const fn none(count: &usize) -> bool {
    *count == 0
}

/// Deadline and cancellation.
pub(super) struct Watch<'a> {
    until: Instant,
    cancelled: &'a dyn Fn() -> bool,
    stopped: Cell<Option<Stop>>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(time: Duration, cancelled: &'a dyn Fn() -> bool) -> Self {
        Self { until: Instant::now() + time, cancelled, stopped: Cell::new(None) }
    }

    /// Why to stop now. Once there is a reason it stays.
    pub(super) fn stop(&self) -> Option<Stop> {
        if self.stopped.get().is_none() {
            if (self.cancelled)() {
                self.stopped.set(Some(Stop::Cancelled));
            } else if Instant::now() >= self.until {
                self.stopped.set(Some(Stop::Time));
            }
        }
        self.stopped.get()
    }

    /// Why it was stopped, when it was.
    pub(super) fn stopped(&self) -> Option<Stop> {
        self.stopped.get()
    }
}

/// Opens the folder that a request names, without following a link.
///
/// # Errors
/// `file_missing`, `parent_not_directory`, `symlink`, `read_failed`.
pub(super) fn open_folder(root: &Root, folder: &Place) -> Result<Dir, Fault> {
    // Any name in it will do: its parent is the folder.
    let inside = match folder.as_str() {
        "" => Place::trusted("_"),
        path => Place::trusted(&format!("{path}/_")),
    };
    match root.parent(&inside, Access::Read) {
        Ok(Parent::There(dir)) => dir.beneath("").map_err(|error| {
            Fault::new(Code::ReadFailed, format!("`{folder}` cannot be read: {error}")).detail("path", folder.as_str())
        }),
        Ok(Parent::Missing(..)) => Err(Fault::new(Code::FileMissing, format!("there is no folder `{folder}`"))
            .hint("Use `list_files` on a folder above it to see what is there.")
            .detail("path", folder.as_str())),
        Err(fault) => Err(fault.detail("path", folder.as_str())),
    }
}

/// Something that is no folder.
pub(super) struct Found {
    /// The handle of its folder.
    pub(super) folder: Arc<Dir>,
    /// Its path beneath the root.
    pub(super) path: String,
    /// What it was when its folder was read.
    pub(super) kind: FileType,
}

impl Found {
    pub(super) fn name(&self) -> &str {
        self.path.rsplit_once('/').map_or(&self.path, |(_, name)| name)
    }
}

/// Depth first, in the byte order of whole paths.
pub(super) struct Walk<'a> {
    root: &'a Root,
    watch: &'a Watch<'a>,
    files: FilePattern,
    start: &'a Place,
    /// The way from git's root to the workspace's, since rules are relative to the former.
    prefix: String,
    open: Vec<Folder>,
    pub(super) skipped: Skipped,
}

/// A folder that is being walked.
struct Folder {
    dir: Arc<Dir>,
    path: String,
    rules: Arc<Rules>,
    left: std::vec::IntoIter<(String, FileType)>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(root: &'a Root, scope: &Scope<'a>, watch: &'a Watch<'a>) -> Result<Self, Fault> {
        let files = FilePattern::new(scope.file_pattern)?;
        let dir = open_folder(root, scope.folder)?;
        let mut skipped = Skipped::default();
        let (rules, prefix) = Rules::around(root, scope, &mut skipped.ignore_files);
        let mut walk = Self { root, watch, files, start: scope.folder, prefix, open: Vec::new(), skipped };
        walk.enter(dir, scope.folder.as_str().to_owned(), rules);
        Ok(walk)
    }

    fn enter(&mut self, dir: Dir, path: String, rules: Arc<Rules>) {
        match self.entries(&dir) {
            Ok(entries) => {
                self.open.push(Folder { dir: Arc::new(dir), path, rules, left: entries.into_iter() });
            }
            Err(_) => self.skipped.unreadable += 1,
        }
    }

    /// A folder's names in the order in which whole paths sort: a folder's name counts with the slash behind it.
    fn entries(&mut self, dir: &Dir) -> rustix::io::Result<Vec<(String, FileType)>> {
        let mut entries = Vec::new();
        for entry in rustix::fs::Dir::read_from(dir.as_fd())? {
            let entry = entry?;
            if entries.len() % 1024 == 1023 && self.watch.stop().is_some() {
                break;
            }
            let Ok(name) = entry.file_name().to_str() else {
                self.skipped.strange_names += 1;
                continue;
            };
            if matches!(name, "." | "..") {
                continue;
            }
            if entries.len() == MAX_ENTRIES {
                self.skipped.too_crowded += 1;
                break;
            }
            // Some file systems do not say what an entry is.
            let kind = match entry.file_type() {
                FileType::Unknown => dir.entry(name).ok().flatten().map_or(FileType::Unknown, |entry| entry.kind),
                known => known,
            };
            entries.push((name.to_owned(), kind));
        }
        entries.sort_unstable_by(|(a, a_kind), (b, b_kind)| sort_key(a, *a_kind).cmp(sort_key(b, *b_kind)));
        Ok(entries)
    }

    /// The next file, link or special file that is meant and not ignored.
    pub(super) fn next(&mut self) -> Option<Found> {
        while self.watch.stop().is_none() {
            let folder = self.open.last_mut()?;
            let Some((name, kind)) = folder.left.next() else {
                self.open.pop();
                continue;
            };
            let path = if folder.path.is_empty() { name.clone() } else { format!("{}/{name}", folder.path) };
            if self.root.is_protected(&path) || is_temp_name(&name) {
                continue;
            }
            let is_folder = kind == FileType::Directory;
            if is_folder && self.root.is_git_dir(&path) {
                continue;
            }
            let (dir, rules) = (Arc::clone(&folder.dir), Arc::clone(&folder.rules));
            if rules.ignore(&joined(&self.prefix, &path), is_folder) {
                self.skipped.ignored += usize::from(is_folder || self.is_meant(&path));
            } else if is_folder {
                self.descend(&dir, &name, path, rules);
            } else if self.is_meant(&path) {
                return Some(Found { folder: dir, path, kind });
            }
        }
        None
    }

    fn descend(&mut self, outer: &Dir, name: &str, path: String, rules: Arc<Rules>) {
        if self.open.len() >= MAX_DEPTH || path.chars().count() >= MAX_PATH {
            self.skipped.too_deep += 1;
            return;
        }
        match outer.beneath(name) {
            Ok(dir) => {
                let full = joined(&self.prefix, &path);
                let rules = Rules::inside(rules, &dir, &full, &mut self.skipped.ignore_files);
                self.enter(dir, path, rules);
            }
            Err(_) => self.skipped.unreadable += 1,
        }
    }

    fn is_meant(&self, path: &str) -> bool {
        let start = self.start.as_str();
        let relative = if start.is_empty() { path } else { &path[start.len() + 1..] };
        self.files.matches(relative)
    }
}

/// The bytes by which an entry sorts.
fn sort_key(name: &str, kind: FileType) -> impl Iterator<Item = u8> {
    name.bytes().chain((kind == FileType::Directory).then_some(b'/'))
}

/// Two paths, either of which may be empty.
pub(super) fn joined(outer: &str, inner: &str) -> String {
    match (outer, inner) {
        ("", path) | (path, "") => path.to_owned(),
        (outer, inner) => format!("{outer}/{inner}"),
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its files by hand")]
mod tests {
    use std::os::unix::fs::symlink;
    use std::time::Duration;

    use rustix::fs::FileType;

    use super::{MAX_DEPTH, Skipped, Stop, Walk, Watch, open_folder};
    use crate::fault::{Code, Fault};
    use crate::files::tree::{Tree, put, whole};

    fn walk(tree: &Tree, folder: &str) -> (Vec<String>, Skipped) {
        let start = tree.folder(folder);
        let watch = Watch::new(Duration::from_mins(1), &|| false);
        let mut walk = Walk::new(&tree.root, &whole(&start), &watch).expect("the folder is there");
        let paths = std::iter::from_fn(|| walk.next()).map(|found| found.path).collect();
        (paths, walk.skipped)
    }

    fn refusal(tree: &Tree, folder: &str) -> Fault {
        open_folder(&tree.root, &tree.folder(folder)).expect_err("it is refused")
    }

    #[test]
    fn whole_paths_come_in_byte_order() {
        let tree =
            Tree::of(&[("b", ""), ("a.txt", ""), ("a/z", ""), ("a/b/c", ""), ("a/b-", ""), ("B", ""), (".x", "")]);
        let (paths, skipped) = walk(&tree, ".");
        let mut sorted = paths.clone();
        sorted.sort_unstable();
        assert_eq!(paths, sorted);
        assert_eq!(paths, [".x", "B", "a.txt", "a/b-", "a/b/c", "a/z", "b"]);
        assert_eq!(skipped, Skipped::default());
        assert_eq!(walk(&tree, "a").0, ["a/b-", "a/b/c", "a/z"]);
    }

    #[test]
    fn nothing_of_git_is_walked_and_nothing_half_written() {
        let tree = Tree::of(&[
            (".github/ci.yml", ""),
            ("sub/.git", "gitdir: elsewhere"),
            ("nested/.GIT/config", ""),
            (".pi-graphite-0123456789abcdef", ""),
            ("f", ""),
        ]);
        tree.put(".git/config", b"");
        assert_eq!(walk(&tree, ".").0, [".github/ci.yml", "f"]);
    }

    #[test]
    fn a_folder_that_is_swapped_for_a_link_leads_nowhere() {
        let outside = tempfile::tempdir().expect("there is room");
        put(&outside.path().join("secret"), b"secret");
        let tree = Tree::of(&[("a/1", "inside"), ("b/2", "")]);
        let start = tree.folder(".");
        let watch = Watch::new(Duration::from_mins(1), &|| false);
        let mut walk = Walk::new(&tree.root, &whole(&start), &watch).expect("the folder is there");
        let first = walk.next().expect("there are files");
        for name in ["a", "b"] {
            std::fs::rename(tree.path().join(name), outside.path().join(name)).expect("it is there");
            symlink(outside.path(), tree.path().join(name)).expect("the name is free");
        }
        assert_eq!(first.path, "a/1");
        let (file, _) = first.folder.open_file(first.name()).expect("its folder is open");
        assert_eq!(std::io::read_to_string(file).expect("it is text"), "inside");
        assert!(walk.next().is_none());
        assert_eq!(walk.skipped, Skipped { unreadable: 1, ..Skipped::default() });
    }

    #[test]
    fn what_is_no_folder_is_refused() {
        let tree = Tree::of(&[("file", ""), ("d/x", "")]);
        symlink("d", tree.path().join("link")).expect("the name is free");
        let missing = refusal(&tree, "no/such");
        assert_eq!((missing.code, missing.details["path"].as_str()), (Code::FileMissing, Some("no/such")));
        assert_eq!(missing.message, "there is no folder `no/such`");
        let file = refusal(&tree, "file");
        assert_eq!((file.code, file.details["path"].as_str()), (Code::ParentNotDirectory, Some("file")));
        assert!(file.message.ends_with("/file is not a directory"), "{}", file.message);
        assert_eq!(refusal(&tree, "link").code, Code::Symlink);
        assert_eq!(refusal(&tree, "link/x").code, Code::Symlink);
        assert!(open_folder(&tree.root, &tree.folder("d")).is_ok());
    }

    #[test]
    fn a_very_deep_tree_ends() {
        let tree =
            Tree::of(&[(&format!("{}f", "d/".repeat(MAX_DEPTH - 1)), ""), (&format!("{}f", "e/".repeat(500)), "")]);
        let (paths, skipped) = walk(&tree, ".");
        assert_eq!(paths.len(), 1);
        assert_eq!(skipped, Skipped { too_deep: 1, ..Skipped::default() });
    }

    #[test]
    fn names_that_are_no_text_are_counted() {
        use std::os::unix::ffi::OsStrExt;
        let tree = Tree::of(&[("f", "")]);
        // Not every file system takes such a name.
        if std::fs::write(tree.path().join(std::ffi::OsStr::from_bytes(b"\xff")), "").is_ok() {
            assert_eq!(walk(&tree, "."), (vec!["f".to_owned()], Skipped { strange_names: 1, ..Skipped::default() }));
        }
    }

    #[test]
    fn a_link_is_found_but_not_followed() {
        let tree = Tree::of(&[("d/x", "")]);
        symlink("d", tree.path().join("e")).expect("the name is free");
        let start = tree.folder(".");
        let watch = Watch::new(Duration::from_mins(1), &|| false);
        let mut walk = Walk::new(&tree.root, &whole(&start), &watch).expect("the folder is there");
        let found: Vec<_> = std::iter::from_fn(|| walk.next()).map(|found| (found.path, found.kind)).collect();
        let expected = [("d/x".to_owned(), FileType::RegularFile), ("e".to_owned(), FileType::Symlink)];
        assert_eq!(found, expected);
    }

    #[test]
    fn the_first_reason_to_stop_stays() {
        let cancelled = std::cell::Cell::new(true);
        let ask = || cancelled.get();
        let watch = Watch::new(Duration::ZERO, &ask);
        assert_eq!((watch.stopped(), watch.stop()), (None, Some(Stop::Cancelled)));
        cancelled.set(false);
        assert_eq!((watch.stop(), watch.stopped()), (Some(Stop::Cancelled), Some(Stop::Cancelled)));
        assert_eq!(Watch::new(Duration::ZERO, &ask).stop(), Some(Stop::Time));
    }
}
