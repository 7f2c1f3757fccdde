//! Which rung decides, and what the text is afterwards.

use super::{edited, one};
use crate::edit::{Match, Miss, Rung, View, Wanted, find_all, splice};

#[test]
fn the_first_rung_with_a_match_decides() {
    let table = [
        ("a\nb\nc\n", "b", "x", Rung::Exact, "a\nx\nc\n"),
        ("if a {\n    b\n}\n", "b\n}", "x\n}", Rung::Exact, "if a {\n    x\n}\n"),
        ("a\n  b\nc\n", " b ", " x", Rung::LineTrimmed, "a\n  x\nc\n"),
        ("a\n\tb(c,  d)\n", "\tb(c, d)", "\tb(c)", Rung::WhitespaceNormalised, "a\n\tb(c)\n"),
        ("a\n\tb\n\tc\n", "  b\n  c", "  b\n  d", Rung::IndentationFlexible, "a\n\tb\n\td\n"),
        (
            "f {\n one\n\n two\n}\n",
            "f {\n ons\n\n two\n}",
            "f {\n ons\n\n 3\n}",
            Rung::BlockAnchor,
            "f {\n one\n\n 3\n}\n",
        ),
        ("x b\nb\n", "x b\n", "y\n", Rung::Exact, "y\nb\n"),
    ];
    for (body, old, new, rung, after) in table {
        assert_eq!(edited(body, old, new), (rung, after.to_owned()), "{body:?} {old:?}");
    }
}

#[test]
fn a_looser_rung_is_never_a_way_out_of_ambiguity() {
    let table = [
        ("b\nb\n", "b", Rung::Exact, 2, vec![1, 2]),
        ("aaa\n", "aa", Rung::Exact, 2, vec![1, 1]),
        ("x\nx\nx\n", "x\nx\n", Rung::Exact, 2, vec![1, 2]),
        ("\tb\n  b\nc b\n", "b \n", Rung::LineTrimmed, 2, vec![1, 2]),
        ("a  b\na   b\n", "a\tb", Rung::WhitespaceNormalised, 2, vec![1, 2]),
        ("f {\n one\n}\nf {\n  onm\n}\n", "f {\n onn\n}", Rung::BlockAnchor, 2, vec![1, 4]),
    ];
    for (body, old, rung, count, lines) in table {
        assert_eq!(
            one(body, old, "new", Match::Fuzzy),
            Err(Miss::Ambiguous { rung, count, lines }),
            "{body:?} {old:?}"
        );
    }
}

#[test]
fn a_match_goes_only_as_far_as_was_allowed() {
    let missing = |how, body, old| matches!(one(body, old, "new", how), Err(Miss::NotFound(_)));
    assert!(missing(Match::Exact, "  b\n", "b \n"));
    assert!(!missing(Match::Whitespace, "  b\n", "b \n"));
    let (body, old) = ("f {\n one\n x\n two\n}\n", "f {\n ons\n x\n two\n}");
    let new = old.replace("two", "three");
    assert!(matches!(one(body, old, &new, Match::Whitespace), Err(Miss::NotFound(_))));
    assert!(one(body, old, &new, Match::Fuzzy).is_ok());
}

#[test]
fn what_changes_nothing_is_said() {
    assert_eq!(one("a\n", "", "x", Match::Fuzzy), Err(Miss::EmptyOld));
    assert_eq!(one("a\n", "a", "a", Match::Fuzzy), Err(Miss::Noop));
    assert_eq!(one("a\r\nb\r\n", "a\r\nb", "a\nb", Match::Fuzzy), Err(Miss::Noop));
    assert_eq!(one("    a\n", "  a ", "  a", Match::Fuzzy), Err(Miss::Noop));
}

#[test]
fn white_space_alone_is_found_as_it_is_or_not_at_all() {
    assert_eq!(edited("a\n\n\nb\n", "\n\n\n", "\n"), (Rung::Exact, "a\nb\n".to_owned()));
    assert!(matches!(one("a\n \nb\n", "  ", "x", Match::Fuzzy), Err(Miss::NotFound(_))));
    assert!(matches!(one("a\n\nb\n", "\n\n\n", "x", Match::Fuzzy), Err(Miss::NotFound(_))));
}

