//! Takes out of a report and of a repository's description what differs from run to run.

use std::collections::BTreeMap;

use serde_json::Value;

/// Replaces paths, ids and digests by names that are numbered in the order in which they appear.
#[derive(Default)]
pub(super) struct Normal {
    ids: BTreeMap<String, usize>,
    replaced: Vec<(String, &'static str)>,
}

impl Normal {
    pub(super) fn new(replaced: Vec<(String, &'static str)>) -> Self {
        Self { replaced, ..Self::default() }
    }

    pub(super) fn report(&mut self, mut report: Value) -> String {
        if let Some(fields) = report.as_object_mut() {
            fields.remove("timing");
        }
        for listed in report.pointer_mut("/listing/entries").and_then(Value::as_array_mut).into_iter().flatten() {
            listed["modified"] = "<time>".into();
        }
        // What gt said is worded by gt.
        for (pointer, end) in [("/text", "\n"), ("/fault/message", "\0")] {
            if let Some(Value::String(text)) = report.pointer_mut(pointer) {
                *text = without_quote(text, end);
            }
        }
        if let Some(command) = report["command"].as_object_mut() {
            // Wording belongs to gt; what it did is in the looks.
            for key in ["duration_ms", "stdout", "stderr"] {
                command.remove(key);
            }
            let executable = command["executable"].as_str().unwrap_or_default();
            let name = executable.rsplit('/').next().unwrap_or_default().to_owned();
            command.insert("executable".to_owned(), name.into());
        }
        self.text(&format!("{report:#}"))
    }

    /// Normalises a text.
    pub(super) fn text(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for (path, name) in &self.replaced {
            text = text.replace(path, name);
        }
        text = text
            .split(' ')
            .map(|part| if is_event(part) { "(<event>)\"," } else { part })
            .collect::<Vec<_>>()
            .join(" ");
        let mut out = String::new();
        let mut word = String::new();
        for c in text.chars().chain(std::iter::once('\n')) {
            if c.is_ascii_alphanumeric() {
                word.push(c);
                continue;
            }
            out.push_str(&self.word(&word));
            word.clear();
            out.push(c);
        }
        out.pop();
        out
    }

    fn word(&mut self, word: &str) -> String {
        let hex = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        match word.len() {
            32 if hex => "<plan>".to_owned(),
            40 if hex => {
                let next = self.ids.len() + 1;
                format!("<id {}>", self.ids.entry(word.to_owned()).or_insert(next))
            }
            64 if hex => "<digest>".to_owned(),
            _ => word.to_owned(),
        }
    }
}

/// A text without what it quotes of a command's output, which ends before what had changed or at the last `end`.
fn without_quote(text: &str, end: &str) -> String {
    const START: &str = " and said: ";
    let Some((head, rest)) = text.split_once(START) else { return text.to_owned() };
    let at = rest.find(", after it had changed").or_else(|| rest.rfind(end));
    format!("{head}{START}…{}", at.map(|at| &rest[at..]).unwrap_or_default())
}

/// Graphite's id of an event, as it stands at the end of a change.
fn is_event(part: &str) -> bool {
    let id = part.lines().next().unwrap_or_default();
    let id = id.strip_prefix('(').and_then(|id| id.strip_suffix(")\",")).unwrap_or_default();
    id.len() == 36 && id.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit())
}
