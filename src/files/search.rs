//! `search_files`: the lines of the files beneath a folder that hold a text or match a regular expression.

use std::fs::File;
use std::io::{Error, Read, Take};
use std::time::Duration;

use grep_matcher::{LineTerminator, Matcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkFinish, SinkMatch};
use rustix::fs::FileType;

use super::base::MAX_FILE;
use super::excerpt::excerpt;
use super::glob::MAX_PATTERN;
use super::list::{is_default, json_size, shown};
use super::root::Root;
use super::walk::{Found, Scope, Skipped, Stop, Walk, Watch};
use crate::fault::{Code, Fault};

/// Longest line that is searched for a text, in bytes. A file is searched up to the first longer one.
pub const MAX_LINE: usize = 8 * 1024 * 1024;
/// Longest line that is searched for a regular expression, in bytes. A line is searched in one go, and the slowest
/// expressions take seconds for this much.
pub const MAX_REGEX_LINE: usize = 4 * 1024 * 1024;
/// Largest compiled regular expression, in bytes: with the longest line it bounds the time between two looks at the
/// clock.
const MAX_PROGRAM: usize = 1024 * 1024;
/// Most bytes for what the regular expression's automaton remembers.
const MAX_AUTOMATON: usize = 16 * 1024 * 1024;

/// What is searched for.
#[derive(Debug, Clone, Copy)]
pub struct Needle<'a> {
    /// The text or the expression, for one line.
    pub pattern: &'a str,
    /// How to read it.
    pub how: Pattern,
    /// Whether upper and lower case differ.
    pub case: Case,
}

/// How a pattern is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// Letter by letter.
    Literal,
    /// As a regular expression of the `regex` crate, for one line.
    Regex,
}

/// Whether upper and lower case differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// They do.
    Sensitive,
    /// They do not, by Unicode's simple case folding.
    Insensitive,
}

/// Where a search ends.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Most files with matches.
    pub files: usize,
    /// Most matching lines.
    pub matches: usize,
    /// Most bytes of the answer's JSON.
    pub bytes: usize,
    /// Longest time.
    pub time: Duration,
    /// Most characters of a line that are shown.
    pub line_chars: usize,
}

impl Limits {
    /// What the documentation publishes.
    pub const PUBLISHED: Self =
        Self { files: 200, matches: 2_000, bytes: 256 * 1024, time: Duration::from_secs(10), line_chars: 500 };
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct SearchResult {
    /// What was searched for.
    pub pattern: String,
    /// The folder, relative to the workspace root; `.` is the root.
    pub directory: String,
    /// The files with matches, in the byte order of their paths.
    pub results: Vec<FileMatches>,
    /// How many files are shown.
    pub total_files: usize,
    /// How many matching lines are shown.
    pub total_matches: usize,
    /// How many files were searched.
    pub searched: usize,
    /// What was passed over.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(default)]
    pub skipped: Skipped,
    /// Why the search is not complete; absent when it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stop>,
}

/// The matching lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct FileMatches {
    /// Its path, relative to the workspace root.
    pub file: String,
    /// Its matching lines, from the top.
    pub matches: Vec<LineMatch>,
}

/// A line that matches.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct LineMatch {
    /// Its number, from 1.
    pub line_number: u64,
    /// The line without its ending. Bytes that are not UTF-8 are shown as U+FFFD.
    pub line: String,
    /// Characters of the file's line before its first match.
    pub match_start: usize,
    /// Whether `line` is only the part around the match, with `…` where something is missing.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(default)]
    pub cut: bool,
}

/// Searches the files beneath a folder.
///
/// # Errors
/// `bad_request` for a pattern, with a pointer to it; `file_missing`, `parent_not_directory`, `symlink`, `read_failed`
/// for the folder. A file that cannot be read is no fault: it is counted.
pub fn search(root: &Root, scope: &Scope<'_>, needle: Needle<'_>, limits: &Limits) -> Result<SearchResult, Fault> {
    let matcher = matcher(needle)?;
    let watch = Watch::new(limits.time, scope.cancelled);
    let mut walk = Walk::new(root, scope, &watch)?;
    let mut searcher = SearcherBuilder::new()
        .line_number(true)
        .line_terminator(LineTerminator::crlf())
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(match needle.how {
            Pattern::Literal => MAX_LINE,
            Pattern::Regex => MAX_REGEX_LINE,
        }))
        .build();
    let mut hits = Hits { matcher, limits, results: Vec::new(), shown: 0, bytes: 0, end: None, now: None };
    let mut searched = 0;
    while hits.end.is_none()
        && let Some(found) = walk.next()
    {
        if let Some(file) = open(&found, &mut walk.skipped) {
            searched += 1;
            hits.now = Some(Now { file: found.path, matches: Vec::new(), bytes: 0, binary: false });
            let text = Text { file: file.take(MAX_FILE), watch: &watch };
            let outcome = searcher.search_reader(hits.matcher.clone(), text, &mut hits);
            hits.settle(outcome, &watch, &mut walk.skipped);
        }
    }
    Ok(SearchResult {
        pattern: needle.pattern.to_owned(),
        directory: shown(scope),
        total_files: hits.results.len(),
        total_matches: hits.shown,
        results: hits.results,
        searched,
        skipped: walk.skipped,
        stopped: hits.end.or_else(|| watch.stopped()),
    })
}

