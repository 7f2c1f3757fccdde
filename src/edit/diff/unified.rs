//! Edits as text.

use std::borrow::Cow;

use super::edits::{Edit, line_ends, lines_back, lines_on};
use super::{CUT, Diff, Frame, NO_FILE};

/// So many unchanged lines are shown around a change.
const CONTEXT: usize = 3;

/// Writes edits, which are in order and do not touch.
pub(super) fn render(frame: &Frame<'_>, before: &str, edits: &[Edit<'_>]) -> Diff {
    let mut page = Page { text: String::new(), limit: frame.limit };
    if !edits.is_empty() {
        page.push(&format!("--- {}\n", named("a/", frame.before)));
        page.push(&format!("+++ {}\n", named("b/", frame.after)));
    }
    let mut shift = Shift::default();
    let near = |one: &Edit<'_>, next: &Edit<'_>| next.line - (one.line + one.removed) <= 2 * CONTEXT;
    for hunk in edits.chunk_by(near) {
        if !page.is_full() {
            page.hunk(before, hunk, shift);
        }
        for edit in hunk {
            shift.added += edit.added;
            shift.removed += edit.removed;
        }
    }
    let truncated = page.is_full();
    Diff { text: page.end(), truncated, added: shift.added, removed: shift.removed }
}

/// How many lines came and went so far.
#[derive(Debug, Clone, Copy, Default)]
struct Shift {
    added: usize,
    removed: usize,
}

/// Text up to a limit.
struct Page {
    text: String,
    limit: usize,
}

impl Page {
    fn hunk(&mut self, before: &str, edits: &[Edit<'_>], shift: Shift) {
        let (first, last) = (&edits[0], &edits[edits.len() - 1]);
        let start = lines_back(before, first.old.start, CONTEXT);
        let end = lines_on(before, last.old.end, CONTEXT);
        let lines = |text: &str| line_ends(text) + usize::from(!text.is_empty() && !text.ends_with('\n'));
        let line = first.line - lines(&before[start..first.old.start]);
        let (added, removed) = edits.iter().fold((0, 0), |sum, edit| (sum.0 + edit.added, sum.1 + edit.removed));
        let old = lines(&before[start..end]);
        let old_range = range(line, old);
        let new_range = range(line + shift.added - shift.removed, old + added - removed);
        self.push(&format!("@@ -{old_range} +{new_range} @@\n"));
        let mut shown = start;
        for edit in edits {
            self.lines(' ', &before[shown..edit.old.start]);
            self.lines('-', &before[edit.old.clone()]);
            self.lines('+', &edit.new);
            shown = edit.old.end;
        }
        self.lines(' ', &before[shown..end]);
    }

    fn lines(&mut self, mark: char, lines: &str) {
        for line in lines.split_inclusive('\n') {
            if self.is_full() {
                return;
            }
            self.text.push(mark);
            self.push(line);
            if !line.ends_with('\n') {
                self.push("\n\\ No newline at end of file\n");
            }
        }
    }

    /// Puts no more of a text than shows that it is too much.
    fn push(&mut self, text: &str) {
        let room = self.limit.saturating_add(1).saturating_sub(self.text.len());
        self.text += &text[..text.ceil_char_boundary(room)];
    }

    fn is_full(&self) -> bool {
        self.text.len() > self.limit
    }

    fn end(mut self) -> String {
        if self.is_full() {
            let kept = self.limit.saturating_sub(CUT.len() + 1);
            self.text.truncate(self.text.floor_char_boundary(kept));
            if !self.text.is_empty() && !self.text.ends_with('\n') {
                self.text.push('\n');
            }
            self.text += CUT;
        }
        self.text
    }
}

/// The range of a hunk; an empty one is named by the line before it.
fn range(before: usize, count: usize) -> String {
    match count {
        0 => format!("{before},0"),
        1 => format!("{}", before + 1),
        _ => format!("{},{count}", before + 1),
    }
}

/// A path as git writes it: quoted where it has to be, and ended by a tab where it holds a space.
fn named<'p>(side: &str, path: &'p str) -> Cow<'p, str> {
    if path == NO_FILE {
        return Cow::Borrowed(path);
    }
    let is_odd = |c: char| c.is_control() || c == '"' || c == '\\';
    if !path.contains(is_odd) {
        let tab = if path.contains(' ') { "\t" } else { "" };
        return Cow::Owned(format!("{side}{path}{tab}"));
    }
    let escaped: String = path
        .chars()
        .map(|c| match c {
            '"' | '\\' => format!("\\{c}"),
            '\n' => "\\n".to_owned(),
            '\t' => "\\t".to_owned(),
            _ if c.is_control() => c.to_string().bytes().map(|byte| format!("\\{byte:03o}")).collect(),
            _ => c.to_string(),
        })
        .collect();
    Cow::Owned(format!("\"{side}{escaped}\""))
}
