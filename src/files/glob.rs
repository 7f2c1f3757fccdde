//! `file_pattern`: which files a search or a listing is about.

use globset::{GlobBuilder, GlobSet};

use crate::fault::{Code, Fault};

/// Most characters of a pattern.
pub const MAX_PATTERN: usize = 4096;

/// A pattern for file names. Without `/` it is about the name, at any depth; with `/` about the path from the folder
/// that is searched. `*` and `?` stop at `/`, `**` does not; `{a,b}` and `[a-z]` are alternatives. Case counts, and a
/// leading dot is nothing special.
#[derive(Debug)]
pub(super) struct FilePattern(Option<Meant>);

#[derive(Debug)]
enum Meant {
    Name(GlobSet),
    Path(GlobSet),
}

impl FilePattern {
    /// # Errors
    /// `bad_request` with the pointer `/file_pattern`.
    pub(super) fn new(pattern: Option<&str>) -> Result<Self, Fault> {
        let Some(given) = pattern else { return Ok(Self(None)) };
        let bad = |why: &str, hint: &str| {
            let shown: String = given.chars().take(200).collect();
            Fault::new(Code::BadRequest, format!("the file pattern `{}` {why}", shown.escape_debug()))
                .hint(hint)
                .detail("pointer", "/file_pattern")
        };
        let hint = "Give a pattern such as `*.rs` or `src/**/*.{ts,tsx}`.";
        if given.chars().count() > MAX_PATTERN {
            return Err(bad("is longer than 4096 characters", hint));
        }
        if given.contains('\0') {
            return Err(bad("holds a NUL byte", hint));
        }
        if given.contains('\\') {
            return Err(bad("holds a backslash", "Use `/` between folders, and `[*]` for a literal `*`."));
        }
        if given.starts_with('/') {
            return Err(bad("is absolute", "Name the folder in `directory`, and only the files in `file_pattern`."));
        }
        let relative = given.strip_prefix("./").unwrap_or(given);
        for part in relative.split(['/', '{', '}', ',']) {
            if part == ".." {
                return Err(bad("has a component `..`", "Name the folder in `directory`; nothing outside it is read."));
            }
        }
        if relative.split('/').any(|part| matches!(part, "" | ".")) {
            return Err(bad("has an empty component", "Name files: `src/**` is every file beneath `src`."));
        }
        let glob = GlobBuilder::new(relative).literal_separator(true).backslash_escape(false).build();
        // A set of one, since a matcher alone panics over a pattern that is nested too deeply.
        let glob = glob.and_then(|glob| GlobSet::builder().add(glob).build());
        let glob = glob.map_err(|error| bad(&format!("is malformed: {}", error.kind()), hint))?;
        Ok(Self(Some(if relative.contains('/') { Meant::Path(glob) } else { Meant::Name(glob) })))
    }

    /// Whether it means the file with this path from the folder that is searched.
    pub(super) fn matches(&self, path: &str) -> bool {
        match &self.0 {
            None => true,
            Some(Meant::Name(glob)) => glob.is_match(path.rsplit_once('/').map_or(path, |(_, name)| name)),
            Some(Meant::Path(glob)) => glob.is_match(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FilePattern;
    use crate::fault::Code;

    #[test]
    fn a_pattern_is_about_the_name_or_about_the_path() {
        for (pattern, path, meant) in [
            ("*", "a/.hidden", true),
            ("*.rs", "a/b/c.rs", true),
            ("*.RS", "a/b/c.rs", false),
            ("*.{rs,toml}", "Cargo.toml", true),
            ("**", "a/b", true),
            ("**/*.rs", "c.rs", true),
            ("a/*.rs", "a/c.rs", true),
            ("./a/*.rs", "a/c.rs", true),
            ("a/*.rs", "a/b/c.rs", false),
            ("a/**/*.rs", "a/b/c.rs", true),
            ("a/**", "a/b/c.rs", true),
            ("{a,b}/*.rs", "b/c.rs", true),
            ("[*]", "*", true),
            ("[a-c].txt", "x/b.txt", true),
            ("v1..2.md", "v1..2.md", true),
        ] {
            let files = FilePattern::new(Some(pattern)).expect(pattern);
            assert_eq!(files.matches(path), meant, "{pattern} {path}");
        }
        assert!(FilePattern::new(None).expect("nothing is wrong").matches("a/b"));
    }

    #[test]
    fn a_pattern_that_leads_out_is_refused() {
        let long = "a".repeat(4097);
        let nested = format!("{}a{}", "{".repeat(2000), "}".repeat(2000));
        for pattern in [
            "/etc/passwd",
            "../../../../etc/passwd",
            "a/../b",
            "a/..",
            "..",
            "{../x,y}",
            "{a,..}/b",
            "a\\b",
            "a\0b",
            "",
            "a/",
            "./",
            "a//b",
            "a/./b",
            "{a",
            "[a",
            "[z-a]",
            &long,
            &nested,
        ] {
            let fault = FilePattern::new(Some(pattern)).expect_err(pattern);
            assert_eq!(fault.code, Code::BadRequest, "{pattern}");
            assert_eq!(fault.details["pointer"], "/file_pattern", "{pattern}");
        }
    }
}
