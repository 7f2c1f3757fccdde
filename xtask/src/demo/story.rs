//! The story: two stacked branches, an amend, a conflict, a person's yes, edits of a file, and requests that are refused.

use serde_json::{Value, json};

use super::paper::{say, text_of};
use super::scene::{Ending, Scene};
use crate::failure::{Failure, Result};

const DONE: Ending = ending("done", 0);
const ANSWERED: Ending = ending("answered", 0);
const BAD_REQUEST: Ending = ending("refused", 2);
const PRECONDITION: Ending = ending("refused", 3);
const NEEDS_YES: Ending = ending("refused", 4);
const HALTED: Ending = ending("halted", 6);
const PROPOSED: Ending = ending("proposed", 4);

const fn ending(status: &'static str, exit: i32) -> Ending {
    Ending { status, exit }
}

/// Plays all acts.
pub(super) fn play(scene: &mut Scene) -> Result {
    prepare(scene)?;
    build_a_stack(scene)?;
    amend_below(scene)?;
    leave_a_restack_open(scene)?;
    halt_and_abort(scene)?;
    edit_a_file(scene)?;
    look_again(scene)?;
    scene.heading("The end");
    say("Every mutation was looked at before and after, and no request could do more than it \
         said.");
    Ok(())
}

fn prepare(scene: &Scene) -> Result {
    scene.heading("A new repository, made with plain commands");
    say("It has a home of its own, so your settings neither matter nor change.");
    for (key, value) in [("user.name", "Demo"), ("user.email", "demo@example.org")] {
        scene.shell("git", &["config", "--global", key, value])?;
    }
    scene.shell("git", &["init", "--quiet", "-b", "main"])?;
    scene.write("README.md", "A small café.\n")?;
    scene.shell("git", &["add", "README.md"])?;
    scene.shell("git", &["commit", "--quiet", "-m", "Open the café"])?;
    scene.shell("gt", &["init", "--trunk", "main", "--no-interactive"])?;
    Ok(())
}

fn build_a_stack(scene: &mut Scene) -> Result {
    scene.heading("1. Two branches, one on top of the other");
    say("The agent writes a menu, stages exactly that file, and creates a branch with it.");
    scene.write("menu.txt", "coffee 3.00\ntea    2.50\n")?;
    stage(scene, "menu.txt")?;
    create(scene, "menu", "Add a menu", "The guests ask for one.")?;
    say("On top of it, a second branch makes coffee dearer.");
    scene.write("menu.txt", "coffee 3.20\ntea    2.50\n")?;
    stage(scene, "menu.txt")?;
    create(scene, "prices", "Raise the price of coffee", "Beans cost more.")?;
    scene.draw()
}

fn amend_below(scene: &mut Scene) -> Result {
    scene.heading("2. Amend the lower branch; the upper one follows");
    say("The agent goes down, adds the opening hours to the same commit, and `prices` is \
         restacked onto it.");
    checkout(scene, "menu")?;
    scene.write("hours.txt", "8 to 18\n")?;
    stage(scene, "hours.txt")?;
    scene.request(&json!({"operation": "modify_amend"}), DONE)?;
    say("Git agrees that the amended commit is below `prices`:");
    scene.shell("git", &["merge-base", "--is-ancestor", "menu", "prices"])?;
    scene.draw()
}

fn leave_a_restack_open(scene: &mut Scene) -> Result {
    scene.heading("3. An amend that the upper branch cannot follow, and what is refused then");
    say("The lower branch changes the very line that `prices` changes: the amend is done, the \
         restack is left open and said to be.");
    scene.write("menu.txt", "coffee 2.80\ntea    2.50\n")?;
    stage(scene, "menu.txt")?;
    scene.request(&json!({"operation": "modify_amend"}), DONE)?;
    scene.draw()?;
    say("Folding now would silently drop the newer commit of `menu`. gt would do it; here it \
         is refused.");
    checkout(scene, "prices")?;
    scene.request(&json!({"operation": "fold"}), PRECONDITION)?;
    say("A branch name that gt would read as a flag does not get past the gate.");
    let request = json!({
        "operation": "create", "name": "--force",
        "subject": "Look harmless", "body": "It is not.",
    });
    scene.request(&request, BAD_REQUEST)?;
    Ok(())
}

