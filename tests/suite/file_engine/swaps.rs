//! A hostile process swaps folders and files while requests run through them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::scope;

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::tools::{Ending, Tree, call_at, edit, patch, read, tree, update, write};
use crate::support::{Base, Gt, World};

const SECRET: &str = "what lies outside is a secret";
const START: &str = "head\ntail\n";

/// What became of the requests.
#[derive(Debug, Default)]
struct Ends {
    done: Vec<String>,
    refused: Vec<(String, String)>,
    answered: u64,
}

fn world() -> World {
    let world = World::new(Gt::Fake, Base::Plain);
    world.write("dir/f", START);
    for name in ["f", "sub/f"] {
        let path = world.path("outside").join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, format!("head\n{SECRET}\ntail\n")).expect("written");
    }
    // A repository outside attracts locks.
    world.sh("git init -q ../outside; git init -q ../outside/sub");
    world
}

/// Everything outside, what git has there too.
fn outside(world: &World) -> Tree {
    let outside = world.path("outside");
    let mut all = tree(&outside);
    for git in [".git", "sub/.git"] {
        all.extend(tree(&outside.join(git)).into_iter().map(|(name, bytes)| (format!("{git}/{name}"), bytes)));
    }
    all
}

/// Sends requests through `dir/f` while somebody is hostile; nothing outside changes or is shown.
fn beset(world: &World, calls: u64, failpoint: &str, hostile: impl Fn() -> bool + Sync) -> Ends {
    let (over, turns) = (AtomicBool::new(false), AtomicU64::new(0));
    let before = outside(world);
    let mut ends = Ends::default();
    scope(|scope| {
        let ending = Ending(&over);
        let enemy = scope.spawn(|| {
            while !over.load(Ordering::SeqCst) {
                turns.fetch_add(u64::from(hostile()), Ordering::Relaxed);
            }
        });
        for number in 0..calls {
            let marker = format!("mark {number}");
            let request = match number % 4 {
                0 => write(&format!("dir/new {number}"), &format!("{marker}\n")),
                1 => edit("dir/f", "tail", &format!("{marker}\ntail")),
                2 => {
                    let added = format!("*** Add File: dir/added {number}\nadded\n");
                    patch(&format!("{}{added}", update("dir/f", "tail", &format!("{marker}\ntail"))))
                }
                _ => read("dir/f"),
            };
            let answer = call_at(world, &request, failpoint).reported();
            assert!(!answer.report.to_string().contains(SECRET), "{:#}", answer.report);
            match answer.status() {
                "done" => ends.done.push(marker),
                "answered" => ends.answered += 1,
                // It could not be put back, and says so: the next call settles it.
                "uncertain" => assert_eq!(answer.code(), "incomplete", "{:#}", answer.report),
                "refused" | "failed" => ends.refused.push((marker, answer.code().to_owned())),
                _ => panic!("{:#}", answer.report),
            }
        }
        drop(ending);
        enemy.join().expect("it ends");
    });
    let turns = turns.into_inner();
    println!("{turns} swaps, {} done, {} refused, {} read", ends.done.len(), ends.refused.len(), ends.answered);
    assert!(turns >= calls, "somebody was hostile");
    let now = outside(world);
    assert!(now == before, "outside: {:?}", super::tools::difference(&now, &before));
    ends
}

/// Whether a marker's line stands in one of the files of a folder.
fn stands(all: &Tree, marker: &str) -> bool {
    let line = format!("{marker}\n");
    all.values().any(|bytes| String::from_utf8_lossy(bytes).split_inclusive('\n').any(|one| one == line))
}

fn all_is_told(folder: &Path, ends: &Ends) {
    let all = tree(folder);
    for marker in &ends.done {
        assert!(stands(&all, marker), "{marker} was done and is gone: {:?}", all.keys());
    }
    for (marker, code) in &ends.refused {
        assert!(!stands(&all, marker), "{marker} was refused ({code}) and is there");
    }
    let left: Vec<&String> = all.keys().filter(|name| name.contains(".pi-graphite-")).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Whether it could be done.
fn exchange(one: &Path, other: &Path) -> bool {
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).is_ok()
}

