//! A hermetic world: own HOME, own PATH with one gt, a repository copied from a template, fixed dates.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::Answer;

/// Which gt is on PATH.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gt {
    Fake,
    Real,
}

/// What the repository holds at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    /// Nothing: an empty folder.
    Empty,
    /// One commit on `main`, and no Graphite.
    Plain,
    /// The same with `gt init`.
    Init,
    /// `main` ← `a` ← `b` ← `c`, a file each; `c` is checked out.
    Stack,
}

pub(crate) struct World {
    dir: tempfile::TempDir,
    pub(crate) gt: Gt,
}

/// Shell functions for setups.
const PRELUDE: &str = r#"set -eu
mk() { echo "${3:-$1}" > "$2"; git add -- "$2"; gt create "$1" --message="$1" --no-interactive > /dev/null 2>&1; }
commit() { echo "${2:-$1}" > "$1"; git add -- "$1"; git commit -qm "$1"; }
"#;

impl World {
    /// A world whose repository is a copy of the base.
    pub(crate) fn new(gt: Gt, base: Base) -> Self {
        let world = Self::bare(gt);
        match base {
            Base::Empty => fs::create_dir(world.root()).expect("a folder"),
            base => copy(&template(gt, base).join("repo"), &world.root()),
        }
        world
    }

    fn bare(gt: Gt) -> Self {
        let dir = tempfile::Builder::new().prefix("world").tempdir().expect("a folder");
        let world = Self { dir, gt };
        for folder in ["home", "bin", "outside"] {
            fs::create_dir(world.path(folder)).expect("a folder");
        }
        match gt {
            Gt::Fake => {
                // By a process of its own: while this one had the copy open for writing, a child that another thread
                // starts just then would keep it busy.
                copy(Path::new(env!("CARGO_BIN_EXE_fake-gt")), &world.path("bin/gt"));
            }
            Gt::Real => symlink(real_gt(), world.path("bin/gt")).expect("a link to the real gt"),
        }
        world
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().expect("it exists").join(name)
    }

