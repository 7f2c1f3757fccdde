//! What holds for any text.

use std::ops::Range;

use proptest::prelude::*;

use super::one;
use crate::edit::anchor::{Verdict, alike};
use crate::edit::needle::{Block, Needle};
use crate::edit::similar::{Budget, ratio};
use crate::edit::view::is_blank;
use crate::edit::{Match, Miss, Parts, Rung, View, Wanted, find_all, find_each, find_one, splice};

/// Text of few different characters, so that places repeat, with all kinds of line ends and white space.
fn text() -> impl Strategy<Value = String> {
    let part =
        prop::sample::select(vec!["a", "b", "é", " ", "\t", "\n", "\r\n", "\r", "{", "}", "\u{2028}", "a\n", "  b\n"]);
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

/// A text of lines and some of its lines, drifted in white space.
fn drifted() -> impl Strategy<Value = (String, String)> {
    let line = || (0..3_usize, prop::sample::select(vec!["a", "b c", "d  e", ""]), 0..2_usize);
    (prop::collection::vec(line(), 1..8), any::<prop::sample::Index>(), 1..4_usize, 0..3_usize).prop_map(
        |(lines, at, size, drift)| {
            let make = |more: usize| {
                let of = |(depth, text, trailing): &(usize, &str, usize)| {
                    format!("{}{text}{}", " ".repeat(depth + more), " ".repeat(trailing + more))
                };
                lines.iter().map(of).collect::<Vec<_>>()
            };
            let start = at.index(lines.len());
            let old = make(drift)[start..(start + size).min(lines.len())].join("\n");
            (make(0).join("\n") + "\n", old)
        },
    )
}

/// Places on the first four rungs, found one by one.
fn naive(body: &str, old: &str) -> Option<(u8, usize)> {
    let (body, old) = (body.replace("\r\n", "\n"), old.replace("\r\n", "\n"));
    let exact = (0..body.len()).filter(|&at| body.is_char_boundary(at) && body[at..].starts_with(&old)).count();
    if exact > 0 {
        return Some((1, exact));
    }
    if old.trim().is_empty() {
        return None;
    }
    let lines = |text: &str| text.strip_suffix('\n').unwrap_or(text).split('\n').map(str::to_owned).collect::<Vec<_>>();
    let trimmed = |line: &String| line.trim_matches([' ', '\t']).to_owned();
    let words = |line: &String| line.split([' ', '\t']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let count = |fold: &dyn Fn(&String) -> String| {
        let body: Vec<String> = if body.is_empty() { Vec::new() } else { lines(&body).iter().map(fold).collect() };
        let old: Vec<String> = lines(&old).iter().map(fold).collect();
        body.windows(old.len()).filter(|window| *window == old).count()
    };
    [(2, count(&trimmed)), (3, count(&words))].into_iter().find(|(_, count)| *count > 0)
}

/// A file of blocks between the same few lines, and one of its blocks with another interior.
fn blocks() -> impl Strategy<Value = (String, String)> {
    let line = || prop::sample::select(vec!["if x {", "}", "alpha(1);", "alpha(2);", "beta(1, 2);", "gamma", ""]);
    let block = prop::collection::vec(line(), 1..6).prop_map(|lines| format!("if x {{\n{}\n}}", lines.join("\n")));
    (prop::collection::vec(line(), 3..30).prop_map(|lines| lines.join("\n") + "\n"), block)
}

/// The first line of the one block that is alike enough by a margin, or how many are within it; all are compared.
fn naive_block(body: &str, old: &str) -> Option<Result<usize, usize>> {
    let (body, old): (Vec<&str>, Vec<&str>) = (body.lines().collect(), old.lines().collect());
    let interior = old.iter().skip(1).take(old.len().saturating_sub(2)).any(|line| !line.is_empty());
    let mut scores = Vec::new();
    for start in 0..body.len() {
        for end in (start + 1..body.len()).take_while(|end| interior && end - start < 2 * old.len()) {
            let block = &body[start..=end];
            let is_long_enough = 2 * block.len() >= old.len();
            if is_long_enough && block.first() == old.first() && block.last() == old.last() {
                let score = ratio(&block.join("\n"), &old.join("\n"), &mut Budget(usize::MAX)).expect("enough budget");
                scores.push((score, start));
            }
        }
    }
    let best = scores.iter().map(|(score, _)| *score).fold(0.0, f64::max);
    scores.retain(|(score, _)| best - score < 0.05 - 1e-9);
    (best >= 0.7).then(|| if scores.len() == 1 { Ok(scores[0].1) } else { Err(scores.len()) })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_searched_without_a_panic(body in any::<String>(), old in any::<String>(), new in any::<String>()) {
        for how in [Match::Exact, Match::Whitespace, Match::Fuzzy] {
            drop(one(&body, &old, &new, how));
            drop(find_all(&View::new(&body), &Wanted { old: &old, new: &new }, how));
        }
    }

    #[test]
    fn the_ladder_decides_as_a_naive_one((body, old) in prop_oneof![drifted(), (text(), text())]) {
        let level = |rung: Rung| match rung {
            Rung::Exact => 1,
            Rung::LineTrimmed | Rung::IndentationFlexible => 2,
            Rung::WhitespaceNormalised => 3,
            Rung::BlockAnchor => 5,
        };
        let found = match one(&body, &old, "NEW", Match::Whitespace) {
            Ok(found) => Some((level(found.rung), 1)),
            Err(Miss::Ambiguous { rung, count, .. }) => Some((level(rung), count)),
            Err(Miss::NotFound(_)) => None,
            Err(Miss::EmptyOld | Miss::Noop) => return Ok(()),
        };
        prop_assert_eq!(found, naive(&body, &old));
    }

    #[test]
    fn the_block_is_the_one_of_a_naive_search((body, old) in blocks()) {
        let needle = Needle::of(Wanted { old: &old, new: "NEW" }).expect("neither empty nor equal");
        let found = match alike(&View::new(&body), &Block::of(&needle), |_| true).expect("enough budget") {
            Verdict::One(_, lines) => Some(Ok(lines.start)),
            Verdict::Several(starts) => Some(Err(starts.len())),
            Verdict::None => None,
        };
        prop_assert_eq!(found, naive_block(&body, &old));
    }

    #[test]
    fn what_differs_elsewhere_in_a_block_is_merged(
        (size, changed) in (6_usize..30).prop_flat_map(|size| (Just(size), 3..size - 2)),
        drifts in prop::collection::vec((1_usize..29, 0_usize..3), 1..4),
        put in prop::collection::vec("[xyz]{3}", 0..3),
    ) {
        let lines: Vec<String> = (0..size).map(|line| format!("    statement {line} of the block\n")).collect();
        let block = |lines: &[String]| format!("fn block() {{\n{}}}\n", lines.concat());
        let (mut file, mut new, mut merged) = (lines.clone(), lines.clone(), lines.clone());
        let text: String = put.iter().map(|line| format!("    {line}\n")).collect();
        new[changed].clone_from(&text);
        merged[changed] = text;
        for (at, kind) in drifts {
            let is_beside = at + 1 >= changed && at <= changed + 1;
            if at >= size || is_beside || lines[at] != file[at] {
                continue;
            }
            file[at] = match kind {
                0 => String::new(),
                1 => format!("    {at} is another statement\n"),
                _ => format!("{}    more of {at}\n", lines[at]),
            };
            merged[at].clone_from(&file[at]);
        }
        let (body, old) = (block(&file), block(&lines));
        match one(&body, &old, &block(&new), Match::Fuzzy) {
            Ok(found) => prop_assert_eq!(splice(&body, &[found]).expect("one"), block(&merged)),
            // Not alike enough.
            Err(miss) => prop_assert!(matches!(miss, Miss::NotFound(help) if help.hints.is_empty())),
        }
    }

    #[test]
    fn bytes_outside_the_place_stay((body, old) in prop_oneof![drifted(), (text(), text())], new in text()) {
        let Ok(found) = one(&body, &old, &new, Match::Fuzzy) else { return Ok(()) };
        let Range { start, end } = found.range.clone();
        let after = splice(&body, std::slice::from_ref(&found)).expect("one replacement");
        prop_assert_eq!(&after[..start], &body[..start]);
        prop_assert_eq!(&after[after.len() - (body.len() - end)..], &body[end..]);
        prop_assert_eq!(&after[start..start + found.text.len()], &*found.text);
        prop_assert_ne!(&after, &body);
        let view = View::new(&body);
        prop_assert_eq!(found.lines.0, view.line_at(start) + 1);
        prop_assert!(found.lines.1 > view.line_at(end - 1) && found.lines.1 <= view.line_count());
    }

    #[test]
    fn an_exact_edit_is_literal_and_can_be_taken_back(body in text(), old in text(), new in "[a-z$\\\\&{}]{1,6}") {
        // A CR that is data becomes part of a line ending when LF is written behind it; no edit can tell them apart.
        if body.replace("\r\n", "").contains('\r') {
            return Ok(());
        }
        let Ok(found) = one(&body, &old, &new, Match::Exact) else { return Ok(()) };
        prop_assert_eq!(&*found.text, &new);
        // Lines that are put behind an indentation may be indented, too.
        let before = &body[..found.range.start];
        let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
        if !line.is_empty() && is_blank(line) && body[found.range.clone()].contains('\n') {
            return Ok(());
        }
        let after = splice(&body, std::slice::from_ref(&found)).expect("one replacement");
        let back = Wanted { old: &new, new: &body[found.range.clone()] };
        let place = found.range.start..found.range.start + new.len();
        let undone = find_one(&View::new(&after), &back, Match::Exact, &[place]).expect("what was written is there");
        let again = splice(&after, &[undone]).expect("one replacement");
        prop_assert_eq!(again.replace("\r\n", "\n"), body.replace("\r\n", "\n"));
    }

    #[test]
    fn many_at_once_are_as_one_by_one(body in text(), wanted in prop::collection::vec((text(), text()), 0..14)) {
        let view = View::new(&body);
        let wanted: Vec<Wanted<'_>> = wanted.iter().map(|(old, new)| Wanted { old, new }).collect();
        let alone: Vec<_> = wanted.iter().map(|wanted| find_one(&view, wanted, Match::Fuzzy, &[view.whole()])).collect();
        prop_assert_eq!(find_each(&view, &wanted, Match::Fuzzy, Parts::Any), alone);
    }

    #[test]
    fn all_places_can_be_put_together((body, old) in prop_oneof![drifted(), (text(), text())], new in text()) {
        let Ok(found) = find_all(&View::new(&body), &Wanted { old: &old, new: &new }, Match::Fuzzy) else { return Ok(()) };
        prop_assert!(found.windows(2).all(|two| two[0].range.end <= two[1].range.start));
        prop_assert!(splice(&body, &found).is_ok());
    }

    #[test]
    fn lines_keep_their_number_in_a_file_of_crlf((body, old) in drifted(), new in "[a-c]{0,2}(\n[a-c ]{0,3}){0,3}") {
        let crlf = body.replace('\n', "\r\n");
        let (lf, crlf_found) = (one(&body, &old, &new, Match::Fuzzy), one(&crlf, &old, &new, Match::Fuzzy));
        match (lf, crlf_found) {
            (Ok(lf), Ok(found)) => {
                let after = splice(&crlf, &[found]).expect("one");
                let plain = splice(&body, &[lf]).expect("one");
                prop_assert_eq!(after, plain.replace('\n', "\r\n"));
            }
            (lf, found) => prop_assert_eq!(lf.err(), found.err()),
        }
    }
}
