//! The words of a report: what happened, what it means, what to do next.

use super::report::{PlanReport, Report, Status};
use crate::edit::{Diff, brief};
use crate::fault::{Code, Effect, Fault};
use crate::plan::{Difference, FileAction, Plan, Thing, Tier, Verdict, list, one_line};
use crate::repo::{InProgress, Snapshot};

/// A plan as a person reads it.
pub(super) fn plan(plan: &PlanReport) -> String {
    let mut lines = vec![format!("Plan {} of `{}`, nothing has run.", plan.id, plan.operation)];
    if let Some(argv) = &plan.argv {
        lines.push(format!("Command: {}", argv.join(" ").escape_debug()));
    }
    for (title, items) in [
        ("Effects", &plan.effects),
        ("Verified", &plan.preconditions),
        ("May change", &plan.may_change),
        ("Promises", &plan.promises),
    ] {
        if !items.is_empty() {
            lines.push(format!("{title}:"));
            lines.extend(items.iter().map(|item| format!("- {item}")));
        }
    }
    lines.join("\n")
}

/// A change of files as a person reads it.
pub(super) fn file_plan(plan: &PlanReport) -> String {
    if plan.tier == Tier::Read {
        return format!("Plan {} of `{}`: it only reads.", plan.id, plan.operation);
    }
    format!("Plan {} of `{}`, nothing is written.\n{}", plan.id, plan.operation, diffs(plan))
}

/// A change of files that waits for a person's yes.
pub(super) fn proposal(plan: &PlanReport) -> String {
    format!(
        "Proposed: nothing is written yet; `{}` waits for a person's yes to plan {}.\n{}",
        plan.operation,
        plan.id,
        diffs(plan)
    )
}

/// Every file is named, and every diff is shown up to its own limit.
fn diffs(plan: &PlanReport) -> String {
    let files = plan.files.iter().map(|file| {
        let path = one_line(&file.path);
        let what = match (file.action, &file.moved_from) {
            (FileAction::Created, _) => format!("Creates {path}"),
            (FileAction::Deleted, _) => format!("Deletes {path}"),
            (FileAction::Moved, Some(from)) => format!("Renames {} -> {path}", one_line(from)),
            (FileAction::Changed | FileAction::Moved, _) => format!("Changes {path}"),
            (FileAction::Unchanged | FileAction::Read, _) => format!("Leaves {path} as it is"),
        };
        let diff = file.diff.as_ref().map(|text| Diff {
            text: text.clone(),
            truncated: file.diff_truncated,
            added: file.added.unwrap_or_default(),
            removed: file.removed.unwrap_or_default(),
        });
        let diff = diff.map(|diff| format!("\n{}", brief(&diff))).unwrap_or_default();
        format!("{what}{diff}")
    });
    files.collect::<Vec<_>>().join("\n")
}

/// Judges what was tried and writes status, text, fault and recovery. `ended_badly` is how the command ended when it
/// did not end with success.
pub(super) fn outcome(
    plan: &Plan,
    looks: (&Snapshot, &Snapshot),
    verdict: &Verdict,
    ended_badly: Option<Fault>,
    report: &mut Report,
) {
    if verdict.halted && verdict.outside.is_empty() {
        return halted(looks.1, verdict, report);
    }
    let nothing_changed = verdict.changes.is_empty();
    match ended_badly {
        None if verdict.holds() => done(plan, verdict, report),
        None if nothing_changed => report.fail(
            &Fault::new(Code::GtFailed, format!("the command reported success but did nothing: {}", broken(verdict))),
            Effect::None,
        ),
        None => uncertain(Fault::new(Code::Unexpected, broken(verdict)), looks, verdict, report),
        Some(fault) if nothing_changed => report.fail(&fault, Effect::None),
        Some(fault) => {
            let message = format!("{}, after it had changed: {}", fault.message, changed(&verdict.changes));
            uncertain(Fault::new(Code::Incomplete, message), looks, verdict, report);
        }
    }
}

fn done(plan: &Plan, verdict: &Verdict, report: &mut Report) {
    report.status = Status::Done;
    let mut lines = Vec::new();
    for (branch, reason) in &verdict.needs_restack {
        lines.push(format!("`{branch}` needs a restack: {reason}."));
    }
    let true_now = |on: &Option<String>| on.as_ref().is_none_or(|branch| !verdict.needs_restack.contains_key(branch));
    let effects: Vec<&str> =
        plan.effects.iter().filter(|effect| true_now(&effect.on)).map(|effect| effect.sentence.as_str()).collect();
    let effects = if effects.is_empty() { changed(&verdict.changes) } else { effects.join("; ") };
    lines.push(format!("Done: {effects}."));
    let moved: Vec<String> = verdict.changes.iter().filter_map(old_tip).collect();
    if !moved.is_empty() {
        lines.push(format!("Old tips: {}.", moved.join(", ")));
    }
    if let Some(branch) = verdict.needs_restack.keys().next() {
        lines.push(format!("Next: `restack` with branch `{branch}`."));
    }
    report.text = lines.join("\n");
}