#[test]
fn whole_lines_keep_their_ends() {
    let table = [
        ("a\n  b\nc\n", "b \n", "x\n", "a\n  x\nc\n"),
        ("a\n  b\nc\n", "b \n", "x", "a\n  x\nc\n"),
        ("a\n  b\nc\n", "b ", "x\n", "a\n  x\nc\n"),
        ("a\n  b\nc\n", "b \n", "", "a\nc\n"),
        ("a\n  b\nc\n", "b \n", "x\n\n", "a\n  x\n\nc\n"),
        ("a\n  b", "b \n", "x\n", "a\n  x"),
        ("a\n  b", "b \n", "x\ny\n", "a\n  x\n  y"),
        ("a\r\n  b", "b \n", "x\ny\n", "a\r\n  x\r\n  y"),
        ("a\n  b  \n", "  b", "  x", "a\n  x  \n"),
    ];
    for (body, old, new, after) in table {
        assert_eq!(edited(body, old, new).1, after, "{body:?} {old:?} {new:?}");
    }
}

#[test]
fn each_line_ends_as_the_line_that_it_replaces() {
    let table = [
        ("a\r\nb\r\nc\r\n", "a\nb", "x\ny", "x\r\ny\r\nc\r\n"),
        ("a\r\nb\nc\r\n", "a\nb\nc", "x\ny\nz", "x\r\ny\nz\r\n"),
        ("a\r\nb\r\nc\nd\n", "c\n", "c\nnew\n", "a\r\nb\r\nc\nnew\nd\n"),
        ("a\r\nb\nc\n", "a", "x\ny", "x\r\ny\r\nb\nc\n"),
        ("a\r\nb", "b", "x\ny", "a\r\nx\r\ny"),
        ("b", "b", "x\r\ny", "x\ny"),
        ("a\r\n\tb\r\nc\n", "a\n  b\n", "a\n  x\n  y\n", "a\r\n\tx\r\n\ty\r\nc\n"),
        ("a\nb\r\nc\n", "a\nb \nc", "a\nnew\nb \nc", "a\nnew\nb\r\nc\n"),
        ("1\r2\rdone\r\nnext\r\n", "next", "NEXT\nx", "1\r2\rdone\r\nNEXT\r\nx\r\n"),
        ("a\u{2028}b\u{85}c\n", "c", "x", "a\u{2028}b\u{85}x\n"),
    ];
    for (body, old, new, after) in table {
        assert_eq!(edited(body, old, new).1, after, "{body:?} {old:?} {new:?}");
    }
}

#[test]
fn context_keeps_its_bytes() {
    let table = [
        ("a  \nb = 1\nc\t\n", "a\nb  = 1\nc", "a\nb = 2\nc", "a  \nb = 2\nc\t\n"),
        ("f( x )\n  a\n", "f(  x )\na", "f(  x )\nb", "f( x )\n  b\n"),
        ("a \nb \nc \n", "a\nb\nc", "x\nb\nz", "x\nb \nz\n"),
        ("\ta  \n\tb\n", "a\nb", "a\nnew\nb", "\ta  \n\tnew\n\tb\n"),
    ];
    for (body, old, new, after) in table {
        assert_eq!(edited(body, old, new).1, after, "{body:?} {old:?} {new:?}");
    }
}

const DRIFTED: &str = "func a() {\n\tx := 1\n\ty := 2\n\tz := 3\n\treturn\n}\n";
const RECALLED: &str = "func a() {\n\tx := 1\n\ty := 99\n\tz := 3\n\treturn\n}";

