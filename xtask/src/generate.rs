//! `gen`: everything that is derived from the operations, written by the binary that knows them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, Result, While};
use crate::{cargo, process, workspace};

/// The folder that holds generated files only: what is no longer generated does not stay.
const GENERATED_ONLY: &str = "schema";

/// Writes the generated files; with `--check`, tells which of them are out of date and writes nothing.
pub(crate) fn run(arguments: &[String]) -> Result {
    match arguments {
        [] => write_all(&generated()?),
        [flag] if flag == "--check" => check(),
        _ => Err(Failure::new("`gen` takes no argument but `--check`")),
    }
}

/// Compares the generated files with those on disk.
pub(crate) fn check() -> Result {
    let wanted = generated()?;
    let mut stale = Vec::new();
    for (path, content) in &wanted {
        let found = fs::read_to_string(workspace::root().join(path)).ok();
        stale.extend(difference(path, found.as_deref(), content));
    }
    for path in leftovers(&wanted)? {
        stale.push(format!("{}: is no longer generated", path.display()));
    }
    if stale.is_empty() {
        println!("gen: {} files are up to date", wanted.len());
        return Ok(());
    }
    Err(Failure::new(format!("generated files are out of date; run `cargo xtask gen`\n{}", stale.join("\n"))))
}

fn write_all(wanted: &Files) -> Result {
    let mut changes = 0;
    for (path, content) in wanted {
        let target = workspace::root().join(path);
        if fs::read_to_string(&target).is_ok_and(|found| found == *content) {
            continue;
        }
        let writing = || format!("write `{}`", path.display());
        let folder = target.parent().unwrap_or_else(|| workspace::root());
        fs::create_dir_all(folder).while_doing(writing)?;
        fs::write(&target, content).while_doing(writing)?;
        println!("wrote {}", path.display());
        changes += 1;
    }
    for path in leftovers(wanted)? {
        let removing = || format!("remove `{}`", path.display());
        fs::remove_file(workspace::root().join(&path)).while_doing(removing)?;
        println!("removed {}", path.display());
        changes += 1;
    }
    println!("gen: {} files, {changes} changed", wanted.len());
    Ok(())
}

/// Content by path relative to the root.
type Files = BTreeMap<PathBuf, String>;

/// Asks the binary for all generated files.
fn generated() -> Result<Files> {
    let mut command = Command::new(cargo::build_binary()?);
    command.arg("generated").current_dir(workspace::root());
    files_in(&process::capture(&mut command)?)
}

fn files_in(printed: &str) -> Result<Files> {
    let files: BTreeMap<String, String> = serde_json::from_str(printed)
        .while_doing(|| "read `pi-graphite generated` as one JSON object of texts".to_owned())?;
    if files.is_empty() {
        // Taken at its word, it would empty the folder of schemas.
        return Err(Failure::new("`pi-graphite generated` names no file"));
    }
    let checked = files.into_iter().map(|(path, content)| Ok((confined(&path)?, content)));
    checked.collect()
}

/// Proves that a path stays below the root.
fn confined(path: &str) -> Result<PathBuf> {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    if path.is_empty() || !Path::new(path).components().all(plain) {
        return Err(Failure::new(format!(
            "`pi-graphite generated` names `{path}`, which is not a path below the root"
        )));
    }
    Ok(PathBuf::from(path))
}

/// The first line in which a file differs from what it should be.
fn difference(path: &Path, found: Option<&str>, wanted: &str) -> Option<String> {
    let path = path.display();
    let Some(found) = found else {
        return Some(format!("{path}: does not exist"));
    };
    if found == wanted {
        return None;
    }
    let (mut is, mut should) = (found.lines(), wanted.lines());
    let pairs = std::iter::from_fn(|| match (is.next(), should.next()) {
        (None, None) => None,
        pair => Some(pair),
    });
    let mut numbered = (1..).zip(pairs);
    let differing = numbered.find(|(_, (is, should))| is != should);
    let quoted = |line: Option<&str>| line.map_or_else(|| "the end of the file".to_owned(), |line| format!("`{line}`"));
    Some(match differing {
        Some((line, (is, should))) => {
            format!("{path}:{line}: is {}\n{path}:{line}: should be {}", quoted(is), quoted(should))
        }
        None => format!("{path}: differs in how its lines end"),
    })
}

/// Files in the folder of generated files that nobody generates.
fn leftovers(wanted: &Files) -> Result<Vec<PathBuf>> {
    let mut files = workspace::files()?;
    files.retain(|file| file.starts_with(GENERATED_ONLY) && !wanted.contains_key(file));
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_names_the_first_line_that_differs() {
        let path = Path::new("schema/a.json");
        let differs = |found, wanted| difference(path, found, wanted);
        assert_eq!(differs(Some("a\nb\n"), "a\nb\n"), None);
        assert_eq!(differs(None, "a"), Some("schema/a.json: does not exist".into()));
        assert_eq!(
            differs(Some("a\nb\n"), "a\nc\n"),
            Some("schema/a.json:2: is `b`\nschema/a.json:2: should be `c`".into())
        );
        assert_eq!(differs(Some("a"), "a\n"), Some("schema/a.json: differs in how its lines end".into()));
        assert_eq!(
            differs(Some("a\n"), "a\nb\n"),
            Some("schema/a.json:2: is the end of the file\nschema/a.json:2: should be `b`".into())
        );
    }

    #[test]
    fn only_paths_below_the_root_are_written() {
        for bad in ["", "/etc/passwd", "../x", "a/../../x", "./a"] {
            assert!(confined(bad).is_err(), "{bad}");
        }
        assert!(confined("docs/errors.md").is_ok());
    }

    #[test]
    fn what_is_not_one_object_of_texts_is_refused() {
        for bad in ["", "[]", "{}", r#"{"a": 1}"#, r#"{"../a": ""}"#] {
            assert!(files_in(bad).is_err(), "{bad}");
        }
        let files = files_in(r#"{"schema/a.json": "{}\n"}"#).expect("well formed");
        assert_eq!(files[Path::new("schema/a.json")], "{}\n");
    }
}
