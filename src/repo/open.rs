//! Finds and opens the repository the way git would, but runs nothing that it configures.

use std::io::ErrorKind;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use super::unreadable;
use crate::command::Environment;
use crate::fault::{Code, Fault};
use crate::value::BranchName;

/// Files of a git directory that gix, or gt without asking, opens. A fifo in the place of one would hang the reader
/// for ever.
const READ_IN_WORKTREE: [&str; 11] = [
    "HEAD",
    "index",
    "config",
    "config.worktree",
    "commondir",
    "gitdir",
    "info/exclude",
    "info/attributes",
    ".gtcontinue",
    ".gtlocalprinfo",
    ".gt/event_log",
];
const READ_IN_COMMON: [&str; 7] =
    ["HEAD", "config", "packed-refs", "shallow", "objects/info/alternates", "info/grafts", ".graphite_pr_info"];

/// Extensions of the repository's format that this program and gix understand, `refStorage` with `files` only.
const EXTENSIONS: [&str; 8] = [
    "compatObjectFormat",
    "noop",
    "objectFormat",
    "partialClone",
    "preciousObjects",
    "refStorage",
    "relativeWorktrees",
    "worktreeConfig",
];

/// Hooks that a local stack operation can run.
const LOCAL_HOOKS: [&str; 12] = [
    "applypatch-msg",
    "commit-msg",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-rewrite",
    "pre-commit",
    "pre-merge-commit",
    "pre-rebase",
    "prepare-commit-msg",
    "reference-transaction",
];

/// An opened repository with a worktree.
pub struct Repo {
    pub(super) gix: gix::Repository,
    /// The worktree's root, canonical.
    pub root: PathBuf,
    /// The worktree's own git directory.
    pub git_dir: PathBuf,
    /// The git directory that all worktrees share.
    pub common_dir: PathBuf,
    /// Filter and merge drivers that git may run here, in words.
    filters: Vec<String>,
    /// Names of all filter drivers that are configured.
    pub(super) drivers: Vec<String>,
}

impl Repo {
    /// Opens the repository that `cwd` lies in.
    ///
    /// Guarantees: no program that the repository names is started, now or by later reads; `GIT_*` variables are not
    /// read. Faults: `no_repository`, `untrusted_repository`, `unsupported_repository`.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn open(cwd: &Path) -> Result<Self, Fault> {
        let (worktree, dot_git) = discover(cwd)?;
        refuse_fifos(&dot_git)?;
        let mut gix = gix::open_opts(&worktree, options()).map_err(|error| unreadable("the repository", error))?;
        if gix.git_dir_trust() != gix::sec::Trust::Full {
            let path = worktree.display();
            return Err(Fault::new(Code::UntrustedRepository, format!("`{path}` belongs to another user"))
                .detail("path", path.to_string()));
        }
        refuse_unreadable_forms(&gix)?;
        let (filters, drivers) = strip_drivers(&mut gix)?;
        gix.object_cache_size_if_unset(4 * 1024 * 1024);
        // Foreseeing a merge makes objects: they stay in memory.
        let gix = gix.with_object_memory();
        let canonical =
            |path: &Path| path.canonicalize().map_err(|error| unreadable(&path.display().to_string(), error));
        let root = gix.workdir().map(canonical).transpose()?.ok_or_else(|| bare(&worktree))?;
        let (git_dir, common_dir) = (canonical(gix.git_dir())?, canonical(gix.common_dir())?);
        Ok(Self { gix, root, git_dir, common_dir, filters, drivers })
    }

    /// The repository's own programs that gt's git runs during a change: its normal behaviour, named and not refused.
    #[must_use]
    pub fn programs(&self) -> Option<String> {
        let hooks = self.hooks().into_iter().filter(|name| LOCAL_HOOKS.contains(&name.as_str()));
        let all: Vec<String> = hooks.map(|name| format!("hook {name}")).chain(self.filters.clone()).collect();
        (!all.is_empty()).then(|| format!("git runs programs of this repository: {}", all.join(", ")))
    }

    /// Executable hooks.
    #[must_use]
    pub fn hooks(&self) -> Vec<String> {
        let hooks = self.hooks_dir();
        let mut names: Vec<String> =
            std::fs::read_dir(hooks).into_iter().flatten().flatten().filter_map(|entry| hook_name(&entry)).collect();
        names.sort_unstable();
        names
    }

    /// Whether a local branch exists.
    ///
    /// # Errors
    /// A fault when refs cannot be read.
    pub fn has_branch(&self, branch: &BranchName) -> Result<bool, Fault> {
        refuse_special(&self.common_dir.join(branch.full().as_str()))?;
        let found = self.gix.try_find_reference(branch.full().as_str());
        found.map(|found| found.is_some()).map_err(|error| unreadable("the refs", error))
    }

    /// Makes HEAD point to a branch, under git's own lock.
    ///
    /// # Errors
    /// A fault when HEAD cannot be written.
    pub(crate) fn attach_head(&self, branch: &str) -> Result<(), Fault> {
        let write = std::fs::File::open(&self.git_dir).and_then(|dir| {
            crate::disk::replace_under_git_lock(dir, "HEAD", format!("ref: refs/heads/{branch}\n").as_bytes())
        });
        write.map_err(|error| unreadable("HEAD", error))
    }

    fn hooks_dir(&self) -> PathBuf {
        let configured = self.gix.config_snapshot().trusted_path("core.hooksPath").ok().flatten();
        configured.map_or_else(|| self.common_dir.join("hooks"), |path| self.root.join(path))
    }
}

