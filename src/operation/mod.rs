//! The registry: every operation, one file each. Schema, catalog, docs and the registry's tests follow from it.

mod abort;
mod checkout;
mod r#continue;
mod create;
mod delete;
mod fold;
mod inspect;
mod modify_amend;
mod modify_commit;
mod r#move;
mod rename;
mod restack;
mod squash;
mod stage;
mod unstage;

use crate::fault::Fault;
use crate::plan::{Need, Plan, Tier};
use crate::repo::Depth;

/// What the registry knows about an operation besides its fields.
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

/// One operation of the registry.
pub struct Entry {
    /// The value of `operation`.
    pub name: &'static str,
    /// What is known besides the fields.
    pub spec: Spec,
    /// The JSON Schema of the request, without its `operation` field.
    pub schema: fn(&mut schemars::SchemaGenerator) -> schemars::Schema,
    /// Parses the fields; the path tells where it failed.
    pub parse: fn(serde_json::Value) -> Result<Request, (String, String)>,
}

trait Operation: serde::de::DeserializeOwned + schemars::JsonSchema {
    const SPEC: Spec;
    /// What a schema cannot say about the fields together: the field at fault and why.
    fn coherent(&self) -> Result<(), (&'static str, String)> {
        Ok(())
    }
    fn plan(&self, need: &dyn Need) -> Result<Plan, Fault>;
}

macro_rules! operations {
    ($($variant:ident $name:literal $path:path,)+) => {
        /// A valid request: one of the operations with its fields.
        #[derive(Debug, Clone)]
        pub enum Request {
            $(
                #[doc = concat!("`", $name, "`.")]
                $variant($path),
            )+
        }

        /// Every operation, in the order of the docs.
        pub const REGISTRY: &[Entry] = &[$(
            Entry {
                name: $name,
                spec: <$path as Operation>::SPEC,
                schema: |generator| <$path as schemars::JsonSchema>::json_schema(generator),
                parse: |fields| parse::<$path>(fields).map(Request::$variant),
            },
        )+];

        impl Request {
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
    };
}

operations! {
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

fn parse<T: Operation>(fields: serde_json::Value) -> Result<T, (String, String)> {
    // serde takes an array for a struct; the contract is an object.
    if !fields.is_object() {
        return Err((String::new(), "not an object".to_owned()));
    }
    let parsed: T = serde_path_to_error::deserialize(fields)
        .map_err(|error| (error.path().to_string(), error.inner().to_string()))?;
    parsed.coherent().map_err(|(field, why)| (field.to_owned(), why))?;
    Ok(parsed)
}
