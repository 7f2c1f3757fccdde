//! What holds for all patches.

use proptest::prelude::*;

use crate::edit::patch::index::Index;
use crate::edit::patch::whole::locate;
use crate::edit::patch::{Dialect, Hunk, Patch, Section, SectionChange, parse, resolve};
use crate::edit::{Change, Kind, Match, View, splice};

/// Lines that are text, or look like the markers of one dialect or the other.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-c ]{0,3}",
        1 => Just(String::new()),
        1 => prop::sample::select(vec![
            "===", "=====", "@@", "@@ a", "*** Add File: x", "*** End Patch", "*** ", "***", r"\===", r"\\@@", r"\a",
            "+a", "-a", " ===", "*** End of File", "***add file", "end", "}", r"\ No newline at end of file",
        ])
        .prop_map(str::to_owned),
    ]
}

fn text(lines: impl Into<prop::collection::SizeRange>) -> impl Strategy<Value = String> {
    prop::collection::vec(line(), lines).prop_map(|lines| lines.iter().map(|line| format!("{line}\n")).collect())
}

fn hunk(dialect: Dialect) -> impl Strategy<Value = Hunk> {
    let anchors = match dialect {
        Dialect::Blocks => 0..=0,
        Dialect::V4a => 1..=2,
    };
    let anchors = prop::collection::vec("[a-c]{1,3}", anchors);
    (text(1..4), text(0..4), anchors, any::<bool>()).prop_map(move |(old, new, anchors, at_end)| {
        let at_end = at_end && dialect == Dialect::V4a;
        let (old, new) = (format!("old\n{old}"), format!("{new}new\n"));
        let all = Change { old: 0..old.lines().count(), new: 0..new.lines().count() };
        let changes = if dialect == Dialect::V4a { vec![all] } else { Vec::new() };
        Hunk { line: 0, dialect, old, new, changes, anchors, at_end, layout: 0 }
    })
}

fn section() -> impl Strategy<Value = Section> {
    let path = "[a-z/]{1,6}";
    let update = |dialect| prop::collection::vec(hunk(dialect), 1..4);
    let change = prop_oneof![
        text(0..5).prop_map(|content| SectionChange::Add { content }),
        Just(SectionChange::Delete),
        path.prop_map(|to| SectionChange::Move { to }),
        (prop_oneof![update(Dialect::Blocks), update(Dialect::V4a)], prop::option::of(path))
            .prop_map(|(hunks, move_to)| SectionChange::Update { hunks, move_to }),
    ];
    (path, change).prop_map(|(path, change)| Section { line: 0, path, change })
}

fn patches() -> impl Strategy<Value = Patch> {
    prop::collection::vec(section(), 1..5).prop_map(|sections| Patch { sections })
}

/// A patch as it is written, every line that could be taken for a marker being escaped.
fn print(patch: &Patch) -> String {
    let sections = patch.sections.iter().map(|Section { path, change, .. }| match change {
        SectionChange::Add { content } if content.contains('+') => {
            format!("*** Add File: {path}\n{}", marked('+', content))
        }
        SectionChange::Add { content } => format!("*** Add File: {path}\n{}", escaped(content)),
        SectionChange::Delete => format!("*** Delete File: {path}\n"),
        SectionChange::Move { to } => format!("*** Move File: {path} -> {to}\n"),
        SectionChange::Update { hunks, move_to } => {
            let to = move_to.as_ref().map_or(String::new(), |to| format!("*** Move to: {to}\n"));
            let hunks: String = hunks.iter().map(print_hunk).collect();
            format!("*** Update File: {path}\n{to}{hunks}")
        }
    });
    format!("*** Begin Patch\n{}*** End Patch\n", sections.collect::<String>())
}

fn print_hunk(hunk: &Hunk) -> String {
    let Hunk { dialect, old, new, anchors, at_end, .. } = hunk;
    match dialect {
        Dialect::Blocks => format!("@@ ======\n{}======\n{}", escaped(old), escaped(new)),
        Dialect::V4a => {
            let anchors: String = anchors.iter().map(|anchor| format!("@@ {anchor}\n")).collect();
            let end = if *at_end { "*** End of File\n" } else { "" };
            format!("{anchors}{}{}{end}", marked('-', old), marked('+', new))
        }
    }
}

fn marked(mark: char, lines: &str) -> String {
    lines.split_inclusive('\n').map(|line| format!("{mark}{line}")).collect()
}

fn escaped(lines: &str) -> String {
    let is_marker = |line: &str| line.trim_start_matches('\\').starts_with(['@', '*', '=']);
    // A backslash is only taken away before what really is a marker.
    let is_read_back = |line: &str| {
        parse(&format!("*** Add File: x\n\n\\{line}\n"))
            .is_ok_and(|patch| patch.sections[0].change == SectionChange::Add { content: format!("\n{line}\n") })
    };
    lines
        .lines()
        .map(|line| if is_marker(line) && is_read_back(line) { format!("\\{line}\n") } else { format!("{line}\n") })
        .collect()
}

