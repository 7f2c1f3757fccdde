//! What a miss tells.

use super::one;
use crate::edit::{Match, Miss, NotFoundHelp};

#[track_caller]
fn help(body: &str, old: &str, how: Match) -> NotFoundHelp {
    match one(body, old, "new", how) {
        Err(Miss::NotFound(help)) => help,
        other => panic!("not a miss: {other:?}"),
    }
}

#[test]
fn the_nearest_place_says_why_it_differs() {
    let table = [
        (
            "a = 1\nlet total = sum(a);\n",
            "let total = sun(a);",
            "line 2 differs: wanted `let total = sun(a);`, found `let total = sum(a);`",
        ),
        (
            "He said “hi”.\n",
            "He said \"hi\".",
            "line 1 differs: in characters that look alike: U+201C (left double quotation mark, taken for `\"`) in the text, U+201D (right double quotation mark, taken for `\"`) in the text; wanted `He said \"hi\".`, found `He said “hi”.`",
        ),
        (
            "a\u{a0}= 1\n",
            "a = 1",
            "line 1 differs: in characters that look alike: U+00A0 (no-break space, taken for ` `) in the text; wanted `a = 1`, found `a\u{a0}= 1`",
        ),
        (
            "cafe\u{301} one\n",
            "café one",
            "line 1 differs: in Unicode composition: `old_string` is composed, the text is decomposed; wanted `café one`, found `cafe\u{301} one`",
        ),
        (
            "MAX_SIZE = 10\n",
            "max_size = 10",
            "line 1 differs: in upper and lower case only: wanted `max_size = 10`, found `MAX_SIZE = 10`",
        ),
        ("first line\nsecond\n", "first line\nsecond\nthird", "the text ends before line 3 of `old_string`"),
    ];
    for (body, old, why) in table {
        assert_eq!(help(body, old, Match::Fuzzy).nearest.first().map(|near| &*near.why), Some(why), "{body:?}");
    }
}

#[test]
fn a_miss_for_white_space_says_so() {
    let found = help("a\n  b  = 1\n", "  b = 1", Match::Exact);
    assert_eq!(found.nearest[0].why, "line 2 differs in white space only, which `match: exact` does not forgive");
    assert_eq!((found.nearest[0].lines, &*found.nearest[0].shown), ((2, 2), &[(2, "  b  = 1".to_owned())][..]));
}

#[test]
fn oddities_of_the_request_are_named() {
    let table = [
        (
            "a\tb\nc\n",
            "a\\tb\\nc",
            "`old_string` has literal escapes as `\\n` or `\\t`; with the characters themselves it would match at line 1",
        ),
        (
            "x\na\nb\n",
            "     2\ta\n     3\tb\n",
            "`old_string` has line numbers from a numbered read; without them it would match at line 2",
        ),
        ("x\na\n", "  7\tq\n", "`old_string` has line numbers from a numbered read; leave them out"),
        (
            "a\nfoo()\nb\n",
            "\n\nfoo()\n\n",
            "`old_string` begins or ends with blank lines; without them it would match at line 2",
        ),
    ];
    for (body, old, hint) in table {
        assert_eq!(help(body, old, Match::Fuzzy).hints, [hint], "{body:?}");
    }
}

#[test]
fn the_best_of_many_places_comes_first_and_three_are_shown() {
    let body: String = (0..500).map(|index| format!("fn f{index}() {{\n    call({index});\n}}\n\n")).collect();
    let found = help(&body, "fn f77() {\n    coll(77);\n}\n\nfn f78() {", Match::Whitespace);
    assert_eq!(found.nearest[0].lines, (309, 313));
    assert_eq!(found.nearest[0].why, "line 310 differs: wanted `coll(77);`, found `call(77);`");
    assert!(found.nearest.len() <= 3);
}

#[test]
fn what_is_shown_is_bounded() {
    let long = "word ".repeat(10_000);
    let body = format!("{long}\n").repeat(20);
    let old = format!("{long}x\n").repeat(12);
    for near in help(&body, &old, Match::Fuzzy).nearest {
        assert!(near.shown.len() <= 5 && near.shown.iter().all(|(_, line)| line.chars().count() <= 201));
        assert!(near.why.chars().count() < 1000);
    }
}

#[test]
fn too_many_look_alikes_are_said_and_none_is_picked() {
    let body = "a b c d\n".repeat(4000);
    let old = format!("{}a b x d\n{}", "a b c d\n".repeat(500), "a b c d\n".repeat(500));
    assert_eq!(
        help(&body, &old, Match::Fuzzy).hints,
        ["too many blocks begin and end like `old_string` to compare them all; give the exact lines"]
    );
}
