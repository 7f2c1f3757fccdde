//! Where hunks are found, and what is refused.

use super::{hunks, updated};
use crate::edit::patch::{HunkError, resolve};
use crate::edit::{Kind, Match};

/// Each row: the body, the update without its header, and the body after it or the refusal.
fn check(rows: &[(&str, &str, &str)]) {
    for (body, update, expected) in rows {
        assert_eq!(updated(body, update), *expected, "{body:?} {update:?}");
    }
}

#[test]
fn hunks_see_the_original_and_come_in_any_order() {
    check(&[
        ("a\nb\n", "@@\na\n===\nb\n@@\nb\n===\nc\n", "b\nc\n"),
        ("a\nb\nc\nd\n", "@@\nc\n===\nC\n@@\na\n===\nA\n", "A\nb\nC\nd\n"),
        ("a\nb\nc\nd\n", "@@\n-c\n+C\n@@\n-a\n+A\n", "A\nb\nC\nd\n"),
        ("a\nb\nc\n", "@@\na\nb\n===\nx\n@@\nb\nc\n===\ny\n", "Overlapping hunks in 'f' (lines 2 and 7)"),
        ("a\nb\n", "@@\na\n===\nA\n@@\nb\n===\nB\n", "A\nB\n"),
        ("a\nb\n", "@@\na\n===\nA\n@@\na\n===\nB\n", "Overlapping hunks in 'f' (lines 2 and 6)"),
    ]);
}

#[test]
fn hunks_may_share_context() {
    check(&[
        ("a\nb\nc\n", "@@\n-a\n+A\n b\n@@\n b\n-c\n+C\n", "A\nb\nC\n"),
        ("a\nb\nc\n", "@@\na\nb\n===\nA\nb\n@@\nb\nc\n===\nb\nC\n", "A\nb\nC\n"),
        ("a\nb\n", "@@\n a\n+x\n@@\n-a\n+A\n", "A\nx\nb\n"),
        ("a\nb\n", "@@\n a\n+x\n@@\n a\n+y\n", "Overlapping hunks in 'f' (lines 2 and 5)"),
        ("a\nb\nc\n", "@@\n a\n+b\n b\n@@\n-b\n+X\n c\n", "a\nb\nX\nc\n"),
        ("a\nb\nc\n", "@@\na\nb\n===\na\nb\nb\n@@\nb\nc\n===\nX\nc\n", "Overlapping hunks in 'f' (lines 2 and 9)"),
        ("a\nb\nb\nc\n", "@@\na\nb\nb\n===\na\nb\n@@\nb\nc\n===\nb\nX\n", "a\nb\nX\n"),
        ("a\nb\nb\nc\n", "@@\na\nb\nb\n===\na\nb\n@@\na\nb\n===\na\nY\n", "Overlapping hunks in 'f' (lines 2 and 9)"),
    ]);
}

#[test]
fn what_goes_without_a_successor_goes_with_its_line_end() {
    check(&[
        ("a\nb\nc\n", "@@\nb\n===\n", "a\nc\n"),
        ("a\r\nb\r\nc\r\n", "@@\nb\n===\n", "a\r\nc\r\n"),
        ("a\nb\nc\n", "@@\n-b\n", "a\nc\n"),
        ("a\nb", "@@\n-b\n", "a\n"),
        ("a\nb", "@@\nb\n===\n", "a\n"),
        ("one two\n", "@@\n two\n===\n", "one\n"),
        ("a\nb.c\n", "@@\nb.\n===\n", "a\nc\n"),
    ]);
}

#[test]
fn prefixed_lines_are_whole_lines_only() {
    check(&[
        ("import os.path\nimport os\n", "@@\n-import os\n+import sys\n", "import os.path\nimport sys\n"),
        ("import os.path\n", "@@\n-import os\n+import sys\n", "Hunk not found in 'f': 'import os' (line 2)"),
        ("    foo\nfoobar\n", "@@\n-foo\n+one\n+two\n", "    one\n    two\nfoobar\n"),
        ("import os.path\n", "@@\nimport os\n===\nimport sys\n", "import sys.path\n"),
    ]);
}

