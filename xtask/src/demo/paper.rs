//! What the demo puts on the terminal: indented, and coloured only where a person looks at it.

use std::io::IsTerminal as _;

use serde_json::Value;

/// The page that the story is written on.
pub(super) struct Paper {
    coloured: bool,
}

/// What a text is, and so how it looks.
#[derive(Clone, Copy)]
pub(super) enum Ink {
    Heading,
    Good,
    Bad,
    Faint,
}

impl Paper {
    pub(super) fn new() -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self { coloured: wanted && std::io::stdout().is_terminal() }
    }

    pub(super) fn heading(&self, text: &str) {
        println!("\n{}", self.inked(Ink::Heading, text));
    }

    /// A command that a person could type.
    pub(super) fn command(&self, text: &str) {
        println!("    {} {text}", self.inked(Ink::Faint, "$"));
    }

    /// What goes in.
    pub(super) fn request(&self, text: &str) {
        println!("    {} {text}", self.inked(Ink::Faint, ">"));
    }

    /// What came out.
    pub(super) fn answer(&self, label: &str, text: &str) {
        let mut lines = text.trim_end().lines();
        let first = lines.next().unwrap_or_default();
        let mark = self.inked(Ink::Faint, "<");
        println!("    {mark} {} {first}", self.inked(Ink::Faint, label));
        lines.for_each(|line| println!("      {line}"));
    }

    pub(super) fn inked(&self, ink: Ink, text: &str) -> String {
        if !self.coloured {
            return text.to_owned();
        }
        let code = match ink {
            Ink::Heading => "1",
            Ink::Good => "32",
            Ink::Bad => "31",
            Ink::Faint => "2",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

/// A sentence of the story.
pub(super) fn say(text: &str) {
    println!("{text}");
}

/// A drawing or a listing, as it is.
pub(super) fn block(text: &str) {
    let lines = text.trim_end().lines();
    lines.for_each(|line| println!("        {line}"));
}

/// A field of a report as text: a string without its quotes, nothing for what is absent.
pub(super) fn text_of(report: &Value, pointer: &str) -> String {
    match report.pointer(pointer) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// A request on one line, its operation first.
pub(super) fn request_line(request: &Value) -> String {
    let fields = request.as_object().into_iter().flatten();
    let (first, rest): (Vec<_>, Vec<_>) = fields.partition(|(name, _)| *name == "operation");
    let fields = first.iter().chain(&rest);
    let fields = fields.map(|(name, value)| format!("{name:?}:{value}"));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

/// The arguments of the command behind a report, as the report tells them.
pub(super) fn command_line(report: &Value) -> String {
    let arguments = report.pointer("/command/args").and_then(Value::as_array);
    let executable = report.pointer("/command/executable").and_then(Value::as_str);
    let program = executable.map(|path| path.rsplit('/').next().unwrap_or(path));
    let words = program.into_iter().chain(arguments.into_iter().flatten().filter_map(Value::as_str));
    let shown = words.map(|word| {
        let needs_quotes = word.is_empty() || word.contains(char::is_whitespace);
        if needs_quotes { format!("{word:?}") } else { word.to_owned() }
    });
    shown.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_absent_field_is_empty_text() {
        let report = json!({"text": "a\nb", "plan": {"id": "x"}, "code": 3});
        assert_eq!(text_of(&report, "/text"), "a\nb");
        assert_eq!(text_of(&report, "/plan/id"), "x");
        assert_eq!(text_of(&report, "/code"), "3");
        assert_eq!(text_of(&report, "/fault/code"), "");
    }

    #[test]
    fn a_request_begins_with_its_operation() {
        let request = json!({"body": "a \"b\"", "operation": "create", "paths": ["x"]});
        assert_eq!(request_line(&request), r#"{"operation":"create","body":"a \"b\"","paths":["x"]}"#);
    }

    #[test]
    fn a_command_line_quotes_texts() {
        let report = json!({"command": {"executable": "/opt/gt", "args": ["create", "--message=two words"]}});
        assert_eq!(command_line(&report), "gt create \"--message=two words\"");
        assert_eq!(command_line(&json!({})), "");
    }

    #[test]
    fn plain_paper_has_no_escapes() {
        let plain = Paper { coloured: false };
        let coloured = Paper { coloured: true };
        assert_eq!(plain.inked(Ink::Good, "x"), "x");
        assert_eq!(coloured.inked(Ink::Good, "x"), "\u{1b}[32mx\u{1b}[0m");
    }
}
