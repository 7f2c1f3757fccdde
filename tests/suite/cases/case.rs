//! What a line of the file may hold. Everything is closed: an unknown field is an error.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::support::World;

/// One case.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    pub id: String,
    pub area: Area,
    pub source: String,
    pub symptom: String,
    pub setup: Setup,
    action: Option<Action>,
    #[serde(default)]
    steps: Vec<Action>,
    expect: Expect,
    #[serde(default)]
    accept: Vec<Expect>,
    #[serde(default, rename = "also")]
    _also: Vec<String>,
    #[serde(default)]
    platform: Platform,
}

#[derive(Deserialize, Default, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Platform {
    #[default]
    Any,
    Unix,
    Linux,
}

/// What a case is about.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Area {
    Edit,
    Patch,
    Path,
    Encoding,
    Concurrency,
    Git,
    Gt,
}

/// Where a case is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ground {
    /// Where the setup says.
    AsSaid,
    /// In a repository without Graphite.
    Repository,
    /// In a folder that is no repository.
    Plain,
}

/// Files by path, `None` for one that is removed.
pub(super) type Files = BTreeMap<String, Option<Content>>;

/// How the world looks before the action, in the order in which it is built.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Setup {
    pub files: Files,
    pub outside: Files,
    pub outside_sibling: Option<Sibling>,
    pub generate: Vec<Generated>,
    pub symlinks: BTreeMap<String, String>,
    pub hardlinks: BTreeMap<String, String>,
    pub fifos: Vec<String>,
    pub sockets: Vec<String>,
    pub devices: Vec<String>,
    pub folders: Vec<String>,
    pub modes: BTreeMap<String, String>,
    pub umask: Option<String>,
    pub run_as: Option<RunAs>,
    pub reads: Vec<String>,
    pub untracked: Untracked,
    pub git: bool,
    pub gt: bool,
    pub git_steps: Vec<Vec<String>>,
    pub gt_steps: Vec<Vec<String>>,
    pub stack: Vec<Layer>,
    pub checkout: Option<String>,
    pub worktrees: BTreeMap<String, String>,
    pub stage: Files,
    pub dirty: Files,
    pub hooks: BTreeMap<String, String>,
    pub git_config: BTreeMap<String, String>,
    pub env: BTreeMap<String, String>,
    pub owner: Option<Owner>,
}

/// A folder beside the root whose name begins with the root's.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sibling {
    pub suffix: String,
    pub files: Files,
}

/// A file of many lines, or of many NUL bytes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Generated {
    pub path: String,
    #[serde(default)]
    pub lines: usize,
    #[serde(default)]
    pub line: String,
    #[serde(default)]
    pub bytes: u64,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunAs {
    #[serde(rename = "non-root")]
    NonRoot,
}

/// A branch of the stack with its files.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Layer {
    pub name: String,
    pub files: Files,
}

/// Files of the setup that are not committed, or further ones.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Untracked {
    Names(Vec<String>),
    Files(Files),
}

impl Default for Untracked {
    fn default() -> Self {
        Self::Names(Vec::new())
    }
}

/// A file's content.
#[derive(Deserialize, Clone)]
#[serde(untagged)]
pub(super) enum Content {
    Text(String),
    Bytes(Encoded),
}

/// Bytes as base64.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
pub(super) struct Encoded {
    pub b64: String,
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Owner {
    Other,
}

/// One thing to do. A step before the last must succeed, unless `ok` says that it must not.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
pub(super) struct Action {
    pub tool: String,
    pub args: Value,
    /// The name under which a proposal is kept.
    pub save: Option<String>,
    pub session: Option<String>,
    #[serde(default = "yes")]
    pub ok: bool,
}

const fn yes() -> bool {
    true
}

/// One right answer. What is absent is not judged.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expect {
    pub ok: bool,
    pub error_kind: Option<String>,
    pub files_after: Option<Files>,
    pub outside_after: Option<Files>,
    pub sibling_after: Option<Files>,
    #[serde(default)]
    pub modes_after: BTreeMap<String, String>,
    #[serde(default)]
    pub links_after: BTreeMap<String, String>,
    #[serde(default)]
    pub absent: Vec<String>,
    pub sha256: Option<String>,
    #[serde(default)]
    pub result_must_mention: Vec<String>,
    pub branches_after: Option<Vec<String>>,
    pub staged_after: Option<Vec<String>>,
    pub head_after: Option<String>,
    #[serde(default)]
    pub refs_unchanged: bool,
    pub message_is: Option<String>,
    pub needs_restack: Option<Vec<String>>,
    #[serde(default)]
    pub files_present: Vec<String>,
    pub max_ms: Option<u128>,
    #[serde(default)]
    pub note: String,
}

