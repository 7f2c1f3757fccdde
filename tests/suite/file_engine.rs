//! The one writer of files: killed, failed, raced and attacked, through the real binary.
//!
//! They need the feature `failpoints`, which lets a test kill or fail the binary before any step that changes a file.
#![cfg(feature = "failpoints")]
#![expect(clippy::print_stdout, reason = "the counts are part of the proof")]

mod editors;
mod failures;
mod foreign;
mod forged;
mod kills;
mod locks;
mod metadata;
mod places;
mod swaps;
mod together;
mod tools;
