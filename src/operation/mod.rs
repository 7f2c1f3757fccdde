//! The registry: every operation, one file each. Schema, catalog, docs and the registry's tests follow from it.

mod abort;
mod apply_patch;
mod bytes;
mod checkout;
mod r#continue;
mod create;
mod delete;
mod draft;
mod edit_file;
mod fold;
mod freshness;
mod inspect;
mod list_files;
mod modify_amend;
mod modify_commit;
mod r#move;
mod read_file;
mod rename;
mod restack;
mod search_files;
mod squash;
mod stage;
mod told;
mod unstage;
mod write_file;

use crate::fault::Fault;
use crate::files::{Place, Root};
use crate::plan::{FileNeed, FilePlan, Need, Plan, Tier};
use crate::repo::Depth;

/// What the registry knows about a stack operation besides its fields.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// How much it may do.
    pub tier: Tier,
    /// How much a look must take in.
    pub depth: Depth,
    /// Whether Graphite must be initialised.
    pub graphite: bool,
    /// A request that is valid, as JSON.
    pub example: &'static str,
}

/// What the registry knows about a file operation besides its fields.
#[derive(Debug, Clone, Copy)]
pub struct FileSpec {
    /// How much it may do.
    pub tier: Tier,
    /// A request that is valid, as JSON.
    pub example: &'static str,
    /// What its text says in each case, letter by letter: when, and the words.
    pub messages: &'static [(&'static str, &'static str)],
}

/// One operation of the registry.
pub struct Entry {
    /// The value of `operation`.
    pub name: &'static str,
    /// What it works on.
    pub domain: Domain,
    /// How much it may do.
    pub tier: Tier,
    /// A request that is valid, as JSON.
    pub example: &'static str,
    /// The sentences that people search for: when, and the words.
    pub messages: &'static [(&'static str, &'static str)],
    /// The JSON Schema of the request, without its `operation` field.
    pub schema: fn(&mut schemars::SchemaGenerator) -> schemars::Schema,
    /// Parses the fields; the path tells where it failed.
    pub parse: fn(serde_json::Value) -> Result<Request, (String, String)>,
}

/// What an operation works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// The Graphite stack and the index.
    Stack,
    /// Files of the workspace.
    Files,
}

/// A valid request: one of the operations with its fields.
#[derive(Debug, Clone)]
pub enum Request {
    /// On the stack.
    Stack(StackRequest),
    /// On files.
    Files(FileRequest),
}

impl Request {
    /// The value of `operation`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Stack(request) => request.name(),
            Self::Files(request) => request.name(),
        }
    }
}

/// What every operation is besides its plan.
trait Fields: serde::de::DeserializeOwned + schemars::JsonSchema {
    /// What a schema cannot say about the fields together: the field at fault and why.
    fn coherent(&self) -> Result<(), (&'static str, String)> {
        Ok(())
    }
}

trait Operation: Fields {
    const SPEC: Spec;
    fn plan(&self, need: &dyn Need) -> Result<Plan, Fault>;
}

trait FileOperation: Fields {
    const SPEC: FileSpec;
    /// The files that it may write: they are locked before anything is looked at. None for one that reads.
    fn writes(&self, _: &Root) -> Result<Vec<Place>, Fault> {
        Ok(Vec::new())
    }
    fn plan(&self, need: &dyn FileNeed) -> Result<FilePlan, Fault>;
}