impl Area {
    /// Whether it is about files only, which need no Graphite.
    pub(super) const fn is_of_files(self) -> bool {
        match self {
            Self::Edit | Self::Patch | Self::Path | Self::Encoding | Self::Concurrency => true,
            Self::Git | Self::Gt => false,
        }
    }
}

impl Case {
    /// What is done, the judged one last: `action` names it again where there are `steps`.
    pub(super) fn actions(&self) -> Vec<&Action> {
        if self.steps.is_empty() || !self.area.is_of_files() {
            return self.steps.iter().chain(&self.action).collect();
        }
        let repeated = |action: &Action| self.steps.last().is_some_and(|last| last.tool == action.tool);
        assert!(self.action.as_ref().is_none_or(repeated), "{}: the last step is the action", self.id);
        self.steps.iter().collect()
    }

    /// The files that are read first.
    pub(super) fn reads(&self) -> Vec<Action> {
        let read = |path: &String| Action {
            tool: "read_file".to_owned(),
            args: serde_json::json!({"path": path}),
            save: None,
            session: None,
            ok: true,
        };
        self.setup.reads.iter().map(read).collect()
    }

    /// All answers that are right.
    pub(super) fn right_answers(&self) -> impl Iterator<Item = &Expect> {
        std::iter::once(&self.expect).chain(&self.accept)
    }
}

impl Generated {
    /// Its bytes; `None` where there are too many to keep.
    pub(super) fn text(&self) -> Option<String> {
        (self.bytes == 0).then(|| numbered(&self.line, self.lines).map(|line| line + "\n").collect())
    }
}

/// A line again and again, `{i}` and `{i7}` filled in.
pub(super) fn numbered(line: &str, lines: usize) -> impl Iterator<Item = String> {
    (0..lines).map(|i| line.replace("{i7}", &(i * 7).to_string()).replace("{i}", &i.to_string()))
}

impl Content {
    pub(super) fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.clone().into_bytes(),
            Self::Bytes(encoded) => decoded(&encoded.b64),
        }
    }
}

fn decoded(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for digit in text.bytes().filter(|digit| *digit != b'=') {
        let value = DIGITS.iter().position(|known| *known == digit).expect("base64");
        bits = (bits << 6) | u32::try_from(value).expect("six bits");
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).expect("eight bits"));
        }
    }
    bytes
}

/// The case with this name in its world, the placeholders filled in.
pub(super) fn named(name: &str, ground: Ground, world: impl FnOnce(&Setup) -> World) -> (World, Case) {
    let mut line = lines().into_iter().find(|line| name_of(line) == name).expect("the case is in the file");
    match ground {
        Ground::AsSaid => {}
        Ground::Repository => line["setup"]["git"] = true.into(),
        Ground::Plain => line["setup"]["git"] = false.into(),
    }
    // Read once before there are places, to find out which world it needs.
    let case: Case = parsed(line.clone());
    assert!(case.platform != Platform::Linux || cfg!(target_os = "linux"), "{} needs Linux", case.id);
    let world = world(&case.setup);
    let places = [
        ("$OUTSIDE_NAME", "outside".to_owned()),
        ("$OUTSIDE", world.path("outside").display().to_string()),
        ("$ROOT", world.root().display().to_string()),
    ];
    fill_in(&mut line, &places);
    (world, parsed(line))
}

/// The names of the cases: those that need Graphite, those that need git, and those on files; sorted.
pub(super) fn names() -> [Vec<String>; 3] {
    let mut lines = lines();
    lines.sort_by_key(name_of);
    let is_of_files = |line: &Value| Area::deserialize(&line["area"]).is_ok_and(Area::is_of_files);
    let (files, others): (Vec<_>, Vec<_>) = lines.into_iter().partition(is_of_files);
    let (with, without): (Vec<_>, Vec<_>) = others.into_iter().partition(|line| line["setup"]["gt"] == true);
    [with, without, files].map(|lines| lines.iter().map(name_of).collect())
}

fn lines() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases.jsonl");
    let text = fs::read_to_string(path).expect("the file of cases");
    text.lines().map(|line| serde_json::from_str(line).expect("a case a line")).collect()
}

fn name_of(line: &Value) -> String {
    line["id"].as_str().expect("an id").replace('-', "_")
}

fn parsed(line: Value) -> Case {
    let name = name_of(&line);
    serde_json::from_value(line).unwrap_or_else(|error| panic!("{name}: this runner does not know: {error}"))
}

fn fill_in(value: &mut Value, places: &[(&str, String)]) {
    match value {
        Value::String(text) => places.iter().for_each(|(name, place)| *text = text.replace(name, place)),
        Value::Array(items) => items.iter_mut().for_each(|item| fill_in(item, places)),
        Value::Object(fields) => fields.values_mut().for_each(|field| fill_in(field, places)),
        _ => {}
    }
}
