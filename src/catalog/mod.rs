//! Projections of the registry: schemas, the flat host tool, and the generated docs pages.

mod docs;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::config::Config;
use crate::engine::{Report, request_schema, variant_schema};
use crate::operation::{Domain, REGISTRY};

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
        SchemaKind::Tools => json!([
            flat_tool(
                Domain::Stack,
                "graphite",
                "Guarded Graphite stack operations. Each runs behind preconditions, two snapshots and postconditions, and the report says what is true."
            ),
            flat_tool(
                Domain::Files,
                "graphite_files",
                "Reads, searches and edits files of the workspace. An edit lands exactly where it was meant or not at all, never over changes that were not seen, and several files change together or not at all."
            ),
        ]),
        SchemaKind::Config => schemars::schema_for!(Config).to_value(),
    }
}

/// One flat object with an `operation` enum: a union at the root reaches some models as an empty schema. The closed
/// union stays the contract behind it.
fn flat_tool(domain: Domain, name: &str, description: &str) -> Value {
    let entries = || REGISTRY.iter().filter(move |entry| entry.domain == domain);
    let mut fields: BTreeMap<String, (Value, Vec<&str>)> = BTreeMap::new();
    for entry in entries() {
        let schema = variant_schema(entry);
        for (name, field) in
            schema["properties"].as_object().into_iter().flatten().filter(|(name, _)| *name != "operation")
        {
            let known = fields.entry(name.clone()).or_insert_with(|| (field.clone(), Vec::new()));
            known.1.push(entry.name);
        }
    }
    let names: Vec<&str> = entries().map(|entry| entry.name).collect();
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
        "name": name,
        "description": description,
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
