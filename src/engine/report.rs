//! The report: one JSON object of the same shape on success and on failure.

use std::collections::BTreeMap;

use super::view::View;
use crate::command::{Capture, Ended, Outcome};
use crate::fault::{Class, Code, Effect, Fault};
use crate::files::{Listing, SearchResult};
use crate::plan::{Check, Difference, FileReport, Tier};
use crate::repo::CacheState;

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// A question was answered.
    Answered,
    /// Done as promised.
    Done,
    /// Waits for a person's approval.
    Proposed,
    /// Nothing ran.
    Refused,
    /// The tool failed, and the second look proves that nothing changed.
    Failed,
    /// Stopped in a rebase on purpose.
    Halted,
    /// Changed, but not as promised: inspect before anything else.
    Uncertain,
    /// No gt, wrong version, no repository, lock busy.
    Unavailable,
    /// Cancelled or timed out, with nothing changed.
    Cancelled,
}

/// What a request led to. Absent parts are left out.
#[derive(Debug, Clone, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct Report {
    /// Version of the shape. Within 1, fields are only added.
    pub v: u32,
    /// The operation; null when the request named none.
    pub operation: Option<String>,
    /// How it ended.
    pub status: Status,
    /// What a model or a person reads.
    pub text: String,
    /// The repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<RepositoryReport>,
    /// The root of file operations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The look before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<View>,
    /// The command that ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandReport>,
    /// The look after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<View>,
    /// Everything that changed, with the values before: the old tips of what was moved or removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<Change>>,
    /// The promises, each checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checks: Option<Vec<Check>>,
    /// The file of an operation on one file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<FileReport>,
    /// The files of an operation on several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<FileReport>>,
    /// What a search found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchResult>,
    /// What a listing holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listing: Option<Listing>,
    /// The plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanReport>,
    /// Branches that need a restack now, each with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs_restack: Vec<LeftBehind>,
    /// What was wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<FaultReport>,
    /// What a person or agent can do now, as sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recovery: Vec<String>,
    /// Things that are not wrong but worth saying.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Where the time went.
    pub timing: Timing,
}

/// A branch that is not based on its parent's tip now.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct LeftBehind {
    /// The branch.
    pub branch: String,
    /// Why it was left where it is.
    pub reason: String,
}

/// The repository that was worked on.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct RepositoryReport {
    /// The worktree's root.
    pub root: String,
    /// The worktree's git directory.
    pub git_dir: String,
    /// The git directory that all worktrees share.
    pub common_dir: String,
    /// Graphite's main trunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trunk: Option<String>,
    /// gt's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gt_version: Option<String>,
    /// Where the detection came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheState>,
    /// Why the detection could not be kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_warning: Option<String>,
}

/// A command that ran.
#[derive(Debug, Clone, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct CommandReport {
    /// The executable.
    pub executable: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its exit code; null when it was stopped or killed.
    pub exit_code: Option<i32>,
    /// Standard output, head and tail when long.
    pub stdout: String,
    /// Standard error, head and tail when long.
    pub stderr: String,
    /// How long it ran, milliseconds.
    pub duration_ms: f64,
}

/// One thing that changed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Change {
    /// What changed.
    pub what: String,
    /// Its value before; null when it was not there. A branch's value is its tip.
    pub before: Option<String>,
    /// Its value after; null when it is not there.
    pub after: Option<String>,
    /// True when the plan does not name it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unexpected: bool,
}

/// A plan, for a person to see and to grant.
#[derive(Debug, Clone, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct PlanReport {
    /// Digest of the request, the workspace, the command and the before-values of the footprint.
    pub id: String,
    /// The operation.
    pub operation: String,
    /// How much it may do.
    pub tier: Tier,
    /// The command, without the executable. Absent when none runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argv: Option<Vec<String>>,
    /// The files as they would be. Absent when none would change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileReport>,
    /// What was verified.
    pub preconditions: Vec<String>,
    /// What it leads to.
    pub effects: Vec<String>,
    /// What may change; everything else must stay equal.
    pub may_change: Vec<String>,
    /// What must be true afterwards.
    pub promises: Vec<String>,
}

/// What was wrong.
#[derive(Debug, Clone, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct FaultReport {
    /// The stable code.
    pub code: Code,
    /// What was wrong, and where.
    pub message: String,
    /// What to do next.
    pub hint: String,
    /// What it did to the world.
    pub effect: Effect,
    /// Values behind the message.
    pub details: BTreeMap<String, serde_json::Value>,
}

/// Where the time went, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, schemars::JsonSchema)]
pub struct Timing {
    /// The whole request.
    pub total_ms: f64,
    /// The commands.
    pub command_ms: f64,
}

impl Report {
    /// A report that says nothing yet.
    #[must_use]
    pub fn new(operation: Option<&str>) -> Self {
        Self {
            v: 1,
            operation: operation.map(str::to_owned),
            status: Status::Answered,
            text: String::new(),
            repository: None,
            workspace: None,
            before: None,
            command: None,
            after: None,
            changes: None,
            checks: None,
            file: None,
            files: None,
            search: None,
            listing: None,
            plan: None,
            needs_restack: Vec::new(),
            fault: None,
            recovery: Vec::new(),
            warnings: Vec::new(),
            timing: Timing::default(),
        }
    }