#[test]
fn a_block_does_not_begin_or_end_within_a_word() {
    let many: String = (0..12).map(|n| format!("@@\nv{n} = 1\n===\nv{n} = 2\n")).collect();
    let body: String = (0..12).map(|n| format!("v{n} = 1\nv{n} = 11\nlv{n} = 1\n")).collect();
    let after: String = (0..12).map(|n| format!("v{n} = 2\nv{n} = 11\nlv{n} = 1\n")).collect();
    check(&[
        ("max = 1\nx = 1\n", "@@\nx = 1\n===\nx = 2\n", "max = 1\nx = 2\n"),
        ("max = 1\n", "@@\nx = 1\n===\nx = 2\n", "Hunk not found in 'f': 'x = 1' (line 2)"),
        ("x = 10\n", "@@\nx = 1\n===\nx = 2\n", "Hunk not found in 'f': 'x = 1' (line 2)"),
        ("größe\n", "@@\ngr\n===\nx\n", "Hunk not found in 'f': 'gr' (line 2)"),
        (&body, &many, &after),
    ]);
}

#[test]
fn lines_keep_their_endings_and_context_its_bytes() {
    check(&[
        ("a\r\nb\nc", "@@\n a\n-b\n+B\n+B\n c\n", "a\r\nB\nB\nc"),
        ("a  \nb\n\tc\n", "@@\n a\n-b\n+B\n     c\n", "a  \nB\n\tc\n"),
        ("a\r\nb", "@@\n b\n+c\n", "a\r\nb\r\nc"),
        ("a\r\nb\r\n", "@@\n a\n+x\n", "a\r\nx\r\nb\r\n"),
    ]);
}

const TWICE: &str = "class A:\n    def run(self):\n        go()\n\n    def stop(self):\n        go()\n\nclass B:\n    def run(self):\n        go()\n";

#[test]
fn anchors_narrow() {
    check(&[
        ("x\ngo\ny\ngo\n", "@@ y\n-go\n+GO\n", "x\ngo\ny\nGO\n"),
        ("x\ngo\ny\ngo\n", "@@ x\n-go\n+GO\n", "Ambiguous hunk in 'f': 'go' matches 2 locations (line 2)"),
        ("x\ngo\n", "@@ z\n-go\n+GO\n", "Context not found in 'f': 'z' (line 2)"),
        ("y\ngo\n", "@@ go\n-y\n+Y\n", "Hunk not found in 'f': 'y' (line 2)"),
        (
            "fn a() {\n  go\n}\nfn b() {\n  go\n}\n",
            "@@ fn b\n-  go\n+  GO\n }\n",
            "fn a() {\n  go\n}\nfn b() {\n  GO\n}\n",
        ),
        (
            "fn a() {\n  go\n}\nfn b() {\n  go\n}\n",
            "@@ fn a() {\n fn a() {\n-  go\n",
            "fn a() {\n}\nfn b() {\n  go\n}\n",
        ),
        (
            TWICE,
            "@@\n-        go()\n+        x\n",
            "Ambiguous hunk in 'f': '        go()' matches 3 locations (line 2)",
        ),
        (
            TWICE,
            "@@ def run\n-        go()\n+        x\n",
            "Ambiguous hunk in 'f': '        go()' matches 2 locations (line 2)",
        ),
        (TWICE, "@@ class A\n@@ def run(self):\n-        go()\n+        x\n", &TWICE.replacen("go()", "x", 1)),
        (
            TWICE,
            "@@ def stop\n-        go()\n+        x\n",
            &TWICE.replace("stop(self):\n        go()", "stop(self):\n        x"),
        ),
        (TWICE, "@@ class A:\n-        pass\n+        x\n", "Hunk not found in 'f': '        pass' (line 2)"),
    ]);
}

