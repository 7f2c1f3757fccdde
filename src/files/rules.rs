//! Which files are ignored: `.gitignore`, `.ignore`, `.git/info/exclude` and the person's own file.
//!
//! The rules are git's, except that `.gitignore` counts without a repository too: whoever wrote it meant it, and a
//! folder that was unpacked or copied holds the same build output. That a file is tracked does not matter. `.ignore`
//! is for people who want less searched than git ignores, or more: it wins over git's files.
//!
//! An ignore file is opened in the handle of its folder and only when it is a regular file, as git does it: a link
//! could lead to a file outside the root or to an endless device, and a fifo would hang the search.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::FileType;

use super::root::Root;
use super::walk::{Scope, joined};
use crate::disk::Dir;

/// Largest ignore file, in bytes. A larger one is reported, and its rules do not count.
pub const MAX_IGNORE_FILE: u64 = 256 * 1024;

/// Nobody has a file of this name, so that a rule that matches it is a rule for everything.
const ANYTHING: &str = "\u{1}anything";

/// The rules of a folder, and of the folders above it.
pub(super) struct Rules {
    outer: Option<Arc<Self>>,
    /// Length of the folder's own path with its slash: rules see what comes behind it.
    own: usize,
    ignore: Gitignore,
    gitignore: Gitignore,
    exclude: Gitignore,
    /// The person's own rules; only in the outermost folder.
    global: Gitignore,
    /// Whether a repository begins here, which ends the reach of the `.gitignore` files above.
    begins_repository: bool,
}

impl Rules {
    /// The rules for the folder of a scope, and the way from the outermost folder that has a say to the root. `unread`
    /// counts ignore files that cannot be used.
    ///
    /// A folder that is ignored itself, or all of whose content is, was named by somebody who wants to see into it:
    /// then only rules of the folders beneath it count.
    pub(super) fn around(root: &Root, scope: &Scope<'_>, unread: &mut usize) -> (Arc<Self>, String) {
        let (outermost, prefix) = outermost(root);
        let mut rules = Self {
            global: scope.excludes.map_or_else(Gitignore::empty, |path| rules_at(path, unread)),
            ..Self::of(None, outermost.as_ref().unwrap_or(root.dir()), "", unread)
        };
        if let Some(area) = root.area() {
            // A linked worktree has the file in the git directory that all worktrees share.
            rules.exclude = rules_at(&area.common_dir.join("info/exclude"), unread);
            rules.begins_repository = true;
        }
        let mut rules = Arc::new(rules);
        let full = joined(&prefix, scope.folder.as_str());
        let (mut reached, mut ignored) = (String::new(), false);
        for part in full.split('/').filter(|part| !part.is_empty()) {
            reached = joined(&reached, part);
            ignored = ignored || rules.ignore(&reached, true);
            if let Ok(dir) = outermost.as_ref().unwrap_or(root.dir()).beneath(&reached) {
                rules = Self::inside(rules, &dir, &reached, unread);
            }
        }
        if !full.is_empty() && (ignored || rules.ignore(&joined(&full, ANYTHING), false)) {
            rules = Arc::new(Self::none(None, 0));
        }
        (rules, prefix)
    }

    /// The rules for a folder beneath.
    pub(super) fn inside(outer: Arc<Self>, dir: &Dir, full: &str, unread: &mut usize) -> Arc<Self> {
        let rules = Self::of(Some(Arc::clone(&outer)), dir, full, unread);
        if rules.is_empty() { outer } else { Arc::new(rules) }
    }

    fn of(outer: Option<Arc<Self>>, dir: &Dir, full: &str, unread: &mut usize) -> Self {
        let kind = |name: &str| dir.entry(name).ok().flatten().map(|entry| entry.kind);
        let mut rules = Self::none(outer, if full.is_empty() { 0 } else { full.len() + 1 });
        rules.ignore = rules_in(dir, ".ignore", unread);
        rules.gitignore = rules_in(dir, ".gitignore", unread);
        match kind(".git") {
            // A submodule or a linked worktree.
            Some(FileType::RegularFile) => rules.begins_repository = true,
            Some(FileType::Directory) if kind(".git/HEAD").is_some() => {
                rules.begins_repository = true;
                rules.exclude = dir
                    .beneath(".git/info")
                    .map_or_else(|_| Gitignore::empty(), |info| rules_in(&info, "exclude", unread));
            }
            Some(_) | None => {}
        }
        rules
    }

