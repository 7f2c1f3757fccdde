//! Guarded Graphite stack operations and file edits for software agents.
//!
//! One request goes down once and comes back once: [`engine::accept`] lets it in (bytes, one JSON object, the schema of
//! its variant, serde), [`engine::perform`] opens the repository, takes the lock, looks, plans, runs, looks again and
//! verifies. Everything that a model must not choose is in [`engine::Context`].
//!
//! ```no_run
//! use pi_graphite::{command, config, engine};
//!
//! let accepted = engine::accept(br#"{"operation": "inspect", "target": "state"}"#)?;
//! let context = engine::Context {
//!     cwd: "/path/to/worktree".into(),
//!     env: command::Environment::of([("PATH", "/usr/local/bin:/usr/bin"), ("HOME", "/home/me")]),
//!     config: config::Config::default(),
//!     grant: None,
//!     read_only: false,
//!     workspace: None,
//!     session: "default".to_owned(),
//!     allow_write: false,
//!     timeout: std::time::Duration::from_secs(300),
//!     lock_wait: std::time::Duration::from_secs(30),
//!     cancel: command::Cancel::never(),
//!     clock: || std::time::UNIX_EPOCH.elapsed().unwrap_or_default(),
//! };
//! let report = engine::perform(&context, &accepted, engine::Mode::Run);
//! println!("{}", report.text);
//! # Ok::<(), pi_graphite::fault::Fault>(())
//! ```

#[cfg(not(unix))]
compile_error!("pi-graphite runs on Linux, and builds on macOS");

pub mod approval;
pub mod catalog;
pub mod command;
pub mod config;
pub mod disk;
pub mod edit;
pub mod engine;
pub mod fault;
pub mod files;
pub mod front;
pub mod operation;
pub mod plan;
pub mod repo;
pub mod value;
