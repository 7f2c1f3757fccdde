//! The Graphite stack, read from Graphite's own database and the refs by the rule that gt itself follows.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use gix::ObjectId;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::{Graphite, Repo};
use crate::fault::{Code, Fault};

/// Migrations of the database that this reading knows.
const MIGRATIONS: [&str; 3] =
    ["20260211_initial_schema", "20260212_add_validation_columns", "20260220_add_parent_head_revision"];
/// gt itself fails half done when a reader holds the database for 5 s; ours asks for no more than this.
const BUSY: Duration = Duration::from_secs(2);

/// The tracked branches that are valid, as `gt state` would print them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stack {
    /// All trunks, the main one first.
    pub trunks: Vec<String>,
    /// Every valid tracked branch by name.
    pub branches: BTreeMap<String, Tracked>,
    /// Branches that Graphite knows but does not count as tracked now, each with the reason.
    pub broken: BTreeMap<String, &'static str>,
    /// Children of each branch or trunk, in Graphite's own order.
    children: BTreeMap<String, Vec<String>>,
    /// Trunks that were tracked before they became trunks, with their parents: until such a branch or its parent moves,
    /// Graphite goes on to its parent when it is asked for parents and trunks.
    stacked_trunks: BTreeMap<String, String>,
}

/// A tracked branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tracked {
    /// Its parent branch.
    pub parent: String,
    /// The stored base: the commit of the parent that the branch was last based on.
    pub base: ObjectId,
    /// Whether the parent's tip has moved away from the base.
    pub needs_restack: bool,
    /// Whether it is frozen.
    pub frozen: bool,
}

/// Why the database alone does not tell.
#[derive(Debug)]
pub enum StackError {
    /// gt must be asked once: it repairs or migrates its database.
    AskGt(String),
    /// Nothing more can be done here.
    Fault(Fault),
}

struct Row {
    parent: Option<String>,
    base: Option<ObjectId>,
    tip: Option<ObjectId>,
    parent_tip: Option<ObjectId>,
    state: Option<String>,
    children: Vec<String>,
    validation: Option<String>,
}

impl Row {
    /// Whether neither the branch nor its parent has moved since gt found the branch valid.
    fn is_still_valid(&self, heads: &BTreeMap<String, ObjectId>, name: &str, parent: &str) -> bool {
        let is_at = |branch, known: Option<ObjectId>| known.is_some() && heads.get(branch).copied() == known;
        self.validation.as_deref() == Some("VALID") && is_at(name, self.tip) && is_at(parent, self.parent_tip)
    }
}

/// gt's verdict on one branch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Trunk,
    Valid(ObjectId),
    /// By something of its own.
    Broken(&'static str),
    /// By its parent. For its own children gt does not count this.
    Orphan,
}

impl Stack {
    /// Reads the stack. `heads` are the live branches under the names that gt sees: a branch whose short name is
    /// ambiguous is not among them.
    ///
    /// Source: the validation rule was found from gt 1.8.6's debug log and held in random histories
    /// (`tests/suite/differential.rs`).
    ///
    /// # Errors
    /// [`StackError`].
    pub fn read(
        repo: &Repo,
        graphite: &Graphite,
        heads: &BTreeMap<String, ObjectId>,
        legacy: &[String],
    ) -> Result<Self, StackError> {
        let rows = rows(repo)?;
        if let Some(branch) = legacy.iter().find(|branch| heads.contains_key(*branch) && !rows.contains_key(*branch)) {
            return Err(StackError::AskGt(format!("`{branch}` was tracked by an older gt")));
        }
        let judge = Judge { repo, graphite, heads, rows: &rows, known: RefCell::default() };
        let mut stack = Self { trunks: graphite.trunks.clone(), ..Self::default() };
        for (name, row) in &rows {
            if !heads.contains_key(name) {
                continue;
            }
            if graphite.trunks.contains(name) {
                let parent = row.parent.clone().filter(|parent| row.is_still_valid(heads, name, parent));
                stack.stacked_trunks.extend(parent.map(|parent| (name.clone(), parent)));
                continue;
            }
            match judge.verdict(name, 0).map_err(StackError::Fault)? {
                Verdict::Trunk => {}
                Verdict::Broken(why) => drop(stack.broken.insert(name.clone(), why)),
                Verdict::Orphan => drop(stack.broken.insert(name.clone(), "its parent is not tracked")),
                Verdict::Valid(base) => {
                    let parent = row.parent.clone().expect("a valid branch has a parent");
                    let needs_restack = heads.get(&parent) != Some(&base);
                    let frozen = row.state.as_deref() == Some("frozen");
                    stack.branches.insert(name.clone(), Tracked { parent, base, needs_restack, frozen });
                }
            }
        }
        if let Some(cycle) = stack.cycle() {
            let message = format!("the parents of `{cycle}` form a cycle");
            return Err(StackError::Fault(
                Fault::new(Code::StateUnreadable, message).hint("Ask the person to run `gt track` on it."),
            ));
        }
        for (name, row) in &rows {
            let live = row.children.iter().filter(|child| stack.branches.contains_key(*child));
            stack.children.insert(name.clone(), live.cloned().collect());
        }
        Ok(stack)
    }

