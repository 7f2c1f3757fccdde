//! The repository and Graphite's metadata as one value: branches, tips, worktrees, rows.
//!
//! Opening validates every row by real gt's rule and writes stale rows back, as every real
//! command does, reads included.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use rusqlite::Connection;

use crate::metadata::{Row, write_row};
use crate::{Args, Outcome, fail};

pub(crate) struct Stack {
    pub(crate) top: PathBuf,
    pub(crate) git_dir: PathBuf,
    pub(crate) common: PathBuf,
    pub(crate) trunks: Vec<String>,
    pub(crate) rows: Vec<Row>,
    pub(crate) heads: HashMap<String, String>,
    /// Branches checked out in other worktrees, with their paths.
    pub(crate) elsewhere: HashMap<String, String>,
    /// The branch HEAD names, `None` when detached.
    pub(crate) head: Option<String>,
    /// Branches the command changed, for the journal.
    pub(crate) mutated: Vec<String>,
    /// The id of the running mutation in the journal.
    pub(crate) event: String,
    pub(crate) database: Connection,
}

impl Stack {
    /// Opens (and if need be initialises) Graphite in the working directory's repository.
    pub(crate) fn open(args: &Args, command: &str) -> Outcome<Self> {
        let [top, common, git_dir] = find_repository()?;
        let mut stack = Self {
            database: Connection::open(common.join(".graphite_metadata.db"))?,
            top,
            git_dir,
            common,
            trunks: Vec::new(),
            rows: Vec::new(),
            heads: HashMap::new(),
            elsewhere: HashMap::new(),
            head: None,
            mutated: Vec::new(),
            event: String::new(),
        };
        stack.database.busy_timeout(Duration::from_secs(5))?;
        stack.read_refs()?;
        stack.initialise(args, command)?;
        stack.read_rows()?;
        stack.validate(command == "state")?;
        Ok(stack)
    }

    /// A git command in the top directory with nothing on its standard input.
    pub(crate) fn git(&self, args: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.args(args).current_dir(&self.top).stdin(Stdio::null());
        command
    }

    /// Runs git and returns its trimmed output, or an `ERROR:` worded as real gt words it.
    pub(crate) fn run(&self, args: &[&str]) -> Outcome<String> {
        checked(args, &self.git(args).output()?)
    }

    /// Whether git succeeds, silently.
    pub(crate) fn succeeds(&self, args: &[&str]) -> Outcome<bool> {
        Ok(self.git(args).stdout(Stdio::null()).stderr(Stdio::null()).status()?.success())
    }

