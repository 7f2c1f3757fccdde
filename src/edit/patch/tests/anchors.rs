//! Under which lines a hunk may be, by the line that it names.

use super::hunks;
use crate::edit::patch::{Kind, resolve};
use crate::edit::{Match, splice};

/// The body after an update of a file of this name; nothing for a refusal.
fn updated(name: &str, body: &str, update: &str) -> Option<String> {
    let hunks = hunks(update);
    let found = resolve(body, &hunks.iter().collect::<Vec<_>>(), (Match::Fuzzy, Kind::of(name))).ok()?;
    Some(splice(body, &found).expect("they do not overlap"))
}

/// Each text of the list has a line `both` in the block that `@@` names and in another one below, and a line `other` only in
/// that.
#[test]
fn a_named_line_stands_for_its_block_in_every_language() {
    let list = include_str!("../../../../fixtures/anchors.txt");
    for text in list.split("<<<< ").skip(1) {
        let (head, body) = text.split_once("----\n").expect("a head and a body");
        let said = |key: &str| head.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
        let (name, anchor) = (head.lines().next().expect("a name"), said("@@").expect("an anchor"));
        let update = |line: &str| updated(name, body, &format!("@@ {anchor}\n-{line}\n+new\n"));
        if let Some(both) = said("both") {
            let after = body.replacen(&format!("\n{both}\n"), "\nnew\n", 1);
            assert_eq!(update(both), Some(after), "{text}");
        }
        if let Some(other) = said("other") {
            assert_eq!(update(other), None, "{text}");
        }
    }
    assert!(list.matches("\nother ").count() > 20, "the list is read");
}

/// Each text of the list has an update, and the text after it or that it is refused.
/// Each text of the list has an update, and the text after it or that it is refused.
#[test]
fn blocks_hold_all_that_is_theirs_and_hunks_may_show_more() {
    let mut count = 0;
    for row in include_str!("../../../../fixtures/anchored.txt").split("<<<< ").skip(1) {
        let (name, row) = row.split_once('\n').expect("a name");
        let [body, update, after] = row.split("====\n").collect::<Vec<_>>()[..] else { panic!("three parts: {row}") };
        let after = (after != "refused\n").then(|| after.to_owned());
        assert_eq!(updated(name, body, update), after, "{row}");
        count += 1;
    }
    assert!(count > 20, "the list is read");
}