    /// The repository's worktree.
    pub(crate) fn root(&self) -> PathBuf {
        self.path("repo")
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("written");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Writes an executable script.
    pub(crate) fn script(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("written");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("made executable");
    }

    /// Tells the fake to lie from now on.
    pub(crate) fn lie(&self, json: &str) {
        assert_eq!(self.gt, Gt::Fake, "only the fake lies");
        fs::write(self.path("bin/lie.json"), json).expect("written");
    }

    /// The command lines with which gt was started so far; only the fake keeps them.
    pub(crate) fn gt_calls(&self) -> Vec<String> {
        fs::read_to_string(self.path("bin/calls.jsonl")).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    /// Waits until a hook or a lie has made a file beside the repository.
    pub(crate) fn wait_for(&self, file: &str) {
        let begun = Instant::now();
        while !self.path(file).exists() {
            assert!(begun.elapsed() < Duration::from_secs(20), "{file} never came");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Runs a shell script in the repository; it must succeed.
    pub(crate) fn sh(&self, script: &str) -> String {
        let output = self.command("sh").arg("-c").arg(format!("{PRELUDE}{script}")).output().expect("sh runs");
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{script}\n{out}\n{err}");
        out.trim_end().to_owned()
    }

    /// Sends one request to `pi-graphite run`.
    pub(crate) fn run(&self, request: &str) -> Answer {
        self.call(&["run"], request)
    }

    /// Sends the same request twice: first without, then with the grant that the refusal offers.
    pub(crate) fn run_granted(&self, request: &str) -> Answer {
        let asked = self.run(request);
        let waits = [("refused", "approval_needed"), ("proposed", "")].contains(&(asked.status(), asked.code()));
        assert!(waits, "{:#}", asked.report);
        let id = asked.report["plan"]["id"].clone();
        self.call(&["run", "--grant", id.as_str().expect("an id")], request)
    }

    pub(crate) fn call(&self, args: &[&str], request: &str) -> Answer {
        Answer::after(self.start(args, request))
    }

    /// Starts the binary with the request as its input, without waiting.
    pub(crate) fn start(&self, args: &[&str], request: &str) -> Child {
        use std::io::Write;
        let mut child = self.pi_graphite(args).spawn().expect("it starts");
        let mut stdin = child.stdin.take().expect("it is piped");
        // A binary that refuses early does not read to the end.
        drop(stdin.write_all(request.as_bytes()));
        child
    }

    pub(crate) fn pi_graphite(&self, args: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_pi-graphite"));
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// A command in the repository with the world's environment and nothing else.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(self.root()).envs(self.environment());
        command
    }

    fn environment(&self) -> Vec<(&'static str, String)> {
        let path = format!("{}:{}", self.path("bin").display(), std::env::var("PATH").unwrap_or_default());
        let mut vars =
            vec![("PATH", path), ("HOME", self.path("home").display().to_string()), ("LANG", "C.UTF-8".to_owned())];
        for who in ["GIT_AUTHOR", "GIT_COMMITTER"] {
            let (name, email, date) = match who {
                "GIT_AUTHOR" => ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE"),
                _ => ("GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE"),
            };
            vars.extend([
                (name, "Ada".to_owned()),
                (email, "ada@example.org".to_owned()),
                (date, "2026-01-02T03:04:05Z".to_owned()),
            ]);
        }
        for quiet in ["GRAPHITE_DISABLE_TELEMETRY", "GRAPHITE_DISABLE_UPGRADE_PROMPT"] {
            vars.push((quiet, "1".to_owned()));
        }
        // gt unpacks an addon of 13 MB into its cache on its first run.
        vars.push(("PKG_NATIVE_CACHE_PATH", addon_cache().display().to_string()));
        vars
    }
}

/// The real gt, installed by `cargo xtask test`.
fn real_gt() -> PathBuf {
    let folder = std::env::var_os("PI_GRAPHITE_TEST_GT").map(PathBuf::from);
    let gt = folder.map(|folder| folder.join("gt")).filter(|gt| gt.is_file());
    gt.expect("the tests need the real gt: run them by `cargo xtask test`, which installs it")
}

fn addon_cache() -> &'static Path {
    static CACHE: OnceLock<PathBuf> = OnceLock::new();
    CACHE.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gt-addon");
        fs::create_dir_all(&folder).expect("a folder");
        folder
    })
}

/// A repository that is made once and copied for every test.
fn template(gt: Gt, base: Base) -> &'static Path {
    static MADE: [OnceLock<PathBuf>; 6] = [const { OnceLock::new() }; 6];
    let at = match (gt, base) {
        (Gt::Fake, Base::Init) => 0,
        (Gt::Fake, Base::Stack) => 1,
        (Gt::Real, Base::Init) => 2,
        (Gt::Real, Base::Stack) => 3,
        (Gt::Fake, _) => 4,
        (Gt::Real, _) => 5,
    };
    MADE[at].get_or_init(|| {
        let world = World::bare(gt);
        fs::create_dir(world.root()).expect("a folder");
        world.sh("git init -qb main; commit base.txt");
        if matches!(base, Base::Init | Base::Stack) {
            world.sh("gt init --trunk main --no-interactive > /dev/null 2>&1");
        }
        if base == Base::Stack {
            world.sh("mk a a.txt; mk b b.txt; mk c c.txt");
        }
        keep(&world.root(), at)
    })
}

/// Keeps a template for this run beneath the target folder, and removes those of runs that are over.
fn keep(repo: &Path, at: usize) -> PathBuf {
    let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join("templates");
    let ours = all.join(std::process::id().to_string()).join(at.to_string());
    fs::create_dir_all(&ours).expect("a folder");
    for run in fs::read_dir(&all).expect("the folder of templates").flatten() {
        let pid = run.file_name().into_string().unwrap_or_default();
        if !Path::new("/proc").join(pid).exists() {
            // Two runs may both remove it.
            let _ = fs::remove_dir_all(run.path());
        }
    }
    copy(repo, &ours.join("repo"));
    ours
}

/// Copies a folder with everything in it, times kept so that the index stays fresh enough for git to trust or re-check;
/// or an executable, which no other thread's child can keep busy, since a process of its own writes it.
pub(crate) fn copy(from: &Path, to: &Path) {
    let done = Command::new("cp").arg("-a").arg(from).arg(to).status().expect("cp runs");
    assert!(done.success());
}
