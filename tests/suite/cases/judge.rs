//! Compares what came of an action with one right answer.

use std::fs;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::act::{Stage, leftovers, worktree};
use super::case::{Case, Expect, RunAs};
use super::tree::Tree;
use crate::support::{Answer, Gt, World};

/// Our codes for each kind of refusal; `status:` names a status instead.
const KINDS: &[(&str, &[&str])] = &[
    ("ambiguous", &["ambiguous"]),
    ("bad_args", &["bad_request", "bad_json", "unknown_operation", "bad_branch", "bad_path", "bad_flag", "too_large"]),
    ("bad_branch", &["bad_branch", "name_rewritten"]),
    ("bad_patch", &["bad_patch"]),
    ("binary", &["binary"]),
    ("conflict_changed", &["file_changed", "stale"]),
    ("cycle", &["cycle"]),
    ("duplicate_op", &["bad_patch"]),
    ("empty_old", &["empty_old_string"]),
    ("exists", &["branch_exists", "file_exists"]),
    ("hardlink", &["hard_link"]),
    ("has_children", &["approval_needed"]),
    ("in_other_worktree", &["in_other_worktree"]),
    ("io", &["write_failed", "read_failed"]),
    ("locked", &["lock_busy", "repository_busy"]),
    ("missing", &["branch_missing", "path_missing", "file_missing"]),
    ("noop", &["no_change"]),
    ("not_approved", &["approval_needed", "read_only", "status:proposed"]),
    ("not_directory", &["parent_not_directory"]),
    ("not_found", &["no_match"]),
    ("not_regular_file", &["not_regular_file"]),
    ("not_shown", &["not_shown"]),
    ("not_utf8", &["not_utf8"]),
    ("nothing_to_amend", &["nothing_to_amend"]),
    ("overlap", &["overlap"]),
    ("path_outside", &["outside_workspace"]),
    ("protected_path", &["protected_path"]),
    ("stale", &["stale", "file_changed"]),
    ("symlink", &["symlink"]),
    ("too_large", &["file_too_large"]),
    ("trunk", &["on_trunk"]),
    ("uncertain", &["status:uncertain"]),
    ("untrusted_repo", &["untrusted_repository"]),
    ("utf16", &["utf16"]),
];

/// What the judge needs to know of the time before the action.
pub(super) struct Seen {
    refs: String,
    calls: usize,
    git: Tree,
    outside: Tree,
    sibling: Tree,
}

impl Seen {
    pub(super) fn of(world: &World, case: &Case) -> Self {
        let setup = &case.setup;
        // Where the repository was given away, git does not read it either.
        let is_ours = setup.git && setup.owner.is_none() && setup.run_as != Some(RunAs::NonRoot);
        Self {
            refs: if is_ours { refs(world) } else { String::new() },
            calls: world.gt_calls().len(),
            git: git(world),
            outside: Tree::of(&world.path("outside"), &[]),
            sibling: sibling(world, case),
        }
    }
}

/// Git's own folder without what this program keeps there.
fn git(world: &World) -> Tree {
    Tree::of(&world.root().join(".git"), &["pi-graphite", "pi-graphite.json"])
}

fn sibling(world: &World, case: &Case) -> Tree {
    let sibling = case.setup.outside_sibling.as_ref();
    sibling.map(|sibling| Tree::of(&world.path(&format!("repo{}", sibling.suffix)), &[])).unwrap_or_default()
}

fn refs(world: &World) -> String {
    world.sh("git for-each-ref --format='%(refname) %(objectname)'")
}

/// One action that is over.
pub(super) struct Judge<'a> {
    pub world: &'a World,
    pub case: &'a Case,
    pub stage: &'a Stage<'a>,
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
        found.extend(self.of_answer(expect));
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
        let status = self.answer.status();
        let proposes = self.case.actions().last().is_some_and(|action| action.tool == "propose");
        let ok = (self.answer.exit == Some(0) && ["answered", "done"].contains(&status))
            || (proposes && status == "proposed");
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
        let (is, of_files) = (worktree(self.world), self.case.area.is_of_files());
        if of_files || expect.files_after.is_some() {
            found.extend(is.complaints("file", &self.stage.base().with(expect.files_after.as_ref(), expect)));
        }
        if of_files || expect.outside_after.is_some() {
            let outside = Tree::of(&self.world.path("outside"), &[]);
            let wanted = self.before.outside.with(expect.outside_after.as_ref(), expect);
            found.extend(outside.complaints("file outside", &wanted));
        }
        if of_files {
            let wanted = self.before.sibling.with(expect.sibling_after.as_ref(), expect);
            found.extend(sibling(self.world, self.case).complaints("file of the sibling", &wanted));
            found.extend(git(self.world).complaints("git's own file", &self.before.git));
            found.extend(leftovers(self.world).into_iter().map(|name| format!("{name} is left of a change")));
        }
        for (name, target) in &expect.links_after {
            differ(&mut found, name, &is.link(name), &Some(target.as_str()));
        }
        found.extend(expect.absent.iter().filter(|name| is.holds(name)).map(|name| format!("{name} is there")));
        let missing = expect.files_present.iter().filter(|name| !self.world.root().join(name).exists());
        found.extend(missing.map(|name| format!("{name} is gone")));
        found
    }

    /// What the report says: of the files what is true, of a refusal that it had no effect.
    fn of_answer(&self, expect: &Expect) -> Vec<String> {
        let (report, mut found) = (&self.answer.report, Vec::new());
        if let Some(wanted) = &expect.sha256 {
            differ(&mut found, "sha256", &report["file"]["sha256"].as_str(), &Some(wanted.as_str()));
        }
        let told = format!("{} {}", report["text"], report["fault"]);
        let unsaid = expect.result_must_mention.iter().filter(|words| !told.contains(*words));
        found.extend(unsaid.map(|words| format!("{words:?} is not mentioned")));
        if !self.case.area.is_of_files() {
            return found;
        }
        if report["fault"].is_object() {
            differ(&mut found, "effect", &report["fault"]["effect"].as_str(), &Some("none"));
        }
        for file in report["files"].as_array().into_iter().flatten().chain([&report["file"]]) {
            if let (Some(path), Some(digest)) = (file["path"].as_str(), file["sha256"].as_str()) {
                let bytes = fs::read(self.world.root().join(path)).unwrap_or_default();
                differ(&mut found, &format!("the digest of {path}"), &digest, &hex(&Sha256::digest(&bytes)).as_str());
            }
        }
        found
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

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
