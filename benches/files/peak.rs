//! The most memory that a whole run of the program takes, beside its limit.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use serde_json::{Value, json};

use super::site::{Site, edit, patch};
use super::{hunks, input, several};
use crate::harness::Effort;
use crate::{ROLE, table};

/// What a run may take besides what it works on.
const FIXED: u64 = 16_000_000;
/// How often it may hold the file and the request.
const TIMES: u64 = 4;
const LARGE: usize = 10_000_000;

/// A name, the file, and the request for it.
type Case = (&'static str, fn() -> String, fn(&str) -> Vec<u8>);

const CASES: &[Case] = &[
    ("exact, 100 bytes", || input::source(100), one_line),
    ("exact, 10 MB", large, one_line),
    ("exact, 10 MB of CRLF", || large().replace('\n', "\r\n"), one_line),
    ("near miss, 10 MB", large, |text| bytes(&edit("ours.rs", &input::line(input::middle(text), "values"), "x"))),
    ("far miss, 10 MB", large, |_| bytes(&edit("ours.rs", "alpha beta\ngamma delta", "x"))),
    (
        "replace_all, 200,000 matches, 10 MB",
        || "    let value = call(value, another, third, f);\n".repeat(208_334),
        |_| {
            let mut request = edit("ours.rs", "let value", "let other");
            request["replace_all"] = json!(true);
            bytes(&request)
        },
    ),
    ("read_file, 10 MB", large, |_| bytes(&json!({ "operation": "read_file", "path": "ours.rs" }))),
    ("write_file, 10 MB, one line is other", large, |text| {
        let number = input::middle(text);
        write(&text.replace(&input::line(number, "value"), &input::line(number, "other")))
    }),
    ("write_file, 10 MB, every line is other", large, |text| write(&text.replace('\n', " //\n"))),
    ("1,000 hunks, blocks, 10 MB", large, |text| {
        hunks::flip(text, |old, new| format!("@@\n{old}\n===\n{new}\n")).turn().to_vec()
    }),
    ("1,000 hunks, V4A, 10 MB", large, |text| {
        hunks::flip(text, |old, new| format!("@@\n-{old}\n+{new}\n")).turn().to_vec()
    }),
    ("move of 10 MB with one hunk", large, |text| {
        let number = input::middle(text);
        let (old, new) = (input::line(number, "value"), input::line(number, "other"));
        bytes(&patch(&format!(
            "*** Begin Patch\n*** Update File: ours.rs\n*** Move to: b.rs\n@@\n-{old}\n+{new}\n*** End Patch\n"
        )))
    }),
];

pub(crate) fn run(_: &Effort) {
    for (name, text, request) in CASES {
        let (site, text) = (Site::new(), text());
        site.put("ours.rs", &text);
        show(name, &site, text.len(), &request(&text));
    }
    let (site, text) = (Site::new(), input::source(100_000));
    for at in 0..100 {
        site.put(&format!("ours/{}/file_{at}.rs", at % 10), &text);
    }
    show("patch of 100 files, 10 MB in all", &site, 100 * text.len(), several::flip(&text, 100).turn());
}

fn show(name: &str, site: &Site, file: usize, request: &[u8]) {
    let most = FIXED + TIMES * (file + request.len()) as u64;
    table::bytes(name, peak(site, request), most);
}

fn peak(site: &Site, request: &[u8]) -> u64 {
    let input = site.input(request);
    let mut command = site.command(Path::new("/proc/self/exe"));
    command.args(["run", "--allow-write"]).stdin(input);
    of(command)
}

/// The most memory of this program as the product, in bytes: it tells on standard error.
pub(crate) fn of(mut command: Command) -> u64 {
    let output = command.env(ROLE, "peak").stderr(Stdio::piped()).output().expect("it is this program");
    let told = String::from_utf8_lossy(&output.stderr);
    let kilobytes = told.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
    kilobytes.map_or_else(|| panic!("no peak is told: {told}"), |kilobytes: u64| kilobytes * 1024)
}

/// The product's own main function, and what the system says of its memory afterwards.
pub(crate) fn main() -> ExitCode {
    let ended = pi_graphite::front::cli::main();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    eprintln!("{status}");
    ended
}

fn large() -> String {
    input::source(LARGE)
}

fn one_line(text: &str) -> Vec<u8> {
    let number = input::middle(text);
    bytes(&edit("ours.rs", &input::line(number, "value"), &input::line(number, "other")))
}

fn write(content: &str) -> Vec<u8> {
    bytes(&json!({ "operation": "write_file", "path": "ours.rs", "content": content }))
}

fn bytes(request: &Value) -> Vec<u8> {
    request.to_string().into_bytes()
}
