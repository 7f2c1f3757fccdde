//! Stack operations beside gt as a person runs it, and looks beside git.
//!
//! Needs the real gt: `cargo xtask bench` fetches it and names its folder in `PI_GRAPHITE_TEST_GT_SHIM`.

pub(crate) mod growth;
pub(crate) mod looks;
pub(crate) mod mutations;
pub(crate) mod questions;
pub(crate) mod repository;
pub(crate) mod small;
