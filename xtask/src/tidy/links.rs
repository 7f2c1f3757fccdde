//! Links and anchors of Markdown pages, read as a hosting site would.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// A link to something in the project.
#[derive(Debug, PartialEq)]
pub(super) struct Link {
    pub(super) line: usize,
    /// Empty for an anchor of the page itself.
    pub(super) path: String,
    pub(super) anchor: Option<String>,
}

impl Link {
    /// The place that a link on `page` leads to, relative to the root; none if it is outside.
    pub(super) fn target_from(&self, page: &Path) -> Option<PathBuf> {
        if self.path.is_empty() {
            return Some(page.to_owned());
        }
        let joined = match self.path.strip_prefix('/') {
            Some(from_root) => PathBuf::from(from_root),
            None => page.parent()?.join(&self.path),
        };
        let mut target = PathBuf::new();
        for part in joined.components() {
            match part {
                Component::Normal(name) => target.push(name),
                Component::ParentDir if target.pop() => {}
                Component::CurDir => {}
                _ => return None,
            }
        }
        Some(target)
    }
}

/// Every link of a page that stays in the project.
pub(super) fn relative_links(text: &str) -> Vec<Link> {
    let mut links = Vec::new();
    for (line, prose) in prose_lines(text) {
        let mut targets = inline_targets(&prose);
        targets.extend(definition_target(&prose));
        targets.extend(attributes(&prose, &["href", "src"]));
        links.extend(targets.iter().filter_map(|target| link(line, target)));
    }
    links
}

/// Every anchor that a page offers.
pub(super) fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for (_, line) in lines_outside_fences(text) {
        if let Some(heading) = heading(line) {
            anchors.insert(unused(slug(heading), &anchors));
        }
        anchors.extend(attributes(&without_code(line), &["id", "name"]));
    }
    anchors
}

fn link(line: usize, target: &str) -> Option<Link> {
    let target = target.strip_prefix('<').unwrap_or(target);
    let target = target.split(['>', ' ']).next().unwrap_or_default();
    // A scheme, or a host without one: not ours to check.
    let scheme = target.split(['/', '#', '?']).next().unwrap_or_default();
    if target.is_empty() || scheme.contains(':') || target.starts_with("//") {
        return None;
    }
    let (path, anchor) = match target.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor.to_owned())),
        None => (target, None),
    };
    let path = path.replace("%20", " ");
    Some(Link { line, path, anchor })
}

/// The targets of `[text](target)` and `![text](target)`.
fn inline_targets(line: &str) -> Vec<String> {
    let starts = line.match_indices("](").map(|(at, found)| at + found.len());
    starts.map(|start| balanced(&line[start..])).collect()
}

/// The text up to the parenthesis that closes the one before it.
fn balanced(text: &str) -> String {
    let mut depth = 0_usize;
    let inside = text.chars().take_while(|character| {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => return false,
            ')' => depth -= 1,
            _ => {}
        }
        true
    });
    inside.collect()
}

/// The target of a line `[name]: target`.
fn definition_target(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix('[')?;
    let (name, target) = rest.split_once("]:")?;
    let is_definition = !name.starts_with('^') && !name.contains(']');
    is_definition.then(|| target.trim().to_owned())
}

/// The values of HTML attributes.
fn attributes(line: &str, names: &[&str]) -> Vec<String> {
    let mut values = Vec::new();
    for name in names {
        let opening = format!(" {name}=\"");
        for (at, found) in line.match_indices(&opening) {
            let value = line[at + found.len()..].split('"').next();
            values.extend(value.map(str::to_owned));
        }
    }
    values
}

/// Numbered lines outside code, inline code removed.
fn prose_lines(text: &str) -> impl Iterator<Item = (usize, String)> {
    let lines = lines_outside_fences(text).into_iter();
    lines.map(|(number, line)| (number, without_code(line)))
}

fn lines_outside_fences(text: &str) -> Vec<(usize, &str)> {
    let mut fence: Option<&str> = None;
    let mut outside = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let marker = ["```", "~~~"].into_iter().find(|marker| line.trim_start().starts_with(marker));
        match (fence, marker) {
            (None, None) => outside.push((index + 1, line)),
            (None, Some(opened)) => fence = Some(opened),
            (Some(opened), Some(marker)) if opened == marker => fence = None,
            (Some(_), _) => {}
        }
    }
    outside
}

