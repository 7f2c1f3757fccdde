//! The workspace root as a directory handle, and paths beneath it.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use rustix::fs::FileType;

use crate::disk::Dir;
use crate::fault::{Code, Fault};
use crate::repo::Area;
use crate::value::is_dot_git;

/// Most bytes of a name, on all file systems in use.
const MAX_NAME: usize = 255;

/// Most characters of a path.
pub const MAX_PATH: usize = 4096;

/// The root of file operations.
#[derive(Debug)]
pub struct Root {
    path: PathBuf,
    /// The root as the caller wrote it, made absolute: absolute paths of requests may begin with it.
    alias: PathBuf,
    dir: Dir,
    area: Option<Area>,
    /// Paths beneath the root that belong to git or to this program, whatever they are called.
    ours: Vec<PathBuf>,
}

/// A file's place beneath the root: plain components joined by `/`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place(String);

/// What a path is opened for, which decides the words of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To read it.
    Read,
    /// To write it.
    Write,
}

/// The folder that a file lies in.
#[derive(Debug, Clone)]
pub enum Parent {
    /// It is there.
    There(Arc<Dir>),
    /// These folders are missing on the way to it, the outermost first.
    Missing(Vec<String>),
}

impl Root {
    /// Opens the workspace root. `state` is where this program keeps its own files of the person.
    ///
    /// # Errors
    /// `bad_root`: `/`, the home folder, not a directory, or inside git's or this program's own folder;
    /// `unsupported_repository`.
    pub fn open(path: &Path, home: Option<&Path>, state: Option<&Path>) -> Result<Self, Fault> {
        let bad = |why: String| Fault::new(Code::BadRoot, format!("`{}`: {why}", path.display()));
        let canonical = path.canonicalize().map_err(|error| bad(error.to_string()))?;
        if canonical.to_str().is_none() {
            // Journals and reports name it, and must name it exactly.
            return Err(bad("its path is not UTF-8".to_owned()));
        }
        if canonical.parent().is_none() {
            return Err(bad("the file system's root is no workspace".to_owned()));
        }
        if home.and_then(|home| home.canonicalize().ok()).is_some_and(|home| home == canonical) {
            return Err(bad("the home folder is no workspace".to_owned()));
        }
        let dir = Dir::open(&canonical).map_err(|error| bad(error.to_string()))?;
        let area = Area::around(&canonical).map_err(|fault| match fault.code {
            Code::NoRepository => bad(fault.message),
            _ => fault,
        })?;
        let state = state.and_then(as_it_will_be);
        let git = area.iter().flat_map(|area| [area.git_dir.clone(), area.common_dir.clone()]);
        let own: Vec<PathBuf> = git.chain(state).collect();
        if let Some(outer) = own.iter().find(|outer| canonical.starts_with(outer)) {
            return Err(bad(format!("it lies in `{}`", outer.display())));
        }
        let ours = own.iter().filter_map(|path| path.strip_prefix(&canonical).ok()).map(Path::to_owned).collect();
        let alias = if path.is_absolute() { resolved(path) } else { canonical.clone() };
        Ok(Self { path: canonical, alias, dir, area, ours })
    }

    /// Where it is, canonical.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its handle.
    #[must_use]
    pub const fn dir(&self) -> &Dir {
        &self.dir
    }

    /// The worktree that it lies in; `None` in a plain folder.
    #[must_use]
    pub const fn area(&self) -> Option<&Area> {
        self.area.as_ref()
    }

    /// A file's place from the path of a request: relative to the root, or absolute beneath it. `..` is taken by its
    /// letters, which is right because no link is ever followed.
    ///
    /// # Errors
    /// `bad_path`, `outside_workspace`, `protected_path`.
    pub fn place(&self, given: &str) -> Result<Place, Fault> {
        let place = self.folder(given)?;
        if place.0.is_empty() {
            return Err(Fault::new(Code::NotRegularFile, "the path is the workspace root itself").detail("path", given));
        }
        Ok(place)
    }

    /// Like [`place`](Self::place), for a folder: the root itself is the empty place.
    ///
    /// # Errors
    /// As for a file.
    pub fn folder(&self, given: &str) -> Result<Place, Fault> {
        let bad = |why: &str| {
            let shown: String = given.chars().take(200).collect();
            Fault::new(Code::BadPath, format!("`{}`: {why}", shown.escape_debug()))
                .hint("Give a path beneath the workspace root.")
        };
        if given.is_empty() {
            return Err(bad("the path is empty"));
        }
        if given.chars().count() > MAX_PATH {
            return Err(bad("the path has at most 4096 characters"));
        }
        if given.contains('\0') {
            return Err(bad("the path holds a NUL byte"));
        }
        let outside = |resolved: &Path| {
            Fault::words(
                Code::OutsideWorkspace,
                format!("Path {} is outside workspace {}", resolved.display(), self.path.display()),
            )
            .detail("path", given)
        };
        let resolved = resolved(&self.path.join(given));
        let beneath = resolved.strip_prefix(&self.path).or_else(|_| resolved.strip_prefix(&self.alias));
        let beneath = beneath.map_err(|_| outside(&resolved))?;
        let text = beneath.to_str().expect("it is part of text");
        if text.split('/').any(|name| name.len() > MAX_NAME) {
            return Err(bad("a name in it has more than 255 bytes"));
        }
        let is_git = text.split('/').any(is_dot_git);
        if is_git || self.ours.iter().any(|own| beneath.starts_with(own)) {
            let whose = if is_git { "git's own directory" } else { "a folder of git or of this program" };
            return Err(Fault::new(Code::ProtectedPath, format!("`{}` lies in {whose}", text.escape_debug()))
                .detail("path", given));
        }
        Ok(Place(text.to_owned()))
    }

