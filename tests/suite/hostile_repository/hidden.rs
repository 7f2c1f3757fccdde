//! What a repository can hide from a reader, or convert behind its back: sparse folders, flags, nested repositories,
//! line endings, filters.

use super::{CREATE, busy, creates, soon, world};
use crate::support::{Base, Gt, Treasure, World};

/// Creating is done on both gts after a setup, and what the script prints is the same before and after.
fn survives(setup: &str, shown: &str) {
    for gt in [Gt::Fake, Gt::Real] {
        let world = world(gt);
        world.sh(setup);
        let before = world.sh(shown);
        drop(creates(&world));
        assert_eq!(world.sh(shown), before, "{gt:?}");
    }
}

/// The files that the first look lists as untracked.
fn untracked(world: &World) -> Vec<String> {
    let answer = soon(world, &["plan"], CREATE).expect("answered", "");
    let listed = answer.report["before"]["untracked"].as_array().cloned().unwrap_or_default();
    listed.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

#[test]
fn a_sparse_index_is_kept() {
    survives(
        "mkdir in out; echo i > in/i; echo o > out/o; git add in out; git commit -qm folders --only in out; git sparse-checkout set --cone --sparse-index in",
        "git ls-files --sparse -s | grep -v staged; git config core.sparseCheckout; ls",
    );
}

#[test]
fn files_in_folders_outside_the_sparse_checkout_are_seen_and_kept() {
    let setup = "mkdir in out; echo i > in/i; echo o > out/o; git add in out; git commit -qm folders --only in out; git sparse-checkout set --cone in; mkdir out; echo mine > out/mine";
    survives(setup, "cat out/mine");
    let world = world(Gt::Fake);
    world.sh(setup);
    assert!(untracked(&world).contains(&"out/mine".to_owned()));
}

#[test]
fn changes_that_flags_hide_are_seen_and_kept() {
    let setup = "git update-index --assume-unchanged a.txt; git update-index --skip-worktree b.txt; echo hidden > a.txt; echo hidden > b.txt";
    survives(setup, "cat a.txt b.txt; git ls-files -v a.txt b.txt");
    let world = world(Gt::Fake);
    world.sh(setup);
    let answer = soon(&world, &["plan"], CREATE).expect("answered", "");
    assert_eq!(answer.report["before"]["unstaged_diff"]["files"], 3, "{:#}", answer.report["before"]);
}

#[test]
fn untracked_files_that_the_configuration_hides_are_seen_and_kept() {
    survives("git config status.showUntrackedFiles no", "cat untracked.txt");
    let world = world(Gt::Fake);
    world.sh("git config status.showUntrackedFiles no");
    assert_eq!(untracked(&world), ["untracked.txt"]);
}

#[test]
fn a_hidden_change_that_gt_makes_is_not_believed() {
    let world = world(Gt::Fake);
    world.sh("git config status.showUntrackedFiles no; git update-index --assume-unchanged a.txt");
    for path in ["a.txt", "untracked.txt"] {
        world.lie(&format!(r#"[{{"do": "write", "on": "create", "path": "{path}", "content": "lost"}}]"#));
        let request = CREATE.replace("new", &format!("new-{}", path.len()));
        world.sh("git diff --cached --quiet && { date +%N > more; git add more; } || true");
        drop(soon(&world, &["run"], &request).expect("uncertain", "unexpected"));
    }
}

#[test]
fn a_nested_repository_is_kept() {
    survives(
        "git init -qb main nested; cd nested; commit x; echo dirt > dirt; echo staged > s; git add s",
        "cd nested; cat x dirt s; git status --porcelain; git rev-parse HEAD",
    );
}

#[test]
fn a_submodule_with_dirt_is_kept() {
    survives(
        "git init -qb main ../inner; (cd ../inner; commit x)
git -c protocol.file.allow=always submodule --quiet add ../inner sub; git commit -qm sub --only sub .gitmodules; cd sub; echo dirt > dirt; echo staged > s; git add s; echo changed > x",
        "cd sub; cat x dirt s; git status --porcelain; git rev-parse HEAD",
    );
}

#[test]
fn line_endings_and_idents_do_not_count_as_changes() {
    for gt in [Gt::Fake, Gt::Real] {
        let world = World::new(gt, Base::Stack);
        world.sh(
            r"git config core.autocrlf true; printf '*.id ident\n*.u eol=crlf\n' > .gitattributes; printf 'one\r\ntwo\r\n' > w.txt; printf '$Id$\n' > x.id; printf 'u\r\n' > y.u
git add -A 2> /dev/null; git commit -qm endings; rm w.txt x.id y.u; git checkout -q -- .; touch w.txt x.id y.u; echo new > n.txt; git add n.txt 2> /dev/null",
        );
        let answer = soon(&world, &["plan"], CREATE).expect("answered", "");
        assert_eq!(answer.report["before"]["unstaged_diff"]["files"], 0, "{:#}", answer.report["before"]);
        drop(creates(&world));
    }
}

#[test]
fn a_filter_like_lfs_loses_nothing() {
    for gt in [Gt::Fake, Gt::Real] {
        let world = World::new(gt, Base::Stack);
        world.sh(
            r#"git config filter.big.clean "sh -c 'cat > /dev/null; echo pointer'"; git config filter.big.smudge "sh -c 'cat > /dev/null; echo content of many bytes'"; git config filter.big.required true
echo '*.bin filter=big' > .gitattributes; echo 'content of many bytes' > x.bin; git add -A; git commit -qm big; test "$(git show :x.bin)" = pointer"#,
        );
        busy(&world);
        drop(creates(&world));
        assert_eq!(world.read("x.bin"), "content of many bytes\n");
        assert_eq!(world.sh("git show new:x.bin; git status --porcelain x.bin"), "pointer");
        // Touched but unchanged: we do not run the filter, so it counts as changed, and it is kept.
        world.sh("touch x.bin; echo more > more; git add more");
        let before = Treasure::of(&world);
        drop(soon(&world, &["run"], &CREATE.replace("new", "newer")).done());
        before.assert_kept(&world);
    }
}

#[test]
fn a_filter_that_fails_loses_nothing() {
    for gt in [Gt::Fake, Gt::Real] {
        let world = world(gt);
        world.sh("echo '*.txt filter=broken' > .git/info/attributes; git config filter.broken.clean false; git config filter.broken.smudge false; git config filter.broken.required true");
        let before = Treasure::of(&world);
        let answer = soon(&world, &["run"], CREATE);
        assert!(["done", "failed", "refused"].contains(&answer.status()), "{:#}", answer.report);
        before.assert_kept(&world);
    }
}

#[test]
fn files_that_differ_in_case_or_form_only_are_told_apart() {
    survives(
        "echo upper > README; echo lower > readme; printf x > \"$(printf 'e\\314\\201')\"; printf y > \"$(printf '\\303\\251')\"; git add README",
        "ls; cat README readme",
    );
}

#[test]
fn an_untracked_file_whose_name_is_no_text_is_kept() {
    survives(r#"printf x > "$(printf 'bad\377name')"; printf y > "$(printf 'line\nbreak')""#, "cat bad* line*");
}

#[test]
fn a_link_that_leads_outside_is_not_followed() {
    let setup = "mkdir ../outside/secret; echo secret > ../outside/secret/file; ln -s ../outside/secret linked; ln -s /etc/passwd word; ln -s . loop";
    survives(setup, "readlink linked word loop; cat ../outside/secret/file");
    let world = world(Gt::Fake);
    world.sh(setup);
    assert_eq!(untracked(&world), ["linked", "loop", "untracked.txt", "word"]);
}
