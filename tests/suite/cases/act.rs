//! Does what a case says: sends requests through the real binary, and changes the world behind its back.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use super::case::{Action, Case, Content, numbered};
use super::setup;
use super::tree::Tree;
use crate::support::{Answer, World};

/// Most steps that a call may take before a kill no longer reaches it.
const MOST_STEPS: usize = 200;
const FAILPOINTS: &str = "the suite needs the feature `failpoints`; `cargo xtask test` sets it";

/// A case while it is played.
pub(super) struct Stage<'a> {
    world: &'a World,
    case: &'a Case,
    /// How the worktree has to look: as it was set up, and as the test itself has changed it since.
    base: Tree,
    proposals: BTreeMap<String, Proposal>,
    approved: BTreeSet<String>,
}

struct Proposal {
    request: Value,
    id: String,
}

impl<'a> Stage<'a> {
    /// The world as it was set up.
    pub(super) fn new(world: &'a World, case: &'a Case) -> Self {
        let base = worktree(world);
        Self { world, case, base, proposals: BTreeMap::new(), approved: BTreeSet::new() }
    }

    /// How the worktree has to look when nothing of ours has changed it.
    pub(super) const fn base(&self) -> &Tree {
        &self.base
    }

    /// A step before the judged one.
    pub(super) fn prepare(&mut self, action: &Action) {
        let Some(answer) = self.act(action) else { return };
        let ok = answer.exit == Some(0) || (action.tool == "propose" && answer.status() == "proposed");
        assert_eq!(ok, action.ok, "{} {}\n{:#}\n{}", action.tool, action.args, answer.report, answer.stderr);
    }

    /// Does one thing. What is done behind the binary's back has no answer.
    pub(super) fn act(&mut self, action: &Action) -> Option<Answer> {
        let args = &action.args;
        match action.tool.as_str() {
            "graphite" => Some(self.send(&["run"], args, "")),
            "read_file" => Some(self.send(&flags(action, &[]), &request(action), "")),
            "edit_file" | "write_file" | "apply_patch" => {
                Some(self.send(&flags(action, &["--allow-write"]), &request(action), ""))
            }
            "propose" => Some(self.propose(action)),
            "approve" => {
                self.approved.insert(text(args, "proposal"));
                None
            }
            "apply" => {
                let name = text(args, "proposal");
                assert!(self.approved.contains(&name), "a person has said yes to {name}");
                let Proposal { request, id } = &self.proposals[&name];
                Some(self.send(&flags(action, &["--grant", id]), request, ""))
            }
            "kill_at_each_step" => Some(self.kill_at_each_step(args)),
            "external_write" | "external_shell" | "hold_lock_then_kill9" | "parallel" => {
                self.behind_its_back(action);
                None
            }
            other => panic!("no tool of this runner is called `{other}`"),
        }
    }

    fn behind_its_back(&mut self, action: &Action) {
        let (args, before) = (&action.args, worktree(self.world));
        match action.tool.as_str() {
            "external_write" => {
                let content: Content = serde_json::from_value(args["content"].clone()).expect("a content");
                fs::write(self.world.root().join(text(args, "path")), content.bytes()).expect("written");
            }
            "external_shell" => {
                let words: Vec<String> = serde_json::from_value(args["argv"].clone()).expect("words");
                let output = self.world.command(&words[0]).args(&words[1..]).output().expect("it runs");
                assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
            }
            // Whatever these leave is ours to clear away.
            "hold_lock_then_kill9" => {
                let request =
                    json!({"operation": "write_file", "path": args["path"], "content": "held\n", "force": true});
                let words = ["run", "--allow-write", "--session", "killed"];
                assert!(self.killed(&words, &request, 1).is_none(), "nothing was killed: {FAILPOINTS}");
                return;
            }
            "parallel" => return self.parallel(args),
            other => panic!("`{other}` is done by the binary"),
        }
        self.base.follow(&before, &worktree(self.world));
    }

    fn propose(&mut self, action: &Action) -> Answer {
        let request = json!({
            "operation": "write_file", "path": action.args["path"], "content": action.args["new_content"],
        });
        let answer = self.send(&flags(action, &[]), &request, "");
        if let (Some(name), Some(id)) = (&action.save, answer.report["plan"]["id"].as_str()) {
            self.proposals.insert(name.clone(), Proposal { request, id: id.to_owned() });
        }
        answer
    }

    /// Starts all calls at once; each must succeed.
    fn parallel(&self, args: &Value) {
        let calls: Vec<Action> = serde_json::from_value(args["calls"].clone()).expect("calls");
        let started = calls.iter().map(|call| self.start(&flags(call, &["--allow-write"]), &request(call), ""));
        let started: Vec<Child> = started.collect();
        for (call, child) in calls.iter().zip(started) {
            let answer = Answer::after(child);
            assert_eq!(answer.exit == Some(0), call.ok, "{} {:#}", call.args, answer.report);
        }
    }

