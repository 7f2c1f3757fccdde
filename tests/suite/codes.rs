//! Every code of the closed table is produced by some test.

use pi_graphite::fault::Code;

#[test]
fn every_code_is_produced_by_a_story_or_a_test() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = String::new();
    let mut folders = vec![root.join("fixtures"), root.join("tests/suite")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("codes.rs") {
                all.push_str(&std::fs::read_to_string(path).expect("text"));
            }
        }
    }
    let missing: Vec<&str> = Code::ALL
        .iter()
        .map(|code| code.name())
        .filter(|name| {
            // As a story's report has it, or as a test expects it.
            !all.contains(&format!("\"code\": \"{name}\"")) && !all.contains(&format!("\"{name}\""))
        })
        .collect();
    // This one needs a broken program.
    assert_eq!(missing, ["internal"]);
}
