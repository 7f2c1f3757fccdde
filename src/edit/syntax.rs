//! What a line of code, markup or configuration does to those below it, told by its words alone, in any language.

use super::view::{indent, trim};

/// Words that a definition begins with.
const DEFINING: &[&str] = &[
    "class",
    "def",
    "enum",
    "fn",
    "func",
    "function",
    "impl",
    "interface",
    "macro_rules",
    "mod",
    "module",
    "namespace",
    "proc",
    "protocol",
    "struct",
    "sub",
    "trait",
    "union",
];

/// Words that may stand before those.
const MODIFYING: &[&str] = &[
    "abstract",
    "async",
    "const",
    "data",
    "default",
    "export",
    "extern",
    "final",
    "inline",
    "internal",
    "local",
    "override",
    "private",
    "protected",
    "pub",
    "public",
    "sealed",
    "static",
    "unsafe",
    "virtual",
];

/// Words that begin a statement with deeper ones below it.
const LEADING: &[&str] = &[
    "begin", "case", "catch", "do", "elif", "else", "elseif", "elsif", "ensure", "except", "finally", "for", "foreach",
    "if", "rescue", "switch", "try", "unless", "until", "when", "while", "with",
];

/// Words that end a line with deeper ones below it.
const TRAILING: &[&str] = &["begin", "do", "else", "in", "then", "try"];

/// Words that go on with what has been begun at their depth.
const FURTHER: &[&str] =
    &["catch", "elif", "else", "elseif", "elsif", "ensure", "except", "finally", "rescue", "until", "where"];

/// Words that end what has been begun at their depth, beside all that begin with `end`.
const ENDING: &[&str] = &["done", "esac", "fi", "od"];

/// Elements without an end tag.
const VOID: &[&str] =
    &["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"];

/// Whether a line opens deeper ones, a comment at its end apart.
pub(super) fn opens(line: &str) -> bool {
    let code = code(line);
    let closed = code.ends_with([';', '}', ')']) && !code.starts_with("def ") || code.contains(": ");
    let parameters = code.rsplit_once('|').is_some_and(|(before, after)| after.is_empty() && before.contains(" do |"));
    code.ends_with([':', '{', '(', '[', '=', ',', '\\'])
        || ["->", "=>", "&&", "||", ">-", "|-", ">+", "|+", ": |", ": >"].iter().any(|end| code.ends_with(end))
        || TRAILING.contains(&last_word(code))
        || parameters
        || is_open_tag(code)
        || !closed && (LEADING.contains(&first_word(code)) || defines(code))
        || code.ends_with(')') && code.contains("function")
        || LEADING.contains(&first_word(code)) && code.ends_with(')')
}

/// Whether a line begins a statement with deeper ones below it, which names nothing.
pub(super) fn leads(line: &str) -> bool {
    LEADING.contains(&first_word(trim(line).trim_start_matches(['}', ' '])))
}

/// Whether a line begins a definition.
pub(super) fn defines(line: &str) -> bool {
    let words = trim(line).split(|character: char| !(character.is_alphanumeric() || character == '_'));
    let mut words = words.filter(|word| !word.is_empty()).skip_while(|word| MODIFYING.contains(word));
    words.next().is_some_and(|word| DEFINING.contains(&word)) && words.next().is_some()
}

/// Whether a line opens a bracket that it does not close.
pub(super) fn opens_bracket(line: &str) -> bool {
    code(line).ends_with(['{', '(', '['])
}

/// Whether a line ends what has been begun at its depth: a bracket, a tag, a word such as `end`.
pub(super) fn closes(line: &str) -> bool {
    let line = trim(line);
    let word = first_word(line);
    line.starts_with(['}', ')', ']'])
        || ["</", "/>", "*/", "-->", ";;"].iter().any(|start| line.starts_with(start))
        || line == ">"
        || word.strip_prefix("end").is_some_and(|rest| rest.chars().all(char::is_alphabetic))
        || ENDING.contains(&word)
}

/// Whether a line goes on with what has been begun at its depth.
pub(super) fn goes_on(line: &str) -> bool {
    let line = trim(line);
    FURTHER.contains(&first_word(line)) || line.trim_start_matches(['}', ' ']).starts_with("else") || line == "{"
}

/// Whether a line is one of several in the same block: the label of a case, or of the access to members.
pub(super) fn labels(line: &str) -> bool {
    let code = code(line);
    let is_case = ["case", "default", "when"].contains(&first_word(code)) && !opens_bracket(code);
    let access = ["public", "private", "protected", "signals", "slots"].contains(&first_word(code));
    is_case || access && code.ends_with(':')
}

/// Whether a line says nothing about nesting wherever it begins: a comment, or a word for a preprocessor.
pub(super) fn is_aside(line: &str) -> bool {
    let line = trim(line);
    let is_dashed = line.starts_with("--") && !line.starts_with("---");
    ["#", "//", "/*", "<!--", ";"].iter().any(|start| line.starts_with(start))
        || is_dashed
        || ["ifdef", "ifndef", "ifeq", "ifneq", "endif"].contains(&first_word(line))
}

/// Whether a line is an item of a list.
pub(super) fn is_item(line: &str) -> bool {
    let line = trim(line);
    let rest = line.trim_start_matches(|character: char| character.is_ascii_digit());
    let is_numbered = rest.len() < line.len() && rest.starts_with(". ");
    is_numbered || ["- ", "* ", "+ "].iter().any(|start| line.starts_with(start)) || line == "-"
}

/// Whether a line is the head of a section, as in INI and TOML.
pub(super) fn is_section(line: &str) -> bool {
    let code = code(line);
    indent(line).is_empty() && code.len() > 2 && code.starts_with('[') && code.ends_with(']') && !code.contains(',')
}

/// The level of a heading in Markdown.
pub(super) fn heading(line: &str) -> Option<usize> {
    let level = line.len() - line.trim_start_matches('#').len();
    ((1..=6).contains(&level) && line[level..].starts_with(' ')).then_some(level)
}

/// A line without the comment at its end.
fn code(line: &str) -> &str {
    let comment = [" #", " //", " --", " /*", "\t#", "\t//"].iter().filter_map(|comment| line.find(comment)).min();
    trim(&line[..comment.unwrap_or(line.len())])
}

fn first_word(line: &str) -> &str {
    let line = trim(line);
    let is_of_word = |character: char| character.is_alphanumeric() || character == '_';
    &line[..line.find(|character| !is_of_word(character)).unwrap_or(line.len())]
}

fn last_word(line: &str) -> &str {
    line.rsplit(|character: char| !character.is_alphanumeric()).next().unwrap_or_default()
}

/// Whether a line is a tag whose end tag comes on a later line.
fn is_open_tag(code: &str) -> bool {
    let Some(tag) = code.strip_prefix('<') else { return false };
    let name = first_word(tag);
    !name.is_empty() && !code.ends_with("/>") && !code.contains("</") && !VOID.contains(&name)
}
