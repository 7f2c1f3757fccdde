//! The suite: the real binary on real repositories, with a fake gt that can lie and with the real one.
#![expect(
    clippy::disallowed_methods,
    reason = "tests set worlds up: they start processes, read the environment and write files"
)]

mod cases;
mod codes;
mod differential;
mod file_engine;
mod file_guards;
mod gate;
mod grants;
mod guards;
mod hazards;
mod hostile_environment;
mod hostile_repository;
mod processes;
mod stopping;
mod stories;
mod support;
mod together;
mod v4a;
