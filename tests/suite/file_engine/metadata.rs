//! What a file has beside its bytes survives an edit, or the edit is refused.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;
use std::process::Command;

use rustix::fs::{IFlags, XattrFlags, ioctl_getflags, ioctl_setflags};

use super::tools::{Ended, allowed, call_at, edit, patch, tree, update, write};
use crate::support::{Answer, Base, Gt, World};

/// `user::rw-, user:12345:r--, group::r--, mask::r--, other::---` as the kernel keeps it.
const ACL: &[(u16, u16, u32)] =
    &[(0x01, 6, u32::MAX), (0x02, 4, 12345), (0x04, 4, u32::MAX), (0x10, 4, u32::MAX), (0x20, 0, u32::MAX)];

fn acl() -> Vec<u8> {
    let mut bytes = 2_u32.to_le_bytes().to_vec();
    for (tag, permission, id) in ACL {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(permission.to_le_bytes());
        bytes.extend(id.to_le_bytes());
    }
    bytes
}

fn attribute(path: &Path, name: &str) -> Vec<u8> {
    let mut value = vec![0; 4096];
    let length = rustix::fs::getxattr(path, name, &mut value[..]).unwrap_or_else(|error| panic!("{name}: {error}"));
    value.truncate(length);
    value
}

fn set_attribute(path: &Path, name: &str, value: &[u8]) {
    rustix::fs::setxattr(path, name, value, XattrFlags::empty()).unwrap_or_else(|error| panic!("{name}: {error}"));
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
}