/// The folder itself, wherever the swaps have left it.
fn real(paths: [PathBuf; 2]) -> PathBuf {
    paths.into_iter().find(|path| path.symlink_metadata().expect("it is there").is_dir()).expect("one is the folder")
}

fn a_parent_is_swapped(failpoint: &str, calls: u64) {
    let world = world();
    let paths = [world.root().join("dir"), world.root().join("evil")];
    symlink(world.path("outside"), &paths[1]).expect("a link");
    let ends = beset(&world, calls, failpoint, || exchange(&paths[0], &paths[1]));
    all_is_told(&real(paths), &ends);
    let codes: Vec<&str> = ends.refused.iter().map(|(_, code)| code.as_str()).collect();
    assert!(codes.contains(&"symlink"), "{codes:?}");
}

#[test]
fn a_parent_that_is_swapped_for_a_link_leads_nothing_out() {
    a_parent_is_swapped("", 240);
}

#[test]
fn on_an_old_kernel_a_parent_that_is_swapped_for_a_link_leads_nothing_out() {
    a_parent_is_swapped("no-openat2", 160);
}

#[test]
fn a_link_to_another_repository_gets_no_lock_there() {
    let world = world();
    symlink(world.path("outside"), world.root().join("link")).expect("a link");
    let before = outside(&world);
    for request in [write("link/new", "x\n"), edit("link/sub/f", "tail", "x"), write("link/sub/deep/new", "x\n")] {
        let _ = call_at(&world, &request, "").reported().expect("refused", "symlink");
    }
    let now = outside(&world);
    assert!(now == before, "outside: {:?}", super::tools::difference(&now, &before));
}

#[test]
fn a_folder_that_is_moved_away_and_back_keeps_what_was_done_and_nothing_else() {
    let world = world();
    let (here, away) = (world.root().join("dir"), world.root().join("away"));
    let ends = beset(&world, 160, "", || {
        if fs::rename(&here, &away).is_ok() {
            std::thread::yield_now();
            // A new file may have made the folder again: what is in it moves into the first one.
            while fs::rename(&away, &here).is_err() {
                for entry in fs::read_dir(&here).into_iter().flatten().flatten() {
                    let _ = fs::rename(entry.path(), away.join(entry.file_name()));
                }
                let _ = fs::remove_dir(&here);
            }
        }
        true
    });
    let all = tree(&here);
    for marker in &ends.done {
        assert!(stands(&all, marker), "{marker} was done and is gone: {:?}", all.keys());
    }
}

#[test]
fn a_target_that_is_swapped_for_a_link_or_a_fifo_leads_nothing_out() {
    let world = world();
    let (target, evil) = (world.root().join("dir/f"), world.root().join("evil"));
    for kind in ["link", "fifo", "hard link"] {
        let _ = fs::remove_file(&evil);
        fs::write(&target, START).expect("written");
        match kind {
            "link" => symlink(world.path("outside/f"), &evil).expect("a link"),
            "fifo" => drop(world.sh("mkfifo evil")),
            _ => {
                fs::write(world.path("shared"), START).expect("written");
                fs::hard_link(world.path("shared"), &evil).expect("a hard link");
            }
        }
        let _ = beset(&world, 64, "", || exchange(&target, &evil));
        if kind == "hard link" {
            assert_eq!(fs::read_to_string(world.path("shared")).expect("it is there"), START);
        }
        // The file itself is under one of the two names, whole.
        let whole = |path: &Path| {
            let regular = path.symlink_metadata().is_ok_and(|meta| meta.is_file());
            let text = if regular { fs::read_to_string(path).expect("readable") } else { String::new() };
            text.starts_with("head\n") && text.ends_with("tail\n")
        };
        assert!(whole(&target) || whole(&evil), "{kind}: the file is lost");
        let _ = fs::remove_file(&target);
        for entry in fs::read_dir(world.root().join("dir")).expect("a folder").flatten() {
            fs::remove_file(entry.path()).expect("removed");
        }
    }
}
