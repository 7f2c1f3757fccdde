//! Our reading of Graphite's state beside gt's own answers, on histories that chance has made: by gt, and by git behind
//! its back.
//!
//! `PI_GRAPHITE_DIFFERENTIAL=HISTORIES,STEPS` makes the last test go through that many more of them.

use std::process::Output;

use serde_json::{Value, json};

use crate::support::{Answer, Base, Gt, World};

/// A source of numbers that are the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most as u64).expect("it is small")
    }

    fn one<'t>(&mut self, of: &'t [String]) -> &'t str {
        &of[self.below(of.len())]
    }
}

/// What has become of a history.
#[derive(Default)]
struct Told {
    /// Questions that were asked.
    asked: usize,
    /// Those that were answered without gt.
    alone: usize,
    /// The steps, to be read when an answer differs.
    steps: Vec<String>,
}

fn history(seed: u64, steps: usize) -> Told {
    let mut chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let world = World::new(Gt::Real, Base::Stack);
    let mut told = Told::default();
    for step in 0..steps {
        let script = next(&mut chance, &world, step);
        // A step may be impossible: then it has changed nothing, or what it has is part of the history. It may halt: then
        // the questions are asked in the middle of a rebase.
        let output = world.command("sh").args(["-c", &script]).output().expect("there is a shell");
        told.steps.push(format!("{script} # {}", output.status));
        if world
            .command("git")
            .args(["rev-parse", "-q", "--verify", "refs/heads/main"])
            .output()
            .is_ok_and(|o| o.status.success())
        {
            compare(&world, &mut told, step % 3 == 0);
        } else {
            is_refused(&world, &told);
            world.sh("git branch -m away main");
        }
        settle(&world);
    }
    told
}

/// A script for one step. Nearly every step writes to a file of its own, so that few rebases conflict.
fn next(chance: &mut Chance, world: &World, step: usize) -> String {
    let branches: Vec<String> =
        world.sh("git for-each-ref --format='%(refname:lstrip=2)' refs/heads").lines().map(str::to_owned).collect();
    let (one, other) = (chance.one(&branches).to_owned(), chance.one(&branches).to_owned());
    let commit = format!("echo {step} > f{step}; git add f{step}; git commit -qm {step}");
    match chance.below(26) {
        0..=3 => format!("echo {step} > f{step}; git add f{step}; gt create n{step} -m {step} --no-interactive"),
        4 | 5 => format!("git checkout -q {one}"),
        6 => format!("gt move --source={one} --onto={other} --no-interactive"),
        7 => format!("git checkout -q {one}; gt rename r{step} --no-interactive"),
        8 | 9 => commit,
        10 => format!("git checkout -q {one}; {commit}"),
        11 => format!("git checkout -q {one}; git commit -q --amend -m again-{step}"),
        12 | 13 if one == "main" => "git branch -m main away".to_owned(),
        12 => format!("git branch -D {one}"),
        13 => format!("git branch -m {one} m{step}"),
        14 => format!("git branch u{step} {one}"),
        15 => format!("git checkout -q -b u{step} {one}; {commit}; gt track u{step} --parent {other} --no-interactive"),
        16 => format!("gt untrack {one} --force --no-interactive"),
        17 => format!("gt freeze {one} --no-interactive"),
        18 => format!("gt unfreeze {one} --no-interactive"),
        19 => format!("git branch -f {one} {other}"),
        20 => format!("gt restack --branch={one} --no-interactive"),
        21 => format!("gt delete {one} --force --no-interactive"),
        22 => format!("git worktree add -q ../w{step} {one}"),
        23 => format!(
            "git checkout -q {one}; echo {step} > f0; git add f0; git commit -qm {step}; gt restack --no-interactive"
        ),
        24 => format!("git checkout -q --detach {one}"),
        _ => match chance.below(4) {
            0 => format!("gt trunk --add {one} --no-interactive"),
            1 => format!("git tag {one} {other}"),
            2 => format!("git update-ref refs/remotes/{one} {other}"),
            _ => "git reset -q --hard HEAD~1".to_owned(),
        },
    }
}

/// Ends what a step has left in progress.
fn settle(world: &World) {
    let script = "gt abort --force --no-interactive; git rebase --abort; git checkout -q -f HEAD; git clean -fdq";
    drop(world.command("sh").args(["-c", script]).output());
}

/// Asks us, then gt, whose answer may put its own state in order.
fn compare(world: &World, told: &mut Told, all: bool) {
    let targets: &[&str] = if all { &["parent", "children", "trunk", "state"] } else { &["state"] };
    for target in targets {
        let ours = world.run(&json!({ "operation": "inspect", "target": target }).to_string());
        let theirs = world.command("gt").args([target, "--no-interactive"]).output().expect("gt starts");
        told.asked += 1;
        told.alone += usize::from(ours.report["command"].is_null());
        let (ours, theirs) = (said(&ours, target), given(&theirs, target));
        assert_eq!(ours, theirs, "{target} after\n{}", told.steps.join("\n"));
    }
}

/// A repository whose trunk is gone is refused, where gt goes on: it leaves branches out of its state, and takes the
/// parent of one for a branch that it then calls untracked.
fn is_refused(world: &World, told: &Told) {
    for target in ["parent", "children", "trunk", "state"] {
        let ours = world.run(&json!({ "operation": "inspect", "target": target }).to_string());
        assert_eq!(ours.code(), "not_graphite", "{target} after\n{}", told.steps.join("\n"));
    }
}

/// Our answer; nothing where the question is refused.
fn said(answer: &Answer, target: &str) -> Option<Value> {
    (answer.status() == "answered").then(|| as_value(answer.text(), target))
}

/// gt's answer; nothing where it fails.
fn given(output: &Output, target: &str) -> Option<Value> {
    output.status.success().then(|| as_value(&String::from_utf8_lossy(&output.stdout), target))
}

fn as_value(text: &str, target: &str) -> Value {
    match target {
        "state" => serde_json::from_str(text).unwrap_or_else(|_| panic!("not JSON: {text}")),
        _ => text.trim().into(),
    }
}

/// gt is asked where only gt can tell, and that must be rare.
fn is_rarely_asked(told: &Told) {
    assert!(told.alone * 10 >= told.asked * 8, "{} of {} answers without gt", told.alone, told.asked);
}

#[test]
fn answers_are_those_of_gt_on_a_first_history() {
    is_rarely_asked(&history(1, 14));
}

#[test]
fn answers_are_those_of_gt_on_a_second_history() {
    is_rarely_asked(&history(2, 14));
}

#[test]
fn answers_are_those_of_gt_on_as_many_histories_as_are_wanted() {
    let wanted = std::env::var("PI_GRAPHITE_DIFFERENTIAL").unwrap_or_else(|_| "1,6".to_owned());
    let (histories, steps) = wanted.split_once(',').expect("HISTORIES,STEPS");
    let [histories, steps] = [histories, steps].map(|number| number.trim().parse::<usize>().expect("a number"));
    for seed in 0..histories {
        is_rarely_asked(&history(100 + seed as u64, steps));
    }
}
