//! Indentation of new lines, as a careful editor would write them.

use super::{edited, one};
use crate::edit::{Match, Miss};

#[track_caller]
fn check(name: &str, texts: [&str; 4]) {
    let [body, old, new, after] = texts;
    assert_eq!(edited(body, old, new).1, after, "{name}");
}

#[test]
fn a_block_without_its_base_gets_it_back() {
    check(
        "deeper lines keep their shape",
        [
            "def a():\n    if z:\n        foo(x)\n        bar()\n",
            "foo(x)\nbar()",
            "foo(y)\nif y:\n    bar()",
            "def a():\n    if z:\n        foo(y)\n        if y:\n            bar()\n",
        ],
    );
    check(
        "a return is not put at column 0",
        ["def a():\n    if z:\n        return 1\n", "return  1", "return 2", "def a():\n    if z:\n        return 2\n"],
    );
    check(
        "tabs are what a step is in a file of tabs",
        [
            "f {\n\t\tfoo(x)\n\t\tbar()\n}\n",
            "foo(x) \nbar()",
            "foo(y)\nif y {\n    bar()\n}",
            "f {\n\t\tfoo(y)\n\t\tif y {\n\t\t\tbar()\n\t\t}\n}\n",
        ],
    );
    check(
        "and spaces in a file of spaces",
        [
            "if a:\n  if b:\n    x()\n    y()\n",
            "x() \ny()",
            "if c:\n\tx()\ny()",
            "if a:\n  if b:\n    if c:\n        x()\n    y()\n",
        ],
    );
}

#[test]
fn tabs_and_spaces_are_those_of_the_file() {
    check(
        "known depths",
        [
            "func f() {\n\tif a {\n\t\tx()\n\t}\n}\n",
            "    if a {\n        x()\n    }",
            "    if a {\n        x()\n        y()\n    }",
            "func f() {\n\tif a {\n\t\tx()\n\t\ty()\n\t}\n}\n",
        ],
    );
    check(
        "a deeper one",
        [
            "func f() {\n\tif a {\n\t\tx()\n\t}\n}\n",
            "    if a {\n        x()\n    }",
            "    if a {\n        if b {\n            x()\n        }\n    }",
            "func f() {\n\tif a {\n\t\tif b {\n\t\t\tx()\n\t\t}\n\t}\n}\n",
        ],
    );
    check(
        "one depth only",
        [
            "func f() {\n\tx()\n}\n",
            "    x()",
            "    if b {\n        x()\n    }",
            "func f() {\n\tif b {\n\t\tx()\n\t}\n}\n",
        ],
    );
    check(
        "tabs in the request, two spaces in the file",
        [
            "if a {\n  if b {\n    x()\n  }\n}\n",
            "\tif b {\n\t\tx()\n\t}",
            "\tif b {\n\t\tif c {\n\t\t\tx()\n\t\t}\n\t}",
            "if a {\n  if b {\n    if c {\n      x()\n    }\n  }\n}\n",
        ],
    );
    check(
        "four in the request, two in the file",
        [
            "if a {\n  if b {\n    x()\n  }\n}\n",
            "    if b {\n        x()\n    }",
            "    if b {\n        if c {\n            x()\n        }\n    }",
            "if a {\n  if b {\n    if c {\n      x()\n    }\n  }\n}\n",
        ],
    );
    check(
        "an alignment stays one",
        [
            "\t/**\n\t * a\n\t */\n\tf()\n",
            "    /**\n     * a\n     */\n    f()",
            "    /**\n     * b\n     * c\n     */\n    if x {\n        f()\n    }",
            "\t/**\n\t * b\n\t * c\n\t */\n\tif x {\n\t\tf()\n\t}\n",
        ],
    );
}

