//! Every story, on the fake, on real gt, or on both.

use crate::support::{Gt, file_names, play};

macro_rules! stories {
    (both: $($both:ident)*; fake: $($fake:ident)*; real: $($real:ident)*;) => {
        $(mod $both {
            use super::{Gt, play};
            #[test]
            fn on_the_fake() { play(stringify!($both), Gt::Fake); }
            #[test]
            fn on_real_gt() { play(stringify!($both), Gt::Real); }
        })*
        $(mod $fake {
            use super::{Gt, play};
            #[test]
            fn on_the_fake() { play(stringify!($fake), Gt::Fake); }
        })*
        $(mod $real {
            use super::{Gt, play};
            #[test]
            fn on_real_gt() { play(stringify!($real), Gt::Real); }
        })*

        #[test]
        fn every_story_is_played() {
            let mut listed: Vec<String> = [$(stringify!($both),)* $(stringify!($fake),)* $(stringify!($real),)*].map(|name| name.replace('_', "-")).to_vec();
            let mut found = file_names();
            listed.sort();
            found.sort();
            assert_eq!(listed, found);
        }
    };
}

stories! {
    both:
        checkout_over_a_nested_repository_is_refused
        checkout_over_a_dirty_submodule_is_refused
        checkout_over_a_folder_with_ignored_files_is_refused
        checkout_over_the_same_content_is_done
        abort_over_an_ignored_file_is_refused
        delete_over_an_ignored_file_is_refused
        move_over_an_ignored_file_is_refused
        restack_over_a_file_of_a_commit_in_the_middle_is_refused
        fold_over_an_ignored_file_of_a_sibling_is_refused
        continue_over_an_ignored_file_is_refused
        a_file_that_a_flag_hides_is_not_staged
        restack_leaves_a_file_that_a_flag_hides_alone
        checkout_that_would_undo_a_deletion_is_refused
        stage_and_unstage_where_a_file_became_a_folder
        continue_with_longer_conflict_markers_is_refused
        checkout_between_different_ignore_rules
        checkout_between_different_submodules
        checkout_with_a_filter_driver
        create_commits_what_is_staged
        create_with_nothing_staged_is_refused
        create_with_the_name_of_a_tag_is_refused
        create_with_a_name_that_gt_rewrites_is_refused
        create_over_an_existing_branch_is_refused
        create_with_a_name_of_every_javascript_object_is_refused
        create_keeps_files_that_flags_hide
        create_on_an_untracked_branch_is_refused
        create_on_a_detached_head_is_refused
        create_with_a_configured_prefix_gets_the_prefixed_name
        create_with_a_hook_that_changes_the_commit_is_uncertain
        create_with_a_hook_that_edits_an_untracked_file_is_uncertain
        create_with_a_hook_that_makes_a_file_is_done
        create_with_a_failing_hook_changes_nothing
        create_with_a_failing_post_checkout_hook_is_mended
        create_with_a_hook_that_rewrites_the_message
        create_keeps_message_text_that_looks_like_options
        modify_commit_restacks_what_is_above
        modify_commit_lists_a_branch_that_conflicts
        modify_commit_on_the_trunk_is_refused
        modify_commit_with_nothing_staged_is_refused
        modify_amend_takes_what_is_staged
        modify_amend_lists_a_branch_that_conflicts
        modify_amend_lists_a_branch_in_another_worktree
        modify_amend_on_a_branch_without_a_change_is_refused
        modify_amend_on_a_branch_whose_commits_cancel_out_is_refused
        modify_amend_with_nothing_staged_is_refused
        modify_amend_below_a_very_long_message_is_refused
        modify_during_a_merge_is_refused
        modify_with_an_empty_commit_above_is_refused
        squash_makes_one_commit
        squash_of_one_commit_is_refused
        squash_with_staged_changes_is_refused
        squash_counts_from_the_stored_base
        squash_of_a_branch_that_needs_a_restack
        fold_goes_into_the_parent
        fold_in_the_middle_carries_the_children
        fold_with_a_sibling_restacks_it
        fold_with_a_conflicting_sibling_halts_and_continues
        fold_with_a_conflicting_sibling_is_aborted
        fold_of_a_branch_that_needs_a_restack_is_refused
        fold_into_the_trunk_is_refused
        rename_keeps_commits_and_children
        rename_to_the_same_name_is_nothing_to_do
        rename_over_an_existing_branch_is_refused
        rename_on_the_trunk_is_refused
        rename_to_a_name_that_gt_rewrites_is_refused
        move_carries_what_is_above
        move_onto_a_descendant_is_refused
        move_onto_itself_is_refused_by_the_gate
        move_to_where_it_is_is_nothing_to_do
        move_with_changes_is_refused
        move_of_a_branch_in_another_worktree_is_refused
        move_that_conflicts_halts
        move_of_the_trunk_is_refused
        move_on_a_detached_head
        move_on_a_detached_head_that_conflicts_halts_and_continues
        move_on_a_detached_head_that_conflicts_is_aborted
        restack_bases_every_branch_again
        restack_leaves_siblings_alone
        restack_with_nothing_to_do_starts_nothing
        restack_of_a_branch_in_another_worktree_is_refused
        restack_lists_a_branch_in_another_worktree
        restack_of_an_empty_commit_is_refused
        restack_of_a_merge_commit_is_refused
        restack_with_changes_is_refused
        restack_over_an_ignored_file_is_refused
        restack_that_conflicts_halts_and_continues
        restack_that_conflicts_is_aborted
        restack_that_conflicts_twice_halts_twice
        restack_that_conflicts_leaves_other_refs_alone
        restack_on_a_detached_head
        restack_on_a_detached_head_that_conflicts_halts_and_continues
        restack_of_the_trunk_covers_everything
        continue_with_an_empty_resolution_drops_the_commit
        continue_with_conflict_markers_is_refused
        continue_without_a_halt_is_refused
        abort_without_a_halt_is_refused
        abort_of_a_raw_rebase_is_refused
        abort_after_another_branch_moved_is_refused
        abort_of_a_halt_that_was_not_seen_still_compares
        abort_with_a_stale_record_is_refused
        abort_that_would_restore_an_edited_untracked_file_is_refused
        abort_after_a_branch_was_made_is_refused
        a_halt_beside_a_file_with_a_quoted_name
        a_halt_in_another_worktree_stops_every_change
        a_change_during_a_halt_is_refused
        delete_needs_a_yes_and_names_what_disappears
        delete_of_a_leaf
        delete_with_a_conflicting_child_is_refused
        delete_with_a_conflicting_grandchild_is_refused
        delete_on_a_detached_head
        delete_of_the_checked_out_branch_is_refused
        delete_of_a_branch_in_another_worktree_is_refused
        delete_with_changes_on_a_branch_above_is_refused
        delete_of_the_trunk_and_of_unknown_branches_is_refused
        delete_with_a_grant_for_another_plan_is_stale
        checkout_goes_to_an_exact_branch
        checkout_carries_changes_along
        checkout_that_would_lose_changes_changes_nothing
        checkout_over_an_ignored_file_is_refused
        checkout_of_a_branch_in_another_worktree_is_refused
        checkout_of_unknown_or_ambiguous_names_is_refused
        checkout_on_a_detached_head
        checkout_with_a_failing_post_checkout_hook_is_incomplete
        stage_takes_exactly_the_named_files
        stage_of_folders_ignored_and_unchanged_files_is_refused
        stage_of_another_file_during_a_halt
        stage_and_create_convert_as_git_does
        stage_and_create_take_a_new_commit_of_a_submodule
        stage_works_in_a_plain_repository
        looking_never_initialises_graphite
        looking_outside_a_repository
        inspect_answers_from_graphites_own_state
        inspect_at_the_ends
        inspect_on_untracked_and_detached
        a_second_trunk_is_a_trunk
        plan_shows_everything_and_runs_nothing
        read_only_refuses_every_change
        an_operation_in_progress_stops_every_change
        unmerged_files_without_an_operation_stop_every_change
        very_large_untracked_files_are_refused
        a_configuration_that_is_wrong_is_an_error
        flags_that_are_wrong_are_errors;
    fake:
        a_command_that_does_nothing_is_not_believed
        a_command_that_drops_a_file_is_not_believed
        a_command_that_moves_another_branch_is_not_believed
        a_command_that_makes_a_tag_is_not_believed
        a_command_that_fails_after_a_change_is_incomplete
        a_command_that_leaves_head_detached_is_incomplete
        a_command_that_commits_nothing_is_not_believed
        a_command_that_eats_unstaged_work_is_not_believed
        an_amend_that_loses_the_parent_is_not_believed
        a_restack_that_drops_a_change_is_not_believed
        a_restack_that_does_nothing_is_not_believed
        a_fold_that_keeps_the_branch_is_not_believed
        a_rename_that_keeps_the_old_name_is_not_believed
        a_move_of_records_only_is_not_believed
        a_delete_that_deletes_more_is_not_believed
        a_squash_that_changes_content_is_not_believed
        a_checkout_of_another_branch_is_not_believed
        an_abort_that_resets_only_half_is_not_believed
        a_continue_that_drops_the_rest_is_not_believed;
    real:
        create_with_a_failing_hook_and_an_odd_file_name_is_mended
        inspect_draws_as_gt_does
        a_frozen_branch_is_not_changed
        restack_lists_frozen_branches
        restack_that_fails_in_the_middle_tells_what_moved;
}