/// An executable hook that a stack operation can run.
fn hook_name(entry: &std::fs::DirEntry) -> Option<String> {
    use std::os::unix::fs::PermissionsExt;
    let name = entry.file_name().into_string().ok()?;
    let meta = std::fs::metadata(entry.path()).ok()?;
    (meta.is_file() && meta.permissions().mode() & 0o111 != 0 && !name.contains('.')).then_some(name)
}

/// The nearest folder upwards with a `.git`, and that `.git`.
fn discover(cwd: &Path) -> Result<(PathBuf, PathBuf), Fault> {
    let here = cwd
        .canonicalize()
        .map_err(|error| Fault::new(Code::NoRepository, format!("`{}` cannot be entered: {error}", cwd.display())))?;
    for folder in here.ancestors() {
        let dot_git = folder.join(".git");
        match std::fs::symlink_metadata(&dot_git) {
            Ok(meta) if meta.is_dir() || meta.is_file() || meta.is_symlink() => {
                let inside = here.starts_with(&dot_git);
                return if inside { Err(bare(&here)) } else { Ok((folder.to_owned(), dot_git)) };
            }
            Ok(_) => return Err(unreadable(&dot_git.display().to_string(), "it is neither a directory nor a file")),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(unreadable(&dot_git.display().to_string(), error)),
        }
        if folder.join("HEAD").exists() && folder.join("objects").is_dir() && folder.join("refs").is_dir() {
            return Err(bare(folder));
        }
    }
    Err(Fault::new(Code::NoRepository, format!("`{}` lies in no git worktree", here.display())))
}

pub(super) fn bare(path: &Path) -> Fault {
    Fault::new(Code::NoRepository, format!("`{}` is a git directory without a worktree here", path.display()))
}

/// Follows a `.git` file and `commondir` by hand, and refuses anything special where gix would read a file.
fn refuse_fifos(dot_git: &Path) -> Result<(), Fault> {
    let follow = |base: &Path, text: &str| base.join(text.trim_end_matches(['\n', '\r']));
    let mut git_dir = dot_git.to_owned();
    refuse_special(dot_git)?;
    if dot_git.is_file() {
        let text = read_small(dot_git)?;
        let target = text.strip_prefix("gitdir:").map(str::trim_start);
        let target = target.ok_or_else(|| unreadable(&dot_git.display().to_string(), "it names no git directory"))?;
        git_dir = follow(dot_git.parent().unwrap_or(dot_git), target);
    }
    READ_IN_WORKTREE.iter().try_for_each(|name| refuse_special(&git_dir.join(name)))?;
    let commondir = git_dir.join("commondir");
    let common = if commondir.is_file() { follow(&git_dir, &read_small(&commondir)?) } else { git_dir.clone() };
    READ_IN_COMMON.iter().try_for_each(|name| refuse_special(&common.join(name)))?;
    // The branch that is checked out is opened by its name.
    let head = read_small(&git_dir.join("HEAD")).unwrap_or_default();
    head.strip_prefix("ref:").map_or(Ok(()), |branch| refuse_special(&common.join(branch.trim())))
}

pub(super) fn read_small(path: &Path) -> Result<String, Fault> {
    use std::io::Read;
    let open = std::fs::File::open(path);
    let mut text = String::new();
    open.and_then(|file| file.take(64 * 1024).read_to_string(&mut text))
        .map_err(|error| unreadable(&path.display().to_string(), error))?;
    Ok(text)
}

