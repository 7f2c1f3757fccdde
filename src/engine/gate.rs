//! Lets a request in: bytes, one JSON object, the schema of its variant, then serde. No repository is touched yet.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::fault::{Code, Fault};
use crate::operation::{Domain, Entry, REGISTRY, Request};
use crate::value::{
    BODY_FORMAT, BRANCH_FORMAT, Body, BranchName, FILE_FORMAT, FileHash, FilePath, HASH_FORMAT, PATH_FORMAT, RelPath,
    SUBJECT_FORMAT, Subject,
};

/// Largest request, in bytes.
pub const MAX_REQUEST: usize = 32 * 1024 * 1024;
/// Most errors that are counted in one refusal.
const MAX_FIELDS_SHOWN: usize = 5;

/// A request that passed both gates.
#[derive(Debug, Clone)]
pub struct Accepted {
    /// The request.
    pub request: Request,
    /// The same as JSON with sorted keys: what a plan's id is made from.
    pub canonical: Value,
}

/// Parses and validates one request.
///
/// Faults: `too_large`, `bad_json`, `unknown_operation`, `bad_request`, `bad_branch`, `bad_path`, with a JSON pointer
/// to the place in `details.pointer`.
///
/// # Errors
/// [`Fault`].
pub fn accept(bytes: &[u8]) -> Result<Accepted, Fault> {
    if bytes.len() > MAX_REQUEST {
        return Err(
            Fault::new(Code::TooLarge, format!("the request is over {MAX_REQUEST} bytes")).detail("limit", MAX_REQUEST)
        );
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| Fault::new(Code::BadJson, format!("not UTF-8 at byte {}", error.valid_up_to())))?;
    let value: Unique = serde_json::from_str(text).map_err(|error| Fault::new(Code::BadJson, error.to_string()))?;
    let Value::Object(mut fields) = value.0 else { return Err(Fault::new(Code::BadJson, "not a JSON object")) };
    let entry = pick(fields.get("operation"))?;
    if entry.domain == Domain::Files {
        translate(&mut fields)?;
    }
    let canonical = Value::Object(fields.clone());
    refuse_nul(&canonical, &mut String::new())?;
    check_schema(entry, &canonical)?;
    fields.remove("operation");
    let request = (entry.parse)(Value::Object(fields))
        .map_err(|(path, why)| bad_request(&format!("/{}", path.replace('.', "/")), &why))?;
    Ok(Accepted { request, canonical })
}

/// The operation that a request names, also when the request is refused for something else.
#[must_use]
pub fn named_operation(bytes: &[u8]) -> Option<&'static str> {
    let value: Value = serde_json::from_slice(bytes).ok()?;
    let tag = value.get("operation")?.as_str()?;
    REGISTRY.iter().map(|entry| entry.name).find(|name| *name == tag)
}

/// Other names of fields that models know from elsewhere.
fn translate(fields: &mut serde_json::Map<String, Value>) -> Result<(), Fault> {
    if fields.contains_key("encoding") {
        return Err(bad_request("/encoding", "files are UTF-8, and nothing is converted").hint("Leave `encoding` out."));
    }
    let Some(path) = fields.remove("filepath") else { return Ok(()) };
    if fields.contains_key("path") {
        return Err(bad_request("/filepath", "`filepath` is another name of `path`, and both are given")
            .hint("Leave `filepath` out."));
    }
    fields.insert("path".to_owned(), path);
    Ok(())
}