#[test]
fn a_shift_moves_all_lines() {
    check(
        "a shallower line than any that was matched",
        [
            "class A:\n        def f(self):\n            x = 1\n",
            "        x  = 1",
            "        x = 2\n    return x",
            "class A:\n        def f(self):\n            x = 2\n        return x\n",
        ],
    );
    check("at most to the margin", ["  x = 1\n", "    x  = 1", "    x = 2\ny = 3", "  x = 2\ny = 3\n"]);
    check(
        "fewer spaces than in the request",
        ["if ok:\n  foo()\n  bar()\n", "    foo()\n", "    baz()\n    qux()\n", "if ok:\n  baz()\n  qux()\n  bar()\n"],
    );
}

#[test]
fn only_the_first_line_had_lost_its_own() {
    check(
        "spaces",
        [
            "class O:\n    def m(self):\n        self.a = 1\n        self.b =  1\n",
            "self.a = 1\n        self.b = 1",
            "self.a = 2\n        if x:\n            self.b = 2\n    y = 1",
            "class O:\n    def m(self):\n        self.a = 2\n        if x:\n            self.b = 2\n    y = 1\n",
        ],
    );
    check(
        "tabs for spaces",
        [
            "f {\n\t\ta()\n\t\tb( )\n}\n",
            "a()\n        b( )",
            "a(1)\n        b(1)\n        c(1)",
            "f {\n\t\ta(1)\n\t\tb(1)\n\t\tc(1)\n}\n",
        ],
    );
}

#[test]
fn what_is_written_in_the_columns_of_the_file_stays() {
    check(
        "old had lost its indentation, new has it",
        [
            "def a():\n        foo(x)\n",
            "foo( x )".replace("( x )", "(x) ").as_str(),
            "        foo(y)\n        bar()",
            "def a():\n        foo(y)\n        bar()\n",
        ],
    );
    check(
        "unless lines of both are as deep in new as in old",
        [
            "class A:\n    def f(self):\n        a()\n        b()\n    def g(self):\n        c()\n",
            "    a() \n    b()\ndef g(self):\n    c()",
            "    a()\n    x()\n    c()",
            "class A:\n    def f(self):\n        a()\n        x()\n        c()\n",
        ],
    );
    check("nothing differs in front", ["  a  = 1\n", "  a = 1", "      a = 2", "      a = 2\n"]);
}

#[test]
fn blank_lines_stay_as_they_are() {
    check(
        "no trailing white space is made",
        ["if a:\n    b()\n", "b() ", "b()\n\nc()\n  \nd()", "if a:\n    b()\n\n    c()\n  \n    d()\n"],
    );
}

#[test]
fn where_pairs_contradict_each_other_the_nearest_line_decides() {
    check(
        "the same depth of the request is two of the file",
        ["  a()\nb()\n      c()\n", "a()\nb()\nc() ", "a(1)\nb()\nc(1)\nd()", "  a(1)\nb()\n      c(1)\n      d()\n"],
    );
}

#[test]
fn a_line_with_less_indentation_than_the_file_has_is_not_put_in_verbatim() {
    check(
        "python",
        [
            "class A:\n    def f(self):\n        y()\n        z()\n",
            "    y()\n",
            "    x()\n    y()\n",
            "class A:\n    def f(self):\n        x()\n        y()\n        z()\n",
        ],
    );
    check("tabs", ["a:\n\t\ty()\n", "\ty()", "\tif x:\n\t\ty()", "a:\n\t\tif x:\n\t\t\ty()\n"]);
    check("yaml", ["a:\n  b:\n      c: 1\n", "    c: 1", "    c: 1\n    d: 2", "a:\n  b:\n      c: 1\n      d: 2\n"]);
    check("one line stays one line", ["f:\n        y()\n", "    y()", "    x()", "f:\n        x()\n"]);
}

