//! `stack`: draws the stack from our own look, without gt.

use std::process::ExitCode;

use super::cli::{print_out, view_fault};
use super::paint::{Paint, plain};
use crate::engine::{Context, View, look_only};
use crate::repo::{Repo, Snapshot};

/// Shows the stack.
pub(super) fn show(context: &Context, json: bool) -> ExitCode {
    let (repo, snapshot, warnings) = match look_only(context) {
        Ok(seen) => seen,
        Err(fault) => return view_fault(&fault, json),
    };
    if json {
        return print_out(&serde_json::to_string_pretty(&View::of(&repo, &snapshot)).expect("plain data serialises"));
    }
    let mut drawing =
        Drawing { repo: &repo, snapshot: &snapshot, paint: Paint::for_stdout(&context.env), lines: Vec::new() };
    for trunk in snapshot.stack.trunks.clone() {
        drawing.branch(&trunk, "", "");
    }
    drawing.footer(&warnings);
    print_out(&drawing.lines.join("\n"))
}

struct Drawing<'a> {
    repo: &'a Repo,
    snapshot: &'a Snapshot,
    paint: Paint,
    lines: Vec<String>,
}

impl Drawing<'_> {
    /// A branch's line behind its lead, then its children's.
    fn branch(&mut self, name: &str, lead: &str, below: &str) {
        let current = self.snapshot.graphite_branch() == Some(name);
        let mark = if current { self.paint.green("◉") } else { "◯".to_owned() };
        let shown = if current { self.paint.bold(&plain(name)) } else { plain(name) };
        let notes = self.notes(name);
        self.lines.push(format!("{}{mark} {shown}{notes}", self.paint.dim(lead)).trim_end().to_owned());
        let children = self.snapshot.stack.children(name).to_vec();
        for (at, child) in children.iter().enumerate() {
            let (lead, more) = if at + 1 == children.len() { ("└─", "  ") } else { ("├─", "│ ") };
            self.branch(child, &format!("{below}{lead}"), &format!("{below}{more}"));
        }
    }

    fn notes(&self, name: &str) -> String {
        let mut notes = Vec::new();
        if let Some((tracked, tip)) = self.snapshot.tracked_with_tip(name) {
            let commits = self.repo.commits_between(tracked.base, tip).map(|commits| commits.len()).unwrap_or_default();
            let title = plain(&self.repo.title_of(tip));
            notes.push(match commits {
                0 => self.paint.dim("no commit of its own"),
                1 => self.paint.dim(&title),
                n => self.paint.dim(&format!("{title} (+{})", n - 1)),
            });
            if tracked.needs_restack {
                notes.push(self.paint.yellow("needs restack"));
            }
            if tracked.frozen {
                notes.push(self.paint.yellow("frozen"));
            }
        }
        if let Some(other) = self.snapshot.holder_of(name) {
            notes.push(self.paint.dim(&format!("in {}", plain(&other.path.display().to_string()))));
        }
        notes.iter().map(|note| format!("  {note}")).collect()
    }

    fn footer(&mut self, warnings: &[String]) {
        let snapshot = self.snapshot;
        let mut notes = Vec::new();
        match (&snapshot.halt, snapshot.in_progress.as_slice()) {
            (Some(halt), _) => {
                notes.push(self.paint.red(&format!("{} is halted: {} conflicts", halt.command, plain(&halt.branch))));
            }
            (None, [kind, ..]) => notes.push(self.paint.red(&format!("a {} is in progress", kind.name()))),
            (None, []) => {}
        }
        match snapshot.current() {
            None => notes.push(self.paint.yellow("HEAD is detached")),
            Some(name) if !snapshot.stack.is_trunk(name) && !snapshot.stack.branches.contains_key(name) => {
                notes.push(self.paint.yellow(&format!("{} is checked out and not tracked", plain(name))));
            }
            Some(_) => {}
        }
        for (name, why) in &snapshot.stack.broken {
            notes.push(self.paint.yellow(&format!("{} is not in the stack: {why}", plain(name))));
        }
        if let Some(content) = &snapshot.content {
            let counts = [
                (content.index.staged.len(), "staged"),
                (content.unstaged.len(), "changed"),
                (content.untracked.len(), "untracked"),
                (content.index.conflicts.len(), "unmerged"),
            ];
            let counts: Vec<String> =
                counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
            if !counts.is_empty() {
                notes.push(counts.join(", "));
            }
        }
        notes.extend(warnings.iter().cloned());
        if !notes.is_empty() {
            self.lines.push(String::new());
            self.lines.extend(notes);
        }
    }
}