#[test]
fn what_a_block_recalls_wrongly_stays_where_the_change_is_elsewhere() {
    let found = one(DRIFTED, RECALLED, &RECALLED.replace("return", "return z"), Match::Fuzzy).expect("a block");
    assert_eq!(splice(DRIFTED, std::slice::from_ref(&found)).expect("one"), DRIFTED.replace("return", "return z"));
    assert_eq!((found.rung, found.lines, &*found.unseen), (Rung::BlockAnchor, (1, 6), &["\ty := 2".to_owned()][..]));
    assert!((found.score - 0.963).abs() < 0.001);
    let body =
        "def pay(user):\n    check(user)\n    audit(user)\n    log()\n    amount = 3\n    charge()\n    return\n";
    let old = "def pay(user):\n    check(user)\n    log()\n    amount = 3\n    charge()\n    return\n";
    assert_eq!(
        edited(body, old, &old.replace("= 3", "= 4")),
        (Rung::BlockAnchor, body.replace("= 3", "= 4")),
        "a colleague's line between two lines of context"
    );
    let json = "{\n  \"a\": 7,\n  \"b\": 2,\n  \"c\": 3,\n  \"d\": 8\n}\n";
    let old = "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3,\n  \"d\": 8\n}\n";
    assert_eq!(edited(json, old, &old.replace("\"c\": 3", "\"c\": 4")).1, json.replace("\"c\": 3", "\"c\": 4"));
    let blank = "f {\n  one\n\n  two\n  thre\n}\n";
    let old = "f {\n  one\n  two\n  three\n}\n";
    assert_eq!(
        edited(&blank.replace("thre", "three"), old, &old.replace("two", "2")).1,
        "f {\n  one\n\n  2\n  three\n}\n",
        "blank lines beside a change are no contradiction"
    );
}

#[test]
fn a_block_is_not_taken_where_the_change_meets_what_it_recalls_wrongly() {
    let hint = |body: &str, old: &str, new: &str| match one(body, old, new, Match::Fuzzy) {
        Err(Miss::NotFound(help)) => help.hints.join("; "),
        other => panic!("{body:?} {old:?} {new:?}: {other:?}"),
    };
    for new in ["func a() {\n\treturn\n}", "", "x"] {
        assert!(hint(DRIFTED, RECALLED, new).contains("differs from it at line 3, at or beside"), "{new:?}");
    }
    for (from, to) in [("99", "100"), ("x := 1", "x := 5"), ("\tz := 3\n", "\tq()\n\tz := 3\n"), ("z := 3", "")] {
        assert!(hint(DRIFTED, RECALLED, &RECALLED.replace(from, to)).contains("line 3"), "{from:?}");
    }
    let repeats = "def test_flow():\n  start_the_server()\n  step()\n  wait()\n  step()\n  wait()\n  step()\n  wait()\n  finish()\n";
    let old = repeats.replacen("  step()\n  wait()\n", "", 1);
    let new = old.replace("wait()\n  step()", "wait()\n  step(5)");
    assert!(hint(repeats, &old, &new).contains("at or beside"), "which of the pairs is missing cannot be known");
    let among = "function start() {\n  a();\n  b();\n  unique(value);\n  b();\n  b();\n}\n";
    let old = among.replacen("  b();\n}", "}", 1);
    assert!(hint(among, &old, &old.replace("  b();\n}", "  NEW();\n  b();\n}")).contains("at or beside"));
    let spaced = "class A {\n  one();\n\n  two();\n  three();\n}\n";
    let old = spaced.replace("\n\n", "\n");
    assert!(hint(spaced, &old, &old.replace("one();\n", "one();\n  new();\n")).contains("at or beside"));
    let among = "first\n  c\n  c\n\n  c\n  unique\nlast\n";
    let old = among.replace("\n\n", "\n");
    assert!(
        hint(among, &old, &old.replacen("  c\n", "", 1)).contains("at or beside"),
        "which of the three cannot be known"
    );
    let gone = RECALLED.replace("\ty := 99\n", "");
    assert!(hint(DRIFTED, &gone, &gone.replace("x := 1", "x := 5")).contains("line 3"));
}

