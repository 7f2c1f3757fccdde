//! Editors that know nothing of this program write the same file meanwhile.

use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::scope;
use std::time::{Duration, Instant};

use super::tools::{Ending, call_at, edit, tree};
use crate::support::{Base, Gt, World};

const BOUND: Duration = Duration::from_secs(8);

/// What an editor that saves by rename writes: its own count, and nothing of ours.
fn version(count: u64) -> String {
    format!("theirs {count}\nslot\n")
}

fn save_by_rename(path: &Path, count: u64) {
    let beside = path.with_extension("saving");
    fs::write(&beside, version(count)).expect("written");
    fs::rename(beside, path).expect("renamed");
}

#[test]
fn no_save_by_rename_is_lost_to_an_edit_that_began_before_it() {
    let world = World::new(Gt::Fake, Base::Plain);
    world.write("f.txt", &version(0));
    let path = world.root().join("f.txt");
    let (over, count) = (AtomicBool::new(false), Mutex::new(0_u64));
    let (mut done, mut caught) = (0, 0);
    scope(|scope| {
        let ending = Ending(&over);
        let editor = scope.spawn(|| {
            let mut pause = 0;
            while !over.load(Ordering::SeqCst) {
                {
                    let mut count = count.lock().expect("nobody panics with it");
                    *count += 1;
                    save_by_rename(&path, *count);
                }
                pause = (pause + 7) % 23;
                std::thread::sleep(Duration::from_millis(pause));
            }
        });
        let begun = Instant::now();
        for number in 0..300 {
            let marker = format!("mark {number}");
            let answer = call_at(&world, &edit("f.txt", "slot", &format!("slot\n{marker}")), "").reported();
            // At rest: neither of the two writes just now.
            let count = count.lock().expect("nobody panics with it");
            let now = fs::read_to_string(&path).expect("never missing");
            assert!(now.starts_with(&format!("theirs {count}\n")), "lost: {count} {now:?} {:#}", answer.report);
            match (answer.status(), answer.code()) {
                ("done", "") => done += 1,
                ("refused" | "failed", "file_changed") => {
                    caught += 1;
                    assert!(!now.contains(&format!("{marker}\n")), "refused and there: {now:?}");
                }
                // Their next version has the slot again.
                _ => panic!("{:#}", answer.report),
            }
            if begun.elapsed() > BOUND && done > 0 {
                break;
            }
        }
        drop(ending);
        editor.join().expect("it ends");
    });
    println!("{done} done, {caught} caught, {} saves, 0 lost", count.into_inner().expect("nobody panics with it"));
    assert!(done > 0);
    let left: Vec<String> = tree(&world.root()).into_keys().filter(|name| name.contains(".pi-graphite-")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn no_line_that_was_appended_in_place_before_an_exchange_is_lost() {
    let world = World::new(Gt::Fake, Base::Plain);
    world.write("f.txt", "slot\n");
    let path = world.root().join("f.txt");
    let over = AtomicBool::new(false);
    let (mut done, mut caught, mut mixed) = (0, 0, 0);
    let (kept, unknown) = scope(|scope| {
        let ending = Ending(&over);
        let appender = scope.spawn(|| {
            let (mut kept, mut unknown) = (Vec::new(), 0);
            for number in 0_u64.. {
                if over.load(Ordering::SeqCst) {
                    break;
                }
                let mut file = fs::File::options().append(true).open(&path).expect("never missing");
                let line = format!("line {number}\n");
                file.write_all(line.as_bytes()).expect("written");
                // The name still leads to this file: the line was there before any exchange that follows.
                if fs::metadata(&path).expect("never missing").ino() == file.metadata().expect("open").ino() {
                    kept.push(line);
                } else {
                    unknown += 1;
                }
                std::thread::sleep(Duration::from_millis(number % 11));
            }
            (kept, unknown)
        });
        let begun = Instant::now();
        for number in 0..300 {
            let marker = format!("mark {number}");
            let answer = call_at(&world, &edit("f.txt", "slot", &format!("slot\n{marker}")), "").reported();
            match (answer.status(), answer.code()) {
                ("done", "") => done += 1,
                ("refused" | "failed", "file_changed") => caught += 1,
                // It has written to the old file just before the exchange and to the new one just after it.
                ("uncertain", "incomplete") => mixed += 1,
                _ => panic!("{:#}", answer.report),
            }
            if begun.elapsed() > BOUND && done > 0 {
                break;
            }
        }
        drop(ending);
        appender.join().expect("it ends")
    });
    let now = fs::read_to_string(&path).expect("it is there");
    let lines: std::collections::BTreeSet<&str> = now.split_inclusive('\n').collect();
    let lost: Vec<&String> = kept.iter().filter(|line| !lines.contains(line.as_str())).collect();
    println!(
        "{done} done, {caught} caught, {mixed} mixed, {} lines, {unknown} written to a file that had no name",
        kept.len()
    );
    assert!(lost.is_empty(), "{lost:?}");
    let marks = now.matches("mark ").count();
    assert!((done..=done + mixed).contains(&marks), "{marks}: every done is there, and none that was refused");
}
