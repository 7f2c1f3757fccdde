//! `tools`: the supported `gt`, fetched once into a cache outside the checkout.

use std::env::consts;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, Result, While};
use crate::{process, workspace};

/// The version that the suite runs against.
const VERSION: &str = "1.8.6";

const PACKAGE: &str = "@withgraphite/graphite-cli";

/// Fetches what is missing and says where it is.
pub(crate) fn run() -> Result {
    let gt = gt()?;
    println!("gt {VERSION}: {}", gt.binary_folder.display());
    println!("gt {VERSION} through Node: {}", gt.shim_folder.display());
    Ok(())
}

/// A working `gt`.
pub(crate) struct Gt {
    /// The folder that holds the platform's own executable `gt`.
    pub(crate) binary_folder: PathBuf,
    /// The folder that holds `gt` as npm installs it for people: a Node script that starts the executable.
    pub(crate) shim_folder: PathBuf,
}

/// Gives the supported `gt`, fetching it if it is missing or does not run.
///
/// Safe to call from several processes at once: one fetches, the others wait for it.
pub(crate) fn gt() -> Result<Gt> {
    let cache = cache_folder();
    fs::create_dir_all(&cache).while_doing(|| format!("make `{}`", cache.display()))?;
    let installed = cache.join(format!("gt-{VERSION}"));
    let _one_at_a_time = lock(&cache.join("lock"))?;
    if verify(&installed, &cache).is_err() {
        fetch(&installed, &cache)?;
    }
    Ok(Gt { binary_folder: installed.join(binary_folder()), shim_folder: installed.join("node_modules/.bin") })
}

/// Installs beside the final place, tries it, and moves it there: what has the final name works.
fn fetch(installed: &Path, cache: &Path) -> Result {
    eprintln!("fetching gt {VERSION} into {}", installed.display());
    let partial = cache.join(format!("gt-{VERSION}.partial"));
    // The lock is ours: a partial folder or an installation that does not run is nobody's.
    remove_tree(&partial)?;
    fs::create_dir_all(&partial).while_doing(|| format!("make `{}`", partial.display()))?;
    install(&partial)?;
    verify(&partial, cache)?;
    remove_tree(installed)?;
    fs::rename(&partial, installed).while_doing(|| format!("move gt to `{}`", installed.display()))
}

fn install(folder: &Path) -> Result {
    for (program, word) in [("node", "--version"), ("npm", "--version")] {
        process::capture(Command::new(program).arg(word))
            .map_err(|failure| Failure::new(format!("gt needs Node and npm: {failure}")))?;
    }
    let mut npm = Command::new("npm");
    npm.arg("install").arg("--prefix").arg(folder);
    npm.args(["--no-audit", "--no-fund", "--no-update-notifier"]);
    npm.args(["--loglevel=error", "--save-exact"]);
    npm.arg(format!("{PACKAGE}@{VERSION}"));
    npm.current_dir(folder);
    process::capture(&mut npm).map(drop).map_err(|failure| {
        Failure::new(format!("gt {VERSION} could not be fetched; check the network and npm's configuration: {failure}"))
    })
}

/// Proves that both ways to start this installation answer with the version.
fn verify(installed: &Path, cache: &Path) -> Result {
    let ways = [installed.join(binary_folder()).join("gt"), installed.join("node_modules/.bin/gt")];
    for gt in ways {
        let mut command = Command::new(&gt);
        // gt leaves files in its home, and a person's own settings must not decide here.
        let home = cache.join("home");
        command.arg("--version").env("HOME", &home);
        command.env_remove("XDG_CONFIG_HOME");
        command.env_remove("XDG_DATA_HOME");
        command.env_remove("XDG_CACHE_HOME");
        command.env("GRAPHITE_DISABLE_TELEMETRY", "1");
        command.env("GRAPHITE_DISABLE_UPGRADE_PROMPT", "1");
        let answer = process::capture(&mut command)?;
        if answer.trim() != VERSION {
            return Err(Failure::new(format!(
                "`{} --version` answers `{}` and not `{VERSION}`",
                gt.display(),
                answer.trim()
            )));
        }
    }
    Ok(())
}

/// Where npm puts the executable for this platform, inside an installation.
fn binary_folder() -> PathBuf {
    let platform = platform(consts::OS, consts::ARCH);
    PathBuf::from(format!("node_modules/{PACKAGE}-{platform}/bin"))
}

/// Rust's names for a platform in Node's words.
fn platform(system: &str, processor: &str) -> String {
    let system = match system {
        "macos" => "darwin",
        other => other,
    };
    let processor = match processor {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{system}-{processor}")
}

/// The person's cache folder; without a home, the build folder.
fn cache_folder() -> PathBuf {
    let absolute = |name: &str| {
        let value = std::env::var_os(name).map(PathBuf::from);
        value.filter(|path| path.is_absolute())
    };
    let base = absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .unwrap_or_else(|| workspace::root().join("target"));
    base.join("pi-graphite/tools")
}

/// Waits for the lock and holds it until the value is dropped, or the process ends.
fn lock(path: &Path) -> Result<File> {
    let locking = || format!("lock `{}`", path.display());
    let mut options = File::options();
    options.create(true).append(true);
    let file = options.open(path).while_doing(locking)?;
    file.lock().while_doing(locking)?;
    Ok(file)
}

fn remove_tree(path: &Path) -> Result {
    if path.exists() {
        fs::remove_dir_all(path).while_doing(|| format!("remove `{}`", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_is_named_as_node_names_it() {
        assert_eq!(platform("linux", "x86_64"), "linux-x64");
        assert_eq!(platform("linux", "aarch64"), "linux-arm64");
        assert_eq!(platform("macos", "aarch64"), "darwin-arm64");
        assert_eq!(platform("macos", "x86_64"), "darwin-x64");
    }

    #[test]
    fn an_empty_folder_is_not_an_installation() {
        let nowhere = workspace::root().join("xtask/src/no-such-folder");
        assert!(verify(&nowhere, &nowhere).is_err());
    }
}
