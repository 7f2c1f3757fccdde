//! Builds a case's world in a fixed order: files, history, stack, index, worktree; hooks and configuration last, so
//! that nothing hostile runs while it is built.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::case::{Files, Setup, Untracked};
use crate::support::{Base, Gt, World};

/// The world whose repository is nearest to what the setup asks for.
pub(super) fn base(setup: &Setup, gt: Gt) -> World {
    World::new(
        gt,
        if setup.gt {
            Base::Init
        } else if setup.git {
            Base::Plain
        } else {
            Base::Empty
        },
    )
}

/// Builds the rest.
pub(super) fn build(world: &World, setup: &Setup) {
    let root = world.root();
    write_all(&world.path("outside"), &setup.outside);
    write_all(&root, &setup.files);
    for (name, target) in &setup.symlinks {
        symlink(target, root.join(name)).expect("a link");
    }
    for (name, target) in &setup.hardlinks {
        fs::hard_link(root.join(target), root.join(name)).expect("a hard link");
    }
    for (name, mode) in &setup.modes {
        let mode = u32::from_str_radix(mode, 8).expect("an octal mode");
        fs::set_permissions(root.join(name), fs::Permissions::from_mode(mode)).expect("a mode");
    }
    if setup.git {
        history(world, setup);
    }
    for name in &setup.fifos {
        run(world, &["mkfifo", name]);
    }
    if let Untracked::Files(files) = &setup.untracked {
        write_all(&root, files);
    }
    if setup.git {
        changes(world, setup);
    }
}

fn history(world: &World, setup: &Setup) {
    if !setup.files.contains_key("base.txt") {
        run(world, &["git", "rm", "-qf", "base.txt"]);
    }
    run(world, &["git", "add", "-A"]);
    if let Untracked::Names(names) = &setup.untracked {
        for name in names {
            run(world, &["git", "rm", "-q", "--cached", "--", name]);
        }
    }
    run(world, &["git", "commit", "-q", "--allow-empty", "-m", "files"]);
    setup.git_steps.iter().chain(&setup.gt_steps).for_each(|step| run(world, step));
    for layer in &setup.stack {
        write_all(&world.root(), &layer.files);
        stage(world, &layer.files);
        let message = format!("--message={}", layer.name);
        run(world, &["gt", "create", &layer.name, &message, "--no-interactive"]);
    }
    if let Some(branch) = &setup.checkout {
        run(world, &["git", "switch", "-q", branch]);
    }
    for (folder, branch) in &setup.worktrees {
        run(world, &["git", "worktree", "add", "-q", folder, branch]);
    }
}

fn changes(world: &World, setup: &Setup) {
    let root = world.root();
    write_all(&root, &setup.stage);
    stage(world, &setup.stage);
    write_all(&root, &setup.dirty);
    for (name, text) in &setup.hooks {
        World::script(&root.join(".git/hooks").join(name), text);
    }
    for (key, value) in &setup.git_config {
        run(world, &["git", "config", key, value]);
    }
}

fn stage(world: &World, files: &Files) {
    for name in files.keys() {
        run(world, &["git", "add", "-A", "--", name]);
    }
}

fn write_all(folder: &Path, files: &Files) {
    for (name, content) in files {
        let path = folder.join(name);
        match content {
            Some(content) => {
                fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
                fs::write(path, content.bytes()).expect("written");
            }
            None => fs::remove_file(path).expect("removed"),
        }
    }
}

fn run<S: AsRef<str>>(world: &World, words: &[S]) {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    let output = world.command(words[0]).args(&words[1..]).output().expect("it runs");
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
}
