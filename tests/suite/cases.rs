//! Small cases from public bug reports and of our own, a line each in `fixtures/cases.jsonl`: set up, sent through the
//! real binary, and judged. A field or a kind that this runner does not know fails the case, so that nothing is passed
//! over.

mod act;
mod case;
mod judge;
mod setup;
mod tree;

use std::time::Instant;

use crate::support::{Gt, give_away, on_gts};
use act::Stage;
use case::{Case, Ground};
use judge::{Judge, Seen};

/// Plays one case on one gt.
fn play(name: &str, gt: Gt) {
    play_at(name, gt, Ground::AsSaid);
}

fn play_at(name: &str, gt: Gt, ground: Ground) {
    let (world, case) = case::named(name, ground, |setup| setup::base(setup, gt));
    setup::build(&world, &case);
    let root = world.root();
    let _given = case.setup.owner.as_ref().map(|_| give_away(&root));
    let mut stage = Stage::new(&world, &case);
    for read in &case.reads() {
        stage.prepare(read);
    }
    let actions = case.actions();
    let (last, first) = actions.split_last().expect("an action");
    for action in first {
        stage.prepare(action);
    }
    let before = Seen::of(&world, &case);
    let started = Instant::now();
    let answer = stage.act(last).expect("the last action has an answer");
    let took = started.elapsed();
    let judge = Judge { world: &world, case: &case, stage: &stage, answer: &answer, before: &before, took };
    let verdicts: Vec<Vec<String>> = case.right_answers().map(|expect| judge.complaints(expect)).collect();
    setup::open(&world, &case.setup);
    if verdicts.iter().all(|complaints| !complaints.is_empty()) {
        let Case { area, source, symptom, .. } = &case;
        let place = format!("{name} on {gt:?}, {ground:?} ({area:?}, {source}: {symptom})");
        panic!("{place}\n{verdicts:#?}\n{:#}\n{}", answer.report, answer.stderr);
    }
}

macro_rules! cases {
    (both: $($both:ident)*; fake: $($fake:ident)*; files: $($file:ident)*;) => {
        on_gts! { both: $($both)*; fake: $($fake)*; real: ; }

        $(mod $file {
            #[test]
            fn in_a_repository() { super::on_files(stringify!($file), super::Ground::Repository); }
            #[test]
            fn in_a_plain_folder() { super::on_files(stringify!($file), super::Ground::Plain); }
        })*

        #[test]
        fn every_line_of_the_file_is_listed() {
            let listed = |names: &[&str]| {
                let mut names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
                names.sort();
                names
            };
            let both = listed(&[$(stringify!($both)),*]);
            let (fake, files) = (listed(&[$(stringify!($fake)),*]), listed(&[$(stringify!($file)),*]));
            assert_eq!([both, fake, files], case::names());
        }
    };
}

/// Plays a case on files, which have nothing to do with gt.
fn on_files(name: &str, ground: Ground) {
    play_at(name, Gt::Fake, ground);
}