fn pick(tag: Option<&Value>) -> Result<&'static Entry, Fault> {
    let names: Vec<&str> = REGISTRY.iter().map(|entry| entry.name).collect();
    let listed = format!("The operations are: {}.", names.join(", "));
    let fault = |message: String| {
        let fault = Fault::new(Code::UnknownOperation, message).hint(listed.clone());
        fault.detail("pointer", "/operation").detail("operations", names.clone())
    };
    let tag = tag.ok_or_else(|| fault("`operation` is missing".to_owned()))?;
    let tag = tag.as_str().ok_or_else(|| fault("`operation` is not a string".to_owned()))?;
    REGISTRY.iter().find(|entry| entry.name == tag).ok_or_else(|| {
        let fault =
            fault(format!("there is no operation `{}`", tag.chars().take(80).collect::<String>().escape_debug()));
        match nearest(tag, names.iter().copied()) {
            Some(near) => fault.hint(format!("Did you mean `{near}`? {listed}")),
            None => fault,
        }
    })
}

/// A NUL byte ends a string for every program behind us: it is refused anywhere.
fn refuse_nul(value: &Value, pointer: &mut String) -> Result<(), Fault> {
    let length = pointer.len();
    let mut inner = |key: &str, value: &Value| {
        pointer.push('/');
        let key: String = key.chars().take(80).collect();
        pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
        let result = refuse_nul(value, pointer);
        pointer.truncate(length);
        result
    };
    match value {
        Value::String(text) if text.contains('\0') => Err(bad_request(pointer, "the text holds a NUL byte")),
        Value::Array(items) => items.iter().enumerate().try_for_each(|(at, item)| inner(&at.to_string(), item)),
        Value::Object(fields) => fields.iter().try_for_each(|(key, value)| inner(key, value)),
        _ => Ok(()),
    }
}

fn check_schema(entry: &'static Entry, request: &Value) -> Result<(), Fault> {
    let schema = variant_schema(entry);
    let validator = jsonschema::options()
        .should_validate_formats(true)
        .with_format(BRANCH_FORMAT, |text: &str| BranchName::try_from(text.to_owned()).is_ok())
        .with_format(FILE_FORMAT, |text: &str| FilePath::try_from(text.to_owned()).is_ok())
        .with_format(HASH_FORMAT, |text: &str| FileHash::try_from(text.to_owned()).is_ok())
        .with_format(SUBJECT_FORMAT, |text: &str| Subject::try_from(text.to_owned()).is_ok())
        .with_format(BODY_FORMAT, |text: &str| Body::try_from(text.to_owned()).is_ok())
        .with_format(PATH_FORMAT, |text: &str| RelPath::try_from(text.to_owned()).is_ok())
        .build(&schema)
        .map_err(|error| {
            Fault::new(Code::Internal, format!("the schema of `{}` does not compile: {error}", entry.name))
        })?;
    let mut errors: Vec<_> = validator.iter_errors(request).collect();
    // Unknown and missing fields first, then shapes, then formats: the earlier explain the later.
    let is_format = |error: &jsonschema::ValidationError<'_>| {
        matches!(error.kind(), jsonschema::error::ValidationErrorKind::Format { .. })
    };
    errors.sort_by_key(|error| (error.instance_path().as_str().len(), is_format(error), error.to_string()));
    match errors.first() {
        None => Ok(()),
        Some(error) => Err(explain(error, &schema, errors.len())),
    }
}

fn explain(error: &jsonschema::ValidationError<'_>, schema: &Value, count: usize) -> Fault {
    use jsonschema::error::ValidationErrorKind as Kind;
    let pointer = error.instance_path().as_str();
    let fields = || {
        schema["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.as_str())
            .filter(|name| *name != "operation")
    };
    let fault = match error.kind() {
        Kind::AdditionalProperties { unexpected } => {
            let known: Vec<&str> = fields().collect();
            let first: String = unexpected.first().into_iter().flat_map(|name| name.chars()).take(80).collect();
            let first = first.as_str();
            let fault =
                bad_request(&format!("{pointer}/{first}"), &format!("unknown field `{}`", first.escape_debug()));
            match nearest(first, known.iter().copied()) {
                Some(near) => fault.hint(format!("Did you mean `{near}`?")),
                None if known.is_empty() => fault.hint("The operation takes no fields."),
                None => fault.hint(format!("The fields are: {}.", known.join(", "))),
            }
        }
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            bad_request(&format!("{pointer}/{name}"), &format!("the field `{name}` is missing"))
                .hint(format!("Add `{name}`."))
        }
        Kind::Format { format } => explain_format(format, pointer, error.instance().as_str().unwrap_or_default()),
        _ => bad_request(pointer, &error.to_string().chars().take(300).collect::<String>()),
    };
    if count > 1 { fault.detail("errors", count.min(MAX_FIELDS_SHOWN)) } else { fault }
}

