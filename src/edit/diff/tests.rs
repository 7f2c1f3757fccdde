//! What diffs look like, that they lead from one text to the other, and that they stay small.

use proptest::prelude::*;

use super::{CUT, Frame, NO_FILE, brief, full, of_replacements};
use crate::edit::{Replacement, Rung, splice};

const FRAME: Frame<'static> = Frame { before: "f", after: "f", limit: usize::MAX };

/// What the first text becomes; everything that a patch program checks is checked.
fn apply(before: &str, diff: &str) -> String {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let (mut lines, mut new, mut used) = (diff.split_inclusive('\n').skip(2).peekable(), Vec::new(), 0);
    while let Some(header) = lines.next() {
        let numbers: Vec<usize> = header.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect();
        let sides: Vec<&str> = header.split(' ').collect();
        let count = |side: &str, at: usize| if side.contains(',') { numbers[at + 1] } else { 1 };
        let removed = count(sides[1], 0);
        let added = count(sides[2], if sides[1].contains(',') { 2 } else { 1 });
        let start = numbers[0] - usize::from(removed > 0);
        new.extend(old[used..start].iter().map(|line| (*line).to_owned()));
        used = start;
        assert_eq!(numbers[if sides[1].contains(',') { 2 } else { 1 }] - usize::from(added > 0), new.len(), "{diff}");
        let (used_before, new_before) = (used, new.len());
        while let Some(line) = lines.next_if(|line| !line.starts_with("@@")) {
            let mut text = line[1..].to_owned();
            if lines.next_if(|line| line.starts_with('\\')).is_some() {
                text.pop();
            }
            if !line.starts_with('+') {
                assert_eq!(old[used], text, "{diff}");
                used += 1;
            }
            if !line.starts_with('-') {
                new.push(text);
            }
        }
        assert_eq!((used - used_before, new.len() - new_before), (removed, added), "{diff}");
    }
    new.extend(old[used..].iter().map(|line| (*line).to_owned()));
    new.concat()
}

fn replaced(range: std::ops::Range<usize>, text: &str) -> Replacement {
    Replacement { range, text: text.into(), rung: Rung::Exact, score: 1.0, lines: (1, 1), unseen: Box::default() }
}

#[test]
fn the_form_is_that_of_diff_u() {
    let text = |before, after| full(&FRAME, before, after).text;
    assert_eq!(text("a\n", "a\n"), "");
    assert_eq!(text("a\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n"), "--- a/f\n+++ b/f\n@@ -2,4 +2,4 @@\n b\n c\n d\n-e\n+E\n");
    assert_eq!(text("a", "b\n"), "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n");
    assert_eq!(text("a\n", "a\r\n"), "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+a\r\n");
    let new = full(&Frame { before: NO_FILE, ..FRAME }, "", "a\n");
    assert_eq!(new.text, "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n");
    assert_eq!((new.added, new.removed, new.truncated), (1, 0, false));
    let gone = full(&Frame { after: NO_FILE, ..FRAME }, "a\nb\n", "");
    assert_eq!(gone.text, "--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n");
}

