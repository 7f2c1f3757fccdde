//! Graphite's metadata database: schema, rows, initialisation, and the rule that validates rows.

use std::collections::HashMap;

use rusqlite::{Connection, params};
use serde_json::{Value, json};

use crate::stack::Stack;
use crate::{Args, Outcome, fail};

/// One row of `branch_metadata`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) parent: Option<String>,
    pub(crate) base: Option<String>,
    pub(crate) submitted: Option<String>,
    pub(crate) state: Option<String>,
    pub(crate) children: Vec<String>,
    pub(crate) tip: Option<String>,
    pub(crate) validity: Option<String>,
    pub(crate) parent_head: Option<String>,
}

impl Stack {
    pub(crate) fn initialise(&mut self, args: &Args, command: &str) -> Outcome {
        let path = self.common.join(".graphite_repo_config");
        let config: Option<Value> =
            std::fs::read_to_string(&path).ok().and_then(|text| serde_json::from_str(&text).ok());
        if let Some(config) = &config {
            let listed = config["trunks"].as_array().cloned().unwrap_or_default();
            self.trunks = listed.iter().filter_map(|trunk| trunk["name"].as_str()).map(str::to_owned).collect();
        }
        if config.is_some() && command != "init" {
            return Ok(());
        }
        let Some(trunk) = self.pick_trunk(args.value("trunk")) else {
            return fail("No branches found in current repo; cannot initialize Graphite.");
        };
        let banner = match (&config, command) {
            (Some(_), _) => "Reinitializing Graphite...",
            (None, "init") => "Welcome to Graphite!",
            (None, _) => "Graphite has not been initialized, attempting to setup now...\n\nWelcome to Graphite!",
        };
        println!("{banner}\n\nTrunk set to {trunk}\n");
        self.database.execute_batch(SCHEMA)?;
        let text = json!({"trunk": trunk, "trunks": [{"name": trunk}]});
        std::fs::write(path, serde_json::to_string_pretty(&text)?)?;
        std::fs::write(
            self.common.join(".graphite_pr_info"),
            "{\n  \"prInfos\": [],\n  \"mergeabilityStatuses\": []\n}",
        )?;
        std::fs::write(self.git_dir.join(".gtlocalprinfo"), "{\n  \"localPrInfo\": []\n}")?;
        self.trunks = vec![trunk];
        Ok(())
    }

    fn pick_trunk(&self, asked: Option<&str>) -> Option<String> {
        if let Some(asked) = asked {
            if self.heads.contains_key(asked) {
                return Some(asked.to_owned());
            }
            eprintln!("WARNING: The branch {asked} does not exist locally and cannot be made a trunk.");
        }
        let usual = self.trunks.iter().map(String::as_str).chain(["main", "master", "trunk", "develop"]);
        let known = usual.map(str::to_owned).find(|name| self.heads.contains_key(name));
        known.or_else(|| self.head.clone().filter(|head| self.heads.contains_key(head)))
    }

    pub(crate) fn read_rows(&mut self) -> Outcome {
        self.database.execute_batch(SCHEMA)?;
        let sql = "SELECT branch_name, parent_branch_name, parent_branch_revision, last_submitted_version, state, \
                   children, branch_revision, validation_result, parent_head_revision FROM branch_metadata ORDER BY rowid";
        let mut query = self.database.prepare(sql)?;
        let rows = query.query_map([], |row| {
            let children: Option<String> = row.get(5)?;
            Ok(Row {
                name: row.get(0)?,
                parent: row.get(1)?,
                base: row.get(2)?,
                submitted: row.get(3)?,
                state: row.get(4)?,
                children: children.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default(),
                tip: row.get(6)?,
                validity: row.get(7)?,
                parent_head: row.get(8)?,
            })
        })?;
        let rows = rows.collect::<Result<Vec<Row>, _>>()?;
        drop(query);
        self.rows = rows;
        Ok(())
    }

    /// Validates the live branches and writes the rows that changed. Branches without a row get
    /// one if they are looked at: all of them by `gt state`, else the current one.
    pub(crate) fn validate(&mut self, all: bool) -> Outcome {
        let looked_at =
            |name: &String| all || self.row(name).is_some() || self.head.as_ref() == Some(name) || self.is_trunk(name);
        let mut names: Vec<String> = self.heads.keys().filter(|name| looked_at(name)).cloned().collect();
        names.sort();
        for name in &names {
            if self.row(name).is_none() {
                self.rows.push(Row { name: name.clone(), ..Row::default() });
            }
        }
        let before = self.rows.clone();
        let mut done = HashMap::new();
        for name in &names {
            self.validate_branch(name, &mut done)?;
        }
        for (old, new) in before.iter().zip(&self.rows).filter(|(old, new)| old != new) {
            debug_assert_eq!(old.name, new.name, "rows keep their order");
            write_row(&self.database, new)?;
        }
        Ok(())
    }

