//! The mutations that change a stack's shape: fold, rename, move, restack, delete, freeze.

use crate::halt::return_to;
use crate::name::branch_name;
use crate::ops::{changeable_current, refuse_frozen, touch_parent};
use crate::restack::{OnConflict, restack};
use crate::stack::Stack;
use crate::view::{known, known_current, missing};
use crate::{Args, Outcome, fail};

pub(crate) fn fold(stack: &mut Stack) -> Outcome {
    let branch = changeable_current(stack)?;
    let parent = stack.parent(&branch).unwrap_or_default();
    if stack.is_trunk(&parent) {
        return fail(format!("Cannot fold into trunk branch {parent}."));
    }
    refuse_frozen(stack, &parent)?;
    if ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"].iter().any(|file| stack.git_dir.join(file).exists()) {
        return fail(
            "Command failed with error exit code 128:\ngit switch -q\n\nfatal: cannot switch branch while merging",
        );
    }
    let tip = stack.tip(&branch);
    stack.run(&["update-ref", &format!("refs/heads/{parent}"), &tip])?;
    stack.run(&["switch", "-q", &parent])?;
    stack.run(&["branch", "-q", "-D", &branch])?;
    stack.read_refs()?;
    stack.edit(&parent, |row| row.tip = Some(tip))?;
    touch_parent(stack, &parent);
    drop_row(stack, &branch, &parent)?;
    println!("Folded {branch} into {parent}.");
    let above = stack.upstack(&parent);
    restack(stack, &above, OnConflict::Halt, Some(&parent))
}

pub(crate) fn rename(stack: &mut Stack, args: &Args) -> Outcome {
    let old = known_current(stack)?;
    if stack.is_trunk(&old) {
        return fail("Cannot perform this operation on the trunk branch.");
    }
    let Some(asked) = args.words.get(1) else {
        return fail("Cannot perform interactive operation in non-interactive mode.");
    };
    let new = branch_name(asked);
    if new == old {
        println!("Current branch is already named {new}");
        return Ok(());
    }
    if stack.heads.contains_key(&new) {
        return fail("Branch with this name already exists");
    }
    stack.run(&["branch", "-m", &old, &new])?;
    stack.read_refs()?;
    let mut row = stack.row(&old).cloned().unwrap_or_default();
    new.clone_into(&mut row.name);
    let children = row.children.clone();
    stack.forget(&old)?;
    stack.forget(&new)?;
    if let Some(parent) = row.parent.clone() {
        let name = new.clone();
        stack.edit(&parent, |row| {
            row.children.retain(|child| *child != old);
            row.children.push(name);
        })?;
    }
    stack.save(row)?;
    for child in children {
        stack.edit(&child, |row| row.parent = Some(new.clone()))?;
    }
    println!("Successfully renamed {old} to {new}");
    Ok(())
}

pub(crate) fn move_onto(stack: &mut Stack, args: &Args) -> Outcome {
    let source = match args.value("source") {
        Some(name) => name.to_owned(),
        None => known_current(stack)?,
    };
    let Some(onto) = args.value("onto").map(str::to_owned) else {
        return fail("Cannot perform interactive operation in non-interactive mode.");
    };
    for branch in [&source, &onto] {
        if !stack.heads.contains_key(branch) {
            return Err(missing(branch));
        }
        known(stack, branch)?;
    }
    if stack.is_trunk(&source) {
        return fail(format!("Cannot perform this operation on the trunk branch.\n\n{source}"));
    }
    refuse_frozen(stack, &source)?;
    if source == onto {
        return fail(format!("Cannot set parent of {source} to itself!"));
    }
    if stack.upstack(&source).contains(&onto) {
        eprintln!("ERROR: Cannot set {onto} as the parent of {source} because it's a child of it!");
        eprintln!("ERROR: Did you mean to do a gt reorder?");
        return Ok(());
    }
    let old = stack.parent(&source).unwrap_or_default();
    if old != onto {
        stack.edit(&old, |row| row.children.retain(|child| *child != source))?;
        stack.edit(&onto, |row| row.children.push(source.clone()))?;
        let head = stack.tip(&onto);
        stack.edit(&source, |row| {
            row.parent = Some(onto);
            row.parent_head = Some(head);
        })?;
    }
    let mut order = vec![source.clone()];
    order.extend(stack.upstack(&source));
    let here = stack.head.clone();
    restack(stack, &order, OnConflict::Halt, here.as_deref())?;
    return_to(stack, here.as_deref())
}

