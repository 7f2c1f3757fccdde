//! File operations beside what an optimised program needs for the same bytes on the same disk.

pub(crate) mod bare;
pub(crate) mod exact;
pub(crate) mod hunks;
pub(crate) mod input;
pub(crate) mod ladder;
pub(crate) mod peak;
pub(crate) mod several;
mod site;
