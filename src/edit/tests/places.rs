//! Ranges to look within, many texts at once, and putting replacements together.

use std::ops::Range;

use crate::edit::{Match, Miss, Overlap, Parts, Replacement, Rung, View, Wanted, find_each, find_one, splice};

#[test]
fn only_places_within_the_ranges_count() {
    let view = View::new("b\r\n b\r\nb\r\n");
    let find_in = |old, within: &[Range<usize>]| {
        find_one(&view, &Wanted { old, new: "x" }, Match::Fuzzy, within).map(|found| found.range)
    };
    let find = |old, within| find_in(old, &[within]);
    assert_eq!(find("b", 3..10), Err(Miss::Ambiguous { rung: Rung::Exact, count: 2, lines: vec![2, 3] }));
    assert_eq!(find("b", 7..10), Ok(7..8));
    assert_eq!(find_in("b", &[0..2, 7..8]), Err(Miss::Ambiguous { rung: Rung::Exact, count: 2, lines: vec![1, 3] }));
    assert_eq!(find("b  \n", 3..7), Ok(3..7));
    assert!(matches!(find_in("b\nb", &[0..3, 3..7]), Err(Miss::NotFound(_))));
}

#[test]
fn many_texts_are_found_as_each_alone() {
    let body: String = (0..60).map(|index| format!("  line {index}  x\r\n")).collect();
    let view = View::new(&body);
    let olds: Vec<String> = (0..60)
        .flat_map(|index| [format!("line {index}  x\n"), format!("line {index} x"), format!("e {index}")])
        .chain([String::new(), "line".into(), "x\n  line".into(), "nowhere".into()])
        .collect();
    let wanted: Vec<Wanted<'_>> = olds.iter().map(|old| Wanted { old, new: "new" }).collect();
    let alone: Vec<_> = wanted.iter().map(|wanted| find_one(&view, wanted, Match::Fuzzy, &[view.whole()])).collect();
    assert_eq!(find_each(&view, &wanted, Match::Fuzzy, Parts::Any), alone);
    assert!(alone.iter().filter(|found| found.is_ok()).count() > 120);
}

#[test]
fn replacements_come_in_any_order_and_must_not_overlap() {
    let replacement = |range, text: &str| Replacement {
        range,
        text: text.into(),
        rung: Rung::Exact,
        score: 1.0,
        lines: (1, 1),
        unseen: Box::default(),
    };
    let (a, b, c) = (replacement(0..2, "A"), replacement(2..3, ""), replacement(1..3, "C"));
    assert_eq!(splice("abcd", &[b.clone(), a.clone()]), Ok("Ad".to_owned()));
    assert_eq!(splice("abcd", &[b, c, a]), Err(Overlap { first: 2, second: 1 }));
    assert_eq!(splice("abcd", &[]), Ok("abcd".to_owned()));
}

#[test]
fn lines_end_at_lf_or_crlf_only() {
    let body = "a\r\r\nb\rc\u{2028}\u{85}\u{b}\u{c}\nd";
    let view = View::new(body);
    let lines: Vec<&str> = (0..view.line_count()).map(|index| view.line(index)).collect();
    assert_eq!(lines, ["a\r", "b\rc\u{2028}\u{85}\u{b}\u{c}", "d"]);
    let ranges: String = (0..view.line_count()).map(|index| &body[view.line_range(index)]).collect();
    assert_eq!(ranges, body);
    assert!((0..body.len()).all(|byte| view.line_range(view.line_at(byte)).contains(&byte)));
    assert_eq!((View::new("").line_count(), View::new("\n").line_count()), (0, 1));
}
