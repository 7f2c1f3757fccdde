//! What gets in: shapes, values, limits, and how a refusal teaches.

use pi_graphite::engine::{accept, request_schema, variant_schema};
use pi_graphite::fault::Fault;
use pi_graphite::operation::REGISTRY;
use pi_graphite::plan::Tier;
use proptest::prelude::*;
use serde_json::{Value, json};

fn refused(request: &str) -> Fault {
    accept(request.as_bytes()).map(|accepted| accepted.canonical).expect_err(request)
}

#[test]
fn every_example_is_accepted_and_round_trips() {
    for entry in REGISTRY {
        let accepted = accept(entry.example.as_bytes()).unwrap_or_else(|fault| panic!("{}: {fault}", entry.name));
        assert_eq!(accepted.request.name(), entry.name);
        let again = accept(accepted.canonical.to_string().as_bytes()).expect("the canonical form is a request too");
        assert_eq!(again.canonical, accepted.canonical);
    }
}

#[test]
fn the_registry_is_the_closed_union_of_the_contract() {
    let names: Vec<&str> = REGISTRY.iter().map(|entry| entry.name).collect();
    let contract = [
        "inspect",
        "checkout",
        "create",
        "modify_commit",
        "modify_amend",
        "squash",
        "fold",
        "rename",
        "move",
        "restack",
        "delete",
        "continue",
        "abort",
        "stage",
        "unstage",
        "read_file",
        "search_files",
        "list_files",
        "edit_file",
        "write_file",
        "apply_patch",
    ];
    assert_eq!(names, contract);
    let tier = |wanted: Tier| -> Vec<&str> { REGISTRY.iter().filter(|e| e.tier == wanted).map(|e| e.name).collect() };
    assert_eq!(tier(Tier::Read), ["inspect", "read_file", "search_files", "list_files"]);
    assert_eq!(tier(Tier::Ask), ["delete", "abort"]);
    assert_eq!(tier(Tier::Write), ["stage", "unstage", "edit_file", "write_file", "apply_patch"]);
}

#[test]
fn docs_of_operations_and_fields_are_sentences() {
    for entry in REGISTRY {
        let schema = variant_schema(entry);
        assert!(schema["description"].as_str().is_some_and(|text| text.ends_with('.')), "{}", entry.name);
        assert_eq!(schema["additionalProperties"], false, "{}", entry.name);
        for (name, field) in schema["properties"].as_object().expect("fields") {
            let described =
                name == "operation" || field["description"].as_str().is_some_and(|text| text.ends_with('.'));
            assert!(described, "{}.{name}", entry.name);
        }
    }
}

