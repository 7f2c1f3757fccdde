//! The closed table of fault codes: name, class (which fixes the exit status), sentence and default hint.

/// What kind of answer a code leads to. The class fixes the report's status and the exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// The request itself is wrong: exit status 2.
    BadRequest,
    /// The repository is not in a state where the request may run: exit status 3.
    Precondition,
    /// A person must allow it, or has not: exit status 4.
    Approval,
    /// The tool failed and nothing changed: exit status 5.
    Failed,
    /// Stopped in a rebase on purpose: exit status 6.
    Halted,
    /// Changed, but not as promised: exit status 7.
    Uncertain,
    /// No gt, no repository, lock busy: exit status 8.
    Unavailable,
    /// Cancelled or timed out with nothing changed: exit status 9.
    Cancelled,
    /// A bug in this program: exit status 70.
    Internal,
}

macro_rules! codes {
    ($($variant:ident $name:literal $class:ident $sentence:literal $hint:literal)+) => {
        /// A stable fault code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, schemars::JsonSchema)]
        pub enum Code { $(#[doc = $sentence] #[serde(rename = $name)] $variant,)+ }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The stable text of this code.
            #[must_use]
            pub const fn name(self) -> &'static str { match self { $(Self::$variant => $name),+ } }

            /// What kind of answer it leads to.
            #[must_use]
            pub const fn class(self) -> Class { match self { $(Self::$variant => Class::$class),+ } }

            /// What it means, as one sentence.
            #[must_use]
            pub const fn sentence(self) -> &'static str { match self { $(Self::$variant => $sentence),+ } }

            /// What to do next where the fault itself knows nothing better.
            #[must_use]
            pub const fn hint(self) -> &'static str { match self { $(Self::$variant => $hint),+ } }
        }
    };
}

codes! {
    BadJson "bad_json" BadRequest
        "The input is not one JSON object in UTF-8 without duplicate keys."
        "Send exactly one JSON object."
    TooLarge "too_large" BadRequest
        "The input is larger than the published limit."
        "Send less in one request."
    UnknownOperation "unknown_operation" BadRequest
        "The `operation` field is missing or names none of the operations."
        "Use one of the operations that `pi-graphite schema request` lists."
    BadRequest "bad_request" BadRequest
        "The request does not fit the schema of its operation."
        "Correct the field at the pointer and send the request again."
    BadBranch "bad_branch" BadRequest
        "The branch name is not one that git and gt both read as exactly this branch."
        "Choose a plain branch name, such as `fix/login-form`."
    BadPath "bad_path" BadRequest
        "The path is not a plain relative path beneath the worktree."
        "Give a path relative to the worktree's root, without `..` and outside `.git`."
    BadPatch "bad_patch" BadRequest
        "The patch cannot be read, or not in one way only."
        "Correct the patch at the named line and send the whole patch again."
    EmptyOldString "empty_old_string" BadRequest
        "There is nothing to look for."
        "Give the text to replace; `write_file` makes or replaces a whole file."
    BadRoot "bad_root" BadRequest
        "The workspace root is not a folder that file operations may work in."
        "Use the project's own folder as `--workspace`."
    BadConfig "bad_config" BadRequest
        "The person's configuration file cannot be used as it is."
        "Correct the file; `pi-graphite schema config` prints what it may hold."
    BadFlag "bad_flag" BadRequest
        "A command-line flag or its value is wrong."
        "Run `pi-graphite help` to see the flags."

    OnTrunk "on_trunk" Precondition
        "The operation does not apply to the trunk."
        "Check out a branch above the trunk first."
    Detached "detached" Precondition
        "HEAD is not on a branch."
        "Check out a branch first."
    NotTracked "not_tracked" Precondition
        "Graphite does not track the branch."
        "Ask the person to run `gt track` on the branch, or work on a tracked branch."
    BranchMissing "branch_missing" Precondition
        "There is no local branch with exactly this name."
        "Inspect the stack and use a branch that exists."
    BranchExists "branch_exists" Precondition
        "A branch with this name exists."
        "Choose another name."
    AmbiguousRef "ambiguous_ref" Precondition
        "Another ref has the same short name as the branch, so git and gt would not read it as this branch."
        "Ask the person to rename or delete the other ref."
    NameRewritten "name_rewritten" Precondition
        "Graphite would give the branch another name than the one asked for."
        "Ask for the name that Graphite would give, or another one."
    Frozen "frozen" Precondition
        "A branch that the operation would change is frozen."
        "Ask the person to run `gt unfreeze` on it."
    InOtherWorktree "in_other_worktree" Precondition
        "A branch that the operation would change is checked out in another worktree."
        "Work in that worktree, or ask the person to free the branch there."
    CheckedOut "checked_out" Precondition
        "The branch is checked out here."
        "Check out another branch first."
    InProgress "in_progress" Precondition
        "Another operation (merge, rebase, cherry-pick, revert, am or bisect) is in progress."
        "Ask the person to finish or abort that operation first."
    Halted "halted" Precondition
        "A Graphite operation is halted on a conflict."
        "Resolve the conflict and use `continue`, or use `abort`."
    NotHalted "not_halted" Precondition
        "No Graphite operation of this worktree is halted."
        "Inspect the stack: there is nothing to continue or to abort."
    Unresolved "unresolved" Precondition
        "Conflicts are left that are not resolved and staged."
        "Resolve the listed files, then `stage` them and use `continue`."
    ConflictMarkers "conflict_markers" Precondition
        "Staged files still hold conflict markers."
        "Edit the listed files, `stage` them again and use `continue`."
    NotClean "not_clean" Precondition
        "The worktree has changes that the operation could lose or carry along."
        "Commit the changes with `create` or `modify_commit`, or ask the person to put them away."
    NothingStaged "nothing_staged" Precondition
        "The index holds no change to commit."
        "Use `stage` with the files that belong in the commit."
    StagedChanges "staged_changes" Precondition
        "The index holds changes that the operation would swallow."
        "Commit them first, or use `unstage`."
    NothingToAmend "nothing_to_amend" Precondition
        "The branch has no change of its own to amend."
        "Use `modify_commit` to give the branch its first commit."
    NothingToSquash "nothing_to_squash" Precondition
        "The branch has fewer than two commits of its own."
        "Nothing needs to be squashed; use `modify_amend` to change the commit."
    NeedsRestack "needs_restack" Precondition
        "The branch is not based on the tip of its parent."
        "Use `restack` first."
    Cycle "cycle" Precondition
        "A branch cannot be moved onto itself or onto one of its descendants."
        "Choose a branch outside the moved part of the stack."
    LosesCommits "loses_commits" Precondition
        "The operation would drop empty commits or flatten merge commits."
        "Ask the person to restack by hand, or to set `allow_lossy_restack` in the configuration."
    MessageTooLong "message_too_long" Precondition
        "A commit that would be carried along has a message that gt cannot pass on."
        "Ask the person to shorten the commit's message."
    InTheWay "in_the_way" Precondition
        "A file that git does not track would be overwritten."
        "Ask the person to move the listed files away."
    UntrackedTooLarge "untracked_too_large" Precondition
        "Graphite would copy very large untracked files into the repository."
        "Ask the person to ignore or move the listed files, or to raise `untracked_limit` in the configuration."
    WouldConflict "would_conflict" Precondition
        "Branches above could not be carried along without a conflict."
        "Move those branches elsewhere first, or resolve by `restack`."
    AbortWouldLose "abort_would_lose" Precondition
        "Aborting would throw away work that came after the operation was halted."
        "Resolve the conflict and use `continue`, or ask the person."
    Alias "alias" Precondition
        "A Graphite alias changes what a command means."
        "Ask the person to remove the alias."
    Unmerged "unmerged" Precondition
        "The index holds unmerged files."
        "Ask the person to resolve them."
    PathMissing "path_missing" Precondition
        "The path has nothing to stage or to unstage."
        "Name files that were changed, added or deleted."
    Ignored "ignored" Precondition
        "The path is ignored by git."
        "Leave the file out, or ask the person to change the ignore rule."
    HiddenByFlag "hidden_by_flag" Precondition
        "A flag (skip-worktree or assume-unchanged) hides the file from git."
        "Ask the person; `git update-index --no-skip-worktree --no-assume-unchanged` shows the file to git again."
    OutsideWorkspace "outside_workspace" Precondition
        "The path leads out of the workspace."
        "Use a path beneath the workspace root."
    ProtectedPath "protected_path" Precondition
        "The path belongs to git or to this program."
        "Leave git's own files to git; ask the person when one must change."
    Symlink "symlink" Precondition
        "The path is a symbolic link or goes through one."
        "Use the real path, when it lies inside the workspace."
    ParentNotDirectory "parent_not_directory" Precondition
        "A folder of the path is not a directory."
        "Check the path; ask the person to move the conflicting file."
    NotRegularFile "not_regular_file" Precondition
        "The path is a directory, a fifo, a socket or a device."
        "Name a regular file."
    HardLink "hard_link" Precondition
        "The file has several names, and replacing it would cut them apart."
        "Ask the person; `cp` makes a file of its own."
    FileMissing "file_missing" Precondition
        "There is no such file."
        "Use `list_files` or `search_files` to find it; `write_file` makes a new one."
    FileExists "file_exists" Precondition
        "The file exists already."
        "Update the file instead, or choose another path."
    FileTooLarge "file_too_large" Precondition
        "The file is larger than the published limit."
        "Ask the person to edit it by other means."
    Utf16 "utf16" Precondition
        "The file is UTF-16."
        "Ask the person to convert it to UTF-8."
    NotUtf8 "not_utf8" Precondition
        "The file is not valid UTF-8; nothing is decoded lossily."
        "Ask the person to convert it to UTF-8."
    Binary "binary" Precondition
        "The file is binary."
        "Leave it to a tool that knows its format."
    NoMatch "no_match" Precondition
        "The text to replace is not in the file."
        "Read the file again and copy the text exactly."
    Ambiguous "ambiguous" Precondition
        "The text to replace stands in several places."
        "Add lines around it until it is unique, or use `replace_all`."
    NoChange "no_change" Precondition
        "The edit would change nothing."
        "Check the new text: it equals what is there."
    Overlap "overlap" Precondition
        "Two hunks change the same lines."
        "Make one hunk of the two."
    FileChanged "file_changed" Precondition
        "The file is not what the caller has read."
        "Read the file again, then edit it."
    NotShown "not_shown" Precondition
        "The edit would overwrite lines that this session has not been shown."
        "Read the rest of the file first, or use `force` to overwrite it unseen."
    Metadata "metadata" Precondition
        "The file's owner, mode or attributes could not be kept."
        "Ask the person to edit the file, or to give this user the right to."
    Stale "stale" Precondition
        "The plan that was granted is not the plan that would run now."
        "Run `plan` again and ask the person again."

    ApprovalNeeded "approval_needed" Approval
        "The operation runs only after a person has said yes to its plan."
        "Show the plan to the person; the command in `recovery` grants it."
    ReadOnly "read_only" Approval
        "The caller allows reads only."
        "Use operations that only read, or ask for a session that may change things."

    GtFailed "gt_failed" Failed
        "The command failed, and the second look proves that nothing changed."
        "Read the command's output in the report."

    ReadFailed "read_failed" Failed
        "The system could not read it."
        "Read the message; ask the person when it is about permissions."
    WriteFailed "write_failed" Failed
        "The system refused a step of the change, and everything was put back."
        "Read the message; ask the person when it is about permissions or space."

    Conflict "conflict" Halted
        "The operation stopped on a conflict and waits."
        "Resolve the listed files, `stage` them and use `continue`, or use `abort`."

    Unexpected "unexpected" Uncertain
        "The repository changed, but not as the plan promised."
        "Look at `checks` and `changes` before anything else; the old tips are in the report."
    Incomplete "incomplete" Uncertain
        "The command failed or was stopped after it had changed something."
        "Look at `changes` and `recovery` before anything else; the old tips are in the report."

    NoRepository "no_repository" Unavailable
        "There is no git worktree here."
        "Run in a git worktree."
    UntrustedRepository "untrusted_repository" Unavailable
        "The repository belongs to another user."
        "Ask the person to check it; git's `safe.directory` in their own configuration is what trusts it."
    UnsupportedRepository "unsupported_repository" Unavailable
        "The repository has a form that cannot be read safely."
        "Ask the person; the message says which part it is."
    NotGraphite "not_graphite" Unavailable
        "Graphite was never initialised in this repository."
        "Ask the person to run `gt init`; nothing was initialised by looking."
    StateUnreadable "state_unreadable" Unavailable
        "Graphite's own state cannot be read."
        "Ask the person to run `gt state` and look at what it says."
    GtMissing "gt_missing" Unavailable
        "No gt executable was found on an absolute PATH entry."
        "Ask the person to install the Graphite CLI."
    GtVersion "gt_version" Unavailable
        "The gt on PATH is not a version that was tested with this program."
        "Ask the person to install a supported version; `pi-graphite doctor` lists them."
    LockBusy "lock_busy" Unavailable
        "Another request works on this repository."
        "Wait, then send the request again."
    RepositoryBusy "repository_busy" Unavailable
        "git or gt is at work in this repository outside this program."
        "Wait until it is done, then send the request again."
    StateRefused "state_refused" Unavailable
        "Files that this program keeps on disk are not safe to use."
        "Ask the person to look at the named path."
    ReadOnlyRepository "read_only_repository" Unavailable
        "The git directory cannot be written."
        "Ask the person to make it writable, or work elsewhere."

    Cancelled "cancelled" Cancelled
        "The request was cancelled, and the second look proves that nothing changed."
        "Send the request again when it is wanted."
    TimedOut "timed_out" Cancelled
        "The deadline passed, and the second look proves that nothing changed."
        "Find out what blocks (often a hook), or allow more time with `--timeout`."

    Internal "internal" Internal
        "This program has a bug."
        "Report it with the message."
}

impl Class {
    /// Exit status of a one-shot command.
    #[must_use]
    pub const fn exit(self) -> u8 {
        match self {
            Self::BadRequest => 2,
            Self::Precondition => 3,
            Self::Approval => 4,
            Self::Failed => 5,
            Self::Halted => 6,
            Self::Uncertain => 7,
            Self::Unavailable => 8,
            Self::Cancelled => 9,
            Self::Internal => 70,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn names_are_unique_and_texts_are_sentences() {
        let mut names: Vec<_> = Code::ALL.iter().map(|code| code.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Code::ALL.len());
        for code in Code::ALL {
            assert!(code.sentence().ends_with('.') && code.hint().ends_with('.'), "{code:?}");
        }
    }
}