#[test]
fn odd_paths_are_written_as_git_writes_them() {
    let header =
        |path| full(&Frame { before: path, after: path, limit: 900 }, "", "a\n").text.lines().next().map(str::to_owned);
    assert_eq!(header("a b").as_deref(), Some("--- a/a b\t"));
    assert_eq!(header("a\"\n\u{1b}").as_deref(), Some(r#"--- "a/a\"\n\033""#));
    assert_eq!(header("ä").as_deref(), Some("--- a/ä"));
}

#[test]
fn a_diff_is_cut_at_its_limit() {
    let after: String = (0..100).map(|line| format!("ä line {line}\n")).collect();
    for limit in 0..1700 {
        let diff = full(&Frame { limit, ..FRAME }, "", &after);
        assert!(diff.text.len() <= limit.max(CUT.len()), "{limit}: {}", diff.text);
        assert_eq!((diff.truncated, diff.added), (diff.text.ends_with(CUT), 100), "{limit}");
    }
    let line = "x".repeat(1 << 20);
    let diff = full(&Frame { limit: 1000, ..FRAME }, &line, "");
    assert!(diff.text.len() > 900 && brief(&diff).starts_with("@@ -1 +0,0 @@\n-xxx"), "{}", diff.text);
}

#[test]
fn a_brief_diff_has_ten_lines_and_drives_no_terminal() {
    let after: String = (0..20).map(|line| format!("{line}\n")).collect();
    let text = brief(&full(&FRAME, "", &after));
    assert_eq!(text, "@@ -0,0 +1,20 @@\n+0\n+1\n+2\n+3\n+4\n+5\n+6\n+7\n+8\n... (diff truncated)\n");
    let text = brief(&full(&FRAME, "", "\u{1b}[2J\r\n\u{202e}\tx\n"));
    assert_eq!(text, "@@ -0,0 +1,2 @@\n+\\u{1b}[2J\\r\n+\\u{202e}\tx\n");
    let text = brief(&full(&FRAME, "", &format!("{}\n{}\n", "x".repeat(199), "x".repeat(200))));
    assert_eq!(text, format!("@@ -0,0 +1,2 @@\n+{}\n+{}...\n", "x".repeat(199), "x".repeat(196)));
    assert_eq!(brief(&full(&FRAME, "a", "a")), "No changes detected\n");
}

#[test]
fn far_changes_are_hunks_of_their_own() {
    let before: String = (0..1000).map(|line| format!("{line}\n")).collect();
    let at = |text: &str| before.find(text).expect("a line");
    let changes = [
        replaced(at("\n900\n") + 1..at("\n901\n") + 1, ""),
        replaced(at("\n500\n") + 2..at("\n500\n") + 2, "x\ny"),
        replaced(at("\n503\n")..at("\n503\n") + 1, ""),
    ];
    let after = splice(&before, &changes).expect("they do not overlap");
    let diff = of_replacements(&FRAME, &before, &changes);
    assert_eq!(diff, full(&FRAME, &before, &after));
    assert_eq!(apply(&before, &diff.text), after);
    assert_eq!(diff.text.matches("@@ -").count(), 2, "{}", diff.text);
}

/// Lines of a few kinds, as many as the large comparison is for.
fn many(seed: u64, kinds: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..6000).map(|_| format!("{}\n", next() % kinds)).collect()
}

#[test]
fn large_texts_are_compared_piece_by_piece() {
    for (seed, kinds) in [(1, 2), (2, 100), (3, 3000), (4, 1_000_000)] {
        let before = many(seed, kinds);
        let edited =
            format!("first\n{}{}last\n", &before.replacen("\n1\n", "\nx\n", 5), many(9, 2).get(..50).expect("long"));
        let other = many(seed + 7, kinds);
        for after in [edited, other.clone(), before.clone() + &other, String::new()] {
            assert_eq!(apply(&before, &full(&FRAME, &before, &after).text), after, "{seed}");
            assert_eq!(apply(&after, &full(&FRAME, &after, &before).text), before, "{seed}");
        }
    }
    let before = many(5, 100);
    let diff = full(&FRAME, &before, &format!("first\n{}last\n", before.replacen("\n7\n", "\n", 1)));
    assert_eq!((diff.added, diff.removed), (2, 1));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_diff_leads_from_one_text_to_the_other(before in "([ab]?\r?\n){0,30}[ab]?", after in "([ab]?\r?\n){0,30}[ab]?") {
        let diff = full(&FRAME, &before, &after);
        prop_assert_eq!(apply(&before, &diff.text), after);
        let signs = |sign: char| diff.text.lines().skip(2).filter(|line| line.starts_with(sign)).count();
        prop_assert_eq!((signs('+'), signs('-')), (diff.added, diff.removed));
    }

    #[test]
    fn replacements_give_the_diff_of_the_whole(
        before in "([ab]{0,3}\r?\n){0,300}[ab]?",
        cuts in prop::collection::vec((any::<prop::sample::Index>(), "[ab\n]{0,4}"), 1..6),
    ) {
        let mut at: Vec<usize> = cuts.iter().flat_map(|(at, _)| [at.index(before.len() + 1), at.index(before.len() + 1) + 7]).map(|at| at.min(before.len())).collect();
        at.sort_unstable();
        let changes: Vec<Replacement> = at.chunks(2).zip(&cuts).map(|(two, (_, text))| replaced(two[0]..two[1], text)).collect();
        let after = splice(&before, &changes).expect("they do not overlap");
        let diff = of_replacements(&FRAME, &before, &changes);
        prop_assert_eq!(apply(&before, &diff.text), after);
    }
}
