//! Detection of Graphite and its cache: which gt was verified, for which trunk, and when.

use std::time::Duration;

use super::Repo;
use crate::command::{Identity, SUPPORTED_GT};
use crate::disk::write_atomic;

/// The cache's file in the worktree's git directory.
const FILE: &str = "pi-graphite.json";
const VERSION: u32 = 1;
const MAX_AGE: Duration = Duration::from_hours(24);
/// A clock may be set back a little.
const MAX_SKEW: Duration = Duration::from_mins(5);

/// What was found out about gt here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detection {
    /// gt's version.
    pub version: String,
    /// Where the answer came from.
    pub cache: CacheState,
    /// Why the answer could not be kept.
    pub warning: Option<String>,
}

/// Where a detection came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CacheState {
    /// From this process's memory.
    Memory,
    /// From the cache file.
    Persistent,
    /// Asked now, and written to the cache file.
    Written,
    /// Asked now; the cache file could not be written.
    Unavailable,
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Cache {
    version: u32,
    uses_graphite: bool,
    repository_root: String,
    graphite_version: String,
    trunk: String,
    verified_at: u64,
    executable: Identity,
}

/// The cached detection, when it still holds: same root, trunk and executable, a supported version, at most 24 hours
/// old and not from the future. Anything else is as good as no cache.
#[must_use]
pub fn detect_cached(repo: &Repo, trunk: &str, gt: &Identity, now: Duration) -> Option<Detection> {
    let path = repo.git_dir.join(FILE);
    let meta = std::fs::symlink_metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
    let cache: Cache = (meta.len() < 64 * 1024)
        .then(|| std::fs::read(&path).ok())
        .flatten()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())?;
    let verified = Duration::from_secs(cache.verified_at);
    let fresh = verified <= now + MAX_SKEW && now.saturating_sub(verified) < MAX_AGE;
    let same =
        cache.repository_root == repo.root.display().to_string() && cache.trunk == trunk && cache.executable == *gt;
    let usable =
        cache.version == VERSION && cache.uses_graphite && SUPPORTED_GT.contains(&cache.graphite_version.as_str());
    (fresh && same && usable && is_ours(&meta)).then_some(Detection {
        version: cache.graphite_version,
        cache: CacheState::Persistent,
        warning: None,
    })
}

/// Keeps a success. Only success is ever kept, so that a repository is looked at again at once after `gt init`.
#[must_use]
pub fn remember(repo: &Repo, trunk: &str, gt: &Identity, version: &str, now: Duration) -> Detection {
    let cache = Cache {
        version: VERSION,
        uses_graphite: true,
        repository_root: repo.root.display().to_string(),
        graphite_version: version.to_owned(),
        trunk: trunk.to_owned(),
        verified_at: now.as_secs(),
        executable: gt.clone(),
    };
    let bytes = serde_json::to_vec_pretty(&cache).expect("plain data serialises");
    let written = std::fs::File::open(&repo.git_dir).and_then(|dir| write_atomic(dir, FILE, &bytes));
    let (cache, warning) = match written {
        Ok(()) => (CacheState::Written, None),
        Err(error) => (
            CacheState::Unavailable,
            Some(format!("`{}` could not be written: {error}", repo.git_dir.join(FILE).display())),
        ),
    };
    Detection { version: version.to_owned(), cache, warning }
}

fn is_ours(meta: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    meta.uid() == rustix::process::geteuid().as_raw() && meta.mode() & 0o022 == 0
}
