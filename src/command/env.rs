//! The environment: what the caller has, and what a child gets of it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The variables that the caller gave this program. A library user hands in its own.
#[derive(Debug, Clone, Default)]
pub struct Environment(BTreeMap<OsString, OsString>);

/// Whether gt may wait for its telemetry and update itself while it works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// No: waiting and self-updating in the middle of a guarded operation are hazards.
    Guarded,
    /// As the person has set gt up.
    AsThePersonHasIt,
}

/// Variables that a child keeps by name.
const KEPT: [&str; 9] =
    ["HOME", "USER", "LOGNAME", "LANG", "TMPDIR", "GNUPGHOME", "GPG_TTY", "SSH_AUTH_SOCK", "SSH_AGENT_PID"];
/// Variables that a child keeps by prefix: where things lie, and who signs a commit.
const KEPT_PREFIXES: [&str; 4] = ["XDG_", "GIT_AUTHOR_", "GIT_COMMITTER_", "LC_"];
/// What every child gets. An editor that fails ends an operation that would wait for a person; `rebase.updateRefs`
/// would move refs that the plan does not name; `core.fsmonitor` would run a program that the repository names.
const FIXED: [(&str, &str); 16] = [
    ("GIT_EDITOR", "false"),
    ("GIT_SEQUENCE_EDITOR", "false"),
    ("GT_EDITOR", "false"),
    ("EDITOR", "false"),
    ("VISUAL", "false"),
    ("GIT_PAGER", "cat"),
    ("GT_PAGER", "cat"),
    ("PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("NO_COLOR", "1"),
    ("TERM", "dumb"),
    ("GIT_CONFIG_COUNT", "2"),
    ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
    ("GIT_CONFIG_VALUE_0", "false"),
    ("GIT_CONFIG_KEY_1", "rebase.updateRefs"),
    ("GIT_CONFIG_VALUE_1", "false"),
];
/// What keeps gt from waiting for telemetry (0.4 s a call) and from installing another version of itself.
const GUARDED: [(&str, &str); 2] = [("GRAPHITE_DISABLE_TELEMETRY", "1"), ("GRAPHITE_DISABLE_UPGRADE_PROMPT", "1")];

impl Environment {
    /// The variables of this process.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one place below the fronts that reads the environment")]
    pub fn of_process() -> Self {
        Self(std::env::vars_os().collect())
    }

    /// An environment of exactly these variables.
    #[must_use]
    pub fn of<K: Into<OsString>, V: Into<OsString>>(vars: impl IntoIterator<Item = (K, V)>) -> Self {
        Self(vars.into_iter().map(|(k, v)| (k.into(), v.into())).collect())
    }

    /// A variable that is set to something.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// The home directory, when it is absolute.
    #[must_use]
    pub fn home(&self) -> Option<PathBuf> {
        self.absolute("HOME")
    }

    /// A base directory of the XDG specification: the variable when it is absolute, else the folder under home.
    #[must_use]
    pub fn xdg(&self, variable: &str, under_home: &str) -> Option<PathBuf> {
        self.absolute(variable).or_else(|| self.home().map(|home| home.join(under_home)))
    }

    /// The absolute entries of PATH, in order.
    pub fn path_entries(&self) -> impl Iterator<Item = PathBuf> + '_ {
        let path = self.get("PATH").unwrap_or_default();
        std::env::split_paths(path).filter(|entry| entry.is_absolute())
    }

    /// What a child gets.
    #[must_use]
    pub fn for_child(&self, patience: Patience, worktree: &Path) -> Vec<(OsString, OsString)> {
        let kept = self.0.iter().filter(|(name, value)| {
            name.to_str().is_some_and(|name| {
                (KEPT.contains(&name) || KEPT_PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
                    && (!is_folder(name) || Path::new(value).is_absolute())
            })
        });
        let mut vars: Vec<(OsString, OsString)> = kept.map(|(k, v)| (k.clone(), v.clone())).collect();
        // gt finds its git on PATH: the worktree's content must not decide which.
        let has_tool = |entry: &PathBuf| ["git", "gt"].iter().any(|tool| entry.join(tool).exists());
        let entries = self.path_entries().filter(|entry| !(entry.starts_with(worktree) && has_tool(entry)));
        if let Ok(path) = std::env::join_paths(entries) {
            vars.push(("PATH".into(), path));
        }
        let own = |(name, value): (&str, &str)| (name.into(), value.into());
        vars.extend(FIXED.map(own));
        match patience {
            Patience::Guarded => vars.extend(GUARDED.map(own)),
            Patience::AsThePersonHasIt => {
                let set = GUARDED.iter().filter_map(|(name, _)| self.get(name).map(|v| ((*name).into(), v.to_owned())));
                vars.extend(set);
            }
        }
        vars
    }

    fn absolute(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from).filter(|path| Path::is_absolute(path))
    }
}

/// Whether the variable names a folder. A relative one would lie in the worktree, where gt would read its aliases.
fn is_folder(name: &str) -> bool {
    ["HOME", "TMPDIR", "GNUPGHOME"].contains(&name) || (name.starts_with("XDG_") && name.ends_with("_HOME"))
}

#[cfg(test)]
mod tests {
    use super::{Environment, Patience};
    use std::ffi::OsStr;
    use std::path::Path;

    #[test]
    fn a_child_gets_only_what_is_listed() {
        let env = Environment::of([
            ("PATH", "bin:/usr/bin::/bin:./x"),
            ("HOME", "/h"),
            ("GIT_DIR", "/evil"),
            ("GIT_CONFIG_COUNT", "9"),
            ("GIT_AUTHOR_NAME", "A"),
            ("GT_PAGER", "less"),
            ("GRAPHITE_PROFILE", "p"),
            ("FORCE_COLOR", "1"),
            ("EDITOR", "vi"),
            ("LD_PRELOAD", "x.so"),
            ("NODE_OPTIONS", "--require=x"),
            ("XDG_CONFIG_HOME", "/c"),
            ("XDG_DATA_HOME", "rel"),
            ("TMPDIR", ""),
        ]);
        let child = env.for_child(Patience::Guarded, Path::new("/w"));
        let get = |name: &str| child.iter().rev().find(|(k, _)| k == name).map(|(_, v)| v.to_str().expect("text"));
        assert_eq!(get("PATH"), Some("/usr/bin:/bin"));
        assert_eq!(get("GIT_AUTHOR_NAME"), Some("A"));
        assert_eq!(get("XDG_CONFIG_HOME"), Some("/c"));
        assert_eq!(get("EDITOR"), Some("false"));
        assert_eq!(get("GIT_CONFIG_COUNT"), Some("2"));
        assert_eq!(get("GRAPHITE_DISABLE_TELEMETRY"), Some("1"));
        for gone in
            ["GIT_DIR", "GRAPHITE_PROFILE", "FORCE_COLOR", "LD_PRELOAD", "NODE_OPTIONS", "XDG_DATA_HOME", "TMPDIR"]
        {
            assert_eq!(get(gone), None, "{gone}");
        }
        assert!(
            env.for_child(Patience::AsThePersonHasIt, Path::new("/w"))
                .iter()
                .all(|(k, _)| k != OsStr::new("GRAPHITE_DISABLE_TELEMETRY"))
        );
    }

    #[test]
    fn base_directories_must_be_absolute() {
        let env = Environment::of([("HOME", "/h"), ("XDG_CONFIG_HOME", "rel")]);
        assert_eq!(env.xdg("XDG_CONFIG_HOME", ".config"), Some("/h/.config".into()));
        assert_eq!(Environment::of([("HOME", "rel")]).home(), None);
    }
}