    /// Whether a path beneath the root belongs to git or to this program.
    #[must_use]
    pub fn is_protected(&self, beneath: &str) -> bool {
        beneath.split('/').any(is_dot_git) || self.ours.iter().any(|own| Path::new(beneath).starts_with(own))
    }

    /// The git directory that a folder is or lies in, whatever it is called: a bare repository, or the real place of a
    /// `.git` that is a link or a file. Git would run what is written there.
    fn git_dir_around<'p>(&self, folder: &'p str) -> Option<&'p str> {
        let ends = folder.match_indices('/').map(|(at, _)| at).chain([folder.len()]);
        ends.map(|end| &folder[..end]).find(|outer| self.is_git_dir(outer))
    }

    /// Whether a folder beneath the root is a git directory by git's own test.
    #[must_use]
    pub fn is_git_dir(&self, folder: &str) -> bool {
        // Through a handle: what lies behind a link is refused as a link.
        let Ok(dir) = self.dir.beneath(folder) else { return false };
        let has = |name: &str| matches!(dir.entry(name), Ok(Some(_)));
        !folder.is_empty() && has("HEAD") && (has("commondir") || (has("objects") && has("refs")))
    }

    /// The folder that a file lies in, reached without following a link.
    ///
    /// # Errors
    /// `symlink`, `parent_not_directory`, `read_failed`.
    pub fn parent(&self, place: &Place, access: Access) -> Result<Parent, Fault> {
        if let Some(folder) = self.git_dir_around(place.parent()) {
            return Err(Fault::new(Code::ProtectedPath, format!("`{folder}` is a git directory"))
                .detail("path", place.as_str()));
        }
        match self.dir.beneath(place.parent()) {
            Ok(dir) => Ok(Parent::There(Arc::new(dir))),
            Err(error) => self.explain(place, access, error.into()),
        }
    }

    /// Walks again, slowly, to find out which component is in the way.
    fn explain(&self, place: &Place, access: Access, error: std::io::Error) -> Result<Parent, Fault> {
        let failed = |error: std::io::Error| {
            Fault::new(Code::ReadFailed, format!("`{}` cannot be reached: {error}", place.parent()))
        };
        let mut reached = self.dir.beneath("").map_err(|error| failed(error.into()))?;
        let mut walked = self.path.clone();
        let mut parts = place.parent().split('/');
        while let Some(part) = parts.next() {
            walked.push(part);
            let shown = walked.display();
            let fault = match reached.entry(part).map_err(failed)?.map(|entry| entry.kind) {
                None => {
                    let missing = std::iter::once(part).chain(parts).map(str::to_owned).collect();
                    return Ok(Parent::Missing(missing));
                }
                Some(FileType::Directory) => {
                    reached = reached.beneath(part).map_err(|error| failed(error.into()))?;
                    continue;
                }
                Some(FileType::Symlink) => {
                    let verb = if access == Access::Write { "write" } else { "read" };
                    Fault::words(
                        Code::Symlink,
                        format!("Refusing to {verb} through symlinked parent {shown} (possible containment bypass)"),
                    )
                }
                Some(_) => Fault::words(Code::ParentNotDirectory, format!("Parent {shown} is not a directory")),
            };
            return Err(fault.detail("path", place.as_str()));
        }
        // Everything is in order now: it was not when the kernel looked.
        Err(failed(error))
    }

    /// The innermost git worktree that a file lies in; `None` for a file of a plain folder.
    #[must_use]
    pub fn area_of(&self, place: &Place) -> Option<Area> {
        let mut folder = place.parent();
        while !folder.is_empty() {
            // What lies behind a link is not looked at, let alone locked: the path is refused later.
            let found = self.dir.beneath(folder).ok().and_then(|dir| dir.entry(".git").ok().flatten());
            if let Some(entry) = found
                // A `.git` that leads nowhere is not git's either.
                && let Ok(Some(area)) = Area::at(&self.path.join(folder))
                // The folder may have been swapped for a link since.
                && (entry.kind != FileType::Directory || area.git_dir == self.path.join(folder).join(".git"))
            {
                return Some(area);
            }
            folder = folder.rsplit_once('/').map_or("", |(outer, _)| outer);
        }
        self.area.clone()
    }
}

/// The canonical path of a folder that may not be there yet.
fn as_it_will_be(path: &Path) -> Option<PathBuf> {
    path.ancestors().find_map(|outer| {
        let missing = path.strip_prefix(outer).ok()?;
        Some(outer.canonicalize().ok()?.join(missing))
    })
}

/// `.` and `..` taken away by their letters.
fn resolved(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            Component::RootDir | Component::Prefix(_) | Component::Normal(_) => clean.push(part),
        }
    }
    clean
}

impl Place {
    /// A place that was checked before.
    pub(super) fn trusted(path: &str) -> Self {
        Self(path.to_owned())
    }

    /// The whole path beneath the root.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folder, empty for the root.
    #[must_use]
    pub fn parent(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(parent, _)| parent)
    }

    /// The last component.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.rsplit_once('/').map_or(&self.0, |(_, name)| name)
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
