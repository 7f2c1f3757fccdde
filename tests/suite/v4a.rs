//! The V4A dialect by folders: `fixtures/v4a/NAME` holds the files before, the patch, and the files after, or the code
//! of the refusal after which every file is as it was.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::json;

use crate::support::{Base, Gt, World};

type Files = BTreeMap<String, Vec<u8>>;

#[test]
fn every_folder_comes_out_as_it_says() {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/v4a");
    let mut wrong = Vec::new();
    let mut played = 0;
    for entry in fs::read_dir(all).expect("the folder of scenarios") {
        let scenario = entry.expect("an entry").path();
        if let Some(why) = complaint(&scenario) {
            wrong.push(format!("{}: {why}", scenario.display()));
        }
        played += 1;
    }
    assert!(wrong.is_empty() && played >= 35, "{played} played\n{}", wrong.join("\n"));
}

fn complaint(scenario: &Path) -> Option<String> {
    let world = World::new(Gt::Fake, Base::Empty);
    let before = files(&scenario.join("before"));
    for (path, bytes) in &before {
        let path = world.root().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, bytes).expect("written");
    }
    let patch = fs::read_to_string(scenario.join("patch.txt")).expect("a patch");
    let refused = fs::read_to_string(scenario.join("refused")).ok();
    let request = json!({ "operation": "apply_patch", "patch": patch });
    let answer = world.call(&["run", "--allow-write"], &request.to_string());
    let (code, wanted) = match &refused {
        Some(code) => (code.trim(), before),
        None => ("", files(&scenario.join("after"))),
    };
    let is = files(&world.root());
    (answer.code() != code || is != wanted).then(|| format!("{} {is:?} {}", answer.code(), answer.text()))
}

/// Every file beneath a folder; none where there is no folder.
fn files(folder: &Path) -> Files {
    let mut found = Files::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(files(&path).into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
        } else {
            found.insert(name, fs::read(&path).expect("readable"));
        }
    }
    found
}
