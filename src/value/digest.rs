//! SHA-256 digests of content, and the ids of plans that are digests too.

use sha2::Digest as _;

use super::{HASH_FORMAT, text_value};

/// SHA-256 of raw bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// Feeds a digest part by part, each with its length before it, so that no two sequences of parts collide.
#[derive(Default, Clone)]
pub struct Hasher(sha2::Sha256);

/// A plan's id: the first 128 bits of the digest of all that the plan depends on, as 32 hex digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct PlanId(String);

impl Digest {
    /// The digest of one run of bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(sha2::Sha256::digest(bytes).into())
    }

    /// The digest of runs of bytes that follow each other.
    #[must_use]
    pub fn of_all(pieces: &mut dyn Iterator<Item = &[u8]>) -> Self {
        Self(pieces.fold(sha2::Sha256::new(), sha2::Digest::chain_update).finalize().into())
    }

    /// The digest of everything that a reader yields, read in bounded pieces.
    ///
    /// # Errors
    /// The reader's own.
    pub fn read(mut from: impl std::io::Read) -> std::io::Result<Self> {
        let mut hash = sha2::Sha256::new();
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match from.read(&mut buffer) {
                Ok(0) => return Ok(Self(hash.finalize().into())),
                Ok(n) => hash.update(&buffer[..n]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Starts a digest of several parts.
    #[must_use]
    pub fn parts() -> Hasher {
        Hasher::default()
    }
}

impl Hasher {
    /// Adds one part.
    #[must_use]
    pub fn part(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.add(bytes);
        self
    }

    /// Adds one part in place.
    pub fn add(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// The digest of all parts.
    #[must_use]
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl std::fmt::Debug for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

/// SHA-256 of a file, as 64 hex digits.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FileHash(String);

/// Why a text is no hash of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a hash is 64 hex digits, as `read_file` reports it in `sha256`")]
pub struct HashError;

impl FileHash {
    fn check(text: &str) -> Result<(), HashError> {
        let hex = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if hex { Ok(()) } else { Err(HashError) }
    }

    /// Whether it is this digest.
    #[must_use]
    pub fn is(&self, digest: Digest) -> bool {
        self.0.eq_ignore_ascii_case(&digest.to_string())
    }
}

text_value!(FileHash, HashError, HASH_FORMAT, "FileHash", 64, "SHA-256 as 64 hex digits.");

impl PlanId {
    /// The id that belongs to a digest.
    #[must_use]
    pub fn of(digest: Digest) -> Self {
        let mut text = digest.to_string();
        text.truncate(32);
        Self(text)
    }

    /// Parses what a person typed; anything but 32 lowercase hex digits is none of ours.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        (text.len() == 32 && text.bytes().all(hex)).then(|| Self(text.to_owned()))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::{Digest, PlanId};

    #[test]
    fn parts_do_not_run_together() {
        let of = |parts: &[&str]| parts.iter().fold(Digest::parts(), super::Hasher::part).finish();
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&[""]), of(&[]));
        assert_eq!(of(&["a", "b"]), of(&["a", "b"]));
    }

    #[test]
    fn a_plan_id_is_32_hex_digits() {
        let id = PlanId::of(Digest::of(b"x"));
        assert_eq!(PlanId::parse(id.as_str()), Some(id));
        for text in ["", "abc", &"A".repeat(32), &"g".repeat(32), &"a".repeat(33)] {
            assert_eq!(PlanId::parse(text), None, "{text}");
        }
    }
}
