//! The commands that only answer: log, info, state, parent, children, trunk.

use serde_json::{Map, Value, json};

use crate::stack::Stack;
use crate::{Args, Outcome, Stop, fail, journal};

/// The branch a read is about: HEAD's, or the one a halted command started from.
pub(crate) fn current(stack: &Stack) -> Outcome<String> {
    let halted = if stack.rebasing() { journal::halt(stack).and_then(|halt| halt.branch) } else { None };
    let Some(branch) = halted.or_else(|| stack.head.clone()) else {
        let hint = if stack.rebasing() { "\nDid you mean to run gt continue?" } else { "" };
        return fail(format!("Cannot perform this operation without a branch checked out.{hint}"));
    };
    Ok(branch)
}

/// Like [`current`], and the branch must be a trunk or tracked.
pub(crate) fn known_current(stack: &Stack) -> Outcome<String> {
    let branch = current(stack)?;
    known(stack, &branch)?;
    Ok(branch)
}

/// Refuses a branch that Graphite does not track.
pub(crate) fn known(stack: &Stack, branch: &str) -> Outcome {
    if stack.is_trunk(branch) || stack.is_tracked(branch) {
        return Ok(());
    }
    fail(format!(
        "Cannot perform this operation on untracked branch {branch}.\n\
         You can track it by specifying its parent with gt track."
    ))
}

pub(crate) fn state(stack: &Stack) -> Outcome {
    let mut all = Map::new();
    for trunk in &stack.trunks {
        all.insert(trunk.clone(), json!({"trunk": true}));
    }
    for row in stack.rows.iter().filter(|row| stack.is_tracked(&row.name)) {
        let facts = json!({
            "trunk": false,
            "needs_restack": stack.needs_restack(&row.name),
            "parents": [{"ref": row.parent, "sha": row.base}],
        });
        all.insert(row.name.clone(), facts);
    }
    println!("{}", serde_json::to_string_pretty(&Value::Object(all))?);
    Ok(())
}

pub(crate) fn parent(stack: &Stack) -> Outcome {
    let branch = known_current(stack)?;
    if stack.is_trunk(&branch) {
        return fail("Cannot perform this operation on the trunk branch.");
    }
    println!("{}", stack.parent(&branch).unwrap_or_default());
    Ok(())
}

pub(crate) fn children(stack: &Stack) -> Outcome {
    for child in stack.children(&known_current(stack)?) {
        println!("{child}");
    }
    Ok(())
}

/// The trunk under the current branch, not the repository's trunk.
pub(crate) fn trunk(stack: &Stack) -> Outcome {
    if stack.head.is_none() && !stack.rebasing() {
        return fail("No current branch");
    }
    println!("{}", trunk_of(stack, &known_current(stack)?));
    Ok(())
}

pub(crate) fn log_short(stack: &Stack) {
    let here = current(stack).ok();
    for trunk in &stack.trunks {
        let mut lines = Vec::new();
        graph(stack, trunk, 0, &mut lines);
        let width = lines.iter().map(|(art, _)| art.chars().count()).max().unwrap_or(0) + 2;
        for (art, branch) in lines {
            let art = if here.as_ref() == Some(&branch) { art.replace('◯', "◉") } else { art };
            let pad = " ".repeat(width - art.chars().count());
            println!("{art}{pad}{branch}{}", notes(stack, &branch));
        }
    }
}

/// `gt log` and, for the current stack only, `gt log --stack`.
pub(crate) fn log(stack: &Stack, args: &Args) -> Outcome {
    let here = if args.has("stack") { known_current(stack)? } else { trunk_of(stack, "") };
    let mut branches = vec![trunk_of(stack, &here)];
    if !stack.is_trunk(&here) {
        branches.extend(stack.downstack(&here));
        branches.push(here.clone());
    }
    branches.extend(stack.upstack(&here));
    let current = current(stack).ok();
    for branch in branches.iter().rev() {
        let is_current = current.as_ref() == Some(branch);
        let mark = if is_current { "◉" } else { "◯" };
        let note = if is_current { " (current)" } else { "" };
        println!("{mark} {branch}{note}{}", notes(stack, branch));
        println!("│ {}\n│ ", stack.run(&["log", "-1", "--format=%cr", &stack.tip(branch), "--"])?);
        for commit in stack.run(&["log", "--format=%h - %s", &commits(stack, branch), "--"])?.lines() {
            println!("│ {commit}");
            if stack.is_trunk(branch) {
                break;
            }
        }
        println!("│");
    }
    Ok(())
}

pub(crate) fn info(stack: &Stack, args: &Args) -> Outcome {
    let branch = match args.words.get(1) {
        Some(name) => name.clone(),
        None => known_current(stack)?,
    };
    let range = if stack.is_trunk(&branch) { format!("{branch}~..{branch}") } else { commits(stack, &branch) };
    let log = stack.run(&["-c", "color.ui=always", "--no-pager", "log", &range, "--"])?;
    println!("{branch}\n{}\n", stack.run(&["log", "-1", "--format=%cr", &stack.tip(&branch), "--"])?);
    if let Some(parent) = stack.parent(&branch) {
        println!("Parent: {parent}");
    }
    if !stack.children(&branch).is_empty() {
        println!("Children:");
    }
    println!("\n{log}");
    Ok(())
}

fn trunk_of(stack: &Stack, branch: &str) -> String {
    let mut at = branch.to_owned();
    for _ in 0..stack.rows.len() {
        if stack.is_trunk(&at) {
            return at;
        }
        let Some(parent) = stack.parent(&at) else {
            break;
        };
        at = parent;
    }
    stack.trunks.first().cloned().unwrap_or_default()
}

fn commits(stack: &Stack, branch: &str) -> String {
    let tip = stack.tip(branch);
    stack.row(branch).and_then(|row| row.base.as_ref()).map_or(tip.clone(), |base| format!("{base}..{tip}"))
}

fn notes(stack: &Stack, branch: &str) -> String {
    let mut notes = String::new();
    if stack.is_tracked(branch) && stack.needs_restack(branch) {
        notes.push_str(" (needs restack)");
    }
    if stack.is_frozen(branch) {
        notes.push_str(" (frozen)");
    }
    if stack.elsewhere.contains_key(branch) {
        notes.push_str(" (checked out in another worktree)");
    }
    notes
}

/// Draws a branch below its children, each child one column further right.
fn graph(stack: &Stack, branch: &str, column: usize, lines: &mut Vec<(String, String)>) {
    let children = stack.children(branch);
    for (index, child) in children.iter().enumerate() {
        graph(stack, child, column + index, lines);
    }
    let joins = match children.len() {
        0 | 1 => String::new(),
        many => format!("{}─┘", "─┴".repeat(many - 2)),
    };
    lines.push((format!("{}◯{joins}", "│ ".repeat(column)), branch.to_owned()));
}

/// The error for a branch that does not exist.
pub(crate) fn missing(branch: &str) -> Stop {
    Stop::Error(format!("Could not find branch {branch}."))
}
