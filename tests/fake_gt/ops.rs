//! The mutations that commit (create, modify, squash), their dispatch, and checkout.

use std::process::Stdio;

use crate::halt::roll_back;
use crate::metadata::Row;
use crate::name::branch_name;
use crate::restack::{OnConflict, restack, settle};
use crate::stack::{Stack, checked};
use crate::view::{current, known, known_current, missing};
use crate::{Args, Outcome, fail, interruptible, journal, rearrange};

/// The journaled mutations.
pub(crate) fn mutate(stack: &mut Stack, command: &str, args: &Args) -> Outcome {
    let blocked = !matches!(command, "create" | "modify" | "rename" | "delete" | "freeze" | "unfreeze");
    if stack.rebasing() && (blocked || (command == "modify" && journal::halt(stack).is_some())) {
        return fail(
            "This operation is blocked during a rebase.\nYou can continue with gt continue after resolving conflicts \
             or abort the rebase with gt abort.",
        );
    }
    match command {
        "create" => create(stack, args),
        "modify" => modify(stack, args),
        "squash" => squash(stack, args),
        "fold" => rearrange::fold(stack),
        "rename" => rearrange::rename(stack, args),
        "move" => rearrange::move_onto(stack, args),
        "restack" => rearrange::restack_stack(stack, args),
        "delete" => rearrange::delete(stack, args),
        "freeze" | "unfreeze" => rearrange::freeze(stack, args, command == "freeze"),
        other => fail(format!("Unknown command: {other}")),
    }
}

pub(crate) fn checkout(stack: &Stack, args: &Args) -> Outcome {
    let Some(branch) = args.words.get(1) else {
        return fail("Cannot perform interactive operation in non-interactive mode.");
    };
    if !stack.heads.contains_key(branch) {
        return Err(missing(branch));
    }
    if stack.head.as_ref() == Some(branch) {
        println!("Already on {branch}.");
        return Ok(());
    }
    stack.run(&["switch", "-q", branch])?;
    println!("Checked out {branch}.");
    if !stack.is_tracked(branch) {
        return Ok(());
    }
    if stack.needs_restack(branch) {
        let parent = stack.parent(branch).unwrap_or_default();
        println!("This branch has fallen behind {parent}.\nRun gt restack to resolve.");
    } else {
        println!("This branch has not yet been submitted.\nRun gt submit to push your changes.");
    }
    Ok(())
}

fn create(stack: &mut Stack, args: &Args) -> Outcome {
    let parent = known_current(stack)?;
    let message = args.message().filter(|message| !message.trim().is_empty());
    stage_all(stack, args)?;
    let staged = has_staged(stack)?;
    if !staged {
        println!("No staged changes; creating a branch with no commit.");
    }
    let Some(asked) = args.words.get(1) else {
        return fail("Must specify either a branch name or commit message.");
    };
    let name = branch_name(asked);
    if stack.heads.contains_key(&name) {
        return fail("Branch with this name already exists");
    }
    let switch = ["switch", "-q", "-c", &name];
    if staged {
        if let Err(stop) = stack.run(&["switch", "-q", "-d", &stack.tip(&parent)]) {
            if !stack.rebasing() {
                journal::drop_event(stack, &stack.event)?;
            }
            return Err(stop);
        }
        let made = commit_detached(stack, message.as_deref()).and_then(|()| stack.run(&switch));
        if let Err(stop) = made {
            roll_back(stack, &parent)?;
            return Err(stop);
        }
    } else {
        stack.run(&switch)?;
    }
    let base = stack.tip(&parent);
    stack.read_refs()?;
    let tip = stack.tip(&name);
    stack.forget(&name)?; // a row left by a branch deleted outside Graphite
    stack.save(Row { name: name.clone(), parent: Some(parent.clone()), ..Row::default() })?;
    settle(stack, &name, &base, &tip)?;
    stack.edit(&parent, |row| row.children.push(name))
}

fn modify(stack: &mut Stack, args: &Args) -> Outcome {
    let branch = changeable_current(stack)?;
    stage_all(stack, args)?;
    let row = stack.row(&branch).cloned().unwrap_or_default();
    let staged = has_staged(stack)?;
    let empty = row
        .base
        .as_deref()
        .is_none_or(|base| stack.succeeds(&["diff", "--quiet", &stack.tip(&branch), base]).unwrap_or(false));
    if !staged && (args.has("commit") || empty) {
        return fail("No changes to commit.");
    }
    let message = args.message();
    let mut command = vec!["commit"];
    if !args.has("commit") && !empty {
        command.push("--amend");
    }
    match &message {
        Some(message) => command.extend(["-m", message]),
        None if args.has("commit") || empty => {} // opens the editor, as real gt does
        None => command.push("--no-edit"),
    }
    commit(stack, &command)?;
    committed(stack, &branch)
}

