//! Graphite's own files: the repository's configuration, the person's, and their aliases.

use std::path::PathBuf;

use super::{Repo, unreadable};
use crate::command::{Environment, Word};
use crate::fault::{Code, Fault};
use crate::value::BranchName;

/// Largest of these files that is read.
const MAX_FILE: u64 = 1024 * 1024;

/// What `.graphite_repo_config` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graphite {
    /// The repository's main trunk.
    pub trunk: BranchName,
    /// All trunks, the main one first.
    pub trunks: Vec<String>,
}

/// How gt turns a name that was asked for into the one it gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Naming {
    prefix: String,
    replacement: String,
}

#[derive(serde::Deserialize)]
struct RepoConfig {
    trunk: Option<String>,
    #[serde(default)]
    trunks: Vec<Trunk>,
}

#[derive(serde::Deserialize)]
struct Trunk {
    name: String,
}

#[derive(serde::Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct UserConfig {
    branch_prefix: Option<String>,
    branch_replacement: Option<String>,
}

/// Reads Graphite's configuration of the repository. Looking never initialises Graphite: gt is not asked.
///
/// # Errors
/// `not_graphite` when there is none; `state_unreadable` when it cannot be understood.
pub fn graphite(repo: &Repo) -> Result<Graphite, Fault> {
    let path = repo.common_dir.join(".graphite_repo_config");
    let text = read(&path)?.ok_or_else(|| {
        Fault::new(Code::NotGraphite, format!("`{}` was never initialised with `gt init`", repo.root.display()))
    })?;
    let bad = |why: String| Fault::new(Code::StateUnreadable, format!("`{}`: {why}", path.display()));
    let config: RepoConfig = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
    let trunk = config.trunk.ok_or_else(|| bad("it names no trunk".to_owned()))?;
    let mut trunks = vec![trunk.clone()];
    trunks.extend(config.trunks.into_iter().map(|trunk| trunk.name).filter(|name| *name != trunk));
    let trunk = BranchName::try_from(trunk).map_err(|error| bad(format!("its trunk: {error}")))?;
    Ok(Graphite { trunk, trunks })
}

/// The person's aliases over our own words: the file, the line number and the line.
///
/// # Errors
/// `alias`: fixed arguments are not fixed behaviour while one of our words means something else. `state_unreadable`
/// without a home folder.
pub fn aliases_of(env: &Environment) -> Result<(), Fault> {
    // Without HOME gt takes the folder from the system's list of users, and aliases from there.
    let path = config_dir(env).map(|dir| dir.join("aliases")).ok_or_else(|| {
        Fault::new(Code::StateUnreadable, "HOME is no absolute path, so gt's aliases cannot be read before gt does")
            .hint("Set HOME to the person's home folder.")
    })?;
    let text = read(&path)?.unwrap_or_default();
    for (number, line) in text.lines().enumerate() {
        let word = line.split_whitespace().next().unwrap_or_default();
        if Word::ALL.iter().any(|known| known.text() == word) {
            let (number, path) = (number + 1, path.display());
            return Err(Fault::new(
                Code::Alias,
                format!("line {number} of `{path}` gives `{word}` another meaning: `{}`", line.trim()),
            )
            .detail("file", path.to_string())
            .detail("line", number));
        }
    }
    Ok(())
}

impl Naming {
    /// The person's prefix and replacement.
    ///
    /// # Errors
    /// `state_unreadable`: gt itself refuses every command when its configuration does not fit its schema.
    pub fn of(env: &Environment) -> Result<Self, Fault> {
        let path = config_dir(env).map(|dir| dir.join("user_config"));
        let text = path.as_ref().map(read).transpose()?.flatten();
        let config: UserConfig = match (&text, &path) {
            (Some(text), Some(path)) => serde_json::from_str(text)
                .map_err(|error| Fault::new(Code::StateUnreadable, format!("`{}`: {error}", path.display())))?,
            _ => UserConfig::default(),
        };
        Ok(Self {
            prefix: config.branch_prefix.unwrap_or_default(),
            replacement: config.branch_replacement.unwrap_or_else(|| "_".to_owned()),
        })
    }

    /// The name that gt gives when `create` or `rename` asks for `name`.
    #[must_use]
    pub fn predict(&self, name: &str) -> String {
        self.clean(&self.prefixed(name))
    }

    /// The name with the person's own prefix: what asking for `name` may rightly lead to.
    #[must_use]
    pub fn prefixed(&self, name: &str) -> String {
        if name.starts_with(&self.prefix) { name.to_owned() } else { format!("{}{name}", self.prefix) }
    }

    fn clean(&self, name: &str) -> String {
        let kept = |c: char| c.is_ascii_alphanumeric() || "_./-".contains(c);
        let mut out = String::new();
        let mut in_run = false;
        for c in name.chars() {
            if kept(c) {
                out.push(c);
            } else if !in_run {
                out.push_str(&self.replacement);
            }
            in_run = !kept(c);
        }
        squeeze(&out)
    }
}

/// gt's clean-up of dots and slashes: `..` to `.`, `//` to `/`, none at the start or end of the name, no component
/// that starts with a dot, and one trailing `.lock` less.
fn squeeze(name: &str) -> String {
    let mut out = name.to_owned();
    while out.contains("..") {
        out = out.replace("..", ".");
    }
    while out.contains("//") {
        out = out.replace("//", "/");
    }
    let out = out.split('/').map(|part| part.trim_start_matches('.')).collect::<Vec<_>>().join("/");
    let out = out.trim_start_matches(['/', '.']).trim_end_matches(['/', '.']);
    out.strip_suffix(".lock").unwrap_or(out).to_owned()
}

fn config_dir(env: &Environment) -> Option<PathBuf> {
    env.xdg("XDG_CONFIG_HOME", ".config").map(|dir| dir.join("graphite"))
}

fn read(path: &PathBuf) -> Result<Option<String>, Fault> {
    use std::io::Read;
    super::open::refuse_special(path)?;
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(&path.display().to_string(), error)),
    };
    let mut text = String::new();
    file.take(MAX_FILE).read_to_string(&mut text).map_err(|error| unreadable(&path.display().to_string(), error))?;
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::Naming;

    #[test]
    fn names_are_predicted_as_gt_gives_them() {
        let naming =
            |prefix: &str, replacement: &str| Naming { prefix: prefix.into(), replacement: replacement.into() };
        let plain = naming("", "_");
        for (asked, given) in [
            ("a/b/c", "a/b/c"),
            ("UPPER_1.x-y", "UPPER_1.x-y"),
            ("a+b", "a_b"),
            ("日本語", "_"),
            ("café", "caf_"),
            ("emoji😀x", "emoji_x"),
            ("x.lock", "x"),
            ("a..b", "a.b"),
            ("/leading", "leading"),
            (".hidden", "hidden"),
        ] {
            assert_eq!(plain.predict(asked), given, "{asked}");
        }
        assert_eq!(naming("jd", "_").predict("foo"), "jdfoo");
        assert_eq!(naming("jd/", "_").predict("jd/foo"), "jd/foo");
        assert_eq!(naming("jd/", "-").predict("a b"), "jd/a-b");
        assert_eq!(naming("", "").predict("a+b"), "ab");
    }
}
