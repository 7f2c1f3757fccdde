//! Compares what came of an action with one right answer.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use super::case::{Case, Content, Expect, Files, Untracked};
use crate::support::{Answer, Gt, World};

/// Our codes for each kind of refusal; `status:` names a status instead.
const KINDS: &[(&str, &[&str])] = &[
    ("bad_args", &["bad_request", "bad_json", "unknown_operation", "bad_branch", "bad_path", "bad_flag", "too_large"]),
    ("bad_branch", &["bad_branch", "name_rewritten"]),
    ("cycle", &["cycle"]),
    ("exists", &["branch_exists"]),
    ("has_children", &["approval_needed"]),
    ("in_other_worktree", &["in_other_worktree"]),
    ("locked", &["lock_busy", "repository_busy"]),
    ("missing", &["branch_missing", "path_missing"]),
    ("not_approved", &["approval_needed", "read_only"]),
    ("nothing_to_amend", &["nothing_to_amend"]),
    ("stale", &["stale"]),
    ("trunk", &["on_trunk"]),
    ("uncertain", &["status:uncertain"]),
    ("untrusted_repo", &["untrusted_repository"]),
];

/// What the judge needs to know of the time before the action.
pub(super) struct Seen {
    refs: String,
    calls: usize,
}

impl Seen {
    pub(super) fn of(world: &World, case: &Case) -> Self {
        // Where the repository was given away, git does not read it either.
        let refs = if case.setup.git && case.setup.owner.is_none() { refs(world) } else { String::new() };
        Self { refs, calls: world.gt_calls().len() }
    }
}

fn refs(world: &World) -> String {
    world.sh("git for-each-ref --format='%(refname) %(objectname)'")
}

/// One action that is over.
pub(super) struct Judge<'a> {
    pub world: &'a World,
    pub case: &'a Case,
    pub answer: &'a Answer,
    pub before: &'a Seen,
    pub took: Duration,
}