fn matcher(needle: Needle<'_>) -> Result<RegexMatcher, Fault> {
    let bad = |why: String| Fault::new(Code::BadRequest, why).detail("pointer", "/pattern");
    let pattern = needle.pattern;
    if pattern.is_empty() {
        return Err(bad("the pattern is empty".to_owned())
            .hint("Give the text to look for; `list_files` names files without searching them."));
    }
    if pattern.chars().count() > MAX_PATTERN {
        return Err(bad(format!("the pattern is longer than {MAX_PATTERN} characters")));
    }
    if pattern.contains('\0') {
        return Err(bad("the pattern holds a NUL byte, and files with one are not searched".to_owned()));
    }
    let lines = "Search for one line of it: each line is searched on its own.";
    if pattern.contains(['\n', '\r']) {
        return Err(bad("the pattern goes over several lines".to_owned()).hint(lines));
    }
    let mut builder = RegexMatcherBuilder::new();
    builder.multi_line(true).crlf(true).size_limit(MAX_PROGRAM).dfa_size_limit(MAX_AUTOMATON);
    builder.case_insensitive(match needle.case {
        Case::Sensitive => false,
        Case::Insensitive => true,
    });
    builder.fixed_strings(match needle.how {
        Pattern::Literal => true,
        Pattern::Regex => false,
    });
    builder.build(pattern).map_err(|error| match error.kind() {
        grep_regex::ErrorKind::NotAllowed(_) => {
            bad(format!("the expression goes over several lines: {error}")).hint(lines)
        }
        _ => bad(format!("the regular expression is malformed: {error}"))
            .hint("Correct the expression, or leave `regex` out to look for the text as it is."),
    })
}

/// Opens a file in the handle of its folder; what is not to be searched is counted.
fn open(found: &Found, skipped: &mut Skipped) -> Option<File> {
    match found.kind {
        FileType::RegularFile => {}
        FileType::Symlink => {
            skipped.links += 1;
            return None;
        }
        FileType::Directory
        | FileType::Fifo
        | FileType::Socket
        | FileType::CharacterDevice
        | FileType::BlockDevice
        | FileType::Unknown => {
            skipped.special += 1;
            return None;
        }
    }
    match found.folder.open_file(found.name()) {
        Ok((_, entry)) if entry.size > MAX_FILE => skipped.too_large += 1,
        Ok((file, _)) => return Some(file),
        Err(_) => skipped.unreadable += 1,
    }
    None
}

/// A file's bytes, until there is a reason to stop.
struct Text<'a> {
    file: Take<File>,
    watch: &'a Watch<'a>,
}

impl Read for Text<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.watch.stop().is_some() { Err(Error::other("stopped")) } else { self.file.read(buffer) }
    }
}

/// Collects matches until a limit is reached.
struct Hits<'a> {
    matcher: RegexMatcher,
    limits: &'a Limits,
    results: Vec<FileMatches>,
    /// Lines and bytes of the files in `results`.
    shown: usize,
    bytes: usize,
    /// The limit that left something out.
    end: Option<Stop>,
    now: Option<Now>,
}

/// The file that is being searched.
struct Now {
    file: String,
    matches: Vec<LineMatch>,
    bytes: usize,
    binary: bool,
}

impl Hits<'_> {
    /// Takes the file's matches into the answer. A NUL byte after them makes the file binary all the same.
    fn settle(&mut self, outcome: Result<(), Error>, watch: &Watch<'_>, skipped: &mut Skipped) {
        let now = self.now.take().expect("it was set before the search");
        if now.binary {
            // What it would have shown was no reason to stop.
            self.end = None;
            skipped.binary += 1;
            return;
        }
        if let Err(error) = outcome
            && watch.stopped().is_none()
        {
            // The searcher's only error of its own is a line that does not fit.
            let count = if error.raw_os_error().is_some() { &mut skipped.unreadable } else { &mut skipped.too_large };
            *count += 1;
        }
        if !now.matches.is_empty() {
            self.shown += now.matches.len();
            self.bytes += now.bytes;
            self.results.push(FileMatches { file: now.file, matches: now.matches });
        }
    }
}