/// Refuses a fifo, socket or device, also behind a symbolic link.
pub(super) fn refuse_special(path: &Path) -> Result<(), Fault> {
    let special = std::fs::metadata(path).is_ok_and(|meta| {
        let kind = meta.file_type();
        kind.is_fifo() || kind.is_socket() || kind.is_char_device() || kind.is_block_device()
    });
    if special { Err(unreadable(&path.display().to_string(), "it is a fifo, socket or device")) } else { Ok(()) }
}

/// The person's own configuration files, but no `GIT_*` variable: those redirect to other places.
fn options() -> gix::open::Options {
    let mut permissions = gix::open::Permissions::isolated();
    permissions.config.system = true;
    permissions.config.git = true;
    permissions.config.user = true;
    permissions.config.includes = true;
    permissions.attributes.system = true;
    permissions.attributes.git = true;
    permissions.env.home = gix::sec::Permission::Allow;
    permissions.env.xdg_config_home = gix::sec::Permission::Allow;
    gix::open::Options::default().permissions(permissions)
}

/// Refuses a fifo in the place of the person's own git files, which are read by name.
///
/// # Errors
/// `unsupported_repository`.
pub fn refuse_special_git_files(env: &Environment) -> Result<(), Fault> {
    let home = env.home().map(|home| home.join(".gitconfig"));
    let folder = env.xdg("XDG_CONFIG_HOME", ".config").map(|dir| dir.join("git"));
    let files = folder.into_iter().flat_map(|dir| ["config", "ignore", "attributes"].map(|name| dir.join(name)));
    home.into_iter().chain(files).try_for_each(|path| refuse_special(&path))
}

fn refuse_unreadable_forms(gix: &gix::Repository) -> Result<(), Fault> {
    let config = gix.config_snapshot();
    for section in config.sections_by_name("extensions").into_iter().flatten() {
        let unknown =
            section.value_names().find(|name| !EXTENSIONS.iter().any(|known| name.eq_ignore_ascii_case(known)));
        if let Some(name) = unknown {
            let why = format!("it uses the git extension `{name}`, which is not known here");
            return Err(unreadable("the repository", why));
        }
    }
    if config.string("extensions.refStorage").is_some_and(|format| format.as_slice() != b"files") {
        return Err(unreadable("the refs", "they are kept as a reftable, which is not supported yet"));
    }
    for section in ["core.excludesFile", "core.attributesFile"] {
        if let Ok(Some(path)) = config.trusted_path(section) {
            refuse_special(&path)?;
        }
    }
    Ok(())
}

/// Removes every driver from the in-memory configuration: gix would start filters to compare files and merge drivers
/// to foresee conflicts. Returns those that git may run here, in words (configured in the repository itself, or named by
/// its attributes), and the names of all filters.
fn strip_drivers(gix: &mut gix::Repository) -> Result<(Vec<String>, Vec<String>), Fault> {
    use gix::config::Source;
    let attributes = gix.workdir().map(|root| root.join(".gitattributes")).filter(|path| refuse_special(path).is_ok());
    let attributes = attributes.and_then(|path| read_small(&path).ok()).unwrap_or_default();
    let mut config = gix.config_snapshot_mut();
    let (mut ids, mut names, mut filters) = (Vec::new(), Vec::new(), Vec::new());
    for kind in ["filter", "merge", "diff"] {
        for (section, id) in config.sections_and_ids_by_name(kind).into_iter().flatten() {
            let Some(name) = section.header().subsection_name() else { continue };
            ids.push(id);
            let name = super::text_of(name);
            if kind == "filter" {
                filters.push(name.clone());
            }
            let own = matches!(section.meta().source, Source::Local | Source::Worktree);
            if kind != "diff" && (own || attributes.contains(&format!("{kind}={name}"))) {
                names.push(format!("{kind} driver {name}"));
            }
        }
    }
    for id in ids {
        config.remove_section_by_id(id);
    }
    config.commit().map_err(|error| unreadable("the configuration", error))?;
    names.sort_unstable();
    names.dedup();
    Ok((names, filters))
}

/// Opens a submodule or a nested repository under the same rules; `None` when it is none or is not trusted.
pub(super) fn open_nested(path: &Path) -> Option<gix::Repository> {
    refuse_fifos(&path.join(".git")).ok()?;
    let mut gix = gix::open_opts(path, options()).ok()?;
    if gix.git_dir_trust() != gix::sec::Trust::Full {
        return None;
    }
    strip_drivers(&mut gix).ok()?;
    Some(gix.with_object_memory())
}
