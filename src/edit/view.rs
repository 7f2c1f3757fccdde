//! A text prepared for searching: where its lines are, the same text with LF for CRLF, and the way back.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::OnceLock;

/// A text prepared for searching.
///
/// Lines end at LF or CRLF only. All ranges that leave this module are bytes of the original body. Takes about four
/// bytes a line, twelve once a rung above the first was tried, and a copy of the text when it has a CRLF.
#[derive(Debug)]
pub struct View<'a> {
    body: &'a str,
    starts: Vec<u32>,
    unified: Option<Unified>,
    keys: OnceLock<Vec<u64>>,
}

/// The body with LF for each CRLF, and where its lines start.
#[derive(Debug)]
struct Unified {
    text: String,
    starts: Vec<u32>,
}

impl<'a> View<'a> {
    /// Prepares a body, the byte order mark apart.
    #[must_use]
    pub fn new(body: &'a str) -> Self {
        let mut view = Self { body, starts: line_starts(body), unified: None, keys: OnceLock::new() };
        if memchr::memmem::find(body.as_bytes(), b"\r\n").is_some() {
            view.unified = Some(view.unify());
        }
        view
    }

    /// The text as it is on disk.
    #[must_use]
    pub fn body(&self) -> &'a str {
        self.body
    }

    /// All bytes of the body, for a search that may match anywhere.
    #[must_use]
    pub fn whole(&self) -> Range<usize> {
        0..self.body.len()
    }

    /// How many lines there are; what follows the last line end counts when it is not empty.
    #[must_use]
    pub fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// The text of a line, counted from 0, without its ending.
    #[must_use]
    pub fn line(&self, index: usize) -> &'a str {
        let line = &self.body[self.line_range(index)];
        line.strip_suffix('\n').map_or(line, |text| text.strip_suffix('\r').unwrap_or(text))
    }

    /// The bytes of a line, counted from 0, with its ending.
    #[must_use]
    pub fn line_range(&self, index: usize) -> Range<usize> {
        let end = self.starts.get(index + 1).map_or(self.body.len(), |&start| start as usize);
        self.starts[index] as usize..end
    }

    /// The line, counted from 0, that holds a byte; the last one for the end of the body.
    #[must_use]
    pub fn line_at(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start as usize <= byte).saturating_sub(1)
    }

    /// How a line ends; nothing for a last line that is not ended.
    pub(super) fn terminator(&self, index: usize) -> &'a str {
        &self.body[self.line_range(index)][self.line(index).len()..]
    }

    /// The ending for a line that is written in the place of this one: its own, else that of the line before, else LF.
    ///
    /// Only the last line of a body has none of its own, so no line after it could be asked.
    pub(super) fn ending(&self, index: usize) -> &'a str {
        [Some(index), index.checked_sub(1)]
            .into_iter()
            .flatten()
            .map(|line| self.terminator(line))
            .find(|ending| !ending.is_empty())
            .unwrap_or("\n")
    }

    /// The text with LF for each CRLF.
    pub(super) fn text(&self) -> &str {
        self.unified.as_ref().map_or(self.body, |unified| &unified.text)
    }

    /// The bytes of the body that a range of [`Self::text`] stands for.
    pub(super) fn original(&self, range: Range<usize>) -> Range<usize> {
        let Some(unified) = &self.unified else { return range };
        let position = |at: usize| {
            if at == unified.text.len() {
                return self.body.len();
            }
            let line = unified.starts.partition_point(|&start| start as usize <= at) - 1;
            self.starts[line] as usize + (at - unified.starts[line] as usize)
        };
        position(range.start)..position(range.end)
    }

    /// A hash of each line as [`collapse`] gives it, made once.
    ///
    /// Equal lines have equal hashes. That unequal ones differ is likely but not certain: what is found by hash is
    /// compared before it is believed.
    pub(super) fn keys(&self) -> &[u64] {
        self.keys.get_or_init(|| {
            let blank = key("");
            let of = |line| if is_blank(line) { blank } else { key(&collapse(line)) };
            (0..self.line_count()).map(|index| of(self.line(index))).collect()
        })
    }

    fn unify(&self) -> Unified {
        let mut text = String::with_capacity(self.body.len());
        let mut starts = Vec::with_capacity(self.line_count());
        for index in 0..self.line_count() {
            starts.push(narrow(text.len()));
            text.push_str(self.line(index));
            if !self.terminator(index).is_empty() {
                text.push('\n');
            }
        }
        Unified { text, starts }
    }
}