pub(crate) fn restack_stack(stack: &mut Stack, args: &Args) -> Outcome {
    let branch = match args.value("branch") {
        Some(name) => name.to_owned(),
        None => known_current(stack)?,
    };
    if !stack.heads.contains_key(&branch) {
        return Err(missing(&branch));
    }
    known(stack, &branch)?;
    let mut order = Vec::new();
    if !stack.is_trunk(&branch) {
        order = stack.downstack(&branch);
        order.push(branch.clone());
    }
    order.extend(stack.upstack(&branch));
    let here = stack.head.clone();
    restack(stack, &order, OnConflict::Halt, here.as_deref())?;
    return_to(stack, here.as_deref())
}

pub(crate) fn delete(stack: &mut Stack, args: &Args) -> Outcome {
    let Some(branch) = args.words.get(1).cloned() else {
        return fail("Cannot perform interactive operation in non-interactive mode.");
    };
    if stack.is_trunk(&branch) {
        return fail("Cannot delete trunk!");
    }
    if !stack.heads.contains_key(&branch) {
        return Err(missing(&branch));
    }
    known(stack, &branch)?;
    if stack.elsewhere.contains_key(&branch) {
        return fail(format!("{branch} is currently checked out in another worktree and cannot be deleted."));
    }
    if !args.has("force") {
        return fail("Cannot perform interactive operation in non-interactive mode.");
    }
    let mut doomed = if args.has("upstack") { stack.upstack(&branch) } else { Vec::new() };
    doomed.reverse();
    doomed.push(branch.clone());
    let parent = stack.parent(&branch).unwrap_or_default();
    if stack.head.as_ref().is_some_and(|head| doomed.contains(head)) {
        stack.run(&["switch", "-q", &parent])?;
    }
    let mut orphans = Vec::new();
    for name in &doomed {
        let below = stack.parent(name).unwrap_or_default();
        orphans = stack.children(name);
        stack.run(&["branch", "-q", "-D", name])?;
        println!("Deleted branch {name} (previously at {})", stack.tip(name));
        drop_row(stack, name, &below)?;
    }
    stack.read_refs()?;
    let order: Vec<String> =
        orphans.into_iter().flat_map(|child| [vec![child.clone()], stack.upstack(&child)].concat()).collect();
    let here = stack.head.clone();
    restack(stack, &order, OnConflict::Skip, here.as_deref())
}

/// `gt freeze` freezes a branch and all below it; `gt unfreeze` thaws one.
pub(crate) fn freeze(stack: &mut Stack, args: &Args, freeze: bool) -> Outcome {
    let branch = match args.words.get(1) {
        Some(name) => name.clone(),
        None => known_current(stack)?,
    };
    known(stack, &branch)?;
    let mut branches = if freeze { stack.downstack(&branch) } else { Vec::new() };
    branches.push(branch);
    for name in branches {
        stack.edit(&name, |row| {
            row.state = Some(if freeze { "frozen" } else { "none" }.to_owned());
        })?;
    }
    Ok(())
}

/// Removes a branch's row; its children go to the branch below, keeping their own base.
fn drop_row(stack: &mut Stack, branch: &str, below: &str) -> Outcome {
    let children = stack.row(branch).map(|row| row.children.clone()).unwrap_or_default();
    let head = stack.tip(below);
    for child in &children {
        stack.edit(child, |row| {
            row.parent = Some(below.to_owned());
            row.parent_head = Some(head.clone());
        })?;
    }
    stack.edit(below, |row| {
        row.children.retain(|child| child != branch);
        row.children.extend(children);
    })?;
    stack.forget(branch)?;
    stack.heads.remove(branch);
    stack.read_refs()
}