#[test]
fn refusals_point_at_the_fault_and_suggest() {
    let table = [
        (r#"{"operation": "creat"}"#, "unknown_operation", "/operation", "Did you mean `create`?"),
        (r#"{"operation": "submit"}"#, "unknown_operation", "/operation", "The operations are:"),
        (r"{}", "unknown_operation", "/operation", "The operations are:"),
        (r#"{"operation": 7}"#, "unknown_operation", "/operation", "The operations are:"),
        (r#"{"operation": "checkout", "brnch": "a"}"#, "bad_request", "/branch", "Add `branch`."),
        (
            r#"{"operation": "checkout", "branch": "a", "brunch": 1}"#,
            "bad_request",
            "/brunch",
            "Did you mean `branch`?",
        ),
        (r#"{"operation": "fold", "into": "a"}"#, "bad_request", "/into", "takes no fields"),
        (r#"{"operation": "checkout", "branch": 7}"#, "bad_request", "/branch", ""),
        (r#"{"operation": "checkout", "branch": ["a"]}"#, "bad_request", "/branch", ""),
        (r#"{"operation": "checkout", "branch": ""}"#, "bad_request", "/branch", ""),
        (r#"{"operation": "checkout", "branch": "-x"}"#, "bad_branch", "/branch", ""),
        (r#"{"operation": "checkout", "branch": "a\u0000b"}"#, "bad_request", "/branch", ""),
        (r#"{"operation": "inspect", "target": "--help"}"#, "bad_request", "/target", ""),
        (r#"{"operation": "create", "name": "x", "subject": "a\nb", "body": "b"}"#, "bad_request", "/subject", ""),
        (r#"{"operation": "create", "name": "x", "subject": "s", "body": " "}"#, "bad_request", "/body", ""),
        (r#"{"operation": "stage", "paths": []}"#, "bad_request", "/paths", ""),
        (r#"{"operation": "stage", "paths": ["a", "../b"]}"#, "bad_path", "/paths/1", ""),
        (r#"{"operation": "move", "source": "a", "onto": "a"}"#, "bad_request", "/onto", ""),
        (r#"{"operation": "read_file", "path": "a", "filepath": "a"}"#, "bad_request", "/filepath", "Leave"),
        (r#"{"operation": "read_file", "path": "a", "encoding": "utf-16"}"#, "bad_request", "/encoding", "Leave"),
        (r#"{"operation": "read_file", "path": "a", "offset": 0}"#, "bad_request", "/offset", ""),
        (r#"{"operation": "read_file", "path": "a", "limit": 2001}"#, "bad_request", "/limit", ""),
        (r#"{"operation": "read_file", "path": ""}"#, "bad_request", "/path", ""),
        (r#"{"operation": "edit_file", "path": "a", "old_string": "x"}"#, "bad_request", "/new_string", "Add"),
        (
            r#"{"operation": "edit_file", "path": "a", "old_string": "x", "new_string": "y", "match": "loose"}"#,
            "bad_request",
            "/match",
            "",
        ),
        (
            r#"{"operation": "write_file", "path": "a", "content": "", "expected_hash": "abc"}"#,
            "bad_request",
            "/expected_hash",
            "",
        ),
    ];
    for (request, code, pointer, hint) in table {
        let fault = refused(request);
        assert_eq!((fault.code.name(), fault.details["pointer"].as_str()), (code, Some(pointer)), "{request}: {fault}");
        assert!(fault.hint.contains(hint), "{request}: {}", fault.hint);
    }
}

#[test]
fn what_is_not_one_json_object_is_refused() {
    for text in [
        "",
        " ",
        "null",
        "[]",
        "\"create\"",
        "{",
        "{}{}",
        "{\"operation\": \"fold\"} x",
        "\u{feff}{\"operation\": \"fold\"}",
    ] {
        assert!(matches!(refused(text).code.name(), "bad_json" | "unknown_operation"), "{text}");
    }
    for twice in [r#"{"operation": "fold", "operation": "abort"}"#, r#"{"operation": "fold", "x": {"a": 1, "a": 2}}"#] {
        assert_eq!(refused(twice).code.name(), "bad_json", "{twice}");
    }
    assert_eq!(accept(b"\xff{}").expect_err("not UTF-8").code.name(), "bad_json");
    let deep = "[".repeat(100_000);
    assert_eq!(refused(&deep).code.name(), "bad_json");
    let large = format!(r#"{{"operation": "fold", "x": "{}"}}"#, "x".repeat(32 * 1024 * 1024));
    assert_eq!(refused(&large).code.name(), "too_large");
    let long = format!(r#"{{"operation": "checkout", "branch": "{}"}}"#, "x".repeat(1024 * 1024));
    assert!(refused(&long).message.len() < 1000, "a refusal does not repeat a megabyte");
}

/// Requests near the valid ones: any operation, a few fields with likely and unlikely values.
fn requests() -> impl Strategy<Value = Value> {
    let operations = REGISTRY.iter().map(|entry| entry.name).chain(["submit"]).collect::<Vec<_>>();
    let names = [
        "branch",
        "name",
        "subject",
        "body",
        "source",
        "onto",
        "target",
        "paths",
        "extra",
        "path",
        "content",
        "patch",
        "pattern",
        "directory",
        "offset",
        "limit",
        "regex",
        "force",
        "expected_hash",
        "old_string",
        "new_string",
        "match",
    ];
    let hash = "0123456789abcdefABCDEF0123456789abcdef0123456789abcdef0123456789";
    let texts = [
        hash, "fuzzy", "a", "main", "feat/x", "-x", "@", "HEAD", "", " ", "a b", "s\nt", "stack", "state", "../x", "é",
        "x\u{1b}",
    ];
    let value = prop_oneof![
        prop::sample::select(texts.to_vec()).prop_map(|text| json!(text)),
        "[a-z/._-]{0,300}".prop_map(|text| json!(text)),
        prop::collection::vec(prop::sample::select(texts.to_vec()), 0..3).prop_map(|items| json!(items)),
        prop_oneof![
            Just(json!(null)),
            Just(json!(true)),
            Just(json!(3)),
            Just(json!(0)),
            Just(json!(2001)),
            Just(json!(3.0)),
            Just(json!({}))
        ],
    ];
    let fields = prop::collection::btree_map(prop::sample::select(names.to_vec()), value, 0..6);
    (prop::sample::select(operations), fields).prop_map(|(operation, fields)| {
        let mut request: serde_json::Map<String, Value> = fields.into_iter().map(|(k, v)| (k.to_owned(), v)).collect();
        request.insert("operation".to_owned(), operation.into());
        Value::Object(request)
    })
}

/// What the published schema says of a request, with the formats that it names.
fn by_schema(request: &Value) -> bool {
    use pi_graphite::value::{Body, BranchName, FileHash, FilePath, RelPath, Subject};
    static SCHEMA: std::sync::OnceLock<jsonschema::Validator> = std::sync::OnceLock::new();
    let validator = SCHEMA.get_or_init(|| {
        jsonschema::options()
            .should_validate_formats(true)
            .with_format("branch-name", |text: &str| BranchName::try_from(text.to_owned()).is_ok())
            .with_format("commit-subject", |text: &str| Subject::try_from(text.to_owned()).is_ok())
            .with_format("commit-body", |text: &str| Body::try_from(text.to_owned()).is_ok())
            .with_format("file-path", |text: &str| FilePath::try_from(text.to_owned()).is_ok())
            .with_format("sha256", |text: &str| FileHash::try_from(text.to_owned()).is_ok())
            .with_format("relative-path", |text: &str| RelPath::try_from(text.to_owned()).is_ok())
            .build(&request_schema())
            .expect("the schema compiles")
    });
    validator.is_valid(request)
}

/// What serde alone says of a request.
fn by_serde(request: &Value) -> bool {
    let mut fields = request.as_object().expect("an object").clone();
    let operation = fields.remove("operation").expect("it is there");
    let entry = REGISTRY.iter().find(|entry| operation == entry.name);
    entry.is_some_and(|entry| (entry.parse)(Value::Object(fields)).is_ok())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn schema_and_serde_agree(request in requests()) {
        // A schema cannot compare two fields: moving a branch onto itself is refused by serde's side alone.
        let same = request["operation"] == "move" && request["source"] == request["onto"];
        prop_assert!(same || by_schema(&request) == by_serde(&request), "{request}");
        let accepted = accept(request.to_string().as_bytes()).is_ok();
        prop_assert_eq!(accepted, by_schema(&request) && by_serde(&request), "{}", request);
    }

    #[test]
    fn no_byte_stream_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        drop(accept(&bytes));
    }
}
