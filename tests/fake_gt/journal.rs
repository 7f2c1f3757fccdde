//! Graphite's journal: `.gt/event_log` and `.gtcontinue` of the worktree, `.gt/snapshots/*` of the repository.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};

use crate::stack::{Stack, checked};
use crate::{Outcome, fail};

/// Real gt keeps this many events and drops the snapshots of older ones.
const KEPT_EVENTS: usize = 10;

/// Runs a mutation between a starting and, if it ends well, an ending snapshot.
pub(crate) fn record(
    stack: &mut Stack,
    command: &str,
    words: &[String],
    work: impl FnOnce(&mut Stack) -> Outcome,
) -> Outcome {
    if stack.rebasing() && halt(stack).is_some() {
        return work(stack); // part of the halted event
    }
    if continue_file(stack).exists() {
        std::fs::remove_file(continue_file(stack))?;
    }
    stack.event = uuid();
    start(stack, command, words)?;
    work(stack)?;
    finish(stack, &stack.event.clone())
}

/// What `.gtcontinue` says about a halted operation.
#[derive(Debug)]
pub(crate) struct Halt {
    pub(crate) branch: Option<String>,
    pub(crate) rest: Vec<String>,
    pub(crate) base: String,
    pub(crate) event: String,
}

/// The halt record, `None` if there is none or it is the empty one.
pub(crate) fn halt(stack: &Stack) -> Option<Halt> {
    let text = std::fs::read_to_string(continue_file(stack)).ok()?;
    let value: Value = serde_json::from_str(&text).ok()?;
    let word = |key: &str| value[key].as_str().map(str::to_owned);
    Some(Halt {
        branch: word("currentBranchOverride"),
        rest: value["branchesToRestack"].as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        base: word("rebasedBranchBase")?,
        event: word("eventId")?,
    })
}

pub(crate) fn write_halt(stack: &Stack, halt: &Halt) -> Outcome {
    let mut value = Map::new();
    if let Some(branch) = &halt.branch {
        value.insert("currentBranchOverride".into(), json!(branch));
    }
    value.insert("branchesToRestack".into(), json!(halt.rest));
    value.insert("rebasedBranchBase".into(), json!(halt.base));
    value.insert("eventId".into(), json!(halt.event));
    let order = ["currentBranchOverride", "branchesToRestack", "rebasedBranchBase", "eventId"];
    std::fs::write(continue_file(stack), in_order(&Value::Object(value), &order)?)?;
    Ok(())
}

pub(crate) fn clear_halt(stack: &Stack) -> Outcome {
    std::fs::write(continue_file(stack), serde_json::to_string_pretty(&json!({"branchesToRestack": []}))?)?;
    Ok(())
}

/// Closes an event with an ending snapshot and the branches it changed.
pub(crate) fn finish(stack: &mut Stack, id: &str) -> Outcome {
    stack.read_refs()?;
    let Ok(ending) = snapshot(stack) else {
        return Ok(());
    };
    let mut events = events(stack);
    if let Some(event) = events.iter_mut().find(|event| event["id"] == id) {
        event["endingSnapshot"] = ending;
        event["mutatedBranches"] = json!(stack.mutated);
    }
    write_events(stack, events)
}

/// The user command and the starting snapshot of an event.
pub(crate) fn starting(stack: &Stack, id: &str) -> Option<(String, Value)> {
    let event = events(stack).into_iter().find(|event| event["id"] == id)?;
    let file = event["startingSnapshot"]["filename"].as_str()?;
    let text = std::fs::read_to_string(snapshots(stack).join(file)).ok()?;
    Some((event["userCommand"].as_str()?.to_owned(), serde_json::from_str(&text).ok()?))
}

pub(crate) fn drop_event(stack: &Stack, id: &str) -> Outcome {
    let mut events = events(stack);
    events.retain(|event| event["id"] != id);
    write_events(stack, events)
}

/// The working directory part of the last starting snapshot.
pub(crate) fn last_working_directory(stack: &Stack) -> Option<Value> {
    let (_, snapshot) = starting(stack, &stack.event)?;
    snapshot.get("workingDirectory").cloned()
}

/// Opens the event of a mutation. Without a snapshot there is no event, as in real gt.
fn start(stack: &Stack, command: &str, words: &[String]) -> Outcome {
    let Ok(starting) = snapshot(stack) else {
        return Ok(());
    };
    let canonical = match command {
        "create" | "rename" | "delete" => format!("{command} [name]"),
        "freeze" | "unfreeze" => format!("{command} [branch]"),
        _ => command.to_owned(),
    };
    let quoted = words.iter().map(|word| if word.contains(' ') { format!("\"{word}\"") } else { word.clone() });
    let mut events = events(stack);
    events.push(json!({
        "id": stack.event,
        "canonicalName": canonical,
        "userCommand": quoted.collect::<Vec<_>>().join(" "),
        "createdAt": timestamp(),
        "startingSnapshot": starting,
    }));
    write_events(stack, events)
}

/// Writes a snapshot file and returns its `{filename, sha}`.
fn snapshot(stack: &Stack) -> Outcome<Value> {
    let branches: Vec<Value> = stack
        .rows
        .iter()
        .filter(|row| stack.heads.contains_key(&row.name))
        .map(|row| {
            let mut facts = json!({
                "validationResult": row.validity,
                "branchRevision": stack.tip(&row.name),
                "children": row.children,
            });
            if let Some(parent) = &row.parent {
                facts["parentBranchName"] = json!(parent);
                facts["parentBranchRevision"] = json!(row.base);
            }
            if let Some(state) = &row.state {
                facts["state"] = json!(state);
            }
            json!([row.name, facts])
        })
        .collect();
    let sha = digest(&branches);
    let mut value = json!({ "branchesHash": sha, "branches": branches });
    if let Some(branch) = &stack.head {
        value["currentBranchName"] = json!(branch);
    }
    if let Some(directory) = working_directory(stack)? {
        value["workingDirectory"] = directory;
    }
    let filename = format!("{}_{sha}.snapshot", millis());
    std::fs::create_dir_all(snapshots(stack))?;
    let order = ["branchesHash", "branches", "currentBranchName", "workingDirectory"];
    std::fs::write(snapshots(stack).join(&filename), in_order(&value, &order)?)?;
    Ok(json!({ "filename": filename, "sha": sha }))
}