macro_rules! operations {
    (
        stack { $($variant:ident $name:literal $path:path,)+ }
        files { $($file_variant:ident $file_name:literal $file_path:path,)+ }
    ) => {
        /// A valid request on the stack.
        #[derive(Debug, Clone)]
        pub enum StackRequest {
            $(
                #[doc = concat!("`", $name, "`.")]
                $variant($path),
            )+
        }

        /// A valid request on files.
        #[derive(Debug, Clone)]
        pub enum FileRequest {
            $(
                #[doc = concat!("`", $file_name, "`.")]
                $file_variant($file_path),
            )+
        }

        /// Every operation, in the order of the docs.
        pub const REGISTRY: &[Entry] = &[
            $(Entry {
                name: $name,
                domain: Domain::Stack,
                tier: <$path as Operation>::SPEC.tier,
                example: <$path as Operation>::SPEC.example,
                messages: &[],
                schema: |generator| <$path as schemars::JsonSchema>::json_schema(generator),
                parse: |fields| parse::<$path>(fields).map(|fields| Request::Stack(StackRequest::$variant(fields))),
            },)+
            $(Entry {
                name: $file_name,
                domain: Domain::Files,
                tier: <$file_path as FileOperation>::SPEC.tier,
                example: <$file_path as FileOperation>::SPEC.example,
                messages: <$file_path as FileOperation>::SPEC.messages,
                schema: |generator| <$file_path as schemars::JsonSchema>::json_schema(generator),
                parse: |fields| {
                    parse::<$file_path>(fields).map(|fields| Request::Files(FileRequest::$file_variant(fields)))
                },
            },)+
        ];

        impl StackRequest {
            /// The value of `operation`.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)+ }
            }

            /// What the registry knows about the operation.
            #[must_use]
            pub fn spec(&self) -> Spec {
                match self { $(Self::$variant(_) => <$path as Operation>::SPEC,)+ }
            }

            /// Plans the operation against the look before.
            ///
            /// # Errors
            /// The precondition that does not hold.
            pub fn plan(&self, need: &dyn Need) -> Result<Plan, Fault> {
                match self { $(Self::$variant(fields) => fields.plan(need),)+ }
            }
        }

        impl FileRequest {
            /// The value of `operation`.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self { $(Self::$file_variant(_) => $file_name,)+ }
            }

            /// What the registry knows about the operation.
            #[must_use]
            pub fn spec(&self) -> FileSpec {
                match self { $(Self::$file_variant(_) => <$file_path as FileOperation>::SPEC,)+ }
            }

            /// The files that it may write: they are locked before anything is looked at.
            ///
            /// # Errors
            /// A path that is not beneath the root; a patch that cannot be read.
            pub fn writes(&self, root: &Root) -> Result<Vec<Place>, Fault> {
                match self { $(Self::$file_variant(fields) => fields.writes(root),)+ }
            }

            /// Plans the operation against the files as they are.
            ///
            /// # Errors
            /// The precondition that does not hold.
            pub fn plan(&self, need: &dyn FileNeed) -> Result<FilePlan, Fault> {
                match self { $(Self::$file_variant(fields) => fields.plan(need),)+ }
            }
        }
    };
}

operations! {
    stack {
        Inspect "inspect" inspect::Inspect,
        Checkout "checkout" checkout::Checkout,
        Create "create" create::Create,
        ModifyCommit "modify_commit" modify_commit::ModifyCommit,
        ModifyAmend "modify_amend" modify_amend::ModifyAmend,
        Squash "squash" squash::Squash,
        Fold "fold" fold::Fold,
        Rename "rename" rename::Rename,
        Move "move" r#move::Move,
        Restack "restack" restack::Restack,
        Delete "delete" delete::Delete,
        Continue "continue" r#continue::Continue,
        Abort "abort" abort::Abort,
        Stage "stage" stage::Stage,
        Unstage "unstage" unstage::Unstage,
    }
    files {
        ReadFile "read_file" read_file::ReadFile,
        SearchFiles "search_files" search_files::SearchFiles,
        ListFiles "list_files" list_files::ListFiles,
        EditFile "edit_file" edit_file::EditFile,
        WriteFile "write_file" write_file::WriteFile,
        ApplyPatch "apply_patch" apply_patch::ApplyPatch,
    }
}

fn parse<T: Fields>(fields: serde_json::Value) -> Result<T, (String, String)> {
    // serde takes an array for a struct; the contract is an object.
    if !fields.is_object() {
        return Err((String::new(), "not an object".to_owned()));
    }
    let parsed: T = serde_path_to_error::deserialize(fields)
        .map_err(|error| (error.path().to_string(), error.inner().to_string()))?;
    parsed.coherent().map_err(|(field, why)| (field.to_owned(), why))?;
    Ok(parsed)
}
