//! Tests of patches: the corpus, what is found in files, and properties.

mod anchors;
mod corpus;

mod properties;
mod resolving;

use super::{Hunk, SectionChange, parse, resolve};
use crate::edit::{Kind, Match, splice};

/// The hunks of an update, which is written without its header.
fn hunks(update: &str) -> Vec<Hunk> {
    let patch = parse(&format!("*** Update File: f\n{update}")).expect("a patch");
    match patch.sections.into_iter().next().expect("a patch has sections").change {
        SectionChange::Update { hunks, move_to: _ } => hunks,
        other @ (SectionChange::Add { .. } | SectionChange::Delete | SectionChange::Move { .. }) => panic!("{other:?}"),
    }
}

/// The body after an update, or what the update is refused with.
fn updated(body: &str, update: &str) -> String {
    let hunks = hunks(update);
    match resolve(body, &hunks.iter().collect::<Vec<_>>(), (Match::Fuzzy, Kind::Code)) {
        Ok(replacements) => splice(body, &replacements).expect("they do not overlap"),
        Err(error) => error.message("update", "f"),
    }
}
