//! The bytes of a file on its way through the sections of a patch. What is not changed is not copied.

use std::sync::Arc;

use crate::files::{Base, Content};

/// The bytes of a file on its way.
pub(super) enum Bytes {
    /// Those of a file on the disk, not copied.
    Of(Arc<Base>),
    /// Those of a file on the disk in which the draft's replacements were made, and nothing else.
    Edited(Arc<Base>, Content),
    /// Any others.
    New(Vec<u8>),
}

impl Bytes {
    pub(super) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Of(base) => base.bytes(),
            Self::Edited(_, content) => content.bytes(),
            Self::New(bytes) => bytes,
        }
    }

    /// Whether they are those of a file.
    pub(super) fn is(&self, base: &Base) -> bool {
        match self {
            Self::Of(other) => other.bytes() == base.bytes(),
            Self::Edited(_, content) => content.is(base.bytes()),
            Self::New(bytes) => bytes == base.bytes(),
        }
    }

    pub(super) fn into_content(self) -> Content {
        match self {
            Self::Of(base) => base.content.again(),
            Self::Edited(_, content) => content,
            Self::New(bytes) => Content::new(bytes),
        }
    }
}
