//! `layers`: a module imports only modules to its left.

use std::fs;
use std::path::Path;

use crate::failure::{Failure, Result, While};
use crate::source::{code_of, is_word};
use crate::workspace;

/// The modules of `src/` in import order. `lib.rs` and `main.rs` may import all of them.
const ORDER: &[&str] = &[
    "fault",
    "value",
    "config",
    "command",
    "disk",
    "repo",
    "files",
    "edit",
    "helpers",
    "plan",
    "operation",
    "approval",
    "engine",
    "catalog",
    "front",
];

/// Checks every file of `src/`.
pub(crate) fn run() -> Result {
    let mut complaints = Vec::new();
    let mut count = 0;
    for file in workspace::files()? {
        let Ok(inner) = file.strip_prefix("src") else {
            continue;
        };
        if file.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let text =
            fs::read_to_string(workspace::root().join(&file)).while_doing(|| format!("read `{}`", file.display()))?;
        count += 1;
        let found = violations(inner, &text);
        complaints.extend(
            found.into_iter().map(|violation| format!("{}:{}: {}", file.display(), violation.line, violation.reason)),
        );
    }
    if complaints.is_empty() {
        println!("layers: {count} files import to their left only");
        return Ok(());
    }
    Err(Failure::new(format!("imports against the order {}\n{}", ORDER.join(" → "), complaints.join("\n"))))
}

#[derive(Debug, PartialEq)]
struct Violation {
    line: usize,
    reason: String,
}

/// What is wrong in one file, given its path below `src/`.
fn violations(inner: &Path, text: &str) -> Vec<Violation> {
    let Some(own) = module_of(inner) else {
        return Vec::new();
    };
    let Some(own_rank) = rank(&own) else {
        let reason = format!("module `{own}` has no place in the order; give it one in `layers`");
        return vec![Violation { line: 1, reason }];
    };
    let code = code_of(text);
    let mut imports = imports_from_root(&code);
    if is_top_level(inner) {
        imports.extend(imports_through_parent(&code));
    }
    let mut found = detours(&code);
    found.extend(imports.into_iter().filter_map(|import| {
        let reason = complaint(&own, own_rank, &import.name)?;
        Some(Violation { line: line_at(&code, import.at), reason })
    }));
    found.sort_by_key(|violation| violation.line);
    found
}

fn complaint(own: &str, own_rank: usize, name: &str) -> Option<String> {
    if name.starts_with(char::is_uppercase) {
        return Some(format!("`crate::{name}` hides its module; import it from the module that owns it"));
    }
    let later = rank(name)? > own_rank;
    later.then(|| format!("`{own}` imports `{name}`, which is to its right"))
}

fn rank(module: &str) -> Option<usize> {
    ORDER.iter().position(|name| *name == module)
}

/// The top-level module that a file belongs to; none for the crate's roots.
fn module_of(inner: &Path) -> Option<String> {
    let first = inner.iter().next()?.to_str()?;
    let name = first.strip_suffix(".rs").unwrap_or(first);
    (!matches!(first, "lib.rs" | "main.rs")).then(|| name.to_owned())
}

/// Whether a file is the body of a top-level module, so that its `super` is the crate.
fn is_top_level(inner: &Path) -> bool {
    match inner.iter().count() {
        1 => true,
        2 => inner.ends_with("mod.rs"),
        _ => false,
    }
}

/// A name used directly below the crate's root, and where.
struct Import {
    name: String,
    at: usize,
}

/// Every `X` of `crate::X` and of `crate::{X, X::…}`.
fn imports_from_root(code: &str) -> Vec<Import> {
    let mut imports = Vec::new();
    for at in words(code, "crate::") {
        let after = at + "crate::".len();
        let space = code[after..].len() - code[after..].trim_start().len();
        if code[after + space..].starts_with('{') {
            imports.extend(group_members(code, after + space + 1));
        } else {
            imports.extend(name_at(code, after + space));
        }
    }
    imports
}

/// The first names of a use group's members; `from` is just behind the opening brace.
fn group_members(code: &str, from: usize) -> Vec<Import> {
    let mut members = Vec::new();
    let mut depth = 0_usize;
    let mut starts = true;
    for (offset, character) in code[from..].char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => starts = true,
            character if starts && is_word(character) => {
                members.extend(name_at(code, from + offset));
                starts = false;
            }
            _ => {}
        }
    }
    members
}