/// Saves index, worktree and untracked files as git objects, as real gt does; `None` when clean.
/// A file name that git quotes breaks it, which it does in real gt, too.
fn working_directory(stack: &Stack) -> Outcome<Option<Value>> {
    let stash = stack.git(&["stash", "create"]).stderr(Stdio::null()).output()?;
    if !stash.status.success() {
        let locked = stack.git_dir.join("index.lock").exists();
        return if locked { fail("error: the index is locked") } else { Ok(None) };
    }
    let stash = String::from_utf8_lossy(&stash.stdout).trim().to_owned();
    let files = stack.run(&["ls-files", "--others", "--exclude-standard"])?;
    if files.lines().any(|file| file.starts_with('"')) {
        return fail("error: an untracked file has a name that git quotes");
    }
    if stash.is_empty() && files.is_empty() {
        return Ok(None);
    }
    let mut value = json!({});
    if stash.is_empty() {
        value["headRef"] = json!(stack.run(&["rev-parse", "HEAD"])?);
        value["indexRef"] = json!(stack.run(&["write-tree"])?);
    } else {
        let refs = stack.run(&["rev-parse", &format!("{stash}^1"), &format!("{stash}^2")])?;
        let (head, index) = refs.split_once('\n').unwrap_or_default();
        value = json!({"headRef": head, "indexRef": index, "workingTreeRef": stash});
    }
    if !files.is_empty() {
        value["untrackedRef"] = json!(untracked_tree(stack, &files)?);
    }
    Ok(Some(value))
}

fn untracked_tree(stack: &Stack, files: &str) -> Outcome<String> {
    let index = stack.git_dir.join(".gt").join("untracked-index");
    std::fs::create_dir_all(stack.git_dir.join(".gt"))?;
    let args = ["update-index", "--add", "--stdin"];
    let mut add =
        stack.git(&args).env("GIT_INDEX_FILE", &index).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    add.stdin.take().expect("stdin is piped").write_all(format!("{files}\n").as_bytes())?;
    checked(&args, &add.wait_with_output()?)?;
    let tree = checked(&["write-tree"], &stack.git(&["write-tree"]).env("GIT_INDEX_FILE", &index).output()?);
    std::fs::remove_file(&index)?;
    tree
}

fn events(stack: &Stack) -> Vec<Value> {
    let text = std::fs::read_to_string(stack.git_dir.join(".gt").join("event_log")).unwrap_or_default();
    let mut log: Value = serde_json::from_str(&text).unwrap_or_default();
    log["events"].as_array_mut().map(std::mem::take).unwrap_or_default()
}

fn write_events(stack: &Stack, mut events: Vec<Value>) -> Outcome {
    let old = events.len().saturating_sub(KEPT_EVENTS);
    for event in events.drain(..old) {
        for which in ["startingSnapshot", "endingSnapshot"] {
            if let Some(file) = event[which]["filename"].as_str() {
                let _ = std::fs::remove_file(snapshots(stack).join(file));
            }
        }
    }
    std::fs::create_dir_all(stack.git_dir.join(".gt"))?;
    let text = serde_json::to_string_pretty(&json!({ "events": events }))?;
    std::fs::write(stack.git_dir.join(".gt").join("event_log"), text)?;
    Ok(())
}

fn continue_file(stack: &Stack) -> PathBuf {
    stack.git_dir.join(".gtcontinue")
}

fn snapshots(stack: &Stack) -> PathBuf {
    stack.common.join(".gt").join("snapshots")
}

/// Pretty JSON with the top keys in real gt's order whatever map `serde_json` was built with.
fn in_order(value: &Value, keys: &[&str]) -> Outcome<String> {
    let mut parts = Vec::new();
    for key in keys {
        if let Some(part) = value.get(key) {
            let text = serde_json::to_string_pretty(part)?.replace('\n', "\n  ");
            parts.push(format!("  \"{key}\": {text}"));
        }
    }
    Ok(format!("{{\n{}\n}}", parts.join(",\n")))
}

/// Forty hex digits that depend on the branches only (real gt takes a SHA-1 of them).
fn digest(branches: &[Value]) -> String {
    let mut texts: Vec<String> = branches.iter().map(Value::to_string).collect();
    texts.sort();
    let word = |seed: u8| {
        let mut hasher = DefaultHasher::new();
        (seed, &texts).hash(&mut hasher);
        hasher.finish()
    };
    format!("{:016x}{:016x}{:08x}", word(0), word(1), word(2) >> 32)
}

fn uuid() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/uuid").map_or_else(
        |_| format!("{:08x}-0000-4000-8000-{:012x}", std::process::id(), millis()),
        |text| text.trim().to_owned(),
    )
}

fn millis() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis())
}

/// The time as `2026-01-31T12:00:00.000Z` (civil-from-days after Howard Hinnant).
fn timestamp() -> String {
    let millis = i64::try_from(millis()).unwrap_or(0);
    let (days, rest) = (millis / 86_400_000, millis % 86_400_000);
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hours, minutes) = (rest / 3_600_000, rest / 60_000 % 60);
    let (seconds, rest) = (rest / 1000 % 60, rest % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{rest:03}Z")
}