impl Sink for Hits<'_> {
    type Error = Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Error> {
        let now = self.now.as_mut().expect("it was set before the search");
        let line = found.bytes();
        // Where the line matches is asked with its ending, as the searcher asked whether it does.
        let at = self.matcher.find(line)?.map_or(0, |span| span.start());
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let part = excerpt(line, at.min(line.len()), self.limits.line_chars);
        let hit = LineMatch {
            line_number: found.line_number().expect("line numbers are switched on"),
            line: part.text,
            match_start: part.column,
            cut: part.cut,
        };
        let head = if now.matches.is_empty() { json_size(&now.file) + r#"{"file":,"matches":[]}"#.len() } else { 0 };
        let bytes = now.bytes + head + json_size(&hit);
        self.end = if now.matches.is_empty() && self.results.len() == self.limits.files {
            Some(Stop::Files)
        } else if self.shown + now.matches.len() == self.limits.matches {
            Some(Stop::Matches)
        } else if self.bytes + bytes > self.limits.bytes {
            Some(Stop::Bytes)
        } else {
            now.bytes = bytes;
            now.matches.push(hit);
            None
        };
        Ok(self.end.is_none())
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, Error> {
        self.now.as_mut().expect("it was set before the search").binary = true;
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, _: &SinkFinish) -> Result<(), Error> {
        Ok(())
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its files by hand")]
mod tests {
    use std::os::unix::fs::symlink;
    use std::time::Duration;

    use super::{Case, FileMatches, Limits, MAX_FILE, MAX_LINE, MAX_REGEX_LINE, Needle, Pattern, SearchResult, search};
    use crate::fault::{Code, Fault};
    use crate::files::tree::{Tree, whole};
    use crate::files::walk::{Scope, Skipped, Stop};

    const fn text(pattern: &str) -> Needle<'_> {
        Needle { pattern, how: Pattern::Literal, case: Case::Insensitive }
    }

    const fn regex(pattern: &str) -> Needle<'_> {
        Needle { how: Pattern::Regex, ..text(pattern) }
    }

    fn exact(needle: Needle<'_>) -> Needle<'_> {
        Needle { case: Case::Sensitive, ..needle }
    }

    fn limited(tree: &Tree, needle: Needle<'_>, limits: &Limits) -> SearchResult {
        search(&tree.root, &whole(&tree.folder(".")), needle, limits).expect("the request is right")
    }

    fn found(tree: &Tree, needle: Needle<'_>) -> SearchResult {
        limited(tree, needle, &Limits::PUBLISHED)
    }

    /// File, line number, column and line of each match.
    fn lines(result: &SearchResult) -> Vec<(&str, u64, usize, &str)> {
        let of = |file: &'_ FileMatches| file.matches.len();
        assert_eq!(result.total_matches, result.results.iter().map(of).sum::<usize>());
        assert_eq!(result.total_files, result.results.len());
        let each = result.results.iter().flat_map(|file| file.matches.iter().map(|hit| (file.file.as_str(), hit)));
        each.map(|(file, hit)| (file, hit.line_number, hit.match_start, hit.line.as_str())).collect()
    }

    fn refusal(needle: Needle<'_>) -> Fault {
        let tree = Tree::of(&[("f", "x\n")]);
        search(&tree.root, &whole(&tree.folder(".")), needle, &Limits::PUBLISHED).expect_err("it is refused")
    }

    #[test]
    fn the_answer_has_the_seeds_shape() {
        let tree = Tree::of(&[("a/f.rs", "one\nlet Foo = 1;\n"), ("g", "none\n")]);
        let json = serde_json::to_value(found(&tree, text("foo"))).expect("plain data is JSON");
        let expected = serde_json::json!({
            "pattern": "foo",
            "directory": ".",
            "results": [{"file": "a/f.rs", "matches": [{"line_number": 2, "line": "let Foo = 1;", "match_start": 4}]}],
            "total_files": 1,
            "total_matches": 1,
            "searched": 2,
        });
        assert_eq!(json, expected);
    }

    #[test]
    fn case_counts_only_when_it_is_asked_for_and_folding_is_unicodes() {
        let tree = Tree::of(&[("f", "Straße ÄPFEL\nσίσυφος\nΣΊΣΥΦΟΣ\nk\n\u{212a}\n")]);
        assert_eq!(lines(&found(&tree, text("äpfel"))), [("f", 1, 7, "Straße ÄPFEL")]);
        assert_eq!(found(&tree, text("ΣΊΣΥΦΟΣ")).total_matches, 2);
        assert_eq!(found(&tree, text("K")).total_matches, 2);
        assert_eq!(found(&tree, exact(text("äpfel"))).total_matches, 0);
        assert_eq!(found(&tree, exact(text("ÄPFEL"))).total_matches, 1);
    }

    #[test]
    fn a_literal_is_taken_letter_by_letter_and_an_expression_is_not() {
        let tree = Tree::of(&[("f", "a.b(*\naxb\n\tfn main() {\nend")]);
        assert_eq!(lines(&found(&tree, text("a.b(*"))), [("f", 1, 0, "a.b(*")]);
        assert_eq!(found(&tree, regex("a.b")).total_matches, 2);
        assert_eq!(lines(&found(&tree, regex(r"^\s*fn \w+\("))), [("f", 3, 0, "\tfn main() {")]);
        assert_eq!(lines(&found(&tree, regex("end$"))), [("f", 4, 0, "end")]);
        assert_eq!(found(&tree, regex("x*")).total_matches, 4);
    }

    #[test]
    fn line_endings_and_marks_are_not_part_of_a_line() {
        let tree = Tree::of(&[("crlf", "\u{feff}one\r\ntwo\r\n"), ("mixed", "one\ntwo \rx\r\n")]);
        assert_eq!(lines(&found(&tree, regex("^one$"))), [("crlf", 1, 0, "one"), ("mixed", 1, 0, "one")]);
        assert_eq!(lines(&found(&tree, text("two"))), [("crlf", 2, 0, "two"), ("mixed", 2, 0, "two \rx")]);
    }

    #[test]
    fn what_is_no_text_is_counted_or_shown_as_far_as_it_is() {
        let tree = Tree::of(&[("f", "needle\n")]);
        tree.put("late-nul", &[&b"needle\n"[..], &b"filler\n".repeat(100_000), b"\0"].concat());
        tree.put("latin1", b"caf\xe9 needle \xff\n");
        let utf16: Vec<u8> = "\u{feff}needle\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        tree.put("utf16", &utf16);
        let result = found(&tree, text("needle"));
        let expected =
            [("f", 1, 0, "needle"), ("latin1", 1, 5, "caf\u{fffd} needle \u{fffd}"), ("utf16", 1, 0, "needle")];
        assert_eq!(lines(&result), expected);
        assert_eq!(result.skipped, Skipped { binary: 1, ..Skipped::default() });
        assert_eq!((result.searched, result.stopped), (4, None));
    }

    #[test]
    fn a_long_line_is_cut_around_its_match() {
        let tree = Tree::of(&[("f", &format!("{}needle{}\n", "ä".repeat(1000), "b".repeat(1000)))]);
        let result = found(&tree, text("needle"));
        let hit = &result.results[0].matches[0];
        assert!(hit.cut && hit.match_start == 1000);
        assert_eq!(hit.line, format!("…{}needle{}…", "ä".repeat(125), "b".repeat(500 - 125 - 6)));
    }

    #[test]
    fn links_are_never_followed() {
        let outside = tempfile::tempdir().expect("there is room");
        std::fs::write(outside.path().join("f"), "needle\n").expect("there is room");
        let tree = Tree::of(&[("f", "needle\n")]);
        symlink(outside.path(), tree.path().join("folder")).expect("the name is free");
        symlink(outside.path().join("f"), tree.path().join("file")).expect("the name is free");
        let result = found(&tree, text("needle"));
        assert_eq!(lines(&result), [("f", 1, 0, "needle")]);
        assert_eq!(result.skipped, Skipped { links: 2, ..Skipped::default() });
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_fifo_and_a_huge_file_are_passed_over() {
        let tree = Tree::of(&[("huge", "needle\n")]);
        tree.fifo("pipe");
        let huge = std::fs::OpenOptions::new().write(true).open(tree.path().join("huge")).expect("it is there");
        huge.set_len(MAX_FILE + 1).expect("it takes no room");
        let result = found(&tree, text("needle"));
        assert_eq!(result.skipped, Skipped { special: 1, too_large: 1, ..Skipped::default() });
        assert_eq!((result.searched, result.total_matches), (0, 0));
    }

    #[test]
    fn an_endless_line_ends_the_search_of_its_file() {
        let tree = Tree::of(&[("g", "needle\n")]);
        tree.put("f", &[b"needle\n", &vec![b'x'; MAX_LINE + 1][..], b"\nneedle\n"].concat());
        let result = found(&tree, text("needle"));
        assert_eq!(lines(&result), [("f", 1, 0, "needle"), ("g", 1, 0, "needle")]);
        assert_eq!(result.skipped, Skipped { too_large: 1, ..Skipped::default() });
        tree.put("f", &[&vec![b'x'; MAX_REGEX_LINE + 1][..], b"\nneedle\n"].concat());
        assert_eq!(found(&tree, text("needle")).total_matches, 2);
        assert_eq!(found(&tree, regex("needle")).skipped, Skipped { too_large: 1, ..Skipped::default() });
    }

    #[test]
    fn each_limit_ends_a_search_and_only_when_it_left_something_out() {
        let tree = Tree::of(&[("a", "x\nx\n"), ("b", "x\n"), ("c", "-\n")]);
        let limits = Limits::PUBLISHED;
        let of = |limits: &Limits| {
            let result = limited(&tree, text("x"), limits);
            (result.total_files, result.total_matches, result.stopped)
        };
        assert_eq!(of(&Limits { files: 2, matches: 3, ..limits }), (2, 3, None));
        assert_eq!(of(&Limits { files: 1, ..limits }), (1, 2, Some(Stop::Files)));
        assert_eq!(of(&Limits { matches: 2, ..limits }), (1, 2, Some(Stop::Matches)));
        assert_eq!(of(&Limits { matches: 1, ..limits }), (1, 1, Some(Stop::Matches)));
        assert_eq!(of(&Limits { bytes: 130, ..limits }), (1, 2, Some(Stop::Bytes)));
        assert_eq!(of(&Limits { time: Duration::ZERO, ..limits }), (0, 0, Some(Stop::Time)));
        let full = limited(&tree, text("x"), &limits);
        let size = serde_json::to_string(&full.results).expect("plain data is JSON").len();
        let counted = (1..10_000).find(|bytes| of(&Limits { bytes: *bytes, ..limits }).2.is_none());
        assert!(counted.is_some_and(|counted| (size..size + 10).contains(&counted)), "{counted:?} {size}");
    }

    #[test]
    fn cancelling_stops_in_the_middle_of_a_file() {
        let tree = Tree::of(&[]);
        tree.put("f", &b"x\n".repeat(4_000_000));
        let asked = std::cell::Cell::new(0);
        let cancelled = || {
            asked.set(asked.get() + 1);
            asked.get() > 5
        };
        let folder = tree.folder(".");
        let scope = Scope { cancelled: &cancelled, ..whole(&folder) };
        let result = search(&tree.root, &scope, text("y"), &Limits::PUBLISHED).expect("the request is right");
        assert_eq!((result.stopped, result.skipped), (Some(Stop::Cancelled), Skipped::default()));
        assert_eq!(asked.get(), 6);
    }

    #[test]
    fn a_pattern_that_cannot_match_a_line_is_refused() {
        let long = "x".repeat(4097);
        for needle in [
            text(""),
            text("a\nb"),
            text("a\r\n"),
            text("a\0"),
            text(&long),
            regex("("),
            regex("a\\nb"),
            regex(r"(a)\1"),
            regex(r"(\w{1000}){1000}"),
        ] {
            let fault = refusal(needle);
            assert_eq!((fault.code, fault.details["pointer"].as_str()), (Code::BadRequest, Some("/pattern")));
        }
        assert!(refusal(regex("(")).message.contains("unclosed group"));
        assert!(refusal(regex("a\\nb")).hint.contains("one line"));
    }

    #[test]
    fn a_file_pattern_is_checked_and_ignored_files_are_counted() {
        let tree = Tree::of(&[(".gitignore", "no\n"), ("no/f.rs", "x\n"), ("f.rs", "x\n"), ("f.md", "x\n")]);
        let folder = tree.folder(".");
        let scope = Scope { file_pattern: Some("*.rs"), ..whole(&folder) };
        let result = search(&tree.root, &scope, text("x"), &Limits::PUBLISHED).expect("the request is right");
        assert_eq!(lines(&result), [("f.rs", 1, 0, "x")]);
        assert_eq!((result.searched, result.skipped), (1, Skipped { ignored: 1, ..Skipped::default() }));
        let scope = Scope { file_pattern: Some("/etc/passwd"), ..whole(&folder) };
        let fault = search(&tree.root, &scope, text("root"), &Limits::PUBLISHED).expect_err("it leads out");
        assert_eq!(fault.details["pointer"], "/file_pattern");
    }
}
