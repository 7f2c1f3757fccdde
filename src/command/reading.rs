//! Typed readings of gt's output. Output is evidence for reasons and texts, never for what has happened.

/// The versions of gt that the whole suite has passed on.
pub const SUPPORTED_GT: &[&str] = &["1.8.6"];

/// The version in `gt --version`'s output.
#[must_use]
pub fn parse_version(stdout: &str) -> Option<&str> {
    let line = stdout.lines().map(str::trim).find(|line| !line.is_empty())?;
    let numeric = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    (line.split('.').count() == 3 && line.split('.').all(numeric)).then_some(line)
}

/// Branches that gt says it did not restack, each with gt's reason, from both streams.
#[must_use]
pub fn skipped_branches(stdout: &str, stderr: &str) -> Vec<(String, String)> {
    let lines = stdout.lines().chain(stderr.lines()).map(str::trim);
    lines.filter_map(skipped).collect()
}

fn skipped(line: &str) -> Option<(String, String)> {
    if let Some(rest) = line.strip_prefix("Did not restack ") {
        let rest = rest.strip_prefix("branch ").or_else(|| rest.strip_prefix("checked out branch ")).unwrap_or(rest);
        let cut = rest
            .find(" because ")
            .map(|at| (at, at + " because ".len()))
            .or_else(|| rest.find(" due to ").map(|at| (at, at + 1)))?;
        return Some((rest[..cut.0].to_owned(), rest[cut.1..].trim_end_matches('.').to_owned()));
    }
    let branch = line.strip_prefix("WARNING: ")?.strip_suffix(" could not be restacked cleanly.")?;
    Some((branch.to_owned(), "it conflicts with its new base".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{parse_version, skipped_branches};

    #[test]
    fn only_a_plain_version_is_one() {
        assert_eq!(parse_version("1.8.6\n"), Some("1.8.6"));
        assert_eq!(parse_version("\n 1.8.6 \nmore"), Some("1.8.6"));
        for text in ["", "v1.8.6", "1.8", "1.8.6-beta", "gt 1.8.6", "1..6"] {
            assert_eq!(parse_version(text), None, "{text}");
        }
    }

    #[test]
    fn reasons_for_skipped_branches_are_read() {
        let out = "Did not restack branch b because it is checked out in worktree /w.\nDid not restack branch a because it is frozen.\nDid not restack checked out branch c due to staged changes.\nRestacked d on a.";
        let err = "WARNING: e could not be restacked cleanly.";
        let found = skipped_branches(out, err);
        let found: Vec<_> = found.iter().map(|(b, r)| (b.as_str(), r.as_str())).collect();
        assert_eq!(
            found,
            [
                ("b", "it is checked out in worktree /w"),
                ("a", "it is frozen"),
                ("c", "due to staged changes"),
                ("e", "it conflicts with its new base")
            ]
        );
    }
}
