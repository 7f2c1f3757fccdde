//! A repository of its own on the target's disk, and requests to the engine there: in process and as a process.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use pi_graphite::command::{Cancel, Environment};
use pi_graphite::config::Config;
use pi_graphite::engine::{Context, Mode, Report, Status, accept, perform};
use pi_graphite::fault::Code;
use serde_json::{Value, json};

/// The repository. It is removed in the end.
pub(crate) struct Site {
    _temp: tempfile::TempDir,
    root: PathBuf,
    home: PathBuf,
    context: Context,
}

/// Two requests of which each takes back what the other does, so that all rounds are alike.
pub(crate) struct Flip {
    requests: [Vec<u8>; 2],
    next: usize,
}

impl Site {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("there is room");
        let (root, home) = (temp.path().join("work"), temp.path().join("home"));
        for folder in [&root, &home] {
            std::fs::create_dir(folder).expect("the name is free");
        }
        let made = Command::new("git").args(["init", "--quiet"]).arg(&root).status().expect("git is installed");
        assert!(made.success(), "git makes a repository");
        let context = Context {
            cwd: root.clone(),
            env: Environment::of([("HOME", home.as_os_str())]),
            config: Config::default(),
            grant: None,
            read_only: false,
            workspace: None,
            session: "bench".to_owned(),
            allow_write: true,
            timeout: Duration::from_mins(5),
            lock_wait: Duration::from_secs(30),
            cancel: Cancel::never(),
            clock: || std::time::UNIX_EPOCH.elapsed().unwrap_or_default(),
        };
        Self { _temp: temp, root, home, context }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Makes a file that is on the disk before anything is measured.
    pub(crate) fn put(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("it lies in the repository")).expect("the folder is ours");
        let mut file = File::create(path).expect("the folder is ours");
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).expect("there is room");
    }

    /// From the bytes of a request to the bytes of its report.
    pub(crate) fn send(&self, request: &[u8]) -> (Duration, Report) {
        let started = Instant::now();
        let accepted = accept(request).expect("the request is right");
        let report = perform(&self.context, &accepted, Mode::Run);
        std::hint::black_box(serde_json::to_vec(&report).expect("plain data serialises"));
        (started.elapsed(), report)
    }

    /// The time of a request that must be done.
    pub(crate) fn done(&self, request: &[u8]) -> Duration {
        let (time, report) = self.send(request);
        assert_eq!(report.status, Status::Done, "{}", report.text);
        time
    }

    /// The time of a request that must find nothing.
    pub(crate) fn missed(&self, request: &[u8]) -> Duration {
        let (time, report) = self.send(request);
        assert_eq!(report.fault.map(|fault| fault.code), Some(Code::NoMatch), "{}", report.text);
        time
    }

    /// The time of the whole program, from its start to its end.
    pub(crate) fn process(&self, request: &[u8]) -> Duration {
        let input = self.input(request);
        let mut command = self.command(Path::new(env!("CARGO_BIN_EXE_pi-graphite")));
        command.args(["run", "--allow-write", "--session", "bench"]).stdin(input).stdout(Stdio::piped());
        let started = Instant::now();
        let output = command.output().expect("it was built with this benchmark");
        let time = started.elapsed();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        time
    }

    /// A program that runs here with an environment of its own.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root).env_clear().env("HOME", &self.home);
        command
    }

    /// A request as a file for standard input.
    pub(crate) fn input(&self, request: &[u8]) -> File {
        let path = self.home.join("request.json");
        std::fs::write(&path, request).expect("there is room");
        File::open(path).expect("it was just made")
    }
}

impl Flip {
    /// The request that `of` makes of (before, after) and of (after, before).
    pub(crate) fn new<T: Copy>((before, after): (T, T), of: impl Fn(T, T) -> Value) -> Self {
        Self { requests: [of(before, after), of(after, before)].map(|value| value.to_string().into_bytes()), next: 0 }
    }

    /// The next one.
    pub(crate) fn turn(&mut self) -> &[u8] {
        self.next = 1 - self.next;
        &self.requests[1 - self.next]
    }
}

/// A request to replace one text in one file.
pub(crate) fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({ "operation": "edit_file", "path": path, "old_string": old, "new_string": new })
}

/// A request to apply a patch.
pub(crate) fn patch(text: &str) -> Value {
    json!({ "operation": "apply_patch", "patch": text })
}
