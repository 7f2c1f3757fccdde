//! The bytes of a file with their SHA-256. What an edit leaves alone is shared with the file as it was.

use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;

use crate::value::Digest;

/// From this size on a digest is computed on another core.
const LARGE: usize = 256 * 1024;
/// Bytes between two edits that are rather copied than kept as a piece of their own.
const SMALL: usize = 4096;

/// Bytes with their SHA-256, which for large ones is computed on another core meanwhile.
#[derive(Debug)]
pub struct Content {
    pieces: Arc<[Piece]>,
    whole: OnceLock<Vec<u8>>,
    digest: OnceLock<Digest>,
    worker: Mutex<Option<JoinHandle<Digest>>>,
}

/// Some of the bytes of a buffer.
#[derive(Debug, Clone)]
struct Piece {
    buffer: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl Content {
    /// Takes the bytes and starts on their digest.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        Self::of(vec![Piece::all(bytes)])
    }

    /// The same bytes again. They are not copied.
    #[must_use]
    pub fn again(&self) -> Self {
        Self::of(self.pieces.to_vec())
    }

    /// These bytes with others in the place of some, given in order and without overlaps.
    ///
    /// All else is shared: making room for a copy of 10 MB takes longer than writing them to a file does.
    #[must_use]
    pub fn with(&self, edits: &mut dyn Iterator<Item = (Range<usize>, &str)>) -> Self {
        let buffer = match &*self.pieces {
            [Piece { buffer, range }] if range.len() == buffer.len() => Arc::clone(buffer),
            _ => Arc::new(self.bytes().to_vec()),
        };
        let mut pieces = Vec::new();
        let (mut own, mut kept) = (Vec::new(), 0);
        let mut keep = |range: Range<usize>, own: &mut Vec<u8>| {
            if range.len() < SMALL {
                own.extend_from_slice(&buffer[range]);
                return;
            }
            if !own.is_empty() {
                pieces.push(Piece::all(std::mem::take(own)));
            }
            pieces.push(Piece { buffer: Arc::clone(&buffer), range });
        };
        for (range, text) in edits {
            keep(kept..range.start, &mut own);
            own.extend_from_slice(text.as_bytes());
            kept = range.end;
        }
        keep(kept..buffer.len(), &mut own);
        pieces.push(Piece::all(own));
        Self::of(pieces)
    }

    fn of(mut pieces: Vec<Piece>) -> Self {
        pieces.retain(|piece| !piece.range.is_empty());
        let pieces: Arc<[Piece]> = pieces.into();
        let shared = Arc::clone(&pieces);
        let is_large = size(&pieces) >= LARGE;
        let worker = is_large.then(|| std::thread::spawn(move || digest(&shared)));
        Self { pieces, whole: OnceLock::new(), digest: OnceLock::new(), worker: Mutex::new(worker) }
    }

    /// The bytes piece by piece.
    pub fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        self.pieces.iter().map(Piece::bytes)
    }

    /// The bytes at a stretch, put together when they are asked for.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match &*self.pieces {
            [] => &[],
            [only] => only.bytes(),
            [..] => self.whole.get_or_init(|| self.pieces().collect::<Vec<_>>().concat()),
        }
    }

    /// Whether these are the bytes.
    #[must_use]
    pub fn is(&self, bytes: &[u8]) -> bool {
        let mut left = bytes;
        self.size() == bytes.len()
            && self.pieces().all(|piece| {
                let (next, rest) = left.split_at(piece.len());
                left = rest;
                next == piece
            })
    }

    /// How many bytes there are.
    #[must_use]
    pub fn size(&self) -> usize {
        size(&self.pieces)
    }

    /// SHA-256 of the bytes.
    #[must_use]
    pub fn digest(&self) -> Digest {
        *self.digest.get_or_init(|| {
            let worker = self.worker.lock().expect("nobody panics while holding it").take();
            worker.map_or_else(|| digest(&self.pieces), |worker| worker.join().expect("hashing does not panic"))
        })
    }
}

impl Piece {
    fn all(bytes: Vec<u8>) -> Self {
        Self { range: 0..bytes.len(), buffer: Arc::new(bytes) }
    }

    fn bytes(&self) -> &[u8] {
        &self.buffer[self.range.clone()]
    }
}

fn size(pieces: &[Piece]) -> usize {
    pieces.iter().map(|piece| piece.range.len()).sum()
}

fn digest(pieces: &[Piece]) -> Digest {
    Digest::of_all(&mut pieces.iter().map(Piece::bytes))
}

#[cfg(test)]
mod tests {
    use super::{Content, SMALL};
    use crate::value::Digest;

    /// Contents with an edit at each distance from the ends, and what they must be.
    fn edited() -> Vec<(Content, Vec<u8>)> {
        let text: Vec<u8> = (b'a'..=b'z').cycle().take(3 * SMALL).collect();
        let spots = [0..0, 0..3, 5..5, SMALL..SMALL + 7, 3 * SMALL - 1..3 * SMALL, 3 * SMALL..3 * SMALL, 0..3 * SMALL];
        let after = |range: &std::ops::Range<usize>, new: &str| {
            [&text[..range.start], new.as_bytes(), &text[range.end..]].concat()
        };
        let mut all = Vec::new();
        for spot in &spots {
            for new in ["", "new", &"long".repeat(SMALL)] {
                all.push((Content::new(text.clone()).with(&mut [(spot.clone(), new)].into_iter()), after(spot, new)));
            }
        }
        let two = Content::new(text.clone()).with(&mut [(1..2, "X"), (2 * SMALL..2 * SMALL, "Y")].into_iter());
        all.push((two, [&text[..1], b"X", &text[2..2 * SMALL], b"Y", &text[2 * SMALL..]].concat()));
        all
    }

    #[test]
    fn an_edit_is_the_same_by_pieces_and_at_a_stretch() {
        for (content, expected) in edited() {
            assert!(content.bytes() == expected && content.pieces().collect::<Vec<_>>().concat() == expected);
            assert!(content.is(&expected) && !content.is(&[&expected[..], b"x"].concat()));
            assert_eq!((content.size(), content.digest()), (expected.len(), Digest::of(&expected)));
            let again = content.again();
            assert!(again.bytes() == expected && again.digest() == content.digest());
        }
    }

    #[test]
    fn an_edited_content_can_be_edited_again() {
        for (content, expected) in edited() {
            let more = content.with(&mut std::iter::once((0..expected.len().min(2), "first")));
            assert!(more.bytes() == [b"first", &expected[expected.len().min(2)..]].concat());
        }
        for text in ["", "x"] {
            let content = Content::new(Vec::new()).with(&mut std::iter::once((0..0, text)));
            assert_eq!(content.bytes(), text.as_bytes());
        }
    }
}