    fn validate_branch(&mut self, name: &str, done: &mut HashMap<String, &'static str>) -> Outcome<&'static str> {
        if let Some(known) = done.get(name) {
            return Ok(known);
        }
        done.insert(name.to_owned(), "INVALID_PARENT");
        let tip = self.tip(name);
        let mut row = self.row(name).cloned().unwrap_or_default();
        let verdict = self.judge(&mut row, &tip, done)?;
        row.tip = Some(tip);
        row.validity = Some(verdict.to_owned());
        if let Some(parent) = row.parent.as_ref().filter(|parent| self.heads.contains_key(*parent)) {
            row.parent_head = Some(self.tip(parent));
        }
        done.insert(name.to_owned(), verdict);
        if let Some(old) = self.row_mut(name) {
            *old = row;
        }
        Ok(verdict)
    }

    fn judge(&mut self, row: &mut Row, tip: &str, done: &mut HashMap<String, &'static str>) -> Outcome<&'static str> {
        if self.is_trunk(&row.name) {
            return Ok("TRUNK");
        }
        let Some(parent) = row.parent.clone().filter(|parent| self.heads.contains_key(parent)) else {
            return Ok("BAD_PARENT_NAME");
        };
        let parent_tip = self.tip(&parent);
        let fresh = row.tip.as_deref() == Some(tip) && row.parent_head.as_deref() == Some(&parent_tip);
        if fresh && row.validity.as_deref() == Some("VALID") {
            return Ok("VALID");
        }
        if !matches!(self.validate_branch(&parent, done)?, "VALID" | "TRUNK") {
            return Ok("INVALID_PARENT");
        }
        let base = row.base.clone().unwrap_or_default();
        if !self.is_ancestor(&base, tip)? {
            if !self.is_ancestor(&parent_tip, tip)? {
                return Ok("BAD_PARENT_REVISION");
            }
            row.base = Some(parent_tip);
        } else if base != parent_tip && self.is_ancestor(&base, &parent_tip)? {
            let fork = self.run(&["merge-base", &parent_tip, tip])?;
            if fork != tip && fork != base {
                row.base = Some(fork);
            }
        }
        Ok("VALID")
    }

    fn is_ancestor(&self, low: &str, high: &str) -> Outcome<bool> {
        Ok(low == high || (!low.is_empty() && self.succeeds(&["merge-base", "--is-ancestor", low, high])?))
    }
}

pub(crate) fn write_row(database: &Connection, row: &Row) -> Outcome {
    let sql = "INSERT INTO branch_metadata VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9) ON CONFLICT (branch_name) DO UPDATE SET \
               parent_branch_name=?2, parent_branch_revision=?3, last_submitted_version=?4, state=?5, children=?6, \
               branch_revision=?7, validation_result=?8, parent_head_revision=?9";
    let children = serde_json::to_string(&row.children)?;
    database.execute(
        sql,
        params![
            row.name,
            row.parent,
            row.base,
            row.submitted,
            row.state,
            children,
            row.tip,
            row.validity,
            row.parent_head
        ],
    )?;
    Ok(())
}

const SCHEMA: &str = r#"
CREATE TABLE IF NOT EXISTS "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
CREATE TABLE IF NOT EXISTS "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
CREATE TABLE IF NOT EXISTS "branch_metadata" ("branch_name" text not null primary key, "parent_branch_name" text, "parent_branch_revision" text, "last_submitted_version" text, "state" text, "children" text, "branch_revision" text, "validation_result" text, "parent_head_revision" text);
CREATE INDEX IF NOT EXISTS "idx_branch_metadata_parent" on "branch_metadata" ("parent_branch_name");
INSERT OR IGNORE INTO kysely_migration VALUES
 ('20260211_initial_schema','2026-03-01T00:00:00.000Z'),
 ('20260212_add_validation_columns','2026-03-01T00:00:00.001Z'),
 ('20260220_add_parent_head_revision','2026-03-01T00:00:00.002Z');
INSERT OR IGNORE INTO kysely_migration_lock VALUES ('migration_lock', 0);
"#;