/// Runs a request as somebody who is not root, and to whom the workspace belongs but for what a shell command changes.
fn as_somebody(world: &World, but: &str, request: &serde_json::Value) -> Answer {
    if !is_root() {
        return allowed(world, request);
    }
    world.sh(&format!("chown -R 65534:65534 . ../home; {but}; chmod 755 .."));
    let binary = env!("CARGO_BIN_EXE_pi-graphite");
    let somebody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", binary];
    through(world, &somebody, &request.to_string())
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[test]
fn every_mode_survives_an_edit_a_write_and_a_patch() {
    let world = World::new(Gt::Fake, Base::Plain);
    let path = world.root().join("f");
    for wanted in [0o600, 0o644, 0o755, 0o4755, 0o2755, 0o1644, 0o7777, 0o666, 0o400] {
        for request in [edit("f", "old", "new"), write("f", "new\n"), patch(&update("f", "old", "new"))] {
            let _ = fs::remove_file(&path);
            world.write("f", "old\n");
            set_mode(&path, wanted);
            let _ = allowed(&world, &request).done();
            assert_eq!((world.read("f").as_str(), mode(&path)), ("new\n", wanted), "{wanted:o} {request}");
        }
    }
}

#[test]
fn extended_attributes_and_access_lists_survive_an_edit_and_a_move() {
    let world = World::new(Gt::Fake, Base::Plain);
    world.write("f", "old\n");
    let path = world.root().join("f");
    set_attribute(&path, "user.note", b"kept");
    set_attribute(&path, "user.empty", b"");
    set_attribute(&path, "system.posix_acl_access", &acl());
    let before = (mode(&path), attribute(&path, "system.posix_acl_access"));
    let _ = allowed(&world, &edit("f", "old", "new")).done();
    let _ = allowed(&world, &patch("*** Move File: f -> sub/moved\n")).done();
    let path = world.root().join("sub/moved");
    assert_eq!(fs::read_to_string(&path).expect("it is there"), "new\n");
    assert_eq!((mode(&path), attribute(&path, "system.posix_acl_access")), before);
    assert_eq!((attribute(&path, "user.note"), attribute(&path, "user.empty")), (b"kept".to_vec(), Vec::new()));
}

#[test]
fn a_new_file_gets_what_the_umask_and_the_folder_give() {
    let world = World::new(Gt::Fake, Base::Plain);
    fs::create_dir(world.root().join("shared")).expect("a folder");
    for (umask, file, folder) in
        [("022", 0o644, 0o755), ("077", 0o600, 0o700), ("002", 0o664, 0o775), ("000", 0o666, 0o777)]
    {
        let script = format!("umask {umask}; exec \"$@\"");
        let binary = env!("CARGO_BIN_EXE_pi-graphite");
        let name = format!("new-{umask}/f");
        let answer = through(&world, &["sh", "-c", &script, "sh", binary], &write(&name, "x\n").to_string());
        let _ = answer.done();
        let path = world.root().join(name);
        assert_eq!((mode(&path), mode(path.parent().expect("a folder"))), (file, folder), "{umask}");
    }
    let shared = world.root().join("shared");
    let group = if is_root() { 12345 } else { fs::metadata(&shared).expect("it").gid() };
    chown(&shared, None, Some(group)).expect("a group");
    set_mode(&shared, 0o2775);
    let _ = allowed(&world, &write("shared/sub/f", "x\n")).done();
    assert_eq!(fs::metadata(shared.join("sub/f")).expect("it is there").gid(), group);
    assert_eq!(mode(&shared.join("sub")) & 0o2000, 0o2000, "the new folder hands the group on");
}

/// Runs `run --allow-write` through another program.
fn through(world: &World, words: &[&str], request: &str) -> Answer {
    let mut command: Command = world.command(words[0]);
    command.args(&words[1..]).args(["run", "--allow-write"]);
    command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    drop(child.stdin.take().expect("it is piped").write_all(request.as_bytes()));
    Ended::after(child).reported()
}

#[test]
fn an_owner_that_can_be_kept_is_kept() {
    let world = World::new(Gt::Fake, Base::Plain);
    world.write("f", "old\n");
    let path = world.root().join("f");
    if is_root() {
        chown(&path, Some(12345), Some(54321)).expect("given away");
        set_mode(&path, 0o4711);
    }
    let before = fs::metadata(&path).expect("it is there");
    let _ = allowed(&world, &edit("f", "old", "new")).done();
    let after = fs::metadata(&path).expect("it is there");
    assert_eq!((after.uid(), after.gid(), after.mode()), (before.uid(), before.gid(), before.mode()));
}

#[test]
fn an_owner_that_cannot_be_kept_is_a_refusal_with_nothing_changed() {
    let world = World::new(Gt::Fake, Base::Plain);
    world.write("f", "old\n");
    world.write("mine", "old\n");
    let path = world.root().join("f");
    let given = crate::support::give_away(&path);
    set_mode(&path, 0o666);
    let request =
        patch(&format!("{}{}*** Add File: sub/new\nx\n", update("mine", "old", "new"), update("f", "old", "new")));
    let before = tree(&world.root());
    for request in [edit("f", "old", "new"), request] {
        // The folders are theirs, the file is not.
        let answer = as_somebody(&world, "chown 12345:12345 f", &request);
        let answer = answer.expect("refused", "metadata");
        assert_eq!(answer.report["fault"]["effect"].as_str(), Some("none"));
        assert!(tree(&world.root()) == before, "{:?}", tree(&world.root()).keys());
        assert!(super::tools::journals(&world).is_empty());
    }
    if is_root() {
        world.sh("chown -R 0:0 . ../home");
    }
    drop(given);
}

#[test]
fn a_hard_link_is_refused_and_both_names_stay() {
    let world = World::new(Gt::Fake, Base::Plain);
    world.write("f", "old\n");
    fs::hard_link(world.root().join("f"), world.path("outside/other")).expect("a link");
    let before = tree(&world.root());
    for request in
        [edit("f", "old", "new"), write("f", "new\n"), patch("*** Delete File: f\n"), patch("*** Move File: f -> g\n")]
    {
        let _ = allowed(&world, &request).expect("refused", "hard_link");
    }
    assert!(tree(&world.root()) == before);
    assert_eq!(fs::read_to_string(world.path("outside/other")).expect("it is there"), "old\n");
}

#[test]
fn a_file_that_grows_over_the_limit_of_the_disk_is_a_failure_with_nothing_changed() {
    let world = World::new(Gt::Fake, Base::Plain);
    world.write("f", "old\n");
    let before = tree(&world.root());
    let binary = env!("CARGO_BIN_EXE_pi-graphite");
    let large = "x".repeat(200_000);
    // 64 blocks of 512 bytes; the signal that comes with it is ignored, so that the write fails.
    let script = "trap '' XFSZ; ulimit -f 64; exec \"$@\"";
    let with_folder = patch(&format!("{}*** Add File: new/deep/large\n{large}\n", update("f", "old", "new")));
    for request in [write("f", &large), write("new/large", &large), with_folder] {
        let answer = through(&world, &["sh", "-c", script, "sh", binary], &request.to_string());
        let answer = answer.expect("failed", "write_failed");
        assert_eq!(answer.report["fault"]["effect"].as_str(), Some("none"));
        assert!(tree(&world.root()) == before, "{:?}", tree(&world.root()).keys());
        assert!(super::tools::journals(&world).is_empty());
    }
}

#[test]
fn a_full_disk_is_told_and_nothing_has_changed() {
    let world = World::new(Gt::Fake, Base::Plain);
    let disk = world.path("disk");
    fs::create_dir(&disk).expect("a folder");
    let binary = env!("CARGO_BIN_EXE_pi-graphite");
    // In a mount namespace of its own, so that nothing stays mounted.
    let script = "set -e; mount -t tmpfs -o size=64k none \"$0\"; echo old > \"$0/f\"; cd \"$0\"; \"$@\" --workspace \"$0\" > \"$0.json\" || true; ls -A > \"$0.names\"; cat f >> \"$0.names\"";
    let large = write("new/large", &"x".repeat(200_000)).to_string();
    let mut words = vec!["unshare", "--mount"];
    if !is_root() {
        words = vec!["unshare", "--user", "--map-root-user", "--mount"];
    }
    let disk_text = disk.display().to_string();
    words.extend(["sh", "-c", script, &disk_text, binary]);
    let mut child = world
        .command(words[0])
        .args(&words[1..])
        .args(["run", "--allow-write"])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(child.stdin.take().expect("it is piped").write_all(large.as_bytes()));
    assert!(child.wait().expect("it ends").success(), "a mount needs root, or user namespaces");
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(world.path("disk.json")).expect("a report")).expect("JSON");
    assert_eq!(
        (report["status"].as_str(), report["fault"]["code"].as_str()),
        (Some("failed"), Some("write_failed")),
        "{report:#}"
    );
    assert!(report["text"].as_str().is_some_and(|text| text.contains("the disk is full")), "{report:#}");
    assert_eq!(fs::read_to_string(world.path("disk.names")).expect("names"), "f\nold\n");
}

