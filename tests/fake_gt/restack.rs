//! Restacking: in memory while it is clean, through a real `git rebase` where it conflicts.

use std::collections::HashSet;

use crate::journal::{self, Halt};
use crate::stack::{Stack, checked};
use crate::{Outcome, Stop, fail};

/// What a conflict, or staged changes on the checked-out branch, leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnConflict {
    /// Stop in a rebase for the user to resolve (restack, move, fold, continue).
    Halt,
    /// Leave the branch and those above it as they are, with a warning (modify, squash, delete).
    Skip,
}

/// Restacks branches in the given order, parents before children.
pub(crate) fn restack(stack: &mut Stack, branches: &[String], mode: OnConflict, current: Option<&str>) -> Outcome {
    let mut left: HashSet<String> = HashSet::new();
    let mut conflicts = Vec::new();
    for (index, branch) in branches.iter().enumerate() {
        let parent = stack.parent(branch).unwrap_or_default();
        if left.contains(&parent) {
            left.insert(branch.clone());
            continue;
        }
        if stack.is_frozen(branch) {
            println!("Did not restack branch {branch} because it is frozen.");
            continue;
        }
        if let Some(path) = stack.elsewhere.get(branch) {
            println!("Did not restack branch {branch} because it is checked out in worktree {path}.");
            continue;
        }
        if !stack.needs_restack(branch) {
            println!("{branch} does not need to be restacked on {parent}.");
            continue;
        }
        if stack.head.as_deref() == Some(branch) && !stack.succeeds(&["diff", "--cached", "--quiet"])? {
            if mode == OnConflict::Halt {
                return fail(format!("Cannot restack checked out branch {branch} with changes staged."));
            }
            println!("Did not restack checked out branch {branch} due to staged changes.");
            left.insert(branch.clone());
            continue;
        }
        match replay(stack, branch, &parent)? {
            Some(tip) => {
                move_branch(stack, branch, &tip)?;
                settle(stack, branch, &stack.tip(&parent), &tip)?;
            }
            None if mode == OnConflict::Halt => {
                rebase(stack, branch, &parent, &branches[index + 1..], current)?;
            }
            None => {
                conflicts.push(branch.clone());
                left.insert(branch.clone());
                continue;
            }
        }
        println!("Restacked {branch} on {parent}.");
    }
    warn(&conflicts);
    Ok(())
}

/// Notes in the row of a branch that it now sits on its parent.
pub(crate) fn settle(stack: &mut Stack, branch: &str, base: &str, tip: &str) -> Outcome {
    stack.heads.insert(branch.to_owned(), tip.to_owned());
    stack.edit(branch, |row| {
        row.base = Some(base.to_owned());
        row.parent_head = Some(base.to_owned());
        row.tip = Some(tip.to_owned());
        row.validity = Some("VALID".to_owned());
    })?;
    if let Some(parent) = stack.parent(branch) {
        stack.touch(&parent);
    }
    Ok(())
}

/// The text of a halt, on standard output as in real gt.
pub(crate) fn explain_halt(stack: &Stack, headline: &str, branch: &str, rest: &[String]) -> Outcome {
    println!("{headline}\n\nUnmerged files:");
    println!("{}", stack.run(&["diff", "--name-only", "--diff-filter=U"])?);
    println!("\nYou are here (resolving {branch}):");
    for name in rest.iter().rev() {
        println!("◯  {name}");
    }
    println!("◯  {branch}\n◯  {}", stack.parent(branch).unwrap_or_default());
    println!(
        "\nTo fix and continue your previous Graphite command:\n\
         (1) resolve the listed merge conflicts\n\
         (2) mark items as resolved by adding them one at a time with gt add <file>\n\
         (3) run gt continue to continue executing your previous Graphite command\n\
         It's safe to cancel the ongoing rebase with gt abort."
    );
    Ok(())
}

/// Copies a branch's commits onto its parent's tip; `None` on a conflict. Empty commits are
/// dropped and merges flattened, as in real gt.
fn replay(stack: &Stack, branch: &str, parent: &str) -> Outcome<Option<String>> {
    let base = stack.row(branch).and_then(|row| row.base.clone()).unwrap_or_default();
    let range = format!("{base}..{}", stack.tip(branch));
    let format = "--format=%H%x00%P%x00%an%x00%ae%x00%ad%x00%B%x01";
    let log = stack.run(&["log", "--reverse", "--topo-order", "--no-merges", "--date=raw", format, &range, "--"])?;
    let mut tip = stack.tip(parent);
    let mut tree = stack.run(&["rev-parse", &format!("{tip}^{{tree}}")])?;
    for entry in log.split('\u{1}').map(str::trim_start).filter(|entry| !entry.is_empty()) {
        let fields: Vec<&str> = entry.split('\0').collect();
        let [id, parents, name, email, date, message] = fields[..] else {
            return fail(format!("Unreadable commit in {range}"));
        };
        let from = parents.split(' ').next().unwrap_or_default();
        let merge = ["merge-tree", "--write-tree", "--no-messages", "--merge-base", from, &tip, id];
        let output = stack.git(&merge).output()?;
        if output.status.code() == Some(1) {
            return Ok(None);
        }
        let merged = checked(&merge, &output)?;
        if merged == tree {
            continue;
        }
        let commit = ["commit-tree", &merged, "-p", &tip, "-m", message.trim_end()];
        let mut command = stack.git(&commit);
        command.env("GIT_AUTHOR_NAME", name).env("GIT_AUTHOR_EMAIL", email);
        tip = checked(&commit, &command.env("GIT_AUTHOR_DATE", format!("@{date}")).output()?)?;
        tree = merged;
    }
    Ok(Some(tip))
}

fn move_branch(stack: &Stack, branch: &str, tip: &str) -> Outcome {
    if stack.head.as_deref() == Some(branch) {
        stack.run(&["reset", "-q", "--keep", tip])?;
    } else {
        stack.run(&["update-ref", &format!("refs/heads/{branch}"), tip])?;
    }
    Ok(())
}

/// Rebases for real, which leaves the conflict in the worktree and ends the command.
fn rebase(stack: &mut Stack, branch: &str, parent: &str, rest: &[String], current: Option<&str>) -> Outcome {
    let base = stack.row(branch).and_then(|row| row.base.clone()).unwrap_or_default();
    let onto = stack.tip(parent);
    let args = ["rebase", "--onto", parent, &base, branch];
    let output = stack.git(&args).output()?;
    if !stack.rebasing() {
        checked(&args, &output)?;
        stack.read_refs()?;
        return settle(stack, branch, &onto, &stack.tip(branch));
    }
    let event = match journal::halt(stack) {
        Some(halt) => halt.event,
        None => stack.event.clone(),
    };
    let branch_before = current.map(str::to_owned);
    journal::write_halt(stack, &Halt { branch: branch_before, rest: rest.to_vec(), base: onto, event })?;
    explain_halt(stack, &format!("Hit conflict restacking {branch} on {parent}."), branch, rest)?;
    if current.is_none() {
        eprintln!("ERROR: No current branch");
    }
    Err(Stop::Quiet)
}

fn warn(conflicts: &[String]) {
    for branch in conflicts {
        eprintln!("WARNING: {branch} could not be restacked cleanly.");
    }
    if !conflicts.is_empty() {
        eprintln!("\nPlease resolve conflicts in the current stack with gt restack.");
    }
}