    fn none(outer: Option<Arc<Self>>, own: usize) -> Self {
        let [ignore, gitignore, exclude, global] = std::array::from_fn(|_| Gitignore::empty());
        Self { outer, own, ignore, gitignore, exclude, global, begins_repository: false }
    }

    fn is_empty(&self) -> bool {
        !self.begins_repository
            && [&self.ignore, &self.gitignore, &self.exclude, &self.global].iter().all(|rules| rules.is_empty())
    }

    /// Whether something in this folder is ignored, given its path from the outermost folder.
    pub(super) fn ignore(&self, full: &str, is_folder: bool) -> bool {
        let mut level = Some(self);
        let [mut ignore, mut gitignore, mut exclude, mut global] = [None; 4];
        let mut in_repository = true;
        while let Some(rules) = level {
            let path = &full[rules.own..];
            ignore = ignore.or_else(|| verdict(&rules.ignore, path, is_folder));
            if in_repository {
                gitignore = gitignore.or_else(|| verdict(&rules.gitignore, path, is_folder));
                exclude = exclude.or_else(|| verdict(&rules.exclude, path, is_folder));
            }
            global = global.or_else(|| verdict(&rules.global, path, is_folder));
            in_repository = in_repository && !rules.begins_repository;
            level = rules.outer.as_deref();
        }
        ignore.or(gitignore).or(exclude).or(global).unwrap_or(false)
    }
}