/// Every `X` of `super::X` where `X` is a module of the order that the file does not declare itself.
fn imports_through_parent(code: &str) -> Vec<Import> {
    let names = words(code, "super::").into_iter().filter_map(|at| name_at(code, at + "super::".len()));
    names.filter(|import| rank(&import.name).is_some() && !declares(code, &import.name)).collect()
}

fn declares(code: &str, module: &str) -> bool {
    let declaration = format!("mod {module}");
    words(code, &declaration).iter().any(|at| {
        let after = code[at + declaration.len()..].trim_start();
        after.starts_with([';', '{'])
    })
}

/// Chains of `super`, which would hide what they import.
fn detours(code: &str) -> Vec<Violation> {
    let chains = words(code, "super::super::").into_iter();
    chains
        .map(|at| Violation {
            line: line_at(code, at),
            reason: "`super::super::` hides what is imported; say `crate::…`".to_owned(),
        })
        .collect()
}

/// Where `needle` stands, not as the end of a longer name.
fn words(code: &str, needle: &str) -> Vec<usize> {
    let hits = code.match_indices(needle).map(|(at, _)| at);
    hits.filter(|&at| !code[..at].ends_with(is_word)).collect()
}

fn name_at(code: &str, at: usize) -> Option<Import> {
    let name: String = code[at..].chars().take_while(|&c| is_word(c)).collect();
    (!name.is_empty()).then_some(Import { name, at })
}

fn line_at(code: &str, at: usize) -> usize {
    code[..at].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [usize; 0] = [];

    /// The lines with a violation.
    fn lines(inner: &str, text: &str) -> Vec<usize> {
        let found = violations(Path::new(inner), text);
        found.iter().map(|violation| violation.line).collect()
    }

    #[test]
    fn imports_to_the_left_and_of_itself_are_fine() {
        let text = "use crate::fault::Fault;\nuse crate::value::{self, Digest};\nuse crate::command::X;";
        assert_eq!(lines("command/run.rs", text), NONE);
    }

    #[test]
    fn an_import_to_the_right_is_found_at_its_line() {
        let text = "\nuse crate::fault::Fault;\nuse crate::engine::Report;\n";
        let found = violations(Path::new("repo/open.rs"), text);
        assert_eq!(found, [Violation { line: 3, reason: "`repo` imports `engine`, which is to its right".to_owned() }]);
    }

    #[test]
    fn groups_are_read_over_several_lines() {
        let text = "use crate::{\n    fault::{Code, Fault},\n    plan::{self, engine},\n    front,\n};";
        assert_eq!(lines("value/mod.rs", text), [3, 4]);
        assert_eq!(lines("plan/mod.rs", text), [4]);
        assert_eq!(lines("front/cli.rs", text), NONE);
    }

    #[test]
    fn a_path_in_an_expression_or_a_macro_counts() {
        assert_eq!(lines("edit/x.rs", "fn f() { crate::engine::go() }"), [1]);
        assert_eq!(lines("edit/x.rs", "macro!($crate::engine::go)"), [1]);
        assert_eq!(lines("edit/x.rs", "use my_crate::engine::go;"), NONE);
    }

    #[test]
    fn comments_and_strings_do_not_import() {
        let text = "//! See [`crate::engine`].\nconst X: &str = \"crate::engine\";";
        assert_eq!(lines("edit/x.rs", text), NONE);
    }

    #[test]
    fn the_roots_may_import_everything() {
        assert_eq!(lines("lib.rs", "use crate::front::X;"), NONE);
        assert_eq!(lines("main.rs", "use crate::front::X;"), NONE);
    }

    #[test]
    fn a_module_without_a_place_is_reported() {
        assert_eq!(lines("util/mod.rs", ""), [1]);
        assert_eq!(lines("util.rs", ""), [1]);
    }

    #[test]
    fn the_parent_of_a_top_level_module_is_the_crate() {
        let text = "use super::engine::X;";
        assert_eq!(lines("plan/mod.rs", text), [1]);
        assert_eq!(lines("plan.rs", text), [1]);
        // Deeper, it is a module of the same name.
        assert_eq!(lines("plan/verify.rs", text), NONE);
        assert_eq!(lines("plan/mod.rs", "mod engine;\nuse super::engine;"), NONE);
        assert_eq!(lines("plan/mod.rs", "mod tests { use super::*; }"), NONE);
    }

    #[test]
    fn ways_around_the_order_are_closed() {
        assert_eq!(lines("plan/a.rs", "use super::super::engine;"), [1]);
        assert_eq!(lines("plan/a.rs", "use crate::Report;"), [1]);
        assert_eq!(lines("plan/a.rs", "use crate::{\nReport};"), [2]);
    }
}
