//! Values that are valid by construction. Each parses from text by `TryFrom` and says which rule was broken.

mod branch;
mod digest;
mod path;
mod text;

pub use branch::{BranchError, BranchName};
pub use digest::{Digest, FileHash, HashError, PlanId};
pub use path::{FilePath, PathError, RelPath, is_dot_git};
pub use text::{Body, Subject, TextError};

/// The custom `format` of branch names in the request schema.
pub const BRANCH_FORMAT: &str = "branch-name";
/// The custom `format` of paths in the request schema.
pub const PATH_FORMAT: &str = "relative-path";
/// The custom `format` of the paths of file operations in the request schema.
pub const FILE_FORMAT: &str = "file-path";
/// The custom `format` of hashes in the request schema.
pub const HASH_FORMAT: &str = "sha256";
/// The custom `format` of subjects in the request schema.
pub const SUBJECT_FORMAT: &str = "commit-subject";
/// The custom `format` of bodies in the request schema.
pub const BODY_FORMAT: &str = "commit-body";

/// Implements what every text value needs: serde through `TryFrom<String>`, display, and a schema with a format.
macro_rules! text_value {
    ($type:ident, $error:ident, $format:expr, $schema_name:literal, $max:expr, $doc:literal) => {
        impl TryFrom<String> for $type {
            type Error = $error;
            fn try_from(text: String) -> Result<Self, $error> {
                $type::check(&text).map(|()| $type(text))
            }
        }
        impl From<$type> for String {
            fn from(value: $type) -> String {
                value.0
            }
        }
        impl $type {
            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $schema_name.into()
            }
            fn inline_schema() -> bool {
                true
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "string", "minLength": 1, "maxLength": $max, "format": $format, "description": $doc
                })
            }
        }
    };
}
pub(crate) use text_value;
