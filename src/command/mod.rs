//! The one door to other processes: a closed vocabulary of words, a built environment, and `run`.

mod argv;
mod capture;
mod env;
mod locate;
mod reading;
mod run;
mod word;

pub use argv::{Argv, ArgvError};
pub use capture::Capture;
pub use env::{Environment, Patience};
pub use locate::{Executable, Identity, LocateError, find_git, find_gt};
pub use reading::{SUPPORTED_GT, parse_version, skipped_branches};
pub use run::{Cancel, CancelSource, Ended, Invocation, Limits, Outcome, SpawnError, run};
pub use word::{Flag, Program, Word};
