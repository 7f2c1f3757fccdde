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
pub(crate) use world::{Base, Gt, World, copy};

/// A module for each name, with a test that plays it on each gt. The caller's `play` takes the name and the gt.
macro_rules! on_gts {
    (both: $($both:ident)*; fake: $($fake:ident)*; real: $($real:ident)*;) => {
        $(mod $both {
            #[test]
            fn on_the_fake() { super::play(stringify!($both), crate::support::Gt::Fake); }
            #[test]
            fn on_real_gt() { super::play(stringify!($both), crate::support::Gt::Real); }
        })*
        $(mod $fake {
            #[test]
            fn on_the_fake() { super::play(stringify!($fake), crate::support::Gt::Fake); }
        })*
        $(mod $real {
            #[test]
            fn on_real_gt() { super::play(stringify!($real), crate::support::Gt::Real); }
        })*
    };
}
pub(crate) use on_gts;
