//! Rules for Rust files: a header, a size, and nothing that hides a problem.

use super::Complaint;
use crate::source::code_of;

/// The longest a file may be, its closing block of tests apart.
const LONGEST: usize = 400;

/// Code that may not appear, and what to do instead.
const BANNED_CODE: &[(&str, &str)] = &[
    ("#[allow(", "say `#[expect(lint, reason = \"…\")]`"),
    ("#![allow(", "say `#![expect(lint, reason = \"…\")]`"),
    (".unwrap()", "say `expect(\"why it holds\")` or return the error"),
    ("todo!", "finish it, or leave it out"),
    ("unimplemented!", "finish it, or leave it out"),
    ("dbg!", "remove it"),
];

/// In pieces, so that this file passes its own check.
const UNFINISHED: &str = concat!("TO", "DO");

/// Everything that is wrong with one file.
pub(super) fn check(text: &str) -> Vec<Complaint> {
    let code = code_of(text);
    let mut found = Vec::new();
    if !text.starts_with("//!") {
        let reason = "the file does not begin with `//!` and its one job";
        found.push(Complaint::new(1, reason));
    }
    found.extend(length(&code));
    for (index, (line, code)) in text.lines().zip(code.lines()).enumerate() {
        let reasons = line_reasons(line, code);
        found.extend(reasons.map(|reason| Complaint::new(index + 1, reason)));
    }
    found
}

fn length(code: &str) -> Option<Complaint> {
    let lines = lines_without_tests(code);
    let reason = format!("{lines} lines; {LONGEST} is the limit: give a part of it its own file");
    (lines > LONGEST).then(|| Complaint::new(LONGEST + 1, reason))
}

fn line_reasons(line: &str, code: &str) -> impl Iterator<Item = String> {
    let banned = BANNED_CODE.iter().filter(|(needle, _)| has(code, needle));
    let mut reasons: Vec<String> =
        banned.map(|(needle, instead)| format!("`{needle}` is not used here: {instead}")).collect();
    if line.contains(UNFINISHED) {
        reasons.push(format!("`{UNFINISHED}`: finish it, or leave it out"));
    }
    // Strings may hold any whitespace: the code's line shows them as `_`.
    if code.ends_with(char::is_whitespace) && line.ends_with(char::is_whitespace) {
        reasons.push("whitespace at the end of the line".to_owned());
    }
    let indent = code.len() - code.trim_start().len();
    if code[..indent].contains('\t') {
        reasons.push("indented with a tab; use spaces".to_owned());
    }
    reasons.into_iter()
}

/// Whether code has a needle that is not the end of a longer name.
fn has(code: &str, needle: &str) -> bool {
    let inside_name = |at: usize| {
        let begins_name = needle.starts_with(crate::source::is_word);
        begins_name && code[..at].ends_with(crate::source::is_word)
    };
    let mut hits = code.match_indices(needle);
    hits.any(|(at, _)| !inside_name(at))
}

/// The number of lines before a closing `#[cfg(test)] mod tests { … }`; all lines where there is none.
fn lines_without_tests(code: &str) -> usize {
    let lines: Vec<&str> = code.lines().collect();
    let all = lines.len();
    let Some(start) = lines.iter().rposition(|line| *line == "#[cfg(test)]") else {
        return all;
    };
    let opening = (start + 1..all).find(|&at| lines[at].starts_with("mod tests {"));
    let Some(opening) = opening else {
        return all;
    };
    // Between the two there are only further attributes, and the first closing brace is the file's last line.
    let attributes = &lines[start + 1..opening];
    let only_attributes =
        attributes.iter().all(|line| line.starts_with("#[") || line.starts_with(' ') || line.starts_with(")]"));
    let closing = (opening..all).find(|&at| lines[at] == "}");
    if only_attributes && closing == Some(all - 1) { start } else { all }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reasons(text: &str) -> Vec<String> {
        let found = check(&format!("//! Job.\n{text}\n"));
        found.into_iter().map(|complaint| complaint.reason).collect()
    }

    #[test]
    fn a_file_begins_with_its_job() {
        assert_eq!(check("//! Job.\n"), []);
        assert_eq!(check("use std::fs;\n")[0].line, 1);
    }

    #[test]
    fn what_hides_a_problem_is_found() {
        for bad in [
            "#[allow(dead_code)]",
            "#![allow(dead_code)]",
            "x.unwrap();",
            "todo!()",
            "unimplemented!()",
            "dbg!(x)",
            concat!("// TO", "DO later"),
            "let x = 1; ",
            "\tlet x = 1;",
            "// comment ",
        ] {
            assert_eq!(reasons(bad).len(), 1, "{bad:?}");
        }
    }

    #[test]
    fn strings_comments_and_longer_names_are_not_code() {
        for good in [
            "let x = \".unwrap()\";",
            "// never `.unwrap()`",
            "my_dbg!(x)",
            "x.unwrap_or_default();",
            "let x = \"a \n\tb\";",
            "let x = \"\n\n\n\";",
        ] {
            assert_eq!(reasons(good), [""; 0], "{good:?}");
        }
    }

    #[test]
    fn a_closing_block_of_tests_does_not_count() {
        let body = "fn f() {}\n".repeat(3);
        let tests = "#[cfg(test)]\nmod tests {\n    fn g() {}\n}\n";
        assert_eq!(lines_without_tests(&body), 3);
        assert_eq!(lines_without_tests(&format!("{body}{tests}")), 3);
        let expecting = tests.replace("mod", "#[expect(\n    x,\n)]\nmod");
        assert_eq!(lines_without_tests(&format!("{body}{expecting}")), 3);
        // In the middle it is a part of the file.
        assert_eq!(lines_without_tests(&format!("{tests}{body}")), 7);
        assert_eq!(lines_without_tests(&format!("{body}#[cfg(test)]\nmod tests;\n")), 5);
    }

    #[test]
    fn a_long_file_is_found() {
        assert_eq!(reasons(&"//\n".repeat(LONGEST - 2)), [""; 0]);
        assert_eq!(reasons(&"//\n".repeat(LONGEST)).len(), 1);
    }
}
