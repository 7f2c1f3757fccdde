//! Several processes edit the same files at once, while others read them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::scope;

use serde_json::Value;

use super::tools::{Ending, call_at, edit, patch, read, tree, update};
use crate::support::{Answer, Base, Gt, World};

const HEAD: &str = "head\n";
const TAIL: &str = "tail\n";

fn as_session(world: &World, session: &str, request: &Value) -> Answer {
    world.call(&["run", "--allow-write", "--session", session], &request.to_string())
}

/// The markers of a complete version; anything else is torn.
fn markers(text: &str) -> Vec<String> {
    let inner = text.strip_prefix(HEAD).and_then(|rest| rest.strip_suffix(TAIL));
    let inner = inner.unwrap_or_else(|| panic!("torn: {text:?}"));
    assert!(inner.is_empty() || inner.ends_with('\n'), "torn: {text:?}");
    inner.lines().map(str::to_owned).inspect(|line| assert!(line.starts_with("mark "), "torn: {line:?}")).collect()
}

/// Reads the files until it is told to end: each read is a complete version that is not older than the one before.
fn watch(paths: &[PathBuf], over: &AtomicBool) -> u64 {
    let (mut reads, mut most) = (0, vec![0; paths.len()]);
    while !over.load(Ordering::SeqCst) {
        for (path, most) in paths.iter().zip(&mut most) {
            let now = markers(&fs::read_to_string(path).expect("never missing")).len();
            assert!(now >= *most, "{} went back from {most} to {now}", path.display());
            *most = now;
            reads += 1;
        }
    }
    reads
}

/// Every worker makes its edits; returns which were done and which were refused.
fn edited_by(
    world: &World,
    (workers, edits): (usize, usize),
    request: impl Fn(&str) -> Value + Sync,
    paths: &[&str],
) -> (BTreeSet<String>, BTreeSet<String>) {
    let files: Vec<PathBuf> = paths.iter().map(|path| world.root().join(path)).collect();
    let over = AtomicBool::new(false);
    let work = |worker: usize| {
        let (mut done, mut refused) = (BTreeSet::new(), BTreeSet::new());
        let session = format!("worker {worker}");
        for number in 0..edits {
            let marker = format!("mark {worker} {number}");
            let mut request = request(&marker);
            if number % 3 == 2 {
                // With the guard: what another one has written since is not edited.
                let _ = as_session(world, &session, &read(paths[0])).expect("answered", "");
                request["force"] = false.into();
            }
            let answer = as_session(world, &session, &request);
            match (answer.status(), answer.code()) {
                ("done", "") => done.insert(marker),
                ("refused", "file_changed") if number % 3 == 2 => refused.insert(marker),
                _ => panic!("{:#}", answer.report),
            };
        }
        (done, refused)
    };
    scope(|scope| {
        let ending = Ending(&over);
        let watcher = scope.spawn(|| watch(&files, &over));
        let workers: Vec<_> = (0..workers).map(|worker| scope.spawn(move || work(worker))).collect();
        let mut all = (BTreeSet::new(), BTreeSet::new());
        let ends: Vec<_> = workers.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        drop(ending);
        println!("{} reads beside them", watcher.join().expect("every read is a complete version"));
        for end in ends {
            let (done, refused) = end.expect("a worker ends");
            all.0.extend(done);
            all.1.extend(refused);
        }
        all
    })
}

fn of_file(path: &Path) -> Vec<String> {
    markers(&fs::read_to_string(path).expect("a file"))
}

fn no_litter(world: &World) {
    let left: Vec<String> = tree(&world.root()).into_keys().filter(|name| name.contains(".pi-graphite-")).collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(super::tools::journals(world).is_empty());
}

#[test]
fn every_edit_that_is_done_is_in_the_file_and_none_that_was_refused() {
    for (workers, edits) in [(2, 60), (8, 24)] {
        let world = World::new(Gt::Fake, Base::Plain);
        world.write("f.txt", &format!("{HEAD}{TAIL}"));
        let request = |marker: &str| edit("f.txt", "tail", &format!("{marker}\ntail"));
        let (done, refused) = edited_by(&world, (workers, edits), request, &["f.txt"]);
        let there = of_file(&world.root().join("f.txt"));
        println!("{workers} workers: {} done, {} refused", done.len(), refused.len());
        assert_eq!(done.len() + refused.len(), workers * edits);
        assert!(done.len() >= workers * edits * 2 / 3);
        assert_eq!(there.len(), done.len(), "none twice");
        assert_eq!(there.into_iter().collect::<BTreeSet<_>>(), done);
        no_litter(&world);
    }
}

#[test]
fn patches_over_two_files_change_both_or_none() {
    for (workers, edits) in [(2, 40), (8, 15)] {
        let world = World::new(Gt::Fake, Base::Plain);
        for path in ["f.txt", "d/g.txt"] {
            world.write(path, &format!("{HEAD}{TAIL}"));
        }
        let request = |marker: &str| {
            let both = ["f.txt", "d/g.txt"].map(|path| update(path, "tail", &format!("{marker}\ntail")));
            patch(&both.concat())
        };
        let (done, refused) = edited_by(&world, (workers, edits), request, &["f.txt", "d/g.txt"]);
        let there = of_file(&world.root().join("f.txt"));
        println!("{workers} workers: {} done, {} refused", done.len(), refused.len());
        assert_eq!(there, of_file(&world.root().join("d/g.txt")), "both have the same, in the same order");
        assert_eq!(there.len(), done.len(), "none twice");
        assert_eq!(there.into_iter().collect::<BTreeSet<_>>(), done);
        no_litter(&world);
    }
}

#[test]
fn readers_beside_a_patch_see_old_or_new_bytes_and_never_a_missing_file() {
    for lacking in ["", "no-exchange", "no-exchange,no-link"] {
        let world = World::new(Gt::Fake, Base::Plain);
        let names: Vec<String> = (0..8).map(|number| format!("d{}/f{number}.txt", number % 3)).collect();
        for name in &names {
            world.write(name, "this is old\n");
        }
        let (over, reads) = (AtomicBool::new(false), AtomicU64::new(0));
        let paths: Vec<PathBuf> = names.iter().map(|name| world.root().join(name)).collect();
        let look = || {
            while !over.load(Ordering::SeqCst) {
                for path in &paths {
                    let text = fs::read_to_string(path).expect("never missing");
                    assert!(text == "this is old\n" || text == "this is new\n", "torn: {text:?}");
                    reads.fetch_add(1, Ordering::Relaxed);
                }
            }
        };
        scope(|scope| {
            let ending = Ending(&over);
            let reader = scope.spawn(look);
            for turn in 0..20 {
                let (old, new) = if turn % 2 == 0 { ("old", "new") } else { ("new", "old") };
                let all = names.iter().map(|name| update(name, &format!("this is {old}"), &format!("this is {new}")));
                let _ = call_at(&world, &patch(&all.collect::<String>()), lacking).reported().done();
            }
            drop(ending);
            reader.join().expect("every read is old or new");
        });
        println!("{} reads", reads.load(Ordering::Relaxed));
        assert!(reads.load(Ordering::Relaxed) >= 500);
    }
}