/// LF for each CRLF.
pub(super) fn unify(text: &str) -> Cow<'_, str> {
    match memchr::memmem::find(text.as_bytes(), b"\r\n") {
        Some(_) => Cow::Owned(text.replace("\r\n", "\n")),
        None => Cow::Borrowed(text),
    }
}

/// What counts as white space within a line: all else, a lone CR or a no-break space too, is data.
pub(super) const BLANKS: [char; 2] = [' ', '\t'];

/// A line without the white space at its ends.
pub(super) fn trim(line: &str) -> &str {
    line.trim_matches(BLANKS)
}

/// The white space that a line begins with.
pub(super) fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches(BLANKS).len()]
}

/// Whether a line has nothing but white space.
pub(super) fn is_blank(line: &str) -> bool {
    trim(line).is_empty()
}

/// A line without the white space at its ends, each run of it within being one space.
pub(super) fn collapse(line: &str) -> Cow<'_, str> {
    let line = trim(line);
    let plain = |bytes: &[u8]| memchr::memchr(b'\t', bytes).is_none() && !bytes.windows(2).any(|pair| pair == b"  ");
    if plain(line.as_bytes()) {
        return Cow::Borrowed(line);
    }
    let mut words = line.split(BLANKS).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default().to_owned();
    Cow::Owned(words.fold(first, |text, word| text + " " + word))
}

/// The hash of a line.
pub(super) fn key(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}

fn line_starts(body: &str) -> Vec<u32> {
    let mut starts = Vec::with_capacity(memchr::memchr_iter(b'\n', body.as_bytes()).count() + 1);
    starts.extend((!body.is_empty()).then_some(0));
    // Eight bytes at a time: lines are short, and a search that starts anew for each takes twice as long.
    let (words, rest) = body.as_bytes().as_chunks::<8>();
    for (word, at) in words.iter().zip((0..).step_by(8)) {
        let mut ends = line_ends(u64::from_le_bytes(*word));
        while ends != 0 {
            starts.push(narrow(at + ends.trailing_zeros() as usize / 8 + 1));
            ends &= ends - 1;
        }
    }
    let ends = (body.len() - rest.len()..).zip(rest).filter(|(_, byte)| **byte == b'\n');
    starts.extend(ends.map(|(end, _)| narrow(end + 1)));
    // What follows the last line end is a line only when it is not empty.
    if starts.len() > 1 && body.ends_with('\n') {
        starts.pop();
    }
    starts
}

/// The highest bit of each byte that is a line end.
const fn line_ends(word: u64) -> u64 {
    const LOW: u64 = u64::from_le_bytes([0x7f; 8]);
    let zeros = word ^ u64::from_le_bytes([b'\n'; 8]);
    !(((zeros & LOW) + LOW) | zeros | LOW)
}

fn narrow(position: usize) -> u32 {
    u32::try_from(position).expect("a text is far below 4 GiB, since the limit for files is 64 MiB")
}

#[cfg(test)]
mod tests {
    use super::line_starts;

    #[test]
    fn lines_start_after_each_line_end_wherever_it_is() {
        // Bytes that differ from a line end in one bit stand beside it, where a carry could make a mistake.
        for text in
            ["", "\n", "\n\n\n\n\n\n\n\n\n", "\u{b}\n\u{8}\n\u{b}\u{b}\n", "é\n\u{2028}\nä\u{a0}\n\n", "a\r\n\rb\n"]
        {
            for pad in 0..20 {
                for end in ["", "x", "\n", "\nxxxxxxxxxx"] {
                    let body = "-".repeat(pad) + text + end;
                    let lines = body.split_inclusive('\n');
                    let expected = lines.scan(0, |at, line| Some(std::mem::replace(at, *at + line.len())));
                    let starts = line_starts(&body).into_iter().map(|start| start as usize);
                    assert!(starts.eq(expected), "{body:?}");
                }
            }
        }
    }
}
