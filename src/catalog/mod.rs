//! Projections of the registry: schemas, the flat host tool, and the generated docs pages.

mod docs;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::config::Config;
use crate::engine::{Report, request_schema, variant_schema};
use crate::operation::REGISTRY;

/// Which schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaKind {
    /// The closed union of requests.
    Request,
    /// The report.
    Report,
    /// The flat tools for hosts.
    Tools,
    /// The person's configuration.
    Config,
}

/// A schema as JSON.
#[must_use]
pub fn schema(kind: SchemaKind) -> Value {
    match kind {
        SchemaKind::Request => request_schema(),
        SchemaKind::Report => schemars::schema_for!(Report).to_value(),
        SchemaKind::Tools => json!([graphite_tool()]),
        SchemaKind::Config => schemars::schema_for!(Config).to_value(),
    }
}

/// One flat object with an `operation` enum: a union at the root reaches some models as an empty schema. The closed
/// union stays the contract behind it.
fn graphite_tool() -> Value {
    let mut fields: BTreeMap<String, (Value, Vec<&str>)> = BTreeMap::new();
    for entry in REGISTRY {
        let schema = variant_schema(entry);
        for (name, field) in
            schema["properties"].as_object().into_iter().flatten().filter(|(name, _)| *name != "operation")
        {
            let known = fields.entry(name.clone()).or_insert_with(|| (field.clone(), Vec::new()));
            known.1.push(entry.name);
        }
    }
    let names: Vec<&str> = REGISTRY.iter().map(|entry| entry.name).collect();
    let mut properties = Map::from_iter([(
        "operation".to_owned(),
        json!({ "type": "string", "enum": names, "description": "What to do." }),
    )]);
    properties.extend(fields.into_iter().map(|(name, (mut field, operations))| {
        let described = field["description"].as_str().unwrap_or_default().to_owned();
        field["description"] = format!("For {}: {described}", operations.join(", ")).into();
        (name, field)
    }));
    json!({
        "name": "graphite",
        "description": "Guarded Graphite stack operations. Each runs behind preconditions, two snapshots and postconditions, and the report says what is true.",
        "inputSchema": { "type": "object", "properties": properties, "required": ["operation"], "additionalProperties": false },
    })
}

/// Every generated file by its path from the project's root.
#[must_use]
pub fn generated() -> BTreeMap<&'static str, String> {
    let pretty = |value: &Value| format!("{value:#}\n");
    BTreeMap::from([
        ("schema/request.json", pretty(&schema(SchemaKind::Request))),
        ("schema/report.json", pretty(&schema(SchemaKind::Report))),
        ("schema/tools.json", pretty(&schema(SchemaKind::Tools))),
        ("schema/config.json", pretty(&schema(SchemaKind::Config))),
        ("docs/operations.md", docs::operations()),
        ("docs/errors.md", docs::errors()),
    ])
}