#[test]
fn a_line_without_indentation_is_not_put_in_verbatim_either() {
    let body = "class A:\n    def f(self):\n        y()\n        z()\n";
    let put = |text: &str| body.replace("        y()\n", text);
    check("relative", [body, "y()", "if a:\n    x()\ny()", &put("        if a:\n            x()\n        y()\n")]);
    check(
        "a body as deep as the file's line",
        ["def f():\n    y()\n", "y()", "if a:\n    y()", "def f():\n    if a:\n        y()\n"],
    );
    check("absolute", [body, "y()", "x()\n        y()", &put("        x()\n        y()\n")]);
    check("an absolute body", [body, "y()", "if a:\n            y()", &put("        if a:\n            y()\n")]);
    check(
        "an absolute line further out",
        ["def f():\n    if a:\n        x()\n", "x()", "x()\n    y()", "def f():\n    if a:\n        x()\n    y()\n"],
    );
    check("a chain", ["f {\n    x()\n}\n", "x()", "x()\n  .y()", "f {\n    x()\n      .y()\n}\n"]);
    check("behind other text", ["    a = y()\n", "y()", "f(\n  x)", "    a = f(\n  x)\n"]);
    check("a part of the line", [body, "y", "x()\ny", &put("        x()\n        y()\n")]);
}

#[test]
fn a_matched_line_shows_how_wide_a_tab_is() {
    check(
        "eight",
        [
            "f {\n\tx()\n}\n",
            "        x()",
            "        if b {\n                x()\n        }",
            "f {\n\tif b {\n\t\tx()\n\t}\n}\n",
        ],
    );
    check(
        "four, from two",
        [
            "f {\n\t\tx()\n}\n",
            "        x()",
            "        if b {\n            x()\n        }",
            "f {\n\t\tif b {\n\t\t\tx()\n\t\t}\n}\n",
        ],
    );
    check(
        "eight in the file",
        [
            "f {\n        x()\n}\n",
            "\tx()",
            "\tif b {\n\t\tx()\n\t}",
            "f {\n        if b {\n                x()\n        }\n}\n",
        ],
    );
}

#[test]
fn a_line_that_goes_on_or_opens_others_shows_its_columns() {
    check(
        "a list item",
        [
            "steps:\n    - name: build\n",
            "- name: build",
            "- name: build\n  run: make",
            "steps:\n    - name: build\n      run: make\n",
        ],
    );
    check(
        "a comment behind what opens",
        [
            "def f():\n    x = 1\n",
            "x = 1",
            "for x in y:  # each\n    foo()",
            "def f():\n    for x in y:  # each\n        foo()\n",
        ],
    );
    check(
        "words that open",
        ["f\n    x = 1\n", "x = 1", "if y then\n    x = 2\nend", "f\n    if y then\n        x = 2\n    end\n"],
    );
    check(
        "an exact block without its base",
        ["def f():\n  if a:\n    b\n", "if a:\n    b", "x = 1\nif a:\n    b", "def f():\n  x = 1\n  if a:\n    b\n"],
    );
    check(
        "a new definition at column 0",
        [
            "class O:\n    def m(self):\n        self.a = 1\n        self.b = 1\n",
            "self.a = 1\n        self.b = 1",
            "self.a = 2\n        self.b = 2\n\ndef top():\n    pass",
            "class O:\n    def m(self):\n        self.a = 2\n        self.b = 2\n\ndef top():\n    pass\n",
        ],
    );
}

#[test]
fn lines_that_nest_otherwise_than_in_the_file_are_not_changed() {
    let refused = |body: &str, old: &str, new: &str| match one(body, old, new, Match::Fuzzy) {
        Err(Miss::NotFound(help)) => assert!(help.hints[0].contains("not as deep beside the others"), "{help:?}"),
        other => panic!("{body:?}: {other:?}"),
    };
    let outside = "if a:\n    b()\nc()\n";
    let inside = "if a:\n    b()\n    c()\n";
    refused(outside, inside.trim_end(), &format!("{inside}    d()"));
    refused(inside, outside.trim_end(), &outside.trim_end().replace("c()", "c(2)"));
    check("a change elsewhere", [inside, outside, &outside.replace("b()", "b(2)"), &inside.replace("b()", "b(2)")]);
}

#[test]
fn an_empty_line_that_both_texts_have_stays() {
    check(
        "at the end of the new one",
        ["    a = 1\n\n    b = 2\nc\n", "a = 1\n\nb = 2", "a = 1\n", "    a = 1\n\nc\n"],
    );
}