/// Ignored, expressly not ignored, or nothing said.
fn verdict(rules: &Gitignore, path: &str, is_folder: bool) -> Option<bool> {
    match rules.matched(path, is_folder) {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

/// The worktree's root when it lies above the workspace's, and the way from it. Nothing above a worktree has a say,
/// nor anything above a plain folder.
fn outermost(root: &Root) -> (Option<Dir>, String) {
    let above = root.area().and_then(|area| {
        let way = root.path().strip_prefix(&area.root).ok()?.to_str()?.to_owned();
        if way.is_empty() { None } else { Some((Dir::open(&area.root).ok()?, way)) }
    });
    above.map_or_else(|| (None, String::new()), |(dir, way)| (Some(dir), way))
}

/// The rules of a file that git or the person put where it is: it may be a link, as dotfile managers make them.
fn rules_at(path: &Path, unread: &mut usize) -> Gitignore {
    let Ok(path) = path.canonicalize() else { return Gitignore::empty() };
    match (path.parent().map(Dir::open), path.file_name().and_then(|name| name.to_str())) {
        (Some(Ok(dir)), Some(name)) => rules_in(&dir, name, unread),
        (Some(Ok(_) | Err(_)) | None, _) => {
            *unread += 1;
            Gitignore::empty()
        }
    }
}

/// The rules of a file of a folder, none when there is no such file.
fn rules_in(dir: &Dir, name: &str, unread: &mut usize) -> Gitignore {
    let rules = match dir.entry(name) {
        Ok(None) => return Gitignore::empty(),
        Ok(Some(_)) => read(dir, name).and_then(|text| parse(&text)),
        Err(_) => None,
    };
    rules.unwrap_or_else(|| {
        *unread += 1;
        Gitignore::empty()
    })
}

fn read(dir: &Dir, name: &str) -> Option<String> {
    let (file, entry) = dir.open_file(name).ok()?;
    let mut bytes = Vec::new();
    let read = file.take(MAX_IGNORE_FILE + 1).read_to_end(&mut bytes);
    if entry.size > MAX_IGNORE_FILE || bytes.len() as u64 > MAX_IGNORE_FILE || read.is_err() {
        return None;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn parse(text: &str) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new("");
    for line in text.trim_start_matches('\u{feff}').lines() {
        // A malformed line says nothing, for git as well.
        drop(builder.add_line(None, line));
    }
    builder.build().ok()
}

/// The person's own file of ignore rules, as git finds it: `core.excludesFile` of `~/.gitconfig` or of
/// `<config>/git/config`, else `<config>/git/ignore`, where `<config>` is `XDG_CONFIG_HOME` or `~/.config`.
///
/// Limitations: the system's configuration, `GIT_CONFIG_GLOBAL`, the repository's own `core.excludesFile` and included
/// files are not looked at. The file need not exist.
#[must_use]
pub fn excludes_file(home: Option<&Path>, config_home: Option<&Path>) -> Option<PathBuf> {
    let config = config_home.map(Path::to_owned).or_else(|| Some(home?.join(".config")))?.join("git");
    let files = home.map(|home| home.join(".gitconfig")).into_iter().chain([config.join("config")]);
    let configured = files.into_iter().find_map(|file| {
        let file = file.canonicalize().ok()?;
        let text = read(&Dir::open(file.parent()?).ok()?, file.file_name()?.to_str()?)?;
        let parsed = gix::config::File::try_from(text.as_str()).ok()?;
        Some(parsed.string("core.excludesFile")?.to_string())
    });
    match configured {
        Some(path) => match path.strip_prefix("~/") {
            Some(inner) => Some(home?.join(inner)),
            None => Path::new(&path).is_absolute().then(|| PathBuf::from(path)),
        },
        None => Some(config.join("ignore")),
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its files by hand")]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::{MAX_IGNORE_FILE, excludes_file};
    use crate::files::list::{ListLimits, list};
    use crate::files::tree::{Tree, whole};
    use crate::files::walk::{Scope, Skipped};

    fn walk(tree: &Tree, folder: &str, excludes: Option<&Path>) -> (Vec<String>, Skipped) {
        let folder = tree.folder(folder);
        let scope = Scope { excludes, ..whole(&folder) };
        let listing = list(&tree.root, &scope, &ListLimits::PUBLISHED).expect("the folder is there");
        let paths = listing.entries.into_iter().map(|entry| entry.path);
        (paths.filter(|path| !path.ends_with("ignore")).collect(), listing.skipped)
    }

    fn paths(tree: &Tree, folder: &str) -> Vec<String> {
        walk(tree, folder, None).0
    }

    fn repository(tree: &Tree, path: &str) {
        for (file, content) in Tree::repository(path) {
            tree.put(&file, content.as_bytes());
        }
    }

    #[test]
    fn rules_count_without_a_repository_and_inner_ones_win() {
        let tree = Tree::of(&[
            (".gitignore", "\u{feff}*.log\n/top\nbuild/\n# note\n[\nx/**/y\n"),
            ("a/.gitignore", "!keep.log\n"),
            ("a/keep.log", ""),
            ("a/drop.log", ""),
            ("a/top", ""),
            ("top", ""),
            ("build/x", ""),
            ("b/build", ""),
            ("x/1/2/y", ""),
        ]);
        assert_eq!(
            walk(&tree, ".", None),
            (vec!["a/keep.log".into(), "a/top".into(), "b/build".into()], Skipped { ignored: 4, ..Skipped::default() })
        );
        assert_eq!(paths(&tree, "a"), ["a/keep.log", "a/top"]);
    }

    #[test]
    fn dot_ignore_wins_over_git() {
        let tree = Tree::of(&[(".gitignore", "gen\n"), (".ignore", "!gen\nvendor\n"), ("gen/x", ""), ("vendor/x", "")]);
        assert_eq!(paths(&tree, "."), ["gen/x"]);
    }

    #[test]
    fn an_ignored_folder_is_seen_into_when_it_is_named() {
        let tree = Tree::of(&[
            (".gitignore", "target/\nlogs/*\n"),
            ("target/debug/x", ""),
            ("target/debug/.gitignore", "y\n"),
            ("target/debug/y", ""),
            ("logs/1", ""),
            (".venv/.gitignore", "*\n"),
            (".venv/lib/x.py", ""),
            ("src/f", ""),
        ]);
        assert_eq!(paths(&tree, "."), ["src/f"]);
        assert_eq!(paths(&tree, "target"), ["target/debug/x"]);
        assert_eq!(paths(&tree, "target/debug"), ["target/debug/x", "target/debug/y"]);
        assert_eq!(paths(&tree, "logs"), ["logs/1"]);
        assert_eq!(paths(&tree, ".venv"), [".venv/lib/x.py"]);
    }

    #[test]
    fn a_workspace_that_allows_a_few_things_only_stays_that_way() {
        let tree = Tree::of(&[(".gitignore", "*\n!/src/\n!/src/**\n"), ("src/f", ""), ("other/f", ""), ("g", "")]);
        assert_eq!(paths(&tree, "."), ["src/f"]);
        assert_eq!(paths(&tree, "src"), ["src/f"]);
    }

    #[test]
    fn rules_of_the_worktree_above_the_workspace_count() {
        let files = [("ws/a/x", ""), ("ws/a/no", ""), ("ws/top", ""), ("ws/own", ""), ("ws/.gitignore", "own\n")];
        let outer = [(".gitignore", "no\n/ws/top\n"), (".git/info/exclude", "ex\n"), ("ws/ex", "")];
        let made = Tree::repository("");
        let made: Vec<_> = made.iter().map(|(path, content)| (path.as_str(), *content)).collect();
        let tree = Tree::at("ws", &[&files[..], &outer[..], &made[..]].concat());
        assert_eq!(paths(&tree, "."), ["a/x"]);
        assert_eq!(paths(&tree, "a"), ["a/x"]);
    }

    #[test]
    fn a_nested_repository_has_its_own_rules() {
        let tree = Tree::of(&[
            (".gitignore", "*.tmp\n"),
            ("sub/.gitignore", "own\n"),
            ("sub/own", ""),
            ("sub/a.tmp", ""),
            ("sub/.git/info/exclude", "ex\n"),
            ("sub/ex", ""),
            ("ex", ""),
            ("module/.git", "gitdir: ../.git/modules/module\n"),
            ("module/b.tmp", ""),
            ("plain/c.tmp", ""),
        ]);
        repository(&tree, "sub");
        assert_eq!(paths(&tree, "."), ["ex", "module/b.tmp", "sub/a.tmp"]);
    }

    #[test]
    fn the_persons_own_rules_come_last() {
        let person = tempfile::tempdir().expect("there is room");
        let real = person.path().join("real");
        std::fs::write(&real, "*.bak\n*.swp\n").expect("there is room");
        symlink(&real, person.path().join("ignore")).expect("the name is free");
        let tree = Tree::of(&[(".gitignore", "!*.bak\n"), ("a.bak", ""), ("a.swp", "")]);
        assert_eq!(walk(&tree, ".", Some(&person.path().join("ignore"))).0, ["a.bak"]);
        assert_eq!(walk(&tree, ".", Some(&person.path().join("missing"))).1, Skipped::default());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn an_ignore_file_that_is_no_regular_file_is_reported_and_hangs_nothing() {
        let tree = Tree::of(&[("d/f", ""), ("f", ""), ("e/f", ""), ("g/.ignore/x", "")]);
        repository(&tree, "r");
        tree.put("r/.git/info/x", b"");
        tree.fifo(".gitignore");
        tree.fifo("d/.ignore");
        tree.fifo("r/.git/info/exclude");
        symlink("/dev/zero", tree.path().join("e/.gitignore")).expect("the name is free");
        tree.put("h/.gitignore", &vec![b'\n'; usize::try_from(MAX_IGNORE_FILE).expect("it is small") + 1]);
        let (paths, skipped) = walk(&tree, ".", Some(&tree.path().join(".gitignore")));
        assert_eq!(paths, ["d/f", "e/f", "f", "g/.ignore/x"]);
        assert_eq!(skipped, Skipped { ignore_files: 7, ..Skipped::default() });
    }

    #[test]
    fn the_persons_file_is_found_as_git_finds_it() {
        let home = tempfile::tempdir().expect("there is room");
        let home = home.path();
        assert_eq!(excludes_file(None, None), None);
        assert_eq!(excludes_file(Some(home), None), Some(home.join(".config/git/ignore")));
        assert_eq!(excludes_file(Some(home), Some(Path::new("/x"))), Some("/x/git/ignore".into()));
        std::fs::create_dir_all(home.join(".config/git")).expect("it is free");
        std::fs::write(home.join(".config/git/config"), "[core]\nexcludesfile = /a\n").expect("there is room");
        assert_eq!(excludes_file(Some(home), None), Some("/a".into()));
        std::fs::write(home.join(".gitconfig"), "[core]\n\texcludesFile = \"~/my ignore\"\n").expect("there is room");
        assert_eq!(excludes_file(Some(home), None), Some(home.join("my ignore")));
    }
}
