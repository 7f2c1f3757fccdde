//! A story: a repository is set up, requests are sent, reports and the repository afterwards are compared.
//!
//! A story is one file of sections. `--- setup` is shell; `--- request [flags]` holds one request, and what `granted`
//! stands before the flags is sent again with the grant that the refusal offers; `--- lie` tells the fake what to do
//! wrong; `--- shell` runs between requests; `--- report` and `--- after` hold what is expected. `UPDATE_EXPECT=1`
//! writes the expected sections anew.

use std::fs;
use std::path::{Path, PathBuf};

use super::normal::Normal;
use super::{Answer, Base, Gt, World};

struct Section {
    title: String,
    body: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/stories")
}

/// The names of all stories.
pub(crate) fn file_names() -> Vec<String> {
    let entries = fs::read_dir(folder()).expect("the folder of stories");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a plain name"));
    names.filter_map(|name| name.strip_suffix(".story").map(str::to_owned)).collect()
}

/// Plays a story on one gt and compares, or blesses.
pub(crate) fn play(name: &str, gt: Gt) {
    let path = folder().join(format!("{}.story", name.replace('_', "-")));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (head, sections) = parse(&text);
    let base = match head.lines().find_map(|line| line.strip_prefix("base: ")) {
        Some("empty") => Base::Empty,
        Some("plain") => Base::Plain,
        Some("init") => Base::Init,
        Some("stack") => Base::Stack,
        other => panic!("{name}: no base in the head: {other:?}"),
    };
    let played = perform(&World::new(gt, base), sections);
    let told = render(&head, &played);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, told).expect("blessed");
    } else if told != text {
        panic!("{name} on {gt:?} went differently (UPDATE_EXPECT=1 blesses):\n{}", difference(&text, &told));
    }
}

fn perform(world: &World, sections: Vec<Section>) -> Vec<Section> {
    let root = world.root().display().to_string();
    let top = world.path("").display().to_string();
    let mut normal = Normal::new(vec![(root, "$ROOT"), (top.trim_end_matches('/').to_owned(), "$WORLD")]);
    let mut played = Vec::new();
    for section in sections {
        let title = section.title.clone();
        match title.split_whitespace().next().unwrap_or_default() {
            "setup" | "shell" => drop(world.sh(&section.body)),
            "lie" => world.lie(&section.body),
            "request" => {
                let answer = send(world, &title, section.body.trim());
                played.push(section);
                let exit = answer.exit.map_or("no exit status".to_owned(), |exit| format!("exit {exit}"));
                played.push(Section { title: format!("report {exit}"), body: normal.report(answer.report) + "\n" });
                continue;
            }
            // What was expected is made anew.
            "report" | "after" => continue,
            other => panic!("no section is called {other:?}"),
        }
        played.push(section);
    }
    played.push(Section { title: "after".to_owned(), body: normal.text(&describe(world)) + "\n" });
    played
}

fn send(world: &World, title: &str, request: &str) -> Answer {
    let words: Vec<&str> = title.split_whitespace().skip(1).collect();
    match words.as_slice() {
        ["granted", ..] => world.run_granted(request),
        ["plan", flags @ ..] => world.call(&[&["plan"], flags].concat(), request),
        flags => world.call(&[&["run"], flags].concat(), request),
    }
}

/// The repository in words: HEAD, the branches with their commits and files, and the status.
fn describe(world: &World) -> String {
    if world.sh("git rev-parse --verify -q HEAD || true").is_empty() {
        return world.sh("git status --porcelain 2> /dev/null || true");
    }
    world.sh(
        r#"echo "HEAD: $(git symbolic-ref -q --short HEAD || echo detached)"
for b in $(git for-each-ref --format='%(refname)' refs/heads/); do
  echo "${b#refs/heads/}: $(git log --format=%s --topo-order "$b" -- | tr '\n' ',' | sed 's/,$//; s/,/ < /g')"
  echo "  files: $(git ls-tree -r --name-only "$b" | tr '\n' ' ')"
done | sed 's/ *$//'
git status --porcelain
for s in rebase-merge MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD; do if [ -e "$(git rev-parse --git-path $s)" ]; then echo "in progress: $s"; fi; done"#,
    )
}

fn parse(text: &str) -> (String, Vec<Section>) {
    let mut head = String::new();
    let mut sections: Vec<Section> = Vec::new();
    for line in text.split_inclusive('\n') {
        if let Some(title) = line.strip_prefix("--- ") {
            sections.push(Section { title: title.trim_end().to_owned(), body: String::new() });
        } else {
            sections.last_mut().map_or(&mut head, |section| &mut section.body).push_str(line);
        }
    }
    (head, sections)
}

fn render(head: &str, sections: &[Section]) -> String {
    let mut text = head.to_owned();
    for section in sections {
        text.push_str("--- ");
        text.push_str(&section.title);
        text.push('\n');
        text.push_str(&section.body);
    }
    text
}

/// The lines around the first difference.
fn difference(expected: &str, found: &str) -> String {
    let (expected, found): (Vec<_>, Vec<_>) = (expected.lines().collect(), found.lines().collect());
    let first = expected.iter().zip(&found).position(|(e, f)| e != f).unwrap_or(expected.len().min(found.len()));
    let around = |lines: &[&str], mark: &str| -> String {
        let shown = lines.iter().enumerate().skip(first.saturating_sub(3)).take(12);
        shown.map(|(at, line)| format!("{}{line}\n", if at < first { "  " } else { mark })).collect()
    };
    format!("expected:\n{}found:\n{}", around(&expected, "- "), around(&found, "+ "))
}