/// The rule of a value that is valid by construction, in its own words and with its own code.
fn explain_format(format: &str, pointer: &str, text: &str) -> Fault {
    let owned = text.to_owned();
    let (code, why) = match format {
        BRANCH_FORMAT => (Code::BadBranch, BranchName::try_from(owned).err().map(|error| error.to_string())),
        FILE_FORMAT => (Code::BadPath, FilePath::try_from(owned).err().map(|error| error.to_string())),
        HASH_FORMAT => (Code::BadRequest, FileHash::try_from(owned).err().map(|error| error.to_string())),
        PATH_FORMAT => (Code::BadPath, RelPath::try_from(owned).err().map(|error| error.to_string())),
        SUBJECT_FORMAT => (Code::BadRequest, Subject::try_from(owned).err().map(|error| error.to_string())),
        _ => (Code::BadRequest, Body::try_from(owned).err().map(|error| error.to_string())),
    };
    Fault::new(code, format!("`{pointer}`: {}", why.unwrap_or_else(|| "not valid".to_owned())))
        .detail("pointer", pointer)
}

fn bad_request(pointer: &str, why: &str) -> Fault {
    Fault::new(Code::BadRequest, format!("`{pointer}`: {why}")).detail("pointer", pointer)
}

fn nearest<'a>(asked: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let scored = known.map(|name| (strsim::normalized_damerau_levenshtein(&asked.to_lowercase(), name), name));
    scored.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(score, _)| *score >= 0.5).map(|(_, name)| name)
}

/// The whole schema of one operation's request.
#[must_use]
pub fn variant_schema(entry: &Entry) -> Value {
    let mut generator = schemars::generate::SchemaSettings::draft2020_12()
        .with(|settings| settings.inline_subschemas = true)
        .into_generator();
    let mut schema = (entry.schema)(&mut generator).to_value();
    let root = schema.as_object_mut().expect("an operation is a struct");
    let properties = root.entry("properties").or_insert_with(|| Value::Object(serde_json::Map::new()));
    let mut all = serde_json::Map::from_iter([("operation".to_owned(), serde_json::json!({ "const": entry.name }))]);
    all.extend(properties.as_object().cloned().unwrap_or_default());
    *properties = Value::Object(all);
    let required = root.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    root.insert("required".to_owned(), [vec![Value::from("operation")], required].concat().into());
    schema
}

/// The closed union of all requests.
#[must_use]
pub fn request_schema() -> Value {
    let variants: Vec<Value> = REGISTRY.iter().map(variant_schema).collect();
    serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Request",
        "description": "One request. The `format`s branch-name, relative-path, file-path, commit-subject, commit-body and sha256 are enforced.",
        "oneOf": variants,
    })
}

/// A JSON value without duplicate keys: of two, each reader would believe another.
struct Unique(Value);

impl<'de> serde::Deserialize<'de> for Unique {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueVisitor).map(Self)
    }
}

struct UniqueVisitor;

impl<'de> serde::de::Visitor<'de> for UniqueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(Unique(item)) = items.next_element()? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }
    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut all: BTreeMap<String, Value> = BTreeMap::new();
        while let Some((key, Unique(value))) = entries.next_entry::<String, Unique>()? {
            if all.insert(key.clone(), value).is_some() {
                let key: String = key.chars().take(80).collect();
                return Err(serde::de::Error::custom(format!("the key `{}` stands twice", key.escape_debug())));
            }
        }
        Ok(Value::Object(all.into_iter().collect()))
    }
}
