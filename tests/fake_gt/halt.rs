//! The commands around a halted operation, continue and abort, and the way back from a failure.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::Value;

use crate::metadata::Row;
use crate::restack::{OnConflict, explain_halt, restack, settle};
use crate::stack::{Stack, checked};
use crate::{Args, Outcome, Stop, fail, journal};

/// `gt continue`: finishes the rebase of a halt and restacks what is left.
pub(crate) fn resume(stack: &mut Stack) -> Outcome {
    let halt = journal::halt(stack).filter(|_| stack.rebasing());
    let Some(halt) = halt else {
        journal::clear_halt(stack)?;
        if !stack.rebasing() {
            return fail("No Graphite operation to continue.");
        }
        return fail("No Graphite operation to continue.\nDid you mean git rebase --continue?");
    };
    let head_name = std::fs::read_to_string(stack.git_dir.join("rebase-merge").join("head-name"))?;
    let branch = head_name.trim().trim_start_matches("refs/heads/").to_owned();
    let unresolved = "Rebase conflict is not yet resolved.";
    if !stack.run(&["diff", "--name-only", "--diff-filter=U"])?.is_empty() {
        explain_halt(stack, unresolved, &branch, &halt.rest)?;
        return Err(Stop::Quiet);
    }
    let args = ["-c", "core.editor=true", "rebase", "--continue"];
    let output = stack.git(&args).env("GIT_EDITOR", "true").output()?;
    if stack.rebasing() {
        if stack.run(&["diff", "--name-only", "--diff-filter=U"])?.is_empty() {
            checked(&args, &output)?;
        }
        explain_halt(stack, unresolved, &branch, &halt.rest)?;
        return Err(Stop::Quiet);
    }
    checked(&args, &output)?;
    stack.read_refs()?;
    let tip = stack.tip(&branch);
    settle(stack, &branch, &halt.base, &tip)?;
    for child in stack.children(&branch) {
        if let Some(row) = stack.row(&child).cloned() {
            stack.store(Row { parent_head: Some(tip.clone()), ..row })?;
        }
    }
    println!("Resolved rebase conflict for {branch}.");
    restack(stack, &halt.rest, OnConflict::Halt, halt.branch.as_deref())?;
    return_to(stack, halt.branch.as_deref())?;
    journal::clear_halt(stack)?;
    journal::finish(stack, &halt.event)
}

/// `gt abort`: ends the rebase and resets every tracked branch to the starting snapshot.
pub(crate) fn abort(stack: &mut Stack, args: &Args) -> Outcome {
    if !stack.rebasing() {
        return fail("No Graphite operation to abort.");
    }
    if !args.has("force") {
        return fail("Cannot perform interactive operation in non-interactive mode.");
    }
    let event = journal::halt(stack).map(|halt| halt.event);
    let Some((command, snapshot)) = event.as_ref().and_then(|id| journal::starting(stack, id)) else {
        eprintln!("WARNING: Could not find a Graphite event to abort... Running git rebase --abort instead.");
        return stack.run(&["rebase", "--abort"]).map(drop);
    };
    stack.run(&["rebase", "--abort"])?;
    stack.read_refs()?;
    reset_refs(stack, &snapshot)?;
    restore_rows(stack, &snapshot)?;
    if let Some(branch) = snapshot["currentBranchName"].as_str() {
        stack.run(&["switch", "-q", "-f", branch])?;
    } else {
        stack.run(&["reset", "-q", "--hard"])?;
    }
    restore_untracked(stack, &snapshot["workingDirectory"])?;
    journal::clear_halt(stack)?;
    journal::drop_event(stack, &event.unwrap_or_default())?;
    println!("Successfully aborted gt {command}.");
    Ok(())
}

fn reset_refs(stack: &Stack, snapshot: &Value) -> Outcome {
    let mut lines = Vec::new();
    let branches = snapshot["branches"].as_array().cloned().unwrap_or_default();
    let mut kept = Vec::new();
    for branch in &branches {
        if let (Some(name), Some(tip)) = (branch[0].as_str(), branch[1]["branchRevision"].as_str()) {
            kept.push(name);
            let untracked = branch[1]["validationResult"] == "BAD_PARENT_NAME";
            if !untracked && stack.tip(name) != tip {
                lines.push(format!("update refs/heads/{name} {tip}\n"));
            }
        }
    }
    for row in stack.rows.iter().filter(|row| stack.is_tracked(&row.name) && !kept.contains(&row.name.as_str())) {
        lines.push(format!("delete refs/heads/{}\n", row.name));
    }
    let args = ["update-ref", "--stdin"];
    let mut child = stack.git(&args).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    child.stdin.take().expect("stdin is piped").write_all(lines.concat().as_bytes())?;
    checked(&args, &child.wait_with_output()?).map(drop)
}

fn restore_rows(stack: &mut Stack, snapshot: &Value) -> Outcome {
    let branches = snapshot["branches"].as_array().cloned().unwrap_or_default();
    let names: Vec<&str> = branches.iter().filter_map(|branch| branch[0].as_str()).collect();
    let gone: Vec<String> =
        stack.rows.iter().map(|row| row.name.clone()).filter(|name| !names.contains(&name.as_str())).collect();
    let recorded_tip = |wanted: &str| {
        let branch = branches.iter().find(|branch| branch[0] == wanted)?;
        branch[1]["branchRevision"].as_str().map(str::to_owned)
    };
    for name in gone {
        if stack.is_tracked(&name) {
            stack.forget(&name)?;
        }
    }
    for branch in &branches {
        let (name, facts) = (branch[0].as_str().unwrap_or_default(), &branch[1]);
        let word = |key: &str| facts[key].as_str().map(str::to_owned);
        let mut row = stack.row(name).cloned().unwrap_or_default();
        name.clone_into(&mut row.name);
        let parent = word("parentBranchName");
        if row.parent != parent {
            row.parent_head = parent.as_deref().and_then(recorded_tip);
        }
        row.parent = parent;
        row.base = word("parentBranchRevision");
        row.tip = word("branchRevision");
        row.validity = word("validationResult");
        let children = facts["children"].as_array().cloned().unwrap_or_default();
        row.children = children.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        stack.save(row)?;
    }
    Ok(())
}

/// Ends a failed `create`: back to the branch, index and files as the snapshot has them. Without
/// a snapshot HEAD stays detached, as in real gt.
pub(crate) fn roll_back(stack: &Stack, branch: &str) -> Outcome {
    let saved = journal::last_working_directory(stack);
    journal::drop_event(stack, &stack.event)?;
    let Some(saved) = saved else { return Ok(()) };
    stack.run(&["switch", "-q", "-f", branch])?;
    if let (Some(index), Some(files)) = (saved["indexRef"].as_str(), saved["workingTreeRef"].as_str()) {
        stack.run(&["read-tree", index])?;
        stack.run(&["restore", "--worktree", "--source", files, ":/"])?;
    }
    restore_untracked(stack, &saved)
}

fn restore_untracked(stack: &Stack, saved: &Value) -> Outcome {
    if let Some(tree) = saved["untrackedRef"].as_str() {
        stack.run(&["restore", "--worktree", "--overlay", "--source", tree, ":/"])?;
    }
    Ok(())
}

/// Checks out the branch a command started from, if a rebase left it.
pub(crate) fn return_to(stack: &mut Stack, branch: Option<&str>) -> Outcome {
    if let Some(branch) = branch.filter(|branch| stack.head.as_deref() != Some(branch)) {
        stack.run(&["switch", "-q", branch])?;
    }
    Ok(())
}
