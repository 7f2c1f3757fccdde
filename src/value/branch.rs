//! Branch names that git and gt both read as exactly one local branch.

use super::{BRANCH_FORMAT, text_value};

/// Most characters in a branch name.
const MAX_CHARS: usize = 255;
/// Most bytes in one path component: a loose ref is a file, and git appends `.lock`.
const MAX_COMPONENT: usize = 250;
/// Short names that git resolves to something else than `refs/heads/<name>`.
const REF_NAMESPACES: [&str; 4] = ["refs/", "heads/", "tags/", "remotes/"];

/// A local branch's name: `refs/heads/<name>` is valid in git, and no tool reads the short name as anything else.
///
/// Faults: [`BranchError`], a variant per rule. Limits: 255 characters, 250 bytes in a component.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BranchName(String);

/// Why a text is not a usable branch name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BranchError {
    /// Nothing there.
    #[error("a branch name cannot be empty")]
    Empty,
    /// Over the limit of characters.
    #[error("a branch name has at most 255 characters")]
    TooLong,
    /// A component is too long for a file name with `.lock` appended.
    #[error("a part of the branch name between slashes has at most 250 bytes")]
    ComponentTooLong,
    /// It would be read as an option.
    #[error("`{0}` starts with `-` and would be read as an option")]
    LeadingDash(String),
    /// git expands `@` and `@{…}`.
    #[error("git expands `{0}` to another revision")]
    Expanded(String),
    /// `HEAD`, `FETCH_HEAD` and kin.
    #[error("`{0}` is a name that git keeps for itself")]
    Reserved(String),
    /// It looks like a full ref or a ref namespace.
    #[error("`{0}` would be read as a path of refs, not as a branch")]
    RefPath(String),
    /// It looks like an object id.
    #[error("`{0}` looks like a full object id")]
    ObjectId(String),
    /// git's own rules for refs.
    #[error("`{name}` is not a valid git branch name: {rule}")]
    Git {
        /// The name.
        name: String,
        /// git's rule, in gix's words.
        rule: String,
    },
}

impl BranchName {
    /// Checks every rule, cheapest first.
    fn check(name: &str) -> Result<(), BranchError> {
        let owned = || name.escape_debug().to_string();
        if name.is_empty() {
            return Err(BranchError::Empty);
        }
        if name.chars().count() > MAX_CHARS {
            return Err(BranchError::TooLong);
        }
        if name.split('/').any(|part| part.len() > MAX_COMPONENT) {
            return Err(BranchError::ComponentTooLong);
        }
        if name.starts_with('-') {
            return Err(BranchError::LeadingDash(owned()));
        }
        if name == "@" || name.contains("@{") {
            return Err(BranchError::Expanded(owned()));
        }
        if is_reserved(name) {
            return Err(BranchError::Reserved(owned()));
        }
        if REF_NAMESPACES.iter().any(|prefix| name.starts_with(prefix)) {
            return Err(BranchError::RefPath(owned()));
        }
        if matches!(name.len(), 40 | 64) && name.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(BranchError::ObjectId(owned()));
        }
        let full = format!("refs/heads/{name}");
        gix::validate::reference::name(full.as_str().into())
            .map(|_| ())
            .map_err(|rule| BranchError::Git { name: owned(), rule: rule.to_string() })
    }

    /// The full ref, `refs/heads/<name>`.
    #[must_use]
    pub fn full(&self) -> String {
        format!("refs/heads/{}", self.0)
    }
}

/// Root refs: git reads `HEAD`, `*_HEAD` and a few more from the git directory itself, whatever branches exist.
fn is_reserved(name: &str) -> bool {
    let root_ref = name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
    root_ref
        && (name == "HEAD"
            || name.ends_with("_HEAD")
            || matches!(name, "AUTO_MERGE" | "BISECT_EXPECTED_REV" | "NOTES_MERGE_PARTIAL" | "NOTES_MERGE_REF"))
}

text_value!(BranchName, BranchError, BRANCH_FORMAT, "BranchName", MAX_CHARS, "A local branch's name.");

#[cfg(test)]
mod tests {
    use super::{BranchError, BranchName};

    fn parse(name: &str) -> Result<BranchName, BranchError> {
        BranchName::try_from(name.to_owned())
    }

    #[test]
    fn plain_names_are_taken() {
        let longest = format!("{}/{}", "a".repeat(4), "b".repeat(250));
        for name in [
            "main",
            "fix/login-form",
            "a.b",
            "007",
            "日本語",
            "café",
            "a@b",
            "head",
            "stash",
            "UPPER",
            "deadbeef",
            &longest,
        ] {
            assert_eq!(parse(name).map(|b| b.full()), Ok(format!("refs/heads/{name}")), "{name}");
        }
    }

    #[test]
    fn names_that_git_or_gt_read_as_something_else_are_refused() {
        use BranchError as E;
        type Rule = fn(&BranchError) -> bool;
        let (dash, expanded, reserved): (Rule, Rule, Rule) =
            (|e| matches!(e, E::LeadingDash(_)), |e| matches!(e, E::Expanded(_)), |e| matches!(e, E::Reserved(_)));
        let (refpath, git): (Rule, Rule) = (|e| matches!(e, E::RefPath(_)), |e| matches!(e, E::Git { .. }));
        let zeros = "0".repeat(40);
        let hash64 = "aB".repeat(32);
        let long_part = format!("a/{}", "b".repeat(251));
        let long = "a/".repeat(128);
        let table: [(&str, Rule); 31] = [
            ("", |e| matches!(e, E::Empty)),
            (&long, |e| matches!(e, E::TooLong)),
            (&long_part, |e| matches!(e, E::ComponentTooLong)),
            ("-x", dash),
            ("--all", dash),
            ("@", expanded),
            ("@{-1}", expanded),
            ("a@{1}", expanded),
            ("HEAD", reserved),
            ("FETCH_HEAD", reserved),
            ("ORIG_HEAD", reserved),
            ("AUTO_MERGE", reserved),
            ("refs/heads/x", refpath),
            ("heads/x", refpath),
            ("tags/v1", refpath),
            (&zeros, |e| matches!(e, E::ObjectId(_))),
            (&hash64, |e| matches!(e, E::ObjectId(_))),
            ("a b", git),
            ("a\0b", git),
            ("a..b", git),
            ("x.lock", git),
            (".hidden", git),
            ("a/.b", git),
            ("a//b", git),
            ("/a", git),
            ("a/", git),
            ("a~1", git),
            ("a^", git),
            ("a:b", git),
            ("a?*[", git),
            ("a\u{7f}", git),
        ];
        for (name, rule) in table {
            let error = parse(name).expect_err(name);
            assert!(rule(&error), "{name:?}: {error}");
        }
    }
}