    /// Whether the branch is a trunk.
    #[must_use]
    pub fn is_trunk(&self, branch: &str) -> bool {
        self.trunks.iter().any(|trunk| trunk == branch)
    }

    /// The children as gt prints them, in its order.
    #[must_use]
    pub fn children(&self, branch: &str) -> &[String] {
        self.children.get(branch).map_or(&[], Vec::as_slice)
    }

    /// The branches whose parent is `branch`, by the parent pointers.
    #[must_use]
    pub fn above(&self, branch: &str) -> Vec<String> {
        self.branches.iter().filter(|(_, tracked)| tracked.parent == branch).map(|(name, _)| name.clone()).collect()
    }

    /// Every descendant of `branch`, parents before children.
    #[must_use]
    pub fn upstack(&self, branch: &str) -> Vec<String> {
        let mut found = self.above(branch);
        let mut next = 0;
        while next < found.len() {
            for child in self.above(&found[next]) {
                if !found.contains(&child) {
                    found.push(child);
                }
            }
            next += 1;
        }
        found
    }

    /// From the branch's parent down to the trunk, nearest first; the trunk is the last.
    #[must_use]
    pub fn downstack(&self, branch: &str) -> Vec<String> {
        let mut chain: Vec<String> = Vec::new();
        let mut at = branch;
        while let Some(tracked) = self.branches.get(at) {
            if chain.contains(&tracked.parent) {
                break;
            }
            chain.push(tracked.parent.clone());
            at = &tracked.parent;
        }
        chain
    }

    /// A branch that is above itself; only a damaged database has one.
    fn cycle(&self) -> Option<&String> {
        self.branches.keys().find(|name| self.upstack(name).contains(name))
    }

    /// The parent that Graphite names: a trunk has one only while it counts as the branch that it was.
    #[must_use]
    pub fn parent_of(&self, branch: &str) -> Option<&str> {
        let tracked = self.branches.get(branch).map(|tracked| &tracked.parent);
        tracked.or_else(|| self.stacked_trunks.get(branch)).map(String::as_str)
    }

    /// The trunk of the branch's own stack, as Graphite names it.
    #[must_use]
    pub fn trunk_of(&self, branch: &str) -> Option<String> {
        let mut at = branch;
        for _ in 0..=self.branches.len() + self.stacked_trunks.len() {
            match self.parent_of(at) {
                Some(parent) => at = parent,
                None => return self.is_trunk(at).then(|| at.to_owned()),
            }
        }
        None
    }

    /// Graphite's JSON shape of `gt state`, trunks first, then by name.
    #[must_use]
    pub fn to_state_json(&self) -> serde_json::Value {
        let trunks = self.trunks.iter().map(|name| (name.clone(), serde_json::json!({ "trunk": true })));
        let branches = self.branches.iter().map(|(name, b)| {
            let parents = serde_json::json!([{ "ref": b.parent, "sha": b.base.to_string() }]);
            (name.clone(), serde_json::json!({ "trunk": false, "needs_restack": b.needs_restack, "parents": parents }))
        });
        serde_json::Value::Object(trunks.chain(branches).collect())
    }
}

struct Judge<'a> {
    repo: &'a Repo,
    graphite: &'a Graphite,
    heads: &'a BTreeMap<String, ObjectId>,
    rows: &'a BTreeMap<String, Row>,
    known: RefCell<BTreeMap<String, Verdict>>,
}