// What needs Graphite is played on real gt too; what is about files in a repository and in a plain folder.
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
    files:
        conc_delete_after_foreign_change conc_deleted_by_us_then_made_again conc_expected_hash_beats_force
        conc_expected_hash_beats_read conc_expected_hash_of_missing_file conc_expected_hash_right
        conc_expected_hash_short conc_expected_hash_upper_case conc_expected_hash_wrong_write
        conc_force_overrides_auto_guard conc_force_patch conc_force_write conc_foreign_change_back
        conc_formatter_refreshes_hash conc_identical_write_after_change conc_kill9_mid_patch_recovers
        conc_kill_a_new_file_in_new_folders conc_kill_an_edit conc_kill_everything_at_once
        conc_killed_half_way_then_other_edit conc_killed_lock_holder conc_move_after_foreign_change
        conc_moved_by_us_then_edited conc_moved_then_foreign_change conc_other_session_edits conc_own_write_is_known
        conc_parallel_adds_one_wins conc_parallel_edits_of_one_file conc_parallel_edits_of_one_session
        conc_parallel_patches_no_deadlock conc_read_again_frees conc_read_only_folder_delete conc_read_only_folder_write
        conc_same_time_and_size conc_sessions_are_separate conc_touched_only conc_unread_write
        conc_update_after_foreign_change conc_window_gap_then_write conc_window_of_old_state conc_window_then_edit
        conc_window_then_force_write conc_window_then_rest_then_write conc_window_then_write
        conc_write_after_foreign_change conc_write_after_foreign_delete edit_ambiguous_exact_not_first
        edit_beside_a_label edit_blank_lines_in_block_stay_blank edit_blank_old_string
        edit_block_anchor_drifted_interior edit_block_change_beside_a_foreign_line edit_block_context_values_stay
        edit_block_keeps_what_a_colleague_added edit_block_missing_pair_of_many edit_block_twin_is_refused
        edit_deletes_everything edit_deletes_text edit_deletes_whole_lines edit_empty_old_string
        edit_empty_old_string_empty_file edit_escape_drift_not_guessed edit_exact_block_of_another_width
        edit_exact_body_behind_a_comment edit_exact_definition_of_unknown_depth edit_exact_item_of_another_kind
        edit_exact_key_from_its_first_word edit_exact_key_of_unknown_depth edit_exact_line_without_indentation
        edit_exact_list_item edit_exact_recipe edit_exact_spaces_in_a_file_of_tabs edit_exact_text_beneath_a_key
        edit_exact_then_a_function_outside edit_exact_then_another_method edit_exact_to_the_end_of_the_class
        edit_fifo_does_not_block edit_file_too_large edit_fragment_with_a_misremembered_statement edit_go_tabs_deeper
        edit_identical_old_new edit_indent_sensitive_duplicate_depth edit_internal_whitespace_only_region
        edit_large_replace_all_is_right edit_last_line_without_newline edit_line_numbers_pasted
        edit_literal_backslash_n_stays edit_match_exact_refuses_drift edit_match_whitespace_refuses_anchors
        edit_mid_line_fragment edit_miss_on_large_file_is_bounded edit_missing_file edit_mode_is_kept
        edit_new_file_has_the_umask edit_nfc_nfd_content edit_no_fall_to_looser_rung edit_odd_mode_is_kept
        edit_old_and_new_end_with_newline_no_blank_line edit_old_ends_with_newline_next_line_safe edit_old_is_no_regex
        edit_old_with_newline_at_open_end edit_one_odd_line_of_context edit_only_first_line_lost_indent
        edit_other_nesting_is_refused edit_overlapping_matches_are_ambiguous edit_preprocessor_is_not_nested
        edit_python_too_deep edit_read_only_file_of_ours edit_replace_all_different_depths
        edit_replace_all_fuzzy_terminates edit_replace_all_mixed_endings edit_replace_all_new_holds_old
        edit_replace_all_non_overlapping edit_replace_all_none edit_replace_all_once
        edit_replacement_is_literal_backtick edit_replacement_is_literal_dollar_amp edit_replacement_is_literal_groups
        edit_replacement_is_literal_in_loose_match edit_replacement_is_literal_quote edit_setuid_is_kept
        edit_smart_quotes_region_only edit_tab_is_eight_spaces edit_tabs_vs_spaces_preserved
        edit_trailing_space_drift_keeps_block edit_trimmed_block_keeps_indentation edit_two_line_anchor_no_interior
        edit_unicode_line_separator_is_not_a_line edit_unique_exact_beats_loose_duplicate edit_unreadable_file
        edit_yaml_depth enc_add_file_ends_with_newline enc_astral_and_combining_kept enc_bom_kept_by_edit
        enc_bom_kept_by_patch enc_bom_kept_by_write enc_bom_moved_along enc_bom_not_doubled enc_bom_not_in_read_text
        enc_cr_cr_lf_is_sent_back enc_crlf_in_new_string_not_doubled enc_crlf_kept_by_edit enc_crlf_kept_by_patch
        enc_crlf_kept_by_v4a enc_crlf_kept_by_write enc_empty_write enc_final_newline_not_lost_when_last_line_edited
        enc_gbk_refused_in_patch enc_hash_is_of_raw_bytes enc_hash_of_crlf_with_mark enc_latin1_patch enc_latin1_read
        enc_latin1_refused enc_latin1_write enc_lf_new_file enc_lone_cr_in_loose_match enc_lone_cr_is_data
        enc_lone_cr_kept_by_patch enc_mixed_eol_new_lines_follow_neighbour enc_mixed_eol_untouched_lines
        enc_mixed_kept_by_patch enc_mixed_within_replaced_block enc_no_final_newline_by_write enc_no_final_newline_kept
        enc_no_final_newline_kept_by_patch enc_no_final_newline_last_line_patch enc_nul_edit enc_nul_in_content
        enc_nul_in_new_string enc_nul_read enc_nul_write enc_separators_are_data enc_separators_read_as_one_line
        enc_surrogates_refused enc_utf16_be_edit enc_utf16_be_read enc_utf16_be_write enc_utf16_le_edit
        enc_utf16_le_read enc_utf16_le_write enc_utf16_patch enc_utf16_refused enc_utf8_cut_sequence
        enc_write_mixed_endings patch_absolute_spelling patch_add_beneath_a_file patch_add_empty patch_add_existing
        patch_add_existing_folder patch_add_then_delete patch_add_then_update_same_path patch_adjacent_hunks
        patch_ambiguous_hunk patch_anchor_and_context_of_the_next_block patch_anchor_change_in_the_next_block
        patch_anchor_does_not_reach_another_class patch_anchor_heading_and_fence patch_anchor_makes_unique
        patch_anchor_past_a_comment patch_anchor_past_a_label patch_anchor_section patch_anchor_section_of_equal_lines
        patch_anchor_with_where patch_block_deletes_lines patch_block_does_not_cut_a_word patch_block_only_within_a_word
        patch_commit_failure_rolls_back patch_context_is_never_written patch_crlf_patch patch_delete_folder
        patch_delete_missing patch_delete_then_add patch_delete_then_update patch_delete_twice patch_delete_utf16
        patch_empty patch_end_of_file patch_exec_bit patch_fenced patch_file_and_folder_of_one_name
        patch_file_becomes_folder patch_hashline_section_collision patch_hunk_changes_nothing
        patch_hunk_without_separator patch_hunks_match_the_original patch_hunks_out_of_file_order patch_in_a_heredoc
        patch_insertion_keeps_its_place_among_equal_lines patch_insertion_of_blocks_among_equal_lines
        patch_inserts_with_context patch_last_hunk_fails patch_markers_in_added_file patch_markers_in_v4a_content
        patch_mode_not_widened patch_move_binary patch_move_chain patch_move_onto_existing patch_move_onto_itself
        patch_move_outside patch_one_outside_refuses_all patch_overlapping_hunks patch_planted_temp_symlink
        patch_rollback_removes_new_dirs patch_same_hunk_twice patch_separator_chosen patch_separator_escaped
        patch_separator_in_content patch_setgid_folder_kept patch_spellings_compose patch_stray_text_in_update
        patch_swap_two_files patch_text_after_end_sentinel patch_text_before_begin patch_twin_is_refused
        patch_two_sections_one_file patch_two_spellings_one_file patch_unified_diff patch_unknown_header
        patch_update_then_move patch_update_without_hunks patch_v4a_add patch_v4a_move patch_v4a_update
        path_absolute_inside path_absolute_outside path_absolute_outside_read path_appeared_after_proposal
        path_approved_once path_beneath_file_delete path_beneath_file_edit path_beneath_file_patch
        path_beneath_file_write path_both_names path_changed_after_proposal path_device_delete path_device_read
        path_device_write path_dotdot path_dotdot_deep path_dotdot_inside path_dotgit_add_spelled path_dotgit_delete
        path_dotgit_edit path_dotgit_edit_title path_dotgit_hfs_ignorable path_dotgit_lookalikes_are_fine
        path_dotgit_move_in path_dotgit_move_out path_dotgit_nested path_dotgit_ntfs_stream path_dotgit_own_cache
        path_dotgit_own_state path_dotgit_propose path_dotgit_read_absolute path_dotgit_read_backslash
        path_dotgit_read_hfs path_dotgit_read_lower path_dotgit_read_nested path_dotgit_read_short
        path_dotgit_read_stream path_dotgit_read_upper path_dotgit_short_name path_dotgit_title
        path_dotgit_trailing_space path_dotgit_update path_dotgit_write_backslash path_dotgit_write_deep
        path_dotgit_write_deep_backslash path_dotgit_write_deep_upper path_dotgit_write_dollar_attribute
        path_dotgit_write_dot_slash path_dotgit_write_dotdot path_dotgit_write_dots_and_spaces path_dotgit_write_hfs_bom
        path_dotgit_write_hfs_joiner path_dotgit_write_itself path_dotgit_write_lower path_dotgit_write_mixed
        path_dotgit_write_short_two path_dotgit_write_stream path_dotgit_write_trailing_dot path_dotgit_write_upper
        path_empty path_encoding_refused path_etc_passwd_read path_fifo_as_parent path_fifo_delete path_fifo_edit
        path_fifo_patch path_fifo_read path_fifo_write path_folder_delete path_folder_edit path_folder_patch
        path_folder_write path_git_hooks path_hardlink_delete path_hardlink_edit path_hardlink_patch path_hardlink_write
        path_long_component path_nul path_odd_names path_parent_swapped_after_approval path_proc_magic_link
        path_proposal_applies path_root_absolute path_root_itself path_sibling_prefix path_socket_read path_socket_write
        path_swapped_after_proposal path_symlink_add path_symlink_dangling path_symlink_loop path_symlink_missing_leaf
        path_symlink_move_target path_symlink_parent_delete path_symlink_parent_edit path_symlink_parent_patch
        path_symlink_parent_write path_symlink_read_outside path_symlink_target_delete path_symlink_target_edit
        path_symlink_target_patch
        path_symlink_target_write path_symlink_to_git path_symlinked_dir_outside path_symlinked_target_inside;
}
