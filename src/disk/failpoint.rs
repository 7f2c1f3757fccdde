//! Where the tests can fail or kill this program: every step that changes a file of the workspace asks here first.
//!
//! Without the feature `failpoints` both questions are constants and cost nothing.

/// A call of the system that a kernel or a file system may not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    /// `openat2`.
    Openat2,
    /// `renameat2` with `RENAME_EXCHANGE` and `RENAME_NOREPLACE`.
    Exchange,
    /// `linkat`.
    Link,
}

/// The next step is about to be taken.
#[cfg(not(feature = "failpoints"))]
pub(super) fn step() -> std::io::Result<()> {
    Ok(())
}

/// Whether a test wants this call to be missing.
#[cfg(not(feature = "failpoints"))]
pub(super) const fn lacks(_: Call) -> bool {
    false
}

#[cfg(feature = "failpoints")]
pub use armed::arm;
#[cfg(feature = "failpoints")]
pub(super) use armed::{lacks, step};

#[cfg(feature = "failpoints")]
mod armed {
    use super::Call;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    static PLAN: OnceLock<Plan> = OnceLock::new();
    static STEPS: AtomicU64 = AtomicU64::new(0);

    #[derive(Debug, Default)]
    struct Plan {
        kill: Option<u64>,
        fail: Option<u64>,
        dead: Option<u64>,
        lacking: Vec<Call>,
    }

    /// Takes a plan for this process, once: words separated by commas. `kill:N` kills the process before step N,
    /// `fail:N` makes step N fail, `dead:N` that one and all after it; `no-openat2`, `no-exchange` and `no-link` take
    /// a call away.
    pub fn arm(plan: &str) {
        let mut armed = Plan::default();
        for word in plan.split(',') {
            let at = || word.split_once(':').and_then(|(_, number)| number.parse().ok());
            match word.split(':').next().unwrap_or_default() {
                "kill" => armed.kill = at(),
                "fail" => armed.fail = at(),
                "dead" => armed.dead = at(),
                "no-openat2" => armed.lacking.push(Call::Openat2),
                "no-exchange" => armed.lacking.push(Call::Exchange),
                "no-link" => armed.lacking.push(Call::Link),
                other => panic!("no failpoint is called {other:?}"),
            }
        }
        // A second plan would be a mistake of the test.
        PLAN.set(armed).expect("armed once");
    }

    pub(in crate::disk) fn step() -> std::io::Result<()> {
        let Some(plan) = PLAN.get() else { return Ok(()) };
        let step = STEPS.fetch_add(1, Ordering::SeqCst) + 1;
        if plan.kill == Some(step) {
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
            // Another thread may get here before the signal does.
            loop {
                std::thread::park();
            }
        }
        if plan.fail == Some(step) || plan.dead.is_some_and(|from| step >= from) {
            return Err(std::io::Error::other(format!("failpoint at step {step}")));
        }
        Ok(())
    }

    pub(in crate::disk) fn lacks(call: Call) -> bool {
        PLAN.get().is_some_and(|plan| plan.lacking.contains(&call))
    }
}