    /// A report of a request that was refused before anything was looked at.
    #[must_use]
    pub fn refusal(operation: Option<&str>, fault: &Fault) -> Self {
        let mut report = Self::new(operation);
        report.fail(fault, Effect::None);
        report
    }

    /// Puts a fault in: status, text and exit status follow from its code.
    pub fn fail(&mut self, fault: &Fault, effect: Effect) {
        self.status = match fault.code.class() {
            Class::BadRequest | Class::Precondition | Class::Approval => Status::Refused,
            Class::Failed | Class::Internal => Status::Failed,
            Class::Halted => Status::Halted,
            Class::Uncertain => Status::Uncertain,
            Class::Unavailable => Status::Unavailable,
            Class::Cancelled => Status::Cancelled,
        };
        let said = match &fault.said.words {
            Some(words) => words.clone(),
            None => format!("{} ({}): {}", self.status.word(), fault.code.name(), fault.message),
        };
        let lines = std::iter::once(&said).chain(&fault.said.aside).chain([&fault.hint]);
        self.text = printable(&lines.map(String::as_str).collect::<Vec<_>>().join("\n"));
        self.fault = Some(FaultReport {
            code: fault.code,
            message: fault.message.clone(),
            hint: fault.hint.clone(),
            effect,
            details: fault.details.clone(),
        });
    }

    /// Whether a host should mark the result as an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        matches!(
            self.status,
            Status::Refused | Status::Failed | Status::Uncertain | Status::Unavailable | Status::Cancelled
        )
    }
}

impl Status {
    /// The status as a person says it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Answered => "Answered",
            Self::Done => "Done",
            Self::Proposed => "Proposed",
            Self::Refused => "Refused",
            Self::Failed => "Failed, nothing changed",
            Self::Halted => "Halted",
            Self::Uncertain => "Uncertain",
            Self::Unavailable => "Unavailable",
            Self::Cancelled => "Cancelled, nothing changed",
        }
    }
}

/// A text whose control characters are written out, line ends and tabs apart: a path or a message in it cannot drive a
/// terminal.
#[must_use]
pub(super) fn printable(text: &str) -> String {
    if !text.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
        return text.to_owned();
    }
    let shown = |c: char| if c.is_control() && c != '\n' && c != '\t' { c.escape_default().collect() } else { vec![c] };
    text.chars().flat_map(shown).collect()
}

/// The exit status of a one-shot command that ends with this report.
#[must_use]
pub fn exit_status(report: &Report) -> u8 {
    match (&report.fault, report.status) {
        (Some(fault), _) => fault.code.class().exit(),
        (None, Status::Answered | Status::Done) => 0,
        (None, Status::Proposed) => Class::Approval.exit(),
        (None, Status::Halted) => Class::Halted.exit(),
        (None, Status::Refused) => Class::Precondition.exit(),
        (None, Status::Failed) => Class::Failed.exit(),
        (None, Status::Uncertain) => Class::Uncertain.exit(),
        (None, Status::Unavailable) => Class::Unavailable.exit(),
        (None, Status::Cancelled) => Class::Cancelled.exit(),
    }
}

impl CommandReport {
    /// The report of a command's outcome.
    #[must_use]
    pub fn of(outcome: &Outcome) -> Self {
        let text = |capture: &Capture| strip_ansi(&capture.text);
        Self {
            executable: outcome.executable.display().to_string(),
            args: outcome.args.clone(),
            exit_code: match outcome.ended {
                Ended::Exited(code) => Some(code),
                Ended::Signalled(_) | Ended::TimedOut | Ended::Cancelled => None,
            },
            stdout: text(&outcome.stdout),
            stderr: text(&outcome.stderr),
            duration_ms: outcome.duration.as_secs_f64() * 1e3,
        }
    }
}

impl Change {
    /// The report of a difference.
    #[must_use]
    pub fn of(difference: &Difference, outside: &[Difference]) -> Self {
        let there = |value: &str| (!value.is_empty()).then(|| value.to_owned());
        Self {
            what: difference.thing.to_string(),
            before: there(&difference.before),
            after: there(&difference.after),
            unexpected: outside.contains(difference),
        }
    }
}

/// Text without terminal escapes: `gt info` always colours.
#[must_use]
pub(super) fn strip_ansi(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\u{1b}', Some('[')) => {
                chars.next();
                // A control sequence ends with a byte from `@` to `~`.
                chars.by_ref().find(|c| ('@'..='~').contains(c));
            }
            ('\u{1b}', _) => drop(chars.next()),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{printable, strip_ansi};

    #[test]
    fn a_text_cannot_drive_a_terminal() {
        assert_eq!(printable("a\u{1b}[2Jb\r\n\té"), "a\\u{1b}[2Jb\\r\n\té");
    }

    #[test]
    fn colours_are_removed_and_text_stays() {
        assert_eq!(strip_ansi("\u{1b}[1;31mred\u{1b}[0m é \u{1b}[38;5;12mblue\u{1b}[m\n"), "red é blue\n");
        assert_eq!(strip_ansi("a\u{1b}"), "a");
    }
}
