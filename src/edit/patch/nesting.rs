//! How far what begins at each line reaches: by brackets where it opens one, else by indentation, in any language.

use std::ops::Range;

use crate::edit::syntax::{closes, defines, goes_on, heading, is_aside, is_item, is_section, labels, leads, opens};
use crate::edit::view::{View, indent, is_blank, trim};

/// The columns that a tab counts for.
const TAB: i32 = 4;

/// So many blocks may be open at once; what begins deeper is read as a statement.
const MOST_OPEN: usize = 256;

/// What kind of text a file has, as far as its name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Code or configuration.
    Code,
    /// Code with texts between backticks.
    Templates,
    /// Markdown or plain text, in which `#` begins a heading.
    Prose,
}

impl Kind {
    /// That of a file of this name.
    #[must_use]
    pub fn of(path: &str) -> Self {
        const PROSE: &[&str] = &["adoc", "markdown", "md", "mdown", "mdx", "qmd", "rmd", "rst", "txt"];
        const TEMPLATES: &[&str] = &["cjs", "cts", "go", "js", "jsx", "mjs", "mts", "svelte", "ts", "tsx", "vue"];
        let name = path.rsplit('/').next().unwrap_or_default();
        let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        match extension.as_deref() {
            Some(extension) if PROSE.contains(&extension) => Self::Prose,
            Some(extension) if TEMPLATES.contains(&extension) => Self::Templates,
            None if ["README", "CHANGELOG", "CHANGES", "NEWS"].contains(&name) => Self::Prose,
            Some(_) | None => Self::Code,
        }
    }

    const fn is_code(self) -> bool {
        !matches!(self, Self::Prose)
    }

    /// What begins and ends a text of several lines.
    const fn marks(self) -> &'static [&'static str] {
        match self {
            Self::Code => &["\"\"\"", "'''"],
            Self::Templates => &["`"],
            Self::Prose => &["```", "~~~"],
        }
    }
}

/// How far what begins at each line reaches.
#[derive(Debug)]
pub(super) struct Nesting(Vec<Reach>);

#[derive(Debug, Clone, Copy)]
struct Reach {
    /// The end of its own part, before what goes on with it, as `else` does.
    inner: usize,
    end: usize,
}

/// A line whose block has not ended yet.
#[derive(Debug)]
struct Open {
    line: usize,
    depth: i32,
    /// How many brackets were open before it, as long as one that it opens is not closed.
    bracket: Option<i32>,
    role: Role,
    /// Whether it begins a statement of several parts.
    leads: bool,
    /// Whether it has lines of its own, or looks as if.
    has_body: bool,
    inner: Option<usize>,
}

/// What a line is to others at its depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Plain,
    /// It goes on with what another one has begun, as `else` does.
    Further,
    /// It is one of several parts, as the label of a case is.
    Label,
    /// It ends what another one has begun.
    End,
}

impl Role {
    fn of(text: &str) -> Self {
        match text {
            _ if closes(text) && !opens(text) => Self::End,
            _ if goes_on(text) => Self::Further,
            _ if labels(text) => Self::Label,
            _ => Self::Plain,
        }
    }
}

impl Nesting {
    /// Reads all lines once.
    pub(super) fn of(view: &View<'_>, kind: Kind) -> Self {
        let count = view.line_count();
        let quoted = quoted(view, kind);
        let mut reading =
            Reading { kind, brackets: 0, open: Vec::new(), blocks: vec![None; count], parents: vec![None; count] };
        for line in (0..count).filter(|line| !is_blank(view.line(*line))) {
            reading.read(line, view.line(line), quoted[line]);
        }
        reading.close_from(0, count);
        let mut written = vec![count; count + 1];
        for line in (0..count).rev() {
            written[line] = if is_blank(view.line(line)) { written[line + 1] } else { line };
        }
        let end_of =
            |line: Option<usize>| line.and_then(|line| reading.blocks[line]).map_or(count, |(reach, _)| reach.end);
        let reach = |line: usize| match reading.blocks[line] {
            Some((Reach { inner, end }, has_body)) if has_body || has_body_on_it(view.line(line)) => {
                Reach { inner: written[inner], end: written[end] }
            }
            Some(_) | None => {
                let end = written[end_of(reading.parents[line]).max(line + 1)];
                Reach { inner: end, end }
            }
        };
        Self((0..count).map(reach).collect())
    }

    /// The lines beneath a line: its own part, and all that goes on with it.
    ///
    /// Beneath a statement without deeper lines, all that follow in the same block; beneath a definition of one line,
    /// none.
    pub(super) fn beneath(&self, line: usize) -> [Range<usize>; 2] {
        let Reach { inner, end } = self.0[line];
        [line + 1..inner, line + 1..end]
    }
}

/// The blocks that are open while the lines are read.
struct Reading {
    kind: Kind,
    /// How many brackets are open.
    brackets: i32,
    open: Vec<Open>,
    /// How far the blocks that have ended reach, and whether they have a body.
    blocks: Vec<Option<(Reach, bool)>>,
    /// The line in whose block each line is.
    parents: Vec<Option<usize>>,
}

