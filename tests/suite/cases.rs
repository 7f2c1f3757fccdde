//! Small cases from public bug reports, a line each in `fixtures/cases.jsonl`: set up, sent through the real binary,
//! and judged. A field or a kind that this runner does not know fails the case, so that nothing is passed over.

mod case;
mod judge;
mod setup;

use std::time::Instant;

use crate::support::{Answer, Gt, World, give_away, on_gts};
use case::{Action, Case};
use judge::{Judge, Seen};

/// Plays one case on one gt.
fn play(name: &str, gt: Gt) {
    let (world, case) = case::named(name, |setup| setup::base(setup, gt));
    setup::build(&world, &case.setup);
    let root = world.root();
    let _given = case.setup.owner.as_ref().map(|_| give_away(&root));
    let actions = case.actions();
    let (last, first) = actions.split_last().expect("an action");
    for action in first {
        drop(send(&world, &case, action));
    }
    let before = Seen::of(&world, &case);
    let started = Instant::now();
    let answer = send(&world, &case, last);
    let judge = Judge { world: &world, case: &case, answer: &answer, before: &before, took: started.elapsed() };
    let verdicts: Vec<Vec<String>> = case.right_answers().map(|expect| judge.complaints(expect)).collect();
    if verdicts.iter().all(|complaints| !complaints.is_empty()) {
        let Case { area, source, symptom, .. } = &case;
        panic!("{name} on {gt:?} ({area}, {source}: {symptom})\n{verdicts:#?}\n{:#}\n{}", answer.report, answer.stderr);
    }
}

/// Sends what one action asks for through the real binary.
fn send(world: &World, case: &Case, action: &Action) -> Answer {
    use std::io::Write;
    let mut command = match action.tool.as_str() {
        "graphite" => world.pi_graphite(&["run"]),
        other => panic!("no tool of this runner is called `{other}`"),
    };
    let mut child = command.envs(&case.setup.env).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    // A binary that refuses early does not read to the end.
    drop(stdin.write_all(action.args.to_string().as_bytes()));
    drop(stdin);
    Answer::of(&child.wait_with_output().expect("it ends"))
}

macro_rules! cases {
    (both: $($both:ident)*; fake: $($fake:ident)*;) => {
        on_gts! { both: $($both)*; fake: $($fake)*; real: ; }

        #[test]
        fn every_line_of_the_file_is_listed() {
            let listed = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
            let (mut both, mut fake) = (listed(&[$(stringify!($both)),*]), listed(&[$(stringify!($fake)),*]));
            both.sort();
            fake.sort();
            assert_eq!((both, fake), case::names());
        }
    };
}

// What needs Graphite is played on real gt too.
cases! {
    both:
        git_branch_name_dotdot
        git_branch_name_empty
        git_branch_name_fetch_head
        git_branch_name_head
        git_branch_name_lock
        git_branch_name_nul
        git_branch_name_sha_like
        git_branch_name_space
        git_clean_filter_not_run_by_us
        git_diff_external_not_run
        git_fsmonitor_not_run
        gt_amend_on_empty_branch
        gt_amend_skips_child_in_other_worktree
        gt_checkout_branch_of_other_worktree
        gt_delete_with_children
        gt_hook_changes_committed_tree
        gt_message_starting_with_dash
        gt_move_under_own_child
        gt_schema_missing_field
        gt_schema_option_as_enum
        gt_schema_same_branch
        gt_schema_submit
        gt_schema_two_line_subject
        gt_slow_network_call_bounded
        gt_untracked_content_changed;
    fake:
        git_existing_dash_ref
        git_untrusted_owner
        git_upload_pack_as_ref;
}
