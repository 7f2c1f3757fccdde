//! Who is still there: processes by number and start time, and children that outlived the process that started them.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::process::{Pid, Signal};

/// A process that cannot be confused with a later one of the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessId {
    /// The number.
    pub pid: u32,
    /// When it started, in clock ticks since the machine did; 0 where the system does not tell.
    pub started: u64,
}

/// Process groups whose members still have a lock file as their standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orphans(Vec<i32>);

impl ProcessId {
    /// This process.
    #[must_use]
    pub fn current() -> Self {
        let pid = std::process::id();
        Self { pid, started: start_time(pid).unwrap_or_default() }
    }

    /// Whether this very process is still there.
    #[must_use]
    pub fn is_alive(self) -> bool {
        match start_time(self.pid) {
            Some(started) => started == self.started,
            None => {
                cfg!(not(target_os = "linux"))
                    && i32::try_from(self.pid)
                        .ok()
                        .and_then(Pid::from_raw)
                        .is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
            }
        }
    }
}

/// Field 22 of `/proc/<pid>/stat`; `None` where there is no such process or no `/proc`. A zombie is gone.
fn start_time(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is a name in parentheses that may hold anything, a closing parenthesis too.
    let after_name = stat.get(stat.rfind(')')? + 2..)?;
    let mut fields = after_name.split(' ');
    (fields.next()? != "Z").then(|| fields.nth(18)?.parse().ok())?
}

/// The process groups of this user's processes that have `lock` as standard input: children that got it from a holder.
///
/// Limitation: empty where there is no `/proc`.
#[must_use]
pub fn orphans_holding(lock: &File) -> Orphans {
    let Ok(ours) = lock.metadata() else { return Orphans(Vec::new()) };
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut groups: Vec<i32> = entries.filter_map(|entry| group_with_stdin(&entry.path(), &ours)).collect();
    groups.sort_unstable();
    groups.dedup();
    Orphans(groups)
}

fn group_with_stdin(process: &Path, lock: &std::fs::Metadata) -> Option<i32> {
    let pid: i32 = process.file_name()?.to_str()?.parse().ok()?;
    let stdin = std::fs::metadata(process.join("fd/0")).ok()?;
    if (stdin.dev(), stdin.ino()) != (lock.dev(), lock.ino()) || pid == i32::try_from(std::process::id()).ok()? {
        return None;
    }
    let group = rustix::process::getpgid(Pid::from_raw(pid)).ok()?;
    (group != rustix::process::getpgrp()).then(|| group.as_raw_nonzero().get())
}

impl Orphans {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Interrupts them, which makes gt put everything back.
    pub fn interrupt(&self) {
        self.signal(Signal::INT);
    }

    /// Kills them.
    pub fn kill(&self) {
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        for group in self.0.iter().filter_map(|group| Pid::from_raw(*group)) {
            // A group that is gone needs no signal.
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }
}
