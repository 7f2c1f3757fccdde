//! The person's configuration file: strict, checked against its schema, never read from the workspace.

use std::path::Path;

use crate::fault::{Code, Fault};

/// What the person has configured. Every key is optional; an unknown key or a wrong value is an error, since a typo
/// must not switch a guard off.
///
/// Source: `--config FILE`, else `PI_GRAPHITE_CONFIG`, else `$XDG_CONFIG_HOME/pi-graphite/config.json`, else
/// `~/.config/pi-graphite/config.json`.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Total bytes of untracked files above which a mutation is refused. Graphite copies every untracked file into
    /// the repository's objects on each mutation. Default 268435456 (256 MiB).
    pub untracked_limit: Option<u64>,
    /// Total bytes of untracked files above which a mutation carries a warning. Default 33554432 (32 MiB).
    pub untracked_warning: Option<u64>,
    /// Whether restacking may drop empty commits and flatten merge commits, as Graphite does. Default false.
    pub allow_lossy_restack: Option<bool>,
    /// Whether gt keeps its telemetry and its self-update as the person has set them up. They make every call 0.4 s
    /// slower, and an update can replace gt in the middle of a guarded operation. Default false.
    pub gt_as_configured: Option<bool>,
    /// Seconds that one gt command may take. Default 300.
    pub timeout_seconds: Option<u64>,
    /// Seconds to wait for a lock. Default 30.
    pub lock_wait_seconds: Option<u64>,
}

/// Largest configuration file that is read.
const MAX_FILE: u64 = 1024 * 1024;

impl Config {
    /// Reads the file that the caller named, else the person's default one, else nothing.
    ///
    /// # Errors
    /// `bad_config`: unreadable, not JSON, or not as the schema says. A named file must exist.
    pub fn load(named: Option<&Path>, default: Option<&Path>) -> Result<Self, Fault> {
        let Some(path) = named.or(default) else { return Ok(Self::default()) };
        let bad = |why: String| Fault::new(Code::BadConfig, format!("`{}`: {why}", path.display()));
        match read(path) {
            Ok(text) => Self::parse(&text).map_err(bad),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && named.is_none() => Ok(Self::default()),
            Err(error) => Err(bad(error.to_string())),
        }
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut json = serde_json::Deserializer::from_str(text);
        let config =
            serde_path_to_error::deserialize(&mut json).map_err(|error| match error.path().to_string().as_str() {
                "." | "?" => error.inner().to_string(),
                path => format!("`{path}`: {}", error.inner()),
            })?;
        json.end().map_err(|error| error.to_string())?;
        Ok(config)
    }

    /// Total bytes of untracked files above which a mutation is refused.
    #[must_use]
    pub fn untracked_limit(&self) -> u64 {
        self.untracked_limit.unwrap_or(256 * 1024 * 1024)
    }

    /// Total bytes of untracked files above which a mutation carries a warning.
    #[must_use]
    pub fn untracked_warning(&self) -> u64 {
        self.untracked_warning.unwrap_or(32 * 1024 * 1024)
    }
}

fn read(path: &Path) -> std::io::Result<String> {
    use std::io::Read;
    let meta = std::fs::metadata(path)?;
    if !meta.is_file() || meta.len() > MAX_FILE {
        return Err(std::io::Error::other("it is not a regular file of at most 1 MiB"));
    }
    let mut text = String::new();
    std::fs::File::open(path)?.take(MAX_FILE).read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::Config;

    #[test]
    fn a_typo_is_an_error_and_silence_is_the_default() {
        assert_eq!(Config::parse("{}"), Ok(Config::default()));
        assert_eq!(Config::parse(r#"{"timeout_seconds": 5}"#).map(|c| c.timeout_seconds), Ok(Some(5)));
        for text in
            [r#"{"timeout": 5}"#, r#"{"timeout_seconds": "5"}"#, r#"{"timeout_seconds": -1}"#, "", "[]x", "{} {}"]
        {
            assert!(Config::parse(text).is_err(), "{text}");
        }
    }
}
