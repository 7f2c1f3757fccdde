//! Repositories with a Graphite stack, and what is run in them.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// What a repository holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) files: usize,
    /// Branches beside the three of the stack, all on the trunk.
    pub(crate) branches: usize,
    /// Tags, packed.
    pub(crate) tags: usize,
}

/// One commit, `main` ← `a` ← `b` ← `c`, a file each; `c` is checked out.
pub(crate) const SMALL: Size = Size { files: 3, branches: 0, tags: 0 };
pub(crate) const WIDE: Size = Size { branches: 200, ..SMALL };
pub(crate) const LARGE: Size = Size { files: 50_000, ..SMALL };
pub(crate) const REFS: Size = Size { tags: 10_000, ..SMALL };

/// A repository of its own. It is removed in the end.
pub(crate) struct Repository {
    temp: tempfile::TempDir,
}

/// The branch of a number.
pub(crate) fn branch(number: usize) -> String {
    format!("other-{number}")
}

impl Repository {
    pub(crate) fn new(size: Size) -> Self {
        let temp = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("there is room");
        let made = Self { temp };
        for folder in ["work", "home"] {
            std::fs::create_dir(made.path(folder)).expect("the name is free");
        }
        made.sh("git init -q -b main; git config user.name bench; git config user.email bench@example.org");
        made.import(size);
        made.sh("git reset -q --hard; gt init --trunk main --no-interactive");
        for name in ["a", "b", "c"] {
            made.sh(&format!(
                "echo {name} > {name}; git add {name}; gt create {name} --message={name} --no-interactive"
            ));
        }
        made.track(size.branches);
        // An index that is as old as the files proves nothing about them.
        std::thread::sleep(Duration::from_millis(1_100));
        made.sh("git pack-refs --all; git update-index -q --really-refresh; git status > /dev/null");
        made
    }

    /// A copy, in the same state.
    pub(crate) fn copy(&self) -> Self {
        let temp = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("there is room");
        let copied = Command::new("cp").arg("-a").arg(self.temp.path().join(".")).arg(temp.path()).status();
        assert!(copied.expect("cp is there").success(), "a repository is copied");
        Self { temp }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    fn import(&self, size: Size) {
        let mut stream =
            String::from("commit refs/heads/main\ncommitter bench <bench@example.org> 0 +0000\ndata 1\nx\n");
        for at in 0..size.files {
            let text = format!("fn f{at}() {{}}\n");
            let name = format!("d{}/s{}/file_{at}.rs", at / 1_000, at / 25 % 40);
            let _ = write!(stream, "M 100644 inline {name}\ndata {}\n{text}\n", text.len());
        }
        for at in 0..size.tags {
            let _ = write!(stream, "reset refs/tags/v{at}\nfrom refs/heads/main\n\n");
        }
        for at in 0..size.branches {
            let name = branch(at);
            let _ = write!(
                stream,
                "commit refs/heads/{name}\ncommitter bench <bench@example.org> 0 +0000\ndata 1\nx\nfrom refs/heads/main\nM 100644 inline {name}\ndata 1\nx\n"
            );
        }
        let mut git =
            self.command("git").args(["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().expect("git starts");
        git.stdin.take().expect("it is piped").write_all(stream.as_bytes()).expect("git reads");
        assert!(git.wait().expect("git ends").success(), "git imports");
    }

    /// Writes branches into Graphite's database as `gt track` would: a start of gt for each takes minutes.
    fn track(&self, branches: usize) {
        if branches == 0 {
            return;
        }
        let main = self.sh("git rev-parse main").trim().to_owned();
        let tips = self.sh("git for-each-ref --format='%(refname:short) %(objectname)' refs/heads/other-*");
        let database = rusqlite::Connection::open(self.path("work/.git/.graphite_metadata.db")).expect("gt made it");
        database.execute_batch("BEGIN").expect("nobody else writes");
        for line in tips.lines() {
            let (name, id) = line.split_once(' ').expect("a name and an id");
            database
                .execute(
                    "INSERT OR REPLACE INTO branch_metadata (branch_name, parent_branch_name, parent_branch_revision, children, branch_revision, validation_result, parent_head_revision) VALUES (?1, 'main', ?2, '[]', ?3, 'VALID', ?2)",
                    (name, &main, id),
                )
                .expect("it is gt's schema");
        }
        let mut children: Vec<String> = (0..branches).map(branch).collect();
        children.insert(0, "a".to_owned());
        let children = serde_json::to_string(&children).expect("names");
        database
            .execute("UPDATE branch_metadata SET children = ?1 WHERE branch_name = 'main'", [children])
            .expect("a row");
        database.execute_batch("COMMIT").expect("nobody else writes");
    }

    /// A program with the environment of a person.
    pub(crate) fn command(&self, program: &str) -> Command {
        let shim = std::env::var("PI_GRAPHITE_TEST_GT_SHIM").expect("`cargo xtask bench` names the folder of gt");
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new(program);
        command
            .current_dir(self.path("work"))
            .env_clear()
            .env("HOME", self.path("home"))
            .env("PATH", format!("{shim}:{path}"));
        command
    }

    /// Runs a shell script that must succeed, and returns what it prints.
    pub(crate) fn sh(&self, script: &str) -> String {
        let output = self.command("sh").args(["-ec", script]).output().expect("there is a shell");
        assert!(output.status.success(), "{script}: {}", told(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The time of a program that must succeed.
    pub(crate) fn time(&self, program: &str, args: &[&str]) -> Duration {
        let mut command = self.command(program);
        command.args(args);
        let started = Instant::now();
        let output = command.output().expect("it starts");
        let time = started.elapsed();
        assert!(output.status.success(), "{program} {args:?}: {}", told(&output));
        time
    }

    /// A request as a file for standard input.
    pub(crate) fn request(&self, request: &Value) -> File {
        let path = self.path("home/request.json");
        std::fs::write(&path, request.to_string()).expect("there is room");
        File::open(path).expect("it was just made")
    }

    /// The time of `pi-graphite`, and its report, which must have this status.
    pub(crate) fn answer(&self, args: &[&str], request: &Value, status: &str) -> (Duration, Value) {
        let mut command = self.command(env!("CARGO_BIN_EXE_pi-graphite"));
        command.args(args).stdin(self.request(request));
        let started = Instant::now();
        let output = command.output().expect("it was built with this benchmark");
        let time = started.elapsed();
        let report: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no report: {}", told(&output)));
        assert_eq!(report["status"], status, "{report:#}");
        (time, report)
    }

    /// The most memory that a run of ours takes, in bytes.
    pub(crate) fn peak(&self, request: &Value) -> u64 {
        let mut command = self.command("/proc/self/exe");
        command.arg("run").stdin(self.request(request));
        crate::files::peak::of(command)
    }
}

/// What the child of a report took.
pub(crate) fn child(report: &Value) -> Duration {
    Duration::from_secs_f64(report["timing"]["command_ms"].as_f64().unwrap_or_default() / 1e3)
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}