    /// Kills a call before each of its steps in turn. The files that it writes must never be torn, and whoever comes
    /// next must see all of the change or nothing of it, with nothing left lying about.
    fn kill_at_each_step(&mut self, args: &Value) -> Answer {
        let call: Action = serde_json::from_value(args["call"].clone()).expect("a call");
        let before = worktree(self.world);
        let (mut torn, mut settled) = (Vec::new(), Vec::new());
        for step in 1..MOST_STEPS {
            let session = format!("kill-{step}");
            let words = ["run", "--allow-write", "--session", &session];
            if let Some(answer) = self.killed(&words, &request(&call), step) {
                let after = worktree(self.world);
                let seen = torn.iter().flat_map(|tree: &Tree| before.torn(&after, tree));
                assert_eq!(seen.collect::<Vec<_>>(), Vec::<String>::new(), "torn files");
                for (step, tree) in (1..).zip(&settled) {
                    let one = [&before, &after].map(|wanted| Tree::complaints(tree, "", wanted));
                    assert!(one.iter().any(Vec::is_empty), "killed before step {step}: {one:#?}");
                }
                assert!(step > 3, "it was killed at {} steps only: {FAILPOINTS}", step - 1);
                self.base.follow(&before, &after);
                return answer;
            }
            torn.push(worktree(self.world));
            // Any call settles what is left: a read, and the command for people.
            let look = json!({"operation": "list_files"});
            if step % 2 == 0 {
                drop(self.send(&["run"], &look, ""));
            } else {
                assert_eq!(self.start(&["recover"], &Value::Null, "").wait().expect("it ends").code(), Some(0));
            }
            assert_eq!(leftovers(self.world), Vec::<String>::new(), "killed before step {step}");
            settled.push(worktree(self.world));
            before.restore(&self.world.root());
        }
        panic!("the call did not end within {MOST_STEPS} steps");
    }

    /// Sends a request whose process is killed before this step; an answer when it does not take so many.
    fn killed(&self, words: &[&str], request: &Value, step: usize) -> Option<Answer> {
        let child = self.start(words, request, &format!("kill:{step}"));
        let output = child.wait_with_output().expect("it ends");
        (output.status.signal() != Some(9)).then(|| Answer::of(&output))
    }

    fn send<S: AsRef<str>>(&self, words: &[S], request: &Value, failpoint: &str) -> Answer {
        Answer::after(self.start(words, request, failpoint))
    }

    fn start<S: AsRef<str>>(&self, words: &[S], request: &Value, failpoint: &str) -> Child {
        let binary = setup::binary(self.world, &self.case.setup);
        let mut command = self.world.command(&binary[0]);
        command.args(&binary[1..]).args(words.iter().map(AsRef::as_ref)).envs(&self.case.setup.env);
        if !failpoint.is_empty() {
            command.env("PI_GRAPHITE_FAILPOINT", failpoint);
        }
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut stdin = child.stdin.take().expect("it is piped");
        // A binary that refuses early does not read to the end.
        drop(stdin.write_all(request.to_string().as_bytes()));
        child
    }
}

/// The worktree, git's own folder left out.
pub(super) fn worktree(world: &World) -> Tree {
    Tree::of(&world.root(), &[".git"])
}

/// What is left of changes that are over.
pub(super) fn leftovers(world: &World) -> Vec<String> {
    let places = [world.root().join(".git/pi-graphite/journal"), world.path("home/.local/state/pi-graphite/journal")];
    let left = places.iter().map(|place| Tree::of(place, &[]));
    left.flat_map(|tree| tree.files().into_iter().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// The words of a run, in the session of the action.
fn flags(action: &Action, more: &[&str]) -> Vec<String> {
    let session = action.session.iter().flat_map(|session| ["--session".to_owned(), session.clone()]);
    std::iter::once("run".to_owned()).chain(more.iter().map(|word| (*word).to_owned())).chain(session).collect()
}

/// The request of a call of a tool.
fn request(action: &Action) -> Value {
    let mut request = action.args.clone();
    request["operation"] = action.tool.as_str().into();
    if let Some(old) = request.as_object_mut().and_then(|fields| fields.remove("old_string_generate")) {
        let lines = usize::try_from(old["lines"].as_u64().expect("a number")).expect("it is small");
        let text: Vec<String> = numbered(old["line"].as_str().expect("a line"), lines).collect();
        request["old_string"] = text.join("\n").into();
    }
    request
}

fn text(args: &Value, field: &str) -> String {
    args[field].as_str().unwrap_or_else(|| panic!("`{field}` in {args}")).to_owned()
}
