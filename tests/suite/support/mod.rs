//! What every test stands on: a hermetic world with a repository, and stories that are played in it.

mod answer;
mod normal;
mod story;
mod world;

pub(crate) use answer::Answer;
pub(crate) use story::{file_names, play};
pub(crate) use world::{Base, Gt, World};
