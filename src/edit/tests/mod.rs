//! Tests of the ladder as a whole: tables of single edits, and properties.

mod help;
mod indentation;
mod ladder;
mod places;
mod properties;

use super::{Match, Miss, Replacement, Rung, View, Wanted, find_one, splice};

/// The result of one edit anywhere in a text.
fn one(body: &str, old: &str, new: &str, how: Match) -> Result<Replacement, Miss> {
    let view = View::new(body);
    find_one(&view, &Wanted { old, new }, how, &[view.whole()])
}

/// The rung that decided and the text after the edit.
#[track_caller]
fn edited(body: &str, old: &str, new: &str) -> (Rung, String) {
    let found = one(body, old, new, Match::Fuzzy).expect("a match");
    let text = splice(body, std::slice::from_ref(&found)).expect("one replacement does not overlap");
    (found.rung, text)
}