fn halted(after: &Snapshot, verdict: &Verdict, report: &mut Report) {
    let conflicts =
        after.content.iter().flat_map(|content| content.index.conflicts.iter().cloned()).collect::<Vec<_>>();
    let (branch, remaining) =
        after.halt.as_ref().map(|halt| (halt.branch.clone(), halt.remaining.clone())).unwrap_or_default();
    let mut message = format!("`{branch}` conflicts in {}", list(&conflicts));
    if !remaining.is_empty() {
        message.push_str(&format!("; then come {}", list(&remaining)));
    }
    let moved: Vec<String> = verdict.changes.iter().filter_map(moved_branch).collect();
    if !moved.is_empty() {
        message.push_str(&format!("; done so far: {}", list(&moved)));
    }
    let fault = Fault::new(Code::Conflict, message)
        .detail("done", moved)
        .detail("branch", branch)
        .detail("conflicts", conflicts)
        .detail("remaining", remaining);
    let no_way_back = after.halt.as_ref().is_some_and(|halt| halt.start.is_empty());
    let fault =
        if no_way_back { fault.hint("Resolve the listed files, `stage` them and use `continue`.") } else { fault };
    report.fail(&fault, Effect::Applied);
    report.recovery.push("Edit the conflicting files, `stage` them, then `continue`.".to_owned());
    report.recovery.push(if no_way_back {
        "gt kept no snapshot of the beginning, so `abort` cannot put the branches back.".to_owned()
    } else {
        "Or `abort`, which puts every branch back to where it was (a person must say yes).".to_owned()
    });
}

fn uncertain(fault: Fault, (before, after): (&Snapshot, &Snapshot), verdict: &Verdict, report: &mut Report) {
    let fault = match verdict.needs_restack.keys().next() {
        Some(branch) => fault.hint(format!(
            "Look at `changes`; once the cause is gone, `restack` with branch `{branch}` finishes what was begun."
        )),
        None => fault,
    };
    report.fail(&fault, Effect::Applied);
    report.recovery.extend(verdict.changes.iter().filter_map(|change| way_back(change, after.current())));
    if after.halt.is_none() && after.in_progress.contains(&InProgress::Rebase) {
        report.recovery.push("A rebase was left that Graphite does not know; `git rebase --abort` ends it.".to_owned());
    } else if before.current() != after.current()
        && let Some(branch) = before.current()
    {
        let on = after.current().map_or_else(|| detached(after), |on| format!("on `{on}`"));
        report.recovery.push(format!("HEAD was on `{branch}` and is {on}; `git switch {branch}` goes back."));
    }
}

/// Where a detached HEAD is, and how to keep its commit when no ref holds it.
fn detached(after: &Snapshot) -> String {
    let Some(at) = after.head.commit() else { return "detached".to_owned() };
    if after.refs.values().any(|tip| *tip == at) {
        return format!("detached at {at}");
    }
    format!("detached at {at}, a commit on no branch (`git branch NAME {at}` keeps it)")
}

/// What of the frame and the promises is broken.
fn broken(verdict: &Verdict) -> String {
    let frame = verdict.outside.iter().map(|change| format!("{} changed, which the plan does not name", change.thing));
    let promises = verdict.checks.iter().filter(|check| !check.holds);
    let promises =
        promises.map(|check| format!("not so: {} ({})", check.promise, check.found.clone().unwrap_or_default()));
    let all: Vec<String> = frame.chain(promises).collect();
    let more = all.len().saturating_sub(10);
    let shown = all.into_iter().take(10).collect::<Vec<_>>().join("; ");
    if more == 0 { shown } else { format!("{shown}; and {more} more") }
}

fn changed(changes: &[Difference]) -> String {
    let things: Vec<String> = changes.iter().map(|change| change.thing.to_string()).collect();
    list(&things)
}

fn old_tip(change: &Difference) -> Option<String> {
    match &change.thing {
        Thing::Branch(name) if !change.before.is_empty() => Some(format!("`{name}` was at {}", change.before)),
        _ => None,
    }
}

fn moved_branch(change: &Difference) -> Option<String> {
    match &change.thing {
        Thing::Branch(name) => Some(name.clone()),
        _ => None,
    }
}

/// The git command by which a person puts one thing back.
fn way_back(change: &Difference, current: Option<&str>) -> Option<String> {
    let Thing::Branch(name) = &change.thing else { return None };
    Some(match (change.before.as_str(), change.after.as_str()) {
        ("", _) => format!("`{name}` is new, at {}.", change.after),
        (old, "") => format!("`{name}` is gone; `git branch {name} {old}` makes it again."),
        (old, new) if current == Some(name) => {
            format!("`{name}` was at {old} and is at {new}; `git reset --keep {old}` puts it back.")
        }
        (old, new) => {
            format!(
                "`{name}` was at {old} and is at {new}; `git update-ref refs/heads/{name} {old} {new}` puts it back."
            )
        }
    })
}
