//! Builds a case's world in a fixed order: files, history, stack, index, worktree; hooks and configuration last, so
//! that nothing hostile runs while it is built.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use super::case::{Case, Files, Setup, Untracked};
use crate::support::{Base, Gt, World};

/// A user who may do nothing special.
const NOBODY: &str = "65534";

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
pub(super) fn build(world: &World, Case { area, setup, .. }: &Case) {
    let root = world.root();
    write_all(&world.path("outside"), &setup.outside);
    if let Some(sibling) = &setup.outside_sibling {
        write_all(&world.path(&format!("repo{}", sibling.suffix)), &sibling.files);
    }
    for folder in &setup.folders {
        fs::create_dir_all(root.join(folder)).expect("a folder");
    }
    write_all(&root, &setup.files);
    for file in &setup.generate {
        match file.text() {
            Some(text) => fs::write(root.join(&file.path), text).expect("written"),
            None => fs::File::create(root.join(&file.path)).and_then(|made| made.set_len(file.bytes)).expect("made"),
        }
    }
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
    // Operations on files do not ask what is committed.
    let has_history = setup.git && !area.is_of_files();
    if has_history {
        history(world, setup);
    }
    special(world, setup);
    if let Untracked::Files(files) = &setup.untracked {
        write_all(&root, files);
    }
    if has_history {
        changes(world, setup);
    }
    if setup.run_as.is_some() && is_root(world) {
        crate::support::copy(Path::new(env!("CARGO_BIN_EXE_pi-graphite")), &world.path("bin/pi-graphite"));
        let given = Command::new("chown").args(["-hR", &format!("{NOBODY}:{NOBODY}")]).arg(world.path("")).status();
        assert!(given.is_ok_and(|status| status.success()), "the world was given away");
    }
}

/// What is no regular file. Only root makes devices; for everybody else a fifo stands in, which the same rule refuses.
fn special(world: &World, setup: &Setup) {
    for name in &setup.fifos {
        run(world, &["mkfifo", name]);
    }
    for name in &setup.sockets {
        drop(UnixListener::bind(world.root().join(name)).expect("a socket"));
    }
    for name in &setup.devices {
        if is_root(world) {
            run(world, &["mknod", name, "c", "1", "3"]);
        } else {
            run(world, &["mkfifo", name]);
        }
    }
}

fn is_root(world: &World) -> bool {
    fs::metadata(world.path("bin")).expect("it is there").uid() == 0
}

/// The words with which the binary is started: as nobody where the setup wants that, and under its umask.
pub(super) fn binary(world: &World, setup: &Setup) -> Vec<String> {
    let path = env!("CARGO_BIN_EXE_pi-graphite").to_owned();
    let (mut words, mut binary) = (Vec::new(), path);
    if setup.run_as.is_some() && world.path("bin/pi-graphite").exists() {
        let nobody = ["setpriv", &format!("--reuid={NOBODY}"), &format!("--regid={NOBODY}"), "--clear-groups"];
        words.extend(nobody.map(str::to_owned));
        binary = world.path("bin/pi-graphite").display().to_string();
    }
    if let Some(umask) = &setup.umask {
        words.extend(["sh".to_owned(), "-c".to_owned(), format!("umask {umask}; exec \"$@\""), "sh".to_owned()]);
    }
    words.push(binary);
    words
}

/// Makes folders writable again, so that the world can be removed.
pub(super) fn open(world: &World, setup: &Setup) {
    for folder in setup.modes.keys().map(|name| world.root().join(name)).filter(|path| path.is_dir()) {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).expect("a mode");
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