impl Reading {
    fn read(&mut self, line: usize, text: &str, is_quoted: bool) {
        let depth = depth(text, self.kind);
        let is_code = self.kind.is_code();
        if is_quoted || is_code && is_aside(text) {
            let around = |open: &&Open| open.depth < depth || open.bracket.is_some();
            self.parents[line] = self.open.iter().rev().find(around).map(|open| open.line);
            return;
        }
        let (least, role) = if is_code { (self.count(text), Role::of(text)) } else { (0, Role::Plain) };
        let headless = |open: &&mut Open| is_code && trim(text) == "{" && open.depth == depth && open.bracket.is_none();
        if let Some(open) = self.open.last_mut().filter(headless) {
            (open.bracket, open.has_body) = (Some(least), true);
            self.parents[line] = Some(open.line);
            return;
        }
        if self.close_brackets(line, (text, depth), (least, role)) {
            return;
        }
        // What a bracket holds ends with it, however deep the lines are, unless something around it ends.
        let ends =
            |open: &Open| open.bracket.is_none() && open.depth >= depth && !(open.depth == depth && open.is_kept(role));
        if let Some(first) = self.open.iter().position(ends) {
            self.close_from(first, line);
        }
        self.parents[line] = self.open.last().map(|open| open.line);
        if role == Role::End {
            let others = self.open.iter().rposition(|open| open.depth != depth || open.bracket.is_some());
            self.close_from(others.map_or(0, |last| last + 1), line + 1);
            return;
        }
        if role == Role::Further {
            self.open.iter_mut().filter(|open| open.depth == depth).for_each(|open| open.ends_inner(line));
        }
        if let Some(around) = self.open.last_mut() {
            around.has_body = true;
        }
        if self.open.len() == MOST_OPEN {
            return;
        }
        let bracket = (is_code && self.brackets > least).then_some(least);
        let has_body = bracket.is_some();
        self.open.push(Open { line, depth, bracket, role, leads: leads(text), has_body, inner: None });
    }

    /// Counts the brackets of a line: the fewest that are open at some place of it.
    fn count(&mut self, text: &str) -> i32 {
        let mut least = self.brackets;
        let mut quoted = false;
        let mut bytes = text.bytes();
        while let Some(byte) = bytes.next() {
            match byte {
                b'\\' => {
                    bytes.next();
                }
                b'"' => quoted = !quoted,
                b'{' | b'(' | b'[' if !quoted => self.brackets += 1,
                b'}' | b')' | b']' if !quoted => self.brackets -= 1,
                _ => {}
            }
            least = least.min(self.brackets);
        }
        least
    }

    /// Ends the blocks whose bracket a line closes, and says whether the line belongs to one of them.
    fn close_brackets(&mut self, line: usize, (text, depth): (&str, i32), (least, role): (i32, Role)) -> bool {
        let mut closed = None;
        for (at, open) in self.open.iter_mut().enumerate().rev() {
            let Some(before) = open.bracket else { continue };
            if before < least {
                break;
            }
            if self.brackets > before {
                // Closed and opened again, as by `} else {`.
                if trim(text).starts_with('}') {
                    open.ends_inner(line);
                }
                continue;
            }
            open.bracket = None;
            if open.depth == depth {
                closed = Some(at);
            }
        }
        if closed.is_none() && role == Role::End && trim(text).starts_with(['}', ')', ']']) {
            // Brackets that do not balance, as in two branches of a preprocessor.
            closed = self.open.iter().rposition(|open| open.bracket.is_some() && open.depth == depth);
        }
        let Some(at) = closed else { return false };
        self.parents[line] = Some(self.open[at].line);
        self.close_from(at + 1, line);
        if role == Role::End {
            self.close_from(at, line + 1);
        }
        true
    }

    fn close_from(&mut self, first: usize, end: usize) {
        for Open { line, inner, has_body, .. } in self.open.drain(first..) {
            self.blocks[line] = Some((Reach { inner: inner.unwrap_or(end), end }, has_body));
        }
    }
}

impl Open {
    /// Whether a line at the same depth belongs to it.
    fn is_kept(&self, role: Role) -> bool {
        match role {
            Role::Plain => false,
            Role::Further => self.role != Role::Further,
            Role::Label => self.role != Role::Label && (self.has_body || self.leads),
            Role::End => true,
        }
    }

    fn ends_inner(&mut self, line: usize) {
        self.inner.get_or_insert(line);
    }
}

/// Whether a line is a definition together with its body.
fn has_body_on_it(line: &str) -> bool {
    defines(line) && (line.contains('{') || line.contains(": ") || line.ends_with(" end"))
}

/// How deep a line is: items of a list are deeper than what stands at the same column, and headings are outside of all.
fn depth(line: &str, kind: Kind) -> i32 {
    let columns = |indentation: &str| indentation.bytes().map(|byte| if byte == b'\t' { TAB } else { 1 }).sum::<i32>();
    match (kind, heading(line)) {
        (Kind::Prose, Some(level)) => i32::try_from(level).map_or(0, |level| level - 10),
        (Kind::Code | Kind::Templates, _) if is_section(line) => -1,
        (Kind::Code | Kind::Templates | Kind::Prose, _) => 2 * columns(indent(line)) + i32::from(is_item(line)),
    }
}

/// Which lines are within a text of several lines.
fn quoted(view: &View<'_>, kind: Kind) -> Vec<bool> {
    let mut quoted = vec![false; view.line_count()];
    let mut open: Option<&str> = None;
    for (line, is_quoted) in quoted.iter_mut().enumerate() {
        let text = view.line(line);
        *is_quoted = open.is_some();
        let toggles = |mark: &str| {
            if kind.is_code() { text.matches(mark).count() % 2 == 1 } else { trim(text).starts_with(mark) }
        };
        match open {
            Some(mark) if toggles(mark) => open = None,
            Some(_) => {}
            None if kind.is_code() && is_aside(text) => {}
            None => open = kind.marks().iter().copied().find(|mark| toggles(mark)),
        }
    }
    // One that does not end is none.
    if open.is_some() { vec![false; view.line_count()] } else { quoted }
}
