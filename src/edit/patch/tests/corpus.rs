//! Every patch of `fixtures/patches` against what is expected of it.

use std::path::Path;

use crate::edit::patch::{Dialect, Hunk, Patch, PatchError, Section, SectionChange, parse};

#[test]
fn each_patch_of_the_corpus_is_read_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/patches");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus is there") {
        let path = entry.expect("an entry of the corpus").path();
        if path.extension().is_some_and(|extension| extension == "patch") {
            let patch = std::fs::read_to_string(&path).expect("a patch is text");
            let expected = std::fs::read_to_string(path.with_extension("expect")).expect("each patch has expectations");
            assert_eq!(outline(&parse(&patch)), expected, "{}", path.display());
            seen += 1;
        }
    }
    assert!(seen > 40, "{seen}");
}

/// What is read, line by line.
fn outline(read: &Result<Patch, PatchError>) -> String {
    match read {
        Ok(patch) => patch.sections.iter().map(section).collect(),
        Err(error) => {
            let reason = serde_json::to_value(error.reason).expect("a name");
            format!("refused {} at {}\n{error}\n", reason.as_str().expect("a name"), error.line)
        }
    }
}

fn section(section: &Section) -> String {
    let Section { line, path, change } = section;
    match change {
        SectionChange::Add { content } => format!("{line} add {path}\n{}", marked("  |", content)),
        SectionChange::Delete => format!("{line} delete {path}\n"),
        SectionChange::Move { to } => format!("{line} move {path} -> {to}\n"),
        SectionChange::Update { hunks, move_to } => {
            let to = move_to.as_ref().map_or(String::new(), |to| format!(" -> {to}"));
            let hunks: String = hunks.iter().map(hunk).collect();
            format!("{line} update {path}{to}\n{hunks}")
        }
    }
}

fn hunk(hunk: &Hunk) -> String {
    let Hunk { line, dialect, old, new, changes: _, anchors, at_end, layout } = hunk;
    let dialect = match dialect {
        Dialect::Blocks => "blocks",
        Dialect::V4a => "v4a",
    };
    let anchors: String = anchors.iter().map(|anchor| format!(" under {anchor:?}")).collect();
    let at_end = if *at_end { " at the end" } else { "" };
    let layout = if *layout > 0 { format!(" layout {layout}") } else { String::new() };
    format!("  {line} {dialect}{anchors}{at_end}{layout}\n{}{}", marked("    -", old), marked("    +", new))
}

fn marked(mark: &str, lines: &str) -> String {
    lines.split_inclusive('\n').map(|line| format!("{mark}{line}")).collect()
}
