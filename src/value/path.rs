//! Paths beneath the worktree, in the form that requests and the index use.

use super::{FILE_FORMAT, PATH_FORMAT, text_value};

const MAX_CHARS: usize = 4096;

/// A plain relative path with `/` between components: no `..`, no empty or `.` component, no spelling of `.git`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RelPath(String);

/// Why a text is not a plain relative path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Nothing there.
    #[error("the path is empty")]
    Empty,
    /// Over the limit.
    #[error("the path has at most 4096 characters")]
    TooLong,
    /// No file system holds it.
    #[error("the path holds a NUL byte")]
    Nul,
    /// It starts at the file system's root.
    #[error("`{0}` is absolute; paths are relative to the worktree's root")]
    Absolute(String),
    /// `..`, `.`, or nothing between two slashes.
    #[error("`{0}` has a component `..` or `.`, or an empty one")]
    Component(String),
    /// A spelling of `.git` on some file system.
    #[error("`{0}` names git's own directory")]
    DotGit(String),
}

impl RelPath {
    fn check(path: &str) -> Result<(), PathError> {
        let owned = || path.escape_debug().to_string();
        if path.is_empty() {
            return Err(PathError::Empty);
        }
        if path.chars().count() > MAX_CHARS {
            return Err(PathError::TooLong);
        }
        if path.contains('\0') {
            return Err(PathError::Nul);
        }
        if path.starts_with('/') {
            return Err(PathError::Absolute(owned()));
        }
        if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err(PathError::Component(owned()));
        }
        if path.split('/').any(is_dot_git) {
            return Err(PathError::DotGit(owned()));
        }
        Ok(())
    }
}

/// Whether some file system reads this component as `.git`: case, trailing dots and spaces, NTFS streams and short
/// names, and code points that HFS+ ignores.
#[must_use]
pub fn is_dot_git(component: &str) -> bool {
    // A backslash is a letter here and a separator where the repository may travel.
    component.split('\\').any(names_dot_git)
}

fn names_dot_git(component: &str) -> bool {
    let visible: String = component.chars().filter(|c| !is_hfs_ignorable(*c)).collect();
    let name = visible.split(':').next().unwrap_or_default();
    let name = name.trim_end_matches(['.', ' ']).to_lowercase();
    name == ".git" || name.strip_prefix("git~").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Code points that HFS+ drops from names before comparing them. Source: git's `utf8.c`, `next_hfs_char`.
fn is_hfs_ignorable(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

text_value!(RelPath, PathError, PATH_FORMAT, "RelPath", MAX_CHARS, "A file's path, relative to the worktree's root.");

/// The path of a file operation as a request has it: relative to the workspace root or absolute. Where it leads is
/// found out beneath the root.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FilePath(String);

impl FilePath {
    fn check(path: &str) -> Result<(), PathError> {
        if path.is_empty() {
            Err(PathError::Empty)
        } else if path.chars().count() > MAX_CHARS {
            Err(PathError::TooLong)
        } else if path.contains('\0') {
            Err(PathError::Nul)
        } else {
            Ok(())
        }
    }
}

text_value!(FilePath, PathError, FILE_FORMAT, "FilePath", MAX_CHARS, "A path beneath the workspace root.");

#[cfg(test)]
mod tests {
    use super::{PathError, RelPath, is_dot_git};

    #[test]
    fn every_spelling_of_dot_git_is_known() {
        for name in [
            ".git",
            ".GIT",
            ".Git",
            ".git.",
            ".git ",
            ".git. .",
            "git~1",
            "GIT~12",
            ".git:x",
            ".git::$INDEX_ALLOCATION",
            ".g\u{200c}it",
            "\u{feff}.git",
            "a\\.git",
            ".git\\hooks",
            "a\\GIT~1\\b",
        ] {
            assert!(is_dot_git(name), "{name:?}");
        }
        for name in [".gitignore", "git", ".gitx", "git~", "git~x", "x.git", ".github", ""] {
            assert!(!is_dot_git(name), "{name:?}");
        }
    }

    #[test]
    fn only_plain_relative_paths_are_taken() {
        let parse = |s: &str| RelPath::try_from(s.to_owned());
        for path in ["a", "a/b.txt", "-x", "a b", "日本/é", ".gitignore", "a\\b", "...", "a:b"] {
            assert!(parse(path).is_ok(), "{path}");
        }
        for (path, error) in [
            ("", PathError::Empty),
            ("a\0", PathError::Nul),
            ("/a", PathError::Absolute("/a".into())),
            ("../a", PathError::Component("../a".into())),
            ("a/./b", PathError::Component("a/./b".into())),
            ("a//b", PathError::Component("a//b".into())),
            ("a/", PathError::Component("a/".into())),
            ("a/.Git/config", PathError::DotGit("a/.Git/config".into())),
        ] {
            assert_eq!(parse(path), Err(error), "{path}");
        }
    }
}
