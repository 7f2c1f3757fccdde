//! Mutations: the guarded command beside gt as a person starts it.

use std::time::Duration;

use serde_json::{Value, json};

use super::repository::{LARGE, Repository, SMALL, child};
use crate::harness::{Contender, Effort, Times, in_turn};
use crate::table::{self, Target};

/// A mutation: its name, what makes it possible, gt's words, our request, what makes the next one possible.
struct Mutation {
    name: &'static str,
    before: &'static str,
    gt: &'static [&'static str],
    request: fn() -> Value,
    after: &'static str,
}

const STAGED: &str = "echo more >> c; git add c";

const MUTATIONS: &[Mutation] = &[
    Mutation {
        name: "checkout",
        before: "git checkout -q c",
        gt: &["checkout", "a", "--no-interactive"],
        request: || json!({ "operation": "checkout", "branch": "a" }),
        after: "git checkout -q c",
    },
    Mutation {
        name: "create",
        before: "echo d > d; git add d",
        gt: &["create", "d", "--message=d", "--no-interactive"],
        request: || json!({ "operation": "create", "name": "d", "subject": "d", "body": "It is d." }),
        after: "gt delete d -f --no-interactive; git checkout -q c",
    },
    Mutation {
        name: "modify_amend",
        before: STAGED,
        gt: &["modify", "--no-interactive"],
        request: || json!({ "operation": "modify_amend" }),
        after: "true",
    },
    Mutation {
        name: "modify_commit",
        before: STAGED,
        gt: &["modify", "--commit", "--message=more", "--no-interactive"],
        request: || json!({ "operation": "modify_commit", "subject": "more", "body": "It is more." }),
        after: "true",
    },
    Mutation {
        name: "squash",
        before: "echo more >> c; git commit -qam more; gt track c --parent b --no-interactive",
        gt: &["squash", "--message=c", "--no-interactive"],
        request: || json!({ "operation": "squash", "subject": "c", "body": "It is c." }),
        after: "true",
    },
    Mutation {
        name: "restack",
        before: "git checkout -q a; echo more >> a; git commit -qam more; git checkout -q c",
        gt: &["restack", "--branch=c", "--no-interactive"],
        request: || json!({ "operation": "restack", "branch": "c" }),
        after: "true",
    },
    Mutation {
        name: "move",
        before: "true",
        gt: &["move", "--source=c", "--onto=a", "--no-interactive"],
        request: || json!({ "operation": "move", "source": "c", "onto": "a" }),
        after: "gt move --source=c --onto=b --no-interactive",
    },
    Mutation {
        name: "delete",
        before: "echo d > d; git add d; gt create d --message=d --no-interactive; git checkout -q c",
        gt: &["delete", "d", "--force", "--no-interactive"],
        request: || json!({ "operation": "delete", "branch": "d" }),
        after: "true",
    },
];

/// A guarded run may take so much of a bare one.
const OF_GT: f64 = 0.7;
/// Beside the child, in milliseconds.
const OWN: f64 = 25.0;

pub(crate) fn small(effort: &Effort) {
    let rounds = effort.long;
    let template = Repository::new(SMALL);
    for mutation in MUTATIONS {
        show(mutation, [&template.copy(), &template.copy()], rounds, true);
    }
}

/// In a large repository the two looks take what they take: see `looks`.
pub(crate) fn large(effort: &Effort) {
    let rounds = effort.long.div_ceil(3);
    let template = Repository::new(LARGE);
    let copy = template.copy();
    for mutation in MUTATIONS {
        show(mutation, [&template, &copy], rounds, false);
    }
}

/// Measures one mutation; `is_held` says whether it has targets.
fn show(mutation: &Mutation, [theirs, ours]: [&Repository; 2], rounds: usize, is_held: bool) {
    let mut beside: Vec<Duration> = Vec::new();
    let bare: Contender<'_> = Box::new(|| {
        theirs.sh(mutation.before);
        let time = theirs.time("gt", mutation.gt);
        theirs.sh(mutation.after);
        time
    });
    let guarded: Contender<'_> = Box::new(|| {
        ours.sh(mutation.before);
        let request = (mutation.request)();
        let grant = ours.answer(&["plan"], &request, "answered").1["plan"]["id"].clone();
        let args = ["run", "--grant", grant.as_str().expect("an id")];
        let (time, report) = ours.answer(&args, &request, "done");
        beside.push(time.saturating_sub(child(&report)));
        ours.sh(mutation.after);
        time
    });
    let [bare, guarded] = in_turn(rounds, [bare, guarded]);
    table::base(&format!("{}: gt as a person starts it", mutation.name), &bare);
    table::compared(&format!("{}: guarded", mutation.name), (&guarded, &bare), is_held.then_some(Target::Ratio(OF_GT)));
    table::alone(
        &format!("{}: beside the child", mutation.name),
        &Times::of(beside),
        is_held.then_some(Target::Millis(OWN)),
    );
}
