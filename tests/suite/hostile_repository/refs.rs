//! Refs in odd shapes and numbers.

use std::time::{Duration, Instant};

use super::{CREATE, INSPECT, creates, creates_or_stops, refuses, soon, world};
use crate::support::{Gt, Treasure};

#[test]
fn three_hundred_branches_slow_nothing_down() {
    for gt in [Gt::Fake, Gt::Real] {
        let world = world(gt);
        world.sh("for i in $(seq 300); do echo \"create refs/heads/many/$i HEAD\"; done | git update-ref --stdin");
        let begun = Instant::now();
        drop(soon(&world, &["run"], INSPECT).expect("answered", ""));
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
        drop(creates(&world));
        assert_eq!(world.sh("git for-each-ref refs/heads/many | wc -l"), "300");
    }
}

#[test]
fn a_branch_that_looks_like_an_option_is_kept() {
    for gt in [Gt::Fake, Gt::Real] {
        let world = world(gt);
        world.sh("git update-ref refs/heads/--evil HEAD; git update-ref refs/heads/-D a; git update-ref refs/tags/--upload-pack=x HEAD");
        drop(soon(&world, &["run"], INSPECT).expect("answered", ""));
        drop(creates(&world));
        for operation in
            [r#"{"operation": "checkout", "branch": "--evil"}"#, r#"{"operation": "delete", "branch": "-D"}"#]
        {
            drop(soon(&world, &["run"], operation).expect("refused", "bad_branch"));
        }
    }
}

#[test]
fn branches_whose_names_are_no_text_are_kept() {
    for gt in [Gt::Fake, Gt::Real] {
        let world = world(gt);
        world.sh(
            r#"git pack-refs --all; a=$(git rev-parse a)
printf "$a refs/heads/\377\376x\n$a refs/heads/\377\376y\n" >> .git/packed-refs; git for-each-ref | grep -c 376y > /dev/null || git for-each-ref | wc -l | grep -qx 6"#,
        );
        drop(soon(&world, &["run"], INSPECT).expect("answered", ""));
        drop(creates(&world));
    }
}

#[test]
fn odd_but_legal_branches_stop_nothing() {
    for gt in [Gt::Fake, Gt::Real] {
        let world = world(gt);
        world.sh(
            r#"for name in '日本語' 'a"b' "it's" 'a$(id)b' 'a;b' 'a|b' 'a&b' 'refs/heads/main' 'x@y' 'toString' '__proto__'; do git update-ref "refs/heads/$name" HEAD; done"#,
        );
        drop(soon(&world, &["run"], INSPECT).expect("answered", ""));
        drop(creates(&world));
    }
}

#[test]
fn a_branch_called_head_stops_every_change() {
    for gt in [Gt::Fake, Gt::Real] {
        let world = world(gt);
        world.sh("git update-ref refs/heads/HEAD a");
        drop(soon(&world, &["run"], INSPECT).expect("answered", ""));
        let before = Treasure::of(&world);
        drop(soon(&world, &["run"], CREATE).expect("refused", "ambiguous_ref"));
        before.assert_untouched(&world);
    }
}

#[test]
fn a_tag_with_the_name_of_the_trunk_hides_what_stands_on_it() {
    for gt in [Gt::Fake, Gt::Real] {
        let world = world(gt);
        world.sh("git tag main a");
        // As gt does: what it has seen before stays valid, what stands on the trunk does not.
        let answer = soon(&world, &["run"], INSPECT).expect("answered", "");
        let state: serde_json::Value = serde_json::from_str(answer.text()).expect("Graphite's own shape");
        assert_eq!(state.as_object().expect("an object").keys().collect::<Vec<_>>(), ["b", "c", "main"]);
        drop(creates(&world));
        world.sh("git switch -q a; echo more > more; git add more");
        drop(soon(&world, &["run"], &CREATE.replace("new", "other")).expect("refused", "not_tracked"));
    }
}

#[test]
fn a_tag_with_the_name_of_the_current_branch_is_named() {
    for gt in [Gt::Fake, Gt::Real] {
        let world = world(gt);
        world.sh("git tag c a");
        drop(refuses(&world, "refused", "ambiguous_ref"));
    }
}

#[test]
fn two_trunks_are_told_apart() {
    for gt in [Gt::Fake, Gt::Real] {
        let world = world(gt);
        world.sh("git branch dev main; printf '%s' '{\"trunk\":\"main\",\"trunks\":[{\"name\":\"main\"},{\"name\":\"dev\"}]}' > .git/.graphite_repo_config");
        let answer = soon(&world, &["run"], INSPECT).expect("answered", "");
        let state: serde_json::Value = serde_json::from_str(answer.text()).expect("Graphite's own shape");
        assert_eq!((&state["main"]["trunk"], &state["dev"]["trunk"]), (&true.into(), &true.into()));
        drop(creates(&world));
        world.sh("git switch -q dev; git add -A; echo more > more; git add more");
        drop(soon(&world, &["run"], &CREATE.replace("new", "on-dev")).done());
        let answer = soon(&world, &["run"], r#"{"operation": "inspect", "target": "trunk"}"#).expect("answered", "");
        assert_eq!(answer.text(), "dev");
    }
}

#[test]
fn a_trunk_that_is_gone_is_named() {
    let world = world(Gt::Fake);
    world.sh("git update-ref -d refs/heads/main");
    drop(refuses(&world, "unavailable", "not_graphite"));
}

#[test]
fn a_trunk_with_a_hostile_name_is_refused() {
    for name in ["--help", "@{-1}", "HEAD", "a b", "", "../x"] {
        let world = world(Gt::Fake);
        world.sh(&format!("printf '%s' '{{\"trunk\":\"{name}\"}}' > .git/.graphite_repo_config"));
        drop(refuses(&world, "unavailable", "state_unreadable"));
    }
}

#[test]
fn broken_refs_are_refused_or_passed_over() {
    for damage in [
        "printf nonsense > .git/refs/heads/broken",
        ": > .git/refs/heads/broken",
        "printf 'ref: refs/heads/broken' > .git/refs/heads/broken",
        "printf 'ref: refs/heads/nowhere' > .git/refs/heads/broken",
        "echo 1234567890123456789012345678901234567890 > .git/refs/heads/broken",
        "printf 'nonsense line\n' >> .git/packed-refs",
        "git symbolic-ref refs/heads/alias refs/heads/a",
        "touch .git/refs/heads/a.lock",
    ] {
        let world = world(Gt::Fake);
        world.sh(damage);
        drop(creates_or_stops(&world));
    }
}