#[test]
fn a_folder_that_cannot_be_written_is_a_failure_with_nothing_changed() {
    let world = World::new(Gt::Fake, Base::Plain);
    world.write("closed/f", "old\n");
    world.write("open", "old\n");
    let closed = world.root().join("closed");
    set_mode(&closed, 0o555);
    let before = tree(&world.root());
    let both = patch(&format!("{}{}", update("open", "old", "new"), update("closed/f", "old", "new")));
    for request in [edit("closed/f", "old", "new"), write("closed/new", "x\n"), write("closed/deep/new", "x\n"), both] {
        let answer = as_somebody(&world, "true", &request);
        let answer = answer.expect("failed", "write_failed");
        assert_eq!(answer.report["fault"]["effect"].as_str(), Some("none"));
        assert!(tree(&world.root()) == before);
        assert!(super::tools::journals(&world).is_empty());
    }
    set_mode(&closed, 0o755);
}

/// Takes the flag away again, so that the folder can be removed.
struct AppendOnly(fs::File, IFlags);

impl AppendOnly {
    /// Nothing where this user or file system cannot have it.
    fn set(folder: &Path) -> Option<Self> {
        let file = fs::File::open(folder).expect("it is there");
        let before = ioctl_getflags(&file).ok()?;
        ioctl_setflags(&file, before | IFlags::APPEND).ok()?;
        Some(Self(file, before))
    }
}

impl Drop for AppendOnly {
    fn drop(&mut self) {
        ioctl_setflags(&self.0, self.1).expect("what was set can be taken away");
    }
}

#[test]
fn nothing_is_left_in_a_folder_that_can_only_be_added_to() {
    let world = World::new(Gt::Fake, Base::Plain);
    fs::create_dir(world.root().join("log")).expect("a folder");
    world.write("log/f", "old\n");
    let Some(flag) = AppendOnly::set(&world.root().join("log")) else { return };
    let before = tree(&world.root());
    for request in [edit("log/f", "old", "new"), write("log/g", "new\n"), patch(&update("log/f", "old", "new"))] {
        let refused = allowed(&world, &request).expect("failed", "write_failed");
        assert!(refused.text().contains("can only be added to"), "{:#}", refused.report);
        assert_eq!(tree(&world.root()), before);
    }
    drop(flag);
    let _ = allowed(&world, &edit("log/f", "old", "new")).done();
}

#[test]
fn what_cannot_be_removed_holds_nobody_up() {
    let world = World::new(Gt::Fake, Base::Plain);
    fs::create_dir(world.root().join("log")).expect("a folder");
    world.write("log/f", "old\n");
    let is_left = || tree(&world.root()).keys().any(|name| name.starts_with("log/.pi-graphite-"));
    let left = (1..30).any(|step| {
        let _killed = call_at(&world, &edit("log/f", "old", "new"), &format!("kill:{step}"));
        is_left()
    });
    assert!(left, "no step leaves a file");
    let Some(flag) = AppendOnly::set(&world.root().join("log")) else { return };
    for _ in 0..2 {
        let answer = allowed(&world, &write("g", "new\n")).done();
        assert!(answer.report["warnings"].to_string().contains("temporary file"), "{:#}", answer.report);
    }
    drop(flag);
    let answer = allowed(&world, &write("h", "new\n")).done();
    assert!(super::tools::journals(&world).is_empty(), "{:#}", answer.report);
}