fn squash(stack: &mut Stack, args: &Args) -> Outcome {
    let branch = changeable_current(stack)?;
    let base = stack.row(&branch).and_then(|row| row.base.clone()).unwrap_or_default();
    let range = format!("{base}..{}", stack.tip(&branch));
    let commits = stack.run(&["rev-list", "--reverse", "--topo-order", &range])?;
    let mut lines = commits.lines();
    let Some(first) = lines.next() else {
        return fail("No commits to squash.");
    };
    if lines.next().is_none() {
        return fail("Only one commit in branch, nothing to squash.");
    }
    let tip = stack.tip(&branch);
    stack.run(&["reset", "-q", "--soft", first])?;
    let message = args.message();
    let mut command = vec!["commit", "--amend"];
    command.extend(message.as_deref().map_or(["--no-edit", ""], |message| ["-m", message]));
    command.retain(|word| !word.is_empty());
    if let Err(stop) = commit(stack, &command) {
        stack.run(&["reset", "-q", "--soft", &tip])?;
        return Err(stop);
    }
    committed(stack, &branch)
}

/// Commits on a detached HEAD, as real gt does while it creates a branch.
fn commit_detached(stack: &Stack, message: Option<&str>) -> Outcome {
    let mut command = vec!["commit"];
    command.extend(message.map_or(["", ""], |message| ["-m", message]));
    command.retain(|word| !word.is_empty());
    let output =
        commit_command(stack, &command).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn()?.wait_with_output()?;
    let said = checked(&command, &output)?;
    let summary: Vec<&str> = said.lines().skip_while(|line| !line.contains(" changed")).collect();
    println!("{}", summary.join("\n").trim_start());
    Ok(())
}

/// A commit whose output goes straight through; editors and hooks get the terminal.
fn commit(stack: &Stack, args: &[&str]) -> Outcome {
    let status = commit_command(stack, args).status()?;
    if status.success() {
        return Ok(());
    }
    let code = status.code().unwrap_or(-1);
    fail(format!("Command failed with error exit code {code}:\ngit {}\n", args.join(" ")))
}

fn commit_command(stack: &Stack, args: &[&str]) -> std::process::Command {
    let mut command = interruptible("git");
    command.args(args).current_dir(&stack.top).stdin(Stdio::inherit());
    command
}

/// Notes a new tip of the current branch and restacks what is above it.
fn committed(stack: &mut Stack, branch: &str) -> Outcome {
    stack.read_refs()?;
    let tip = stack.tip(branch);
    stack.edit(branch, |row| row.tip = Some(tip))?;
    touch_parent(stack, branch);
    let above = stack.upstack(branch);
    restack(stack, &above, OnConflict::Skip, Some(branch))
}

pub(crate) fn touch_parent(stack: &mut Stack, branch: &str) {
    if let Some(parent) = stack.parent(branch) {
        stack.touch(&parent);
    }
}

/// The current branch if it is tracked, no trunk and not frozen.
pub(crate) fn changeable_current(stack: &Stack) -> Outcome<String> {
    let branch = current(stack)?;
    known(stack, &branch)?;
    if stack.is_trunk(&branch) {
        return fail(format!("Cannot perform this operation on the trunk branch.\n\n{branch}"));
    }
    refuse_frozen(stack, &branch)?;
    Ok(branch)
}

pub(crate) fn refuse_frozen(stack: &Stack, branch: &str) -> Outcome {
    if !stack.is_frozen(branch) {
        return Ok(());
    }
    fail(format!(
        "Cannot perform this operation on frozen branch {branch}. You can unfreeze it with gt unfreeze {branch}."
    ))
}

fn stage_all(stack: &Stack, args: &Args) -> Outcome {
    if args.has("all") {
        stack.run(&["add", "-A"])?;
    }
    Ok(())
}

fn has_staged(stack: &Stack) -> Outcome<bool> {
    Ok(!stack.run(&["diff", "--cached", "--name-only", "--diff-filter=u"])?.is_empty())
}