fn halt_and_abort(scene: &mut Scene) -> Result {
    scene.heading("4. A conflict, and the way back that needs a person");
    say("The agent restacks `prices` and stops in the conflict.");
    let before = tips(scene)?;
    let restack = json!({"operation": "restack", "branch": "prices"});
    scene.request(&restack, HALTED)?;
    say("An abort resets every branch of the stack, so the agent alone cannot do it.");
    let abort = json!({"operation": "abort"});
    let refused = scene.request(&abort, NEEDS_YES)?;
    let plan = plan_awaiting_approval(&refused)?;
    say("A person reads the plan and grants exactly that one.");
    scene.request_with(&["--grant", &plan], &abort, DONE)?;
    let after = tips(scene)?;
    if before != after {
        return Err(Failure::new("after the abort, the branches are not where they were"));
    }
    say("Every branch is where it was before the restack.");
    scene.draw()
}

fn edit_a_file(scene: &mut Scene) -> Result {
    scene.heading("5. An edit is shown first, and never goes over what nobody has seen");
    let read = json!({"operation": "read_file", "path": "README.md"});
    let edit = json!({
        "operation": "edit_file", "path": "README.md", "old_string": "small", "new_string": "tiny",
    });
    scene.request(&read, ANSWERED)?;
    say("Without permission to write, the agent only gets a proposal with its diff.");
    scene.request(&edit, PROPOSED)?;
    say("Meanwhile a person writes to the same file. The edit was made for another text: it is \
         refused, even with permission.");
    scene.write("README.md", "A small café.\nClosed on Mondays.\n")?;
    scene.request_with(&["--allow-write"], &edit, PRECONDITION)?;
    say("The agent reads again, and the edit lands; the person's line is still there.");
    scene.request(&read, ANSWERED)?;
    scene.request_with(&["--allow-write"], &edit, DONE)?;
    say("A patch changes all its files or none, and nothing leads out of the workspace.");
    let patch = "*** Add File: notes.md\n+Beans on Friday.\n*** Add File: ../outside.md\n+Not here.\n";
    let request = json!({"operation": "apply_patch", "patch": patch});
    scene.request_with(&["--allow-write"], &request, PRECONDITION).map(drop)
}

fn look_again(scene: &mut Scene) -> Result {
    scene.heading("6. Looking is always allowed");
    let request = json!({"operation": "inspect", "target": "stack"});
    scene.request(&request, ANSWERED).map(drop)
}

fn stage(scene: &mut Scene, path: &str) -> Result {
    let request = json!({"operation": "stage", "paths": [path]});
    scene.request(&request, DONE).map(drop)
}

fn checkout(scene: &mut Scene, branch: &str) -> Result {
    let request = json!({"operation": "checkout", "branch": branch});
    scene.request(&request, DONE).map(drop)
}

fn create(scene: &mut Scene, name: &str, subject: &str, body: &str) -> Result {
    let request = json!({
        "operation": "create", "name": name, "subject": subject, "body": body,
    });
    scene.request(&request, DONE).map(drop)
}

/// Where the branches are.
fn tips(scene: &Scene) -> Result<String> {
    let format = "--format=%(objectname:short) %(refname:short)";
    scene.shell("git", &["for-each-ref", format, "refs/heads"])
}

/// The id of the plan that a refusal for want of approval names.
fn plan_awaiting_approval(report: &Value) -> Result<String> {
    let code = text_of(report, "/fault/code");
    if code != "approval_needed" {
        return Err(Failure::new(format!("the abort should be refused with `approval_needed`, and was with `{code}`")));
    }
    let plan = text_of(report, "/plan/id");
    if plan.is_empty() {
        return Err(Failure::new("the refusal names no plan to grant"));
    }
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_want_of_approval_names_a_plan_to_grant() {
        let report = |code: &str, plan: &str| json!({"fault": {"code": code}, "plan": {"id": plan}});
        let granted = plan_awaiting_approval(&report("approval_needed", "p1"));
        assert_eq!(granted.ok().as_deref(), Some("p1"));
        assert!(plan_awaiting_approval(&report("not_halted", "p1")).is_err());
        assert!(plan_awaiting_approval(&report("approval_needed", "")).is_err());
    }
}