#[test]
fn a_block_with_another_name_is_another_one() {
    let test = |name: &str, user: &str| {
        format!("@Test\nvoid {name}_a_user() {{\n    db.open();\n    db.run(\"{user}\");\n    check(ok);\n}}\n")
    };
    let (body, old) = (test("deletes", "ann"), test("creates", "ann"));
    let Err(Miss::NotFound(help)) = one(&body, &old, &old.replace("(ok)", "(done)"), Match::Fuzzy) else {
        panic!("a twin was taken")
    };
    assert_eq!(help.hints, ["the block that begins and ends like `old_string` is another one: see line 2"]);
    let cases = |name: &str| {
        format!("it(() => {{\n  const user = {name};\n  save(user);\n  load(user);\n  expect(user).ok();\n}});\n")
    };
    let body = cases("anna_lisa") + &cases("another one who is quite different") + &cases("anna_marie_jane_susan");
    let old = cases("anna_lies");
    let Err(Miss::NotFound(help)) = one(&body, &old, &old.replace(".ok()", ".no()"), Match::Fuzzy) else {
        panic!("one of many was taken")
    };
    assert!(help.hints.iter().any(|hint| hint.contains("nothing that they share stands only there")), "{help:?}");
}

#[test]
fn a_block_needs_an_interior_a_score_and_a_margin() {
    let missing = |body, old| matches!(one(body, old, "new", Match::Fuzzy), Err(Miss::NotFound(_)));
    assert!(missing("function foo() {\n  a();\n  b();\n}\n", "function foo() {\n}\n"));
    assert!(missing("function foo() {\n  a();\n}\n", "function foo() {\n\n}\n"));
    assert!(missing("f {\n  delete_all_users(now);\n}\n", "f {\n  keep(posts, later);\n}"));
    // The inner brace ends a block that is nearly as alike.
    let body = "fn a() {\n  one(1);\n  two(2);\n  three(3);\n  if x {\n  }\n}\n";
    let old = "fn a() {\n  one(1);\n  two(2);\n  three(3);\n  if y {\n  }\n}";
    assert!(matches!(
        one(body, old, "new", Match::Fuzzy),
        Err(Miss::Ambiguous { rung: Rung::BlockAnchor, count: 2, .. })
    ));
}

#[test]
fn replacements_are_literal() {
    for new in ["a$`b", "x=$'y", "$&", "\\1 \\g<0> $1 ${0}", "\\n", "%s {}"] {
        assert_eq!(edited("price: OLD\nend\n", "OLD", new).1, format!("price: {new}\nend\n"));
        assert_eq!(edited("  OLD\nend\n", "OLD ", new).1, format!("  {new}\nend\n"));
    }
}

#[test]
fn all_places_do_not_overlap_and_are_on_one_rung() {
    let all = |body: &str, old: &str, new: &str| {
        let found = find_all(&View::new(body), &Wanted { old, new }, Match::Fuzzy)?;
        Ok::<_, Miss>((found.len(), splice(body, &found).expect("they do not overlap")))
    };
    assert_eq!(all("aaaa\n", "aa", "b"), Ok((2, "bb\n".to_owned())));
    assert_eq!(all("aaaaa\n", "aa", "b"), Ok((2, "bba\n".to_owned())));
    assert_eq!(all("a\r\nb\na\r\n", "a", "x\ny"), Ok((2, "x\r\ny\r\nb\nx\r\ny\r\n".to_owned())));
    assert_eq!(all(" a\n\ta\n  a\n", "a ", "b"), Ok((3, " b\n\tb\n  b\n".to_owned())));
    assert_eq!(all(" a\n a\n a\n", "a\na \n", "b\n"), Ok((1, " b\n a\n".to_owned())));
    assert_eq!(all("  foo\nbar\n", "foo  ", "    foo"), Ok((1, "    foo\nbar\n".to_owned())));
    assert_eq!(all("  a\n", "a ", "a"), Err(Miss::Noop));
    assert_eq!(
        all("f {\n one\n x\n two\n}\n", "f {\n ons\n x\n two\n}", "f {\n ons\n x\n 2\n}"),
        Ok((1, "f {\n one\n x\n 2\n}\n".to_owned()))
    );
}