impl Judge<'_> {
    fn verdict(&self, name: &str, depth: usize) -> Result<Verdict, Fault> {
        if let Some(verdict) = self.known.borrow().get(name) {
            return Ok(*verdict);
        }
        // A cycle of parent pointers can only come from a damaged database.
        let verdict = if depth > self.rows.len() {
            Verdict::Broken("its parents form a cycle")
        } else {
            self.judge(name, depth)?
        };
        self.known.borrow_mut().insert(name.to_owned(), verdict);
        Ok(verdict)
    }

    fn judge(&self, name: &str, depth: usize) -> Result<Verdict, Fault> {
        if self.graphite.trunks.iter().any(|trunk| trunk == name) {
            return Ok(Verdict::Trunk);
        }
        let Some(row) = self.rows.get(name) else { return Ok(Verdict::Broken("Graphite has no record of it")) };
        let (Some(tip), Some(parent)) = (self.heads.get(name).copied(), row.parent.as_deref()) else {
            return Ok(Verdict::Broken("Graphite knows no parent of it"));
        };
        let Some(parent_tip) = self.heads.get(parent).copied() else {
            return Ok(Verdict::Broken("its parent is gone or cannot be told from another ref"));
        };
        let Some(stored) = row.base else { return Ok(Verdict::Broken("Graphite knows no base of it")) };
        if row.is_still_valid(self.heads, name, parent) {
            return Ok(Verdict::Valid(stored));
        }
        if matches!(self.verdict(parent, depth + 1)?, Verdict::Broken(_)) {
            return Ok(Verdict::Orphan);
        }
        self.base(stored, tip, parent_tip)
    }

    /// Where the branch is really based: the stored base, healed as gt heals it.
    fn base(&self, stored: ObjectId, tip: ObjectId, parent_tip: ObjectId) -> Result<Verdict, Fault> {
        if !self.known_commit(stored) || !self.repo.contains(tip, stored)? {
            let fixed = self.repo.contains(tip, parent_tip)?;
            let broken = Verdict::Broken("it has diverged from its base");
            return Ok(if fixed { Verdict::Valid(parent_tip) } else { broken });
        }
        if stored != parent_tip && self.repo.contains(parent_tip, stored)? {
            let shared = self.repo.merge_base(parent_tip, tip)?;
            if let Some(shared) = shared.filter(|shared| *shared != tip && *shared != stored) {
                return Ok(Verdict::Valid(shared));
            }
        }
        Ok(Verdict::Valid(stored))
    }

    fn known_commit(&self, id: ObjectId) -> bool {
        self.repo.tree_of(id).is_ok()
    }
}

/// Reads the table in one short read transaction.
fn rows(repo: &Repo) -> Result<BTreeMap<String, Row>, StackError> {
    let path = repo.common_dir.join(".graphite_metadata.db");
    let ask = |why: &str| StackError::AskGt(why.to_owned());
    super::open::refuse_special(&path).map_err(StackError::Fault)?;
    match std::fs::symlink_metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(ask("Graphite's database is missing"));
        }
        Err(error) => return Err(StackError::Fault(super::unreadable("Graphite's database", error))),
        Ok(meta) if meta.len() == 0 => return Err(ask("Graphite's database is empty")),
        Ok(_) => {}
    }
    if repo.common_dir.join(".graphite_metadata.db-journal").exists() {
        return Err(ask("gt was killed while it wrote its database"));
    }
    query(&path)
        .map_err(|error| match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::ReadOnly) => ask("Graphite's database has to be recovered"),
            Some(rusqlite::ErrorCode::DatabaseBusy) => StackError::Fault(
                Fault::new(Code::RepositoryBusy, "Graphite's database is locked by another process")
                    .hint("Wait until gt is done, then send the request again."),
            ),
            _ => StackError::Fault(Fault::new(Code::StateUnreadable, format!("`{}`: {error}", path.display()))),
        })?
        .ok_or_else(|| ask("Graphite's database has another version"))
}

/// `None` when the schema is not one that is known.
fn query(path: &std::path::Path) -> rusqlite::Result<Option<BTreeMap<String, Row>>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_EXRESCODE
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let db = Connection::open_with_flags(path, flags)?;
    db.busy_timeout(BUSY)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    db.pragma_update(None, "query_only", true)?;
    let read = db.unchecked_transaction()?;
    let tables: i64 = read.query_row(
        "select count(*) from sqlite_master where type = 'table' and name in ('branch_metadata', 'kysely_migration')",
        [],
        |row| row.get(0),
    )?;
    if tables != 2 {
        return Ok(None);
    }
    let mut names = read.prepare("select name from kysely_migration")?;
    let migrations: Vec<String> = names.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    if migrations.len() != MIGRATIONS.len() || !migrations.iter().all(|name| MIGRATIONS.contains(&name.as_str())) {
        return Ok(None);
    }
    let mut select = read.prepare(
        "select branch_name, parent_branch_name, parent_branch_revision, branch_revision, parent_head_revision, state, children, validation_result from branch_metadata",
    )?;
    let id = |text: Option<String>| text.and_then(|text| ObjectId::from_hex(text.as_bytes()).ok());
    let rows = select.query_map([], |row| {
        let children: Option<String> = row.get(6)?;
        let children = children.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let parts = Row {
            parent: row.get(1)?,
            base: id(row.get(2)?),
            tip: id(row.get(3)?),
            parent_tip: id(row.get(4)?),
            state: row.get(5)?,
            children,
            validation: row.get(7)?,
        };
        Ok((row.get(0)?, parts))
    })?;
    rows.collect::<Result<_, _>>().map(Some)
}
