//! Lines of a patch: which are markers, and how text that looks like one is escaped.

/// A line of a patch without its ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Its number, from 1.
    pub(super) number: usize,
    /// Its text.
    pub(super) text: &'a str,
}

/// What a line that begins with three stars says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Star<'a> {
    Begin,
    End,
    Add(&'a str),
    Update(&'a str),
    Delete(&'a str),
    Move(&'a str),
    MoveTo(&'a str),
    EndOfFile,
    /// It looks like a header and is none. It is not taken as text, since a mistyped header would then be written into
    /// the file of the section before it.
    Unknown,
}

/// What headers say, in small letters and without the colon.
const WORDS: [&str; 8] =
    ["begin patch", "end patch", "add file", "update file", "delete file", "move file", "move to", "end of file"];

/// The lines of a patch. One CR before each LF belongs to the ending.
pub(super) fn lines(patch: &str) -> Vec<Line<'_>> {
    patch
        .split_inclusive('\n')
        .map(|line| line.strip_suffix("\r\n").or(line.strip_suffix('\n')).unwrap_or(line))
        .enumerate()
        .map(|(index, text)| Line { number: index + 1, text })
        .collect()
}

impl<'a> Line<'a> {
    /// What it says as a header, if it is or looks like one.
    pub(super) fn star(&self) -> Option<Star<'a>> {
        let text = self.text.trim_end();
        let said = text.strip_prefix("***")?;
        let named = |name| said.strip_prefix(name).map(str::trim);
        if let Some(path) = named(" Add File:") {
            return Some(Star::Add(path));
        }
        if let Some(path) = named(" Update File:") {
            return Some(Star::Update(path));
        }
        if let Some(path) = named(" Delete File:") {
            return Some(Star::Delete(path));
        }
        if let Some(paths) = named(" Move File:") {
            return Some(Star::Move(paths));
        }
        if let Some(path) = named(" Move to:") {
            return Some(Star::MoveTo(path));
        }
        match said {
            " Begin Patch" => Some(Star::Begin),
            " End Patch" => Some(Star::End),
            " End of File" => Some(Star::EndOfFile),
            _ if said.starts_with(' ') || is_mistyped(said) => Some(Star::Unknown),
            _ => None,
        }
    }

    /// Whether nothing but white space stands in it.
    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Whether it begins a hunk, or looks like it.
    pub(super) fn is_at(&self) -> bool {
        self.text.starts_with("@@")
    }

    /// Whether it is this separator.
    pub(super) fn is_separator(&self, separator: &str) -> bool {
        self.text.trim_end() == separator
    }

    /// Whether it may stand in a V4A hunk.
    pub(super) fn has_prefix(&self) -> bool {
        self.text.is_empty() || self.text.starts_with([' ', '-', '+']) || self.is_no_newline()
    }

    /// The note of unified diffs about a file's last line.
    pub(super) fn is_no_newline(&self) -> bool {
        self.text.trim_end() == r"\ No newline at end of file"
    }

    /// Its text, one backslash fewer where backslashes stand before a marker.
    pub(super) fn unescaped(&self) -> &'a str {
        match self.text.strip_prefix('\\') {
            Some(rest) if (Line { number: self.number, text: rest.trim_start_matches('\\') }).is_marker() => rest,
            Some(_) | None => self.text,
        }
    }

    fn is_marker(&self) -> bool {
        self.star().is_some() || self.is_at() || run(self.text).is_some_and(|run| run.len() >= 3)
    }

    /// Its text as the seed shows it: quoted, escaped, and of bounded length.
    pub(super) fn quoted(&self) -> String {
        const MOST: usize = 120;
        let shown: String = self.text.chars().take(MOST).collect();
        let more = if shown.len() < self.text.len() { "..." } else { "" };
        let quote = if shown.contains('\'') && !shown.contains('"') { '"' } else { '\'' };
        let escaped: String = shown
            .chars()
            .flat_map(|c| match c {
                '\\' | '\t' => c.escape_default().collect::<Vec<_>>(),
                '\'' if quote == '\'' => c.escape_default().collect(),
                _ if c.is_control() => c.escape_default().collect(),
                _ => vec![c],
            })
            .collect();
        format!("{quote}{escaped}{more}{quote}")
    }
}

/// The text without the white space at its end, if only `=` is left.
pub(super) fn run(text: &str) -> Option<&str> {
    let run = text.trim_end();
    (!run.is_empty() && run.bytes().all(|byte| byte == b'=')).then_some(run)
}

/// Whether a header's words follow, whatever the number of stars, the spaces and the letter case.
fn is_mistyped(said: &str) -> bool {
    let said = said.trim_start_matches('*').trim_start();
    WORDS.iter().any(|word| said.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)))
}
