//! Rules for any text: whitespace, and no word about where packages come from.

use std::path::Path;

use super::Complaint;

/// Kinds of files that people edit line by line.
const KINDS: &[&str] = &["css", "html", "js", "json", "md", "mjs", "rs", "sh", "toml", "ts", "txt", "yaml", "yml"];

/// Such files without an extension.
const NAMES: &[&str] = &["LICENSE-APACHE", "LICENSE-MIT", ".gitignore", "run"];

/// Files that package managers write, in their own format.
const LOCKFILES: &[&str] =
    &["Cargo.lock", "bun.lock", "npm-shrinkwrap.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock"];

/// Hosts of package registries, in pieces, so that this file does not name one either.
const HOSTS: &[(&str, &str)] = &[
    ("crates", "io"),
    ("npmjs", "com"),
    ("npmjs", "org"),
    ("yarnpkg", "com"),
    ("jsr", "io"),
    ("pypi", "org"),
    ("pythonhosted", "org"),
    ("rubygems", "org"),
    ("proxy.golang", "org"),
    ("repo.maven.apache", "org"),
];

/// Whether a file is one that people edit line by line.
pub(super) fn is_prose_or_code(path: &Path) -> bool {
    if is_lockfile(path) {
        return false;
    }
    match path.extension() {
        Some(kind) => KINDS.iter().any(|known| kind == *known),
        None => is_named(path, NAMES),
    }
}

pub(super) fn is_lockfile(path: &Path) -> bool {
    is_named(path, LOCKFILES)
}

fn is_named(path: &Path, names: &[&str]) -> bool {
    let name = path.file_name().unwrap_or_default();
    names.iter().any(|known| name == *known)
}

/// Registries move and are mirrored; the package manager's configuration names them, and nothing else.
pub(super) fn package_hosts(text: &str) -> Vec<Complaint> {
    let hosts: Vec<String> = HOSTS.iter().map(|(name, zone)| format!("{name}.{zone}")).collect();
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.to_ascii_lowercase();
        if hosts.iter().any(|host| line.contains(host)) {
            let reason = "names the host of a package registry; leave it to the package manager";
            found.push(Complaint::new(index + 1, reason));
        }
    }
    found
}

pub(super) fn trailing_whitespace(text: &str) -> Vec<Complaint> {
    let lines = text.lines().enumerate();
    let ending = lines.filter(|(_, line)| line.ends_with(char::is_whitespace));
    ending.map(|(index, _)| Complaint::new(index + 1, "whitespace at the end of the line")).collect()
}

pub(super) fn final_newline(text: &str) -> Option<Complaint> {
    let last = text.lines().count().max(1);
    let reason = if text.is_empty() {
        return None;
    } else if !text.ends_with('\n') {
        "the last line does not end"
    } else if text.ends_with("\n\n") {
        "empty lines at the end of the file"
    } else {
        return None;
    };
    Some(Complaint::new(last, reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_is_found_in_any_case_and_as_a_part_of_a_host() {
        let (name, zone) = HOSTS[0];
        let text = format!("fine\nhttps://INDEX.{}.{zone}/x\n", name.to_uppercase());
        let found = package_hosts(&text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].line, 2);
        assert_eq!(package_hosts("crates, io; npmjs"), []);
    }

    #[test]
    fn lockfiles_are_left_alone() {
        assert!(is_lockfile(Path::new("extension/package-lock.json")));
        assert!(!is_prose_or_code(Path::new("package-lock.json")));
        assert!(is_prose_or_code(Path::new("package.json")));
        assert!(is_prose_or_code(Path::new(".ci/run")));
        assert!(!is_prose_or_code(Path::new("docs/picture.png")));
    }

    #[test]
    fn whitespace_at_the_end_is_found() {
        let found = trailing_whitespace("a\nb \n\t\n");
        let lines: Vec<usize> = found.iter().map(|complaint| complaint.line).collect();
        assert_eq!(lines, [2, 3]);
    }

    #[test]
    fn a_text_ends_with_one_newline() {
        assert_eq!(final_newline(""), None);
        assert_eq!(final_newline("a\n"), None);
        assert!(final_newline("a").is_some());
        assert!(final_newline("a\n\n").is_some());
    }
}