    pub(crate) fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }

    pub(crate) fn row_mut(&mut self, name: &str) -> Option<&mut Row> {
        self.rows.iter_mut().find(|row| row.name == name)
    }

    pub(crate) fn is_trunk(&self, name: &str) -> bool {
        self.trunks.iter().any(|trunk| trunk == name)
    }

    /// A live branch with a valid row, trunks not included.
    pub(crate) fn is_tracked(&self, name: &str) -> bool {
        self.heads.contains_key(name) && self.row(name).is_some_and(|row| row.validity.as_deref() == Some("VALID"))
    }

    pub(crate) fn tip(&self, name: &str) -> String {
        self.heads.get(name).cloned().unwrap_or_default()
    }

    pub(crate) fn parent(&self, name: &str) -> Option<String> {
        self.row(name)?.parent.clone()
    }

    /// Children as real gt lists them: the stored order, live and valid ones only.
    pub(crate) fn children(&self, name: &str) -> Vec<String> {
        let Some(row) = self.row(name) else {
            return Vec::new();
        };
        row.children.iter().filter(|child| self.is_tracked(child)).cloned().collect()
    }

    /// All branches above one, each before its own children.
    pub(crate) fn upstack(&self, name: &str) -> Vec<String> {
        self.children(name)
            .into_iter()
            .flat_map(|child| {
                let above = self.upstack(&child);
                std::iter::once(child).chain(above)
            })
            .collect()
    }

    /// All branches below one, the lowest first, without the trunk.
    pub(crate) fn downstack(&self, name: &str) -> Vec<String> {
        let mut below = Vec::new();
        let mut current = self.parent(name);
        while let Some(branch) = current.filter(|branch| !self.is_trunk(branch) && below.len() <= self.rows.len()) {
            current = self.parent(&branch);
            below.insert(0, branch);
        }
        below
    }

    pub(crate) fn needs_restack(&self, name: &str) -> bool {
        self.row(name).is_some_and(|row| row.base != row.parent.as_ref().map(|parent| self.tip(parent)))
    }

    pub(crate) fn is_frozen(&self, name: &str) -> bool {
        self.row(name).is_some_and(|row| row.state.as_deref() == Some("frozen"))
    }

    pub(crate) fn rebasing(&self) -> bool {
        self.git_dir.join("rebase-merge").exists() || self.git_dir.join("rebase-apply").exists()
    }

    /// Notes a branch whose row or ref the command changed.
    pub(crate) fn touch(&mut self, name: &str) {
        if !self.mutated.iter().any(|known| known == name) {
            self.mutated.push(name.to_owned());
        }
    }

    /// Writes one row at once and notes it as changed by the command.
    pub(crate) fn save(&mut self, row: Row) -> Outcome {
        self.touch(&row.name);
        self.store(row)
    }

    /// Writes one row at once.
    pub(crate) fn store(&mut self, row: Row) -> Outcome {
        write_row(&self.database, &row)?;
        match self.row_mut(&row.name) {
            Some(old) => *old = row,
            None => self.rows.push(row),
        }
        Ok(())
    }

    pub(crate) fn forget(&mut self, name: &str) -> Outcome {
        self.database.execute("DELETE FROM branch_metadata WHERE branch_name = ?1", [name])?;
        self.rows.retain(|row| row.name != name);
        self.touch(name);
        Ok(())
    }

    /// Changes one row and writes it.
    pub(crate) fn edit(&mut self, name: &str, change: impl FnOnce(&mut Row)) -> Outcome {
        let Some(mut row) = self.row(name).cloned() else {
            return Ok(());
        };
        change(&mut row);
        self.save(row)
    }

    /// Says on stderr which branches left Graphite's tracking, once, at the end of a command.
    pub(crate) fn warn_diverged(&self) {
        let gone: Vec<&Row> =
            self.rows.iter().filter(|row| row.validity.as_deref() == Some("BAD_PARENT_REVISION")).collect();
        if gone.is_empty() {
            return;
        }
        println!();
        eprintln!("WARNING: The following branch has diverged from Graphite's tracking:");
        for row in gone {
            eprintln!("WARNING: ▸ {}", row.name);
        }
        eprintln!("WARNING: You can use gt track <branch> to remediate a diverged branch.");
    }

    /// Reads heads, worktrees and HEAD again.
    pub(crate) fn read_refs(&mut self) -> Outcome {
        let text = self.run(&[
            "for-each-ref",
            "--format=%(refname:lstrip=2)%00%(objectname)%00%(worktreepath)",
            "refs/heads/",
        ])?;
        self.heads.clear();
        self.elsewhere.clear();
        for line in text.lines() {
            let mut fields = line.split('\0');
            let (Some(name), Some(tip)) = (fields.next(), fields.next()) else {
                continue;
            };
            self.heads.insert(name.to_owned(), tip.to_owned());
            if let Some(path) = fields.next().filter(|path| !path.is_empty() && Path::new(path) != self.top) {
                self.elsewhere.insert(name.to_owned(), path.to_owned());
            }
        }
        let head = std::fs::read_to_string(self.git_dir.join("HEAD"))?;
        self.head = head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned);
        Ok(())
    }
}

/// The output of a finished git command or the error real gt prints for its failure.
pub(crate) fn checked(args: &[&str], output: &Output) -> Outcome<String> {
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned());
    }
    let code = output.status.code().unwrap_or(-1);
    let said = String::from_utf8_lossy(&output.stderr);
    fail(format!("Command failed with error exit code {code}:\ngit {}\n\n{said}", args.join(" ")))
}

fn find_repository() -> Outcome<[PathBuf; 3]> {
    let args = ["rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir", "--git-dir"];
    let output = Command::new("git").args(args).stdin(Stdio::null()).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut paths = text.lines().map(PathBuf::from);
    match (paths.next(), paths.next(), paths.next()) {
        (Some(top), Some(common), Some(git_dir)) if output.status.success() => Ok([top, common, git_dir]),
        _ => fail("No .git repository found."),
    }
}
