//! `doctor`: is everything here that a guarded operation needs, and is it safe?

use std::process::ExitCode;

use super::cli::print_out;
use super::paint::Paint;
use crate::command::{SUPPORTED_GT, find_git, find_gt};
use crate::engine::{Context, Mode, Status, accept, perform};
use crate::fault::{Code, Fault};
use crate::repo::{Repo, aliases_of, graphite, intruder};

/// One thing that was checked.
#[derive(serde::Serialize)]
struct Finding {
    what: &'static str,
    state: State,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(serde::Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum State {
    Good,
    Note,
    Bad,
}

/// Checks and shows.
pub(super) fn show(context: &Context, json: bool) -> ExitCode {
    let findings = findings(context);
    let bad = findings.iter().any(|finding| finding.state == State::Bad);
    let text = if json {
        serde_json::to_string_pretty(&findings).expect("plain data serialises")
    } else {
        lines(&findings, Paint::for_stdout(&context.env))
    };
    let written = print_out(&text);
    if bad { ExitCode::from(8) } else { written }
}

fn lines(findings: &[Finding], paint: Paint) -> String {
    let line = |finding: &Finding| {
        let mark = match finding.state {
            State::Good => paint.green("ok  "),
            State::Note => paint.yellow("note"),
            State::Bad => paint.red("bad "),
        };
        let hint = finding.hint.as_ref().map(|hint| format!("\n      {hint}")).unwrap_or_default();
        format!("{mark}  {:<12} {}{hint}", finding.what, finding.found)
    };
    findings.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn findings(context: &Context) -> Vec<Finding> {
    let good = |what, found: String| Finding { what, state: State::Good, found, hint: None };
    let bad = |what, fault: Fault| Finding { what, state: State::Bad, found: fault.message, hint: Some(fault.hint) };
    let mut all = Vec::new();
    let repo = match Repo::open(&context.cwd) {
        Ok(repo) => repo,
        Err(fault) => {
            all.push(bad("repository", fault));
            return all;
        }
    };
    all.push(good("repository", repo.root.display().to_string()));
    all.push(match graphite(&repo) {
        Ok(graphite) => good("Graphite", format!("initialised, trunk {}", graphite.trunk)),
        Err(fault) => bad("Graphite", fault),
    });
    all.push(match find_gt(&context.env, &repo.root) {
        Ok(gt) => good("gt", gt.path.display().to_string()),
        Err(error) => bad("gt", Fault::new(Code::GtMissing, error.to_string())),
    });
    all.push(match find_git(&context.env, &repo.root) {
        Ok(git) => good("git", git.path.display().to_string()),
        Err(error) => bad("git", Fault::new(Code::GtMissing, error.to_string()).hint("Install git.")),
    });
    all.push(match aliases_of(&context.env) {
        Ok(()) => good("aliases", "none over a command that is used".to_owned()),
        Err(fault) => bad("aliases", fault),
    });
    all.push(match intruder(&repo) {
        None => good("others", "no git or gt at work outside".to_owned()),
        Some(other) => Finding {
            what: "others",
            state: State::Note,
            found: format!("{other:?}"),
            hint: Some("Changes wait until it is done.".to_owned()),
        },
    });
    let hooks = repo.hooks();
    all.push(match hooks.as_slice() {
        [] => good("hooks", "none".to_owned()),
        names => Finding {
            what: "hooks",
            state: State::Note,
            found: names.join(", "),
            hint: Some("gt's own git runs them; what they change is checked.".to_owned()),
        },
    });
    all.push(inspected(context));
    all
}

/// A whole read, as an agent would ask for it.
fn inspected(context: &Context) -> Finding {
    let accepted = accept(br#"{"operation": "inspect", "target": "state"}"#).expect("it is valid");
    let report = perform(context, &accepted, Mode::Run);
    let version = report.repository.as_ref().and_then(|repository| repository.gt_version.clone()).unwrap_or_default();
    match (report.status, report.fault) {
        (Status::Answered, _) => {
            let branches = report.before.map(|view| view.stack.len()).unwrap_or_default();
            Finding {
                what: "inspect",
                state: State::Good,
                found: format!("gt {version} (supported: {}), {branches} tracked branches", SUPPORTED_GT.join(", ")),
                hint: None,
            }
        }
        (_, fault) => {
            let (found, hint) = fault.map(|fault| (fault.message, fault.hint)).unwrap_or_default();
            Finding { what: "inspect", state: State::Bad, found, hint: Some(hint) }
        }
    }
}