impl Judge<'_> {
    /// Everything that is not as it should be.
    pub(super) fn complaints(&self, expect: &Expect) -> Vec<String> {
        let mut found = Vec::new();
        found.extend(self.of_status(expect));
        found.extend(self.of_files(expect));
        found.extend(self.of_git(expect));
        found.extend(self.of_calls(expect));
        if let Some(names) = &expect.needs_restack {
            let told = self.answer.report["needs_restack"].as_array().into_iter().flatten();
            differ(
                &mut found,
                "needs_restack",
                &told.filter_map(|left| left["branch"].as_str().map(str::to_owned)).collect(),
                names,
            );
        }
        if expect.max_ms.is_some_and(|max| self.took.as_millis() > max) {
            found.push(format!("it took {} ms", self.took.as_millis()));
        }
        found
    }

    fn of_status(&self, expect: &Expect) -> Option<String> {
        let ok = self.answer.exit == Some(0) && ["answered", "done"].contains(&self.answer.status());
        if ok != expect.ok {
            return Some(format!("ok is {ok}"));
        }
        let kind = expect.error_kind.as_deref()?;
        let (_, codes) = KINDS.iter().find(|(name, _)| *name == kind).expect("this runner knows the kind of refusal");
        let status = format!("status:{}", self.answer.status());
        if !codes.contains(&self.answer.code()) && !codes.contains(&status.as_str()) {
            return Some(format!("{kind} became {}", self.answer.code()));
        }
        (kind == "has_children").then(|| self.of_disclosure()).flatten()
    }

    /// Who is asked to delete a branch must read which branch above it loses which files.
    fn of_disclosure(&self) -> Option<String> {
        let actions = self.case.actions();
        let deleted = actions.last().map(|action| &action.args["branch"]);
        let stack = &self.case.setup.stack;
        let at = stack.iter().position(|layer| deleted.is_some_and(|name| *name == *layer.name)).expect("in the stack");
        let told = format!("{} {}", self.answer.text(), self.answer.report["fault"]["message"]);
        let mut named = stack[at].files.keys().chain(stack[at + 1..].iter().map(|layer| &layer.name));
        named.find(|name| !told.contains(&format!("`{name}`"))).map(|name| format!("`{name}` is not named"))
    }

    fn of_files(&self, expect: &Expect) -> Vec<String> {
        let mut found = Vec::new();
        if let Some(after) = &expect.files_after {
            let wanted = overlaid(&[&self.setup_files(), after]);
            differ(&mut found, "files", &folder(&self.world.root()), &wanted);
        }
        if let Some(after) = &expect.outside_after {
            let wanted = overlaid(&[&self.case.setup.outside, after]);
            differ(&mut found, "files outside", &folder(&self.world.path("outside")), &wanted);
        }
        let missing = expect.files_present.iter().filter(|name| !self.world.root().join(name).exists());
        found.extend(missing.map(|name| format!("{name} is gone")));
        found
    }

    /// Every file that the setup put into the worktree.
    fn setup_files(&self) -> Files {
        let setup = &self.case.setup;
        let mut files = setup.files.clone();
        if let Untracked::Files(more) = &setup.untracked {
            files.extend(more.clone());
        }
        files.extend(setup.stage.clone());
        files.extend(setup.dirty.clone());
        files
    }

    fn of_git(&self, expect: &Expect) -> Vec<String> {
        let mut found = Vec::new();
        let lines = |script: &str| -> Vec<String> { self.world.sh(script).lines().map(str::to_owned).collect() };
        if let Some(branches) = &expect.branches_after {
            differ(
                &mut found,
                "branches",
                &lines("git for-each-ref --format='%(refname:lstrip=2)' refs/heads"),
                branches,
            );
        }
        if let Some(staged) = &expect.staged_after {
            differ(&mut found, "staged", &lines("git diff --cached --no-ext-diff --name-only"), staged);
        }
        if let Some(head) = &expect.head_after {
            differ(&mut found, "HEAD", &self.world.sh("git symbolic-ref --short HEAD"), head);
        }
        if let Some(message) = &expect.message_is {
            differ(&mut found, "the message", &self.world.sh("git cat-file commit HEAD | sed '1,/^$/d'"), message);
        }
        if expect.refs_unchanged {
            differ(&mut found, "refs", &refs(self.world), &self.before.refs);
        }
        found
    }

    /// What is refused for its form starts nothing.
    fn of_calls(&self, expect: &Expect) -> Option<String> {
        let none = expect.note.contains("zero processes started") || expect.error_kind.as_deref() == Some("bad_args");
        let calls = self.world.gt_calls();
        let new = &calls[self.before.calls..];
        (none && self.world.gt == Gt::Fake && !new.is_empty()).then(|| format!("gt was started: {new:?}"))
    }
}

fn differ<T: PartialEq + std::fmt::Debug>(found: &mut Vec<String>, what: &str, is: &T, wanted: &T) {
    if is != wanted {
        found.push(format!("{what}: {is:?} instead of {wanted:?}"));
    }
}

/// Later files over earlier ones, what is absent left out.
fn overlaid(layers: &[&Files]) -> BTreeMap<String, Vec<u8>> {
    let all: BTreeMap<&String, &Option<Content>> = layers.iter().flat_map(|files| files.iter()).collect();
    all.into_iter().filter_map(|(name, content)| Some((name.clone(), content.as_ref()?.bytes()))).collect()
}

/// Every regular file below a folder with its bytes, git's own left out.
fn folder(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(root).expect("a folder").map(|entry| entry.expect("an entry")) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type().expect("a kind");
        if kind.is_dir() && name != ".git" {
            found.extend(folder(&entry.path()).into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
        } else if kind.is_file() {
            found.insert(name, fs::read(entry.path()).expect("readable"));
        }
    }
    found
}
