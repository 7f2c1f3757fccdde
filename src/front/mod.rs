//! The fronts: where requests come in and reports go out.

pub mod cli;
mod doctor;
mod paint;
mod recover;
mod stack;