#[test]
fn lines_are_inserted_only_where_the_patch_says() {
    check(&[
        ("a\nb\n", "@@ a\n+x\n", "a\nx\nb\n"),
        ("a\nb", "@@ b\n+x\n+y\n", "a\nb\nx\ny"),
        ("a\r\nb\r\n", "@@ b\n+x\n", "a\r\nb\r\nx\r\n"),
        ("a\na\n", "@@ a\n+x\n", "Ambiguous hunk in 'f': 'x' matches 2 locations (line 2)"),
        ("a\n", "@@\n+x\n", "Empty hunk in update for 'f' (line 2)"),
        ("", "@@\n+x\n+y\n", "x\ny\n"),
        ("a\n", "@@\n+x\n*** End of File\n", "a\nx\n"),
        ("a", "@@\n+x\n*** End of File\n", "a\nx"),
    ]);
}

#[test]
fn the_end_of_the_file_narrows_too() {
    check(&[
        ("a\nb\na\n", "@@\n-a\n+A\n*** End of File\n", "a\nb\nA\n"),
        ("a\nb\na", "@@\n-a\n+A\n*** End of File\n", "a\nb\nA"),
        ("a\nb\n", "@@\n-a\n+A\n*** End of File\n", "Hunk not found in 'f': 'a' (line 2)"),
    ]);
}

#[test]
fn nothing_to_do_is_refused() {
    check(&[
        ("a\n", "@@\na\n===\na\n", "Hunk changes nothing in 'f' (line 2)"),
        ("a\n", "@@\n-a\n+a\n", "Hunk changes nothing in 'f' (line 2)"),
        ("a\n", "@@\n \n-a\n+b\n", "Hunk not found in 'f': '\na' (line 2)"),
    ]);
}

#[test]
fn a_strict_match_asks_for_equal_lines() {
    let hunks = hunks("@@\n-  a\n+  b\n");
    let found = resolve("a\n", &[&hunks[0]], (Match::Exact, Kind::Code));
    assert!(matches!(found, Err(HunkError::NotFound { line: 2, .. })), "{found:?}");
    assert!(resolve("a\n", &[&hunks[0]], (Match::Whitespace, Kind::Code)).is_ok());
}

#[test]
fn a_named_line_stands_for_its_block_only() {
    let classes = "class A:\n    def f(self):\n        x = 2\n\nclass B:\n    def f(self):\n        x = 1\n    def g(self):\n        y = 1\n";
    let other = "Hunk not found in 'f': '        x = 1' (line 2)";
    let allman = "class A\n{\n    int x;\n}\nclass B\n{\n    int y;\n}\n";
    check(&[
        (classes, "@@ class A:\n-        x = 1\n+        x = 9\n", other),
        (
            classes,
            "@@ class A:\n@@ def g(self):\n-        y = 1\n+        y = 9\n",
            "Context not found in 'f': 'def g(self):' (line 2)",
        ),
        (classes, "@@ class B:\n-        x = 1\n+        x = 9\n", &classes.replace("x = 1", "x = 9")),
        (
            classes,
            "@@ class B:\n class B:\n     def f(self):\n-        x = 1\n+        x = 9\n",
            &classes.replace("x = 1", "x = 9"),
        ),
        ("import a\nx\nfoo\n", "@@ import a\n-foo\n+bar\n", "import a\nx\nbar\n"),
        (
            classes,
            "@@ class A:\n+    z = 1\n*** End of File\n",
            "Context not found in 'f': 'class A: … *** End of File' (line 2)",
        ),
        (classes, "@@ class B:\n+    z = 1\n*** End of File\n", &format!("{classes}    z = 1\n")),
        ("def run_all():\n    pass\n", "@@ def run\n+    go()\n", "Context not found in 'f': 'def run' (line 2)"),
        ("def run(x):\n    pass\n", "@@ def run\n+    go()\n", "def run(x):\n    go()\n    pass\n"),
        (allman, "@@ class A\n-    int y;\n+    int z;\n", "Hunk not found in 'f': '    int y;' (line 2)"),
        (allman, "@@ class A\n-    int x;\n+    int z;\n", &allman.replace("int x", "int z")),
    ]);
}
