//! What every test stands on: a hermetic world with a repository, and stories that are played in it.

mod answer;
mod normal;
mod owner;
mod story;
mod treasure;
mod world;

pub(crate) use answer::Answer;
pub(crate) use owner::give_away;
pub(crate) use story::{file_names, play};
pub(crate) use treasure::Treasure;
pub(crate) use world::{Base, Gt, World};