/// A line without what stands between backticks.
fn without_code(line: &str) -> String {
    let parts: Vec<&str> = line.split('`').collect();
    // An odd number of backticks leaves the last part open: it is text.
    let is_code = |index: usize| index % 2 == 1 && index + 1 < parts.len();
    let text = parts.iter().enumerate().filter(|(index, _)| !is_code(*index));
    text.map(|(_, part)| *part).collect()
}

fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    let is_heading = (1..=6).contains(&level) && (text.is_empty() || text.starts_with(' '));
    is_heading.then(|| text.trim().trim_end_matches('#').trim_end())
}

/// A heading's anchor: small letters, spaces as hyphens, no punctuation.
fn slug(heading: &str) -> String {
    let mut shown = heading.to_owned();
    for target in inline_targets(heading) {
        shown = shown.replace(&format!("]({target})"), "");
    }
    let kept = shown.to_lowercase();
    let kept = kept.chars().filter_map(|character| match character {
        ' ' => Some('-'),
        '-' | '_' => Some(character),
        other => other.is_alphanumeric().then_some(other),
    });
    kept.collect()
}

/// The slug itself, or with the first free number behind it.
fn unused(slug: String, taken: &BTreeSet<String>) -> String {
    if !taken.contains(&slug) {
        return slug;
    }
    let numbered = (1..).map(|number| format!("{slug}-{number}"));
    let mut free = numbered.filter(|name| !taken.contains(name));
    free.next().expect("there are more numbers than headings")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        let links = relative_links(text).into_iter();
        links.map(|link| link.path).collect()
    }

    #[test]
    fn every_form_of_link_is_read() {
        assert_eq!(paths("see [a](x.md) and ![b](y(1).png)"), ["x.md", "y(1).png"]);
        assert_eq!(paths("[a](<x.md>) [b](y.md \"title\")"), ["x.md", "y.md"]);
        assert_eq!(paths("[a]: x.md\n[^1]: a note"), ["x.md"]);
        assert_eq!(paths("<img alt=\"\" src=\"x.png\">"), ["x.png"]);
        assert_eq!(paths("[a](my%20page.md)"), ["my page.md"]);
    }

    #[test]
    fn other_places_and_code_are_left_alone() {
        assert_eq!(paths("[a](https://example.org) [b](mailto:a@b.c)"), [""; 0]);
        assert_eq!(paths("`[a](x.md)`"), [""; 0]);
        assert_eq!(paths("```\n[a](x.md)\n```\n[b](y.md)"), ["y.md"]);
        assert_eq!(paths("~~~\n```\n[a](x.md)\n~~~"), [""; 0]);
    }

    #[test]
    fn a_link_keeps_its_line_and_anchor() {
        let link = Link { line: 2, path: "x.md".to_owned(), anchor: Some("part".to_owned()) };
        assert_eq!(relative_links("\n[a](x.md#part)"), [link]);
    }

    #[test]
    fn anchors_are_made_as_hosting_sites_make_them() {
        let text = "# The `gt` guard!\n## A — b_c\n## [Link](x.md) here\n# Two\n# Two\n```\n# no\n```\n<a id=\"own\"></a>\n#no";
        let expected = ["a--b_c", "link-here", "own", "the-gt-guard", "two", "two-1"];
        let found: Vec<String> = anchors(text).into_iter().collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn targets_are_resolved_from_the_page() {
        let target = |path: &str| {
            let path = path.to_owned();
            let link = Link { line: 1, path, anchor: None };
            link.target_from(Path::new("docs/a.md"))
        };
        assert_eq!(target(""), Some("docs/a.md".into()));
        assert_eq!(target("b.md"), Some("docs/b.md".into()));
        assert_eq!(target("./../src/"), Some("src".into()));
        assert_eq!(target("/README.md"), Some("README.md".into()));
        assert_eq!(target("../../x"), None);
    }
}