fn without_lines(mut patch: Patch) -> Patch {
    for section in &mut patch.sections {
        section.line = 0;
        if let SectionChange::Update { hunks, .. } = &mut section.change {
            for hunk in hunks {
                hunk.line = 0;
            }
        }
    }
    patch
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(patch in patches()) {
        let read = parse(&print(&patch)).map(without_lines);
        prop_assert_eq!(read, Ok(patch.clone()), "{}", print(&patch));
    }

    #[test]
    fn line_endings_of_the_patch_make_no_difference(patch in patches()) {
        let printed = print(&patch);
        prop_assert_eq!(parse(&printed), parse(&printed.replace('\n', "\r\n")));
    }

    #[test]
    fn few_hunks_are_found_where_many_are(lines in prop::collection::vec("[ab ]{0,2}", 1..9), at in 0_usize..9, size in 1_usize..4) {
        let from = at.min(lines.len() - 1);
        let old: String = lines[from..(from + size).min(lines.len())].iter().map(|line| format!("{line}\n")).collect();
        let all = Change { old: 0..old.lines().count(), new: 0..1 };
        let hunk = Hunk {
            line: 0,
            dialect: Dialect::V4a,
            old,
            new: "new\n".to_owned(),
            changes: vec![all],
            anchors: Vec::new(),
            at_end: false,
            layout: 0,
        };
        let body = lines.join("\n");
        let view = View::new(&body);
        let found = |hunks| locate(&Index::new(&view, hunks, Kind::Code), &hunk, Match::Fuzzy);
        prop_assert_eq!(found(1), found(1000));
    }

    #[test]
    fn any_text_is_read_or_refused(text in text(0..12), head in any::<String>()) {
        let _read = (parse(&text), parse(&head), parse(&format!("*** Update File: a\n{text}")));
    }

    #[test]
    fn a_damaged_patch_is_read_or_refused(patch in patches(), at in any::<prop::sample::Index>(), put in line()) {
        let printed = print(&patch);
        let mut lines: Vec<&str> = printed.lines().collect();
        let at = at.index(lines.len());
        lines[at] = &put;
        let _replaced = parse(&lines.join("\n"));
        lines.remove(at);
        let _removed = parse(&lines.join("\n"));
    }

    /// Distinct lines and exact hunks: what comes out is what replacing line by line gives.
    #[test]
    fn hunks_do_what_they_say(
        kept in prop::collection::vec(prop::option::weighted(0.6, prop::collection::vec("[x-z]{1,3}", 0..3)), 1..24),
        size in 1..4_usize,
        ended in any::<bool>(),
        v4a in any::<bool>(),
    ) {
        let name = |line: usize| format!("line {line}.");
        let body: Vec<String> = (0..kept.len()).map(name).collect();
        let mut body = body.join("\n");
        if ended { body.push('\n'); }
        let (mut update, mut expected, mut line) = (String::new(), Vec::new(), 0);
        while line < kept.len() {
            let end = (line + size).min(kept.len());
            match &kept[line] {
                Some(new) => {
                    let old: String = (line..end).map(|line| name(line) + "\n").collect();
                    let new: String = new.iter().map(|line| format!("{line}\n")).collect();
                    let hunk = if v4a { format!("@@\n{}{}", marked('-', &old), marked('+', &new)) } else { format!("@@\n{old}===\n{new}") };
                    update = hunk + &update;
                    expected.extend(new.lines().map(str::to_owned));
                }
                None => expected.extend((line..end).map(name)),
            }
            line = end;
        }
        if update.is_empty() {
            return Ok(());
        }
        let after = super::updated(&body, &update);
        prop_assert_eq!(after.lines().map(str::to_owned).collect::<Vec<_>>(), expected, "{:?} {}", body, update);
        prop_assert!(!ended || after.is_empty() || after.ends_with('\n'));
    }

    /// Few and similar lines: whatever is accepted can be put in.
    #[test]
    fn what_is_found_never_overlaps(
        body in "([ab]{0,2}\r?\n){0,8}[ab]?",
        update in "(@@( a)?\n([ +-][ab]{0,2}\n){1,4}){1,4}",
    ) {
        let Ok(patch) = parse(&format!("*** Update File: f\n{update}")) else { return Ok(()) };
        let SectionChange::Update { hunks, .. } = &patch.sections[0].change else { return Ok(()) };
        if let Ok(found) = resolve(&body, &hunks.iter().collect::<Vec<_>>(), (Match::Fuzzy, Kind::Code)) {
            let after = splice(&body, &found).expect("they do not overlap");
            prop_assert!(found.is_sorted_by_key(|one| (one.range.start, one.range.end)));
            prop_assert!(after != body || found.len() > 1);
            let diff = crate::edit::diff::full(&FRAME, &body, &after);
            prop_assert_eq!(crate::edit::diff::of_replacements(&FRAME, &body, &found), diff);
        }
    }
}

const FRAME: crate::edit::diff::Frame<'static> =
    crate::edit::diff::Frame { before: "f", after: "f", limit: usize::MAX };
