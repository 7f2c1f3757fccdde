//! Variables and the person's files.

use super::{CREATE, INSPECT, run_with, send, world};
use crate::support::{Gt, Treasure, World};

/// Puts a wrapper in the place of gt that writes its environment down first.
fn dump_environment(world: &World) {
    let (bin, dump) = (world.path("bin"), world.path("outside/env"));
    std::fs::rename(bin.join("gt"), bin.join("gt-behind")).expect("renamed");
    let (behind, dump) = (bin.join("gt-behind").display().to_string(), dump.display().to_string());
    World::script(&bin.join("gt"), &format!("#!/bin/sh\nenv > {dump}\nexec {behind} \"$@\"\n"));
}

const HOSTILE: &[(&str, &str)] = &[
    ("GIT_DIR", "$OTHER/.git"),
    ("GIT_WORK_TREE", "$OTHER"),
    ("GIT_COMMON_DIR", "$OTHER/.git"),
    ("GIT_INDEX_FILE", "$OTHER/.git/index"),
    ("GIT_OBJECT_DIRECTORY", "$OTHER/.git/objects"),
    ("GIT_ALTERNATE_OBJECT_DIRECTORIES", "$OTHER/.git/objects"),
    ("GIT_NAMESPACE", "other"),
    ("GIT_CEILING_DIRECTORIES", "/"),
    ("GIT_CONFIG_COUNT", "9"),
    ("GIT_CONFIG_KEY_0", "core.hooksPath"),
    ("GIT_CONFIG_VALUE_0", "$OTHER/hooks"),
    ("GIT_CONFIG_KEY_2", "core.hooksPath"),
    ("GIT_CONFIG_VALUE_2", "$OTHER/hooks"),
    ("GIT_CONFIG_PARAMETERS", "'core.hooksPath'='$OTHER/hooks'"),
    ("GIT_CONFIG_GLOBAL", "$OTHER/config"),
    ("GIT_CONFIG_SYSTEM", "$OTHER/config"),
    ("GIT_CONFIG", "$OTHER/config"),
    ("GIT_TEMPLATE_DIR", "$OTHER"),
    ("GIT_EXEC_PATH", "$OTHER"),
    ("GIT_EXTERNAL_DIFF", "$OTHER/trap"),
    ("GIT_SSH_COMMAND", "$OTHER/trap"),
    ("GIT_ASKPASS", "$OTHER/trap"),
    ("GIT_EDITOR", "$OTHER/trap"),
    ("GIT_SEQUENCE_EDITOR", "$OTHER/trap"),
    ("GIT_PAGER", "$OTHER/trap"),
    ("GIT_TRACE", "$OTHER/trace"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GT_EDITOR", "$OTHER/trap"),
    ("GT_PAGER", "$OTHER/trap"),
    ("GT_TRACE2_EVENT", "$OTHER/trace"),
    ("GRAPHITE_PROFILE", "other"),
    ("GRAPHITE_INTERACTIVE", "1"),
    ("GRAPHITE_AUTH_TOKEN", "secret"),
    ("EDITOR", "$OTHER/trap"),
    ("VISUAL", "$OTHER/trap"),
    ("PAGER", "$OTHER/trap"),
    ("FORCE_COLOR", "1"),
    ("CLICOLOR_FORCE", "1"),
    ("NODE_OPTIONS", "--require=$OTHER/trap.js"),
    ("NODE_PATH", "$OTHER"),
    ("BASH_ENV", "$OTHER/trap"),
    ("ENV", "$OTHER/trap"),
    ("LD_LIBRARY_PATH", "$OTHER"),
    ("LD_AUDIT", "$OTHER/none.so"),
    ("SECRET_TOKEN", "secret"),
];

fn hostile(world: &World) -> Vec<(&'static str, String)> {
    let other = world.path("other").display().to_string();
    HOSTILE.iter().map(|(name, value)| (*name, value.replace("$OTHER", &other))).collect()
}

fn other_repository(world: &World) {
    world.sh("git init -qb main ../other; cd ../other; commit theirs; mkdir hooks; printf '[core]\\n\\thooksPath = %s/hooks\\n' \"$PWD\" > config");
    World::script(&world.path("other/trap"), "#!/bin/sh\ntouch \"$(dirname \"$0\")/../outside/mark\"\n");
    World::script(&world.path("other/hooks/pre-commit"), "#!/bin/sh\ntouch \"$(dirname \"$0\")/../../outside/mark\"\n");
}

#[test]
fn variables_that_redirect_do_not_redirect_us() {
    for gt in [Gt::Fake, Gt::Real] {
        let world = world(gt);
        other_repository(&world);
        let (before, theirs) =
            (Treasure::of(&world), world.sh("cd ../other; git for-each-ref; git status --porcelain; ls"));
        let vars = hostile(&world);
        let vars: Vec<(&str, &str)> = vars.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let answer = run_with(&world, &vars, INSPECT).expect("answered", "");
        assert_eq!(answer.report["repository"]["root"], world.root().display().to_string());
        drop(run_with(&world, &vars, CREATE).done());
        before.assert_kept(&world);
        world.write("a.txt", "changed\n");
        drop(run_with(&world, &vars, r#"{"operation": "stage", "paths": ["a.txt"]}"#).done());
        assert_eq!(world.sh("git diff --cached --name-only"), "a.txt");
        assert_eq!(world.sh("cd ../other; git for-each-ref; git status --porcelain; ls"), theirs);
        assert_eq!(world.sh("ls ../outside"), "", "{gt:?}");
    }
}

#[test]
fn gt_gets_a_built_environment() {
    let world = world(Gt::Fake);
    dump_environment(&world);
    other_repository(&world);
    let mut vars = hostile(&world);
    vars.extend([
        ("XDG_DATA_HOME", "/x".to_owned()),
        ("SSH_AUTH_SOCK", "/sock".to_owned()),
        ("GPG_TTY", "/tty".to_owned()),
    ]);
    let vars: Vec<(&str, &str)> = vars.iter().map(|(name, value)| (*name, value.as_str())).collect();
    drop(run_with(&world, &vars, CREATE).done());
    let env = world.sh("cat ../outside/env");
    for (name, value) in HOSTILE {
        let value = value.replace("$OTHER", &world.path("other").display().to_string());
        assert!(!env.lines().any(|line| line == format!("{name}={value}")), "{name} reaches gt");
    }
    assert!(!env.contains("secret") && !env.contains("/other"), "{env}");
    for kept in [
        "XDG_DATA_HOME=/x",
        "SSH_AUTH_SOCK=/sock",
        "GPG_TTY=/tty",
        "GIT_AUTHOR_NAME=Ada",
        "GIT_EDITOR=false",
        "GIT_TERMINAL_PROMPT=0",
        "GRAPHITE_DISABLE_UPGRADE_PROMPT=1",
        "GIT_CONFIG_KEY_0=core.fsmonitor",
    ] {
        assert!(env.lines().any(|line| line == kept), "{kept} does not reach gt: {env}");
    }
    assert!(!env.lines().any(|line| line.starts_with("PI_GRAPHITE")), "{env}");
}

#[test]
fn an_alias_over_one_of_our_words_is_refused_naming_the_line() {
    for line in [
        "create create --all",
        "delete delete --upstack",
        "modify ss",
        "  restack   log",
        "log\tcreate x",
        "state ls",
        "continue continue --all",
        "abort undo",
        "rename x",
    ] {
        let world = world(Gt::Fake);
        world.sh(&format!("mkdir -p ~/.config/graphite; printf '# mine\\nss submit --stack\\n%s\\n' '{line}' > ~/.config/graphite/aliases"));
        let before = Treasure::of(&world);
        let answer = world.run(CREATE).expect("refused", "alias");
        assert_eq!(answer.report["fault"]["details"]["line"], 3, "{line}");
        assert!(answer.text().contains(line.trim()), "{}", answer.text());
        before.assert_untouched(&world);
        assert_eq!(world.gt_calls().iter().filter(|call| call.contains("new")).count(), 0);
    }
}

#[test]
fn an_alias_over_other_words_is_fine() {
    let world = world(Gt::Fake);
    world.sh("mkdir -p ~/.config/graphite; printf 'ss submit --stack\\ncr create\\n\\n# create is not an alias here\\ncreates create --all\\n' > ~/.config/graphite/aliases");
    drop(world.run(CREATE).done());
}

#[test]
fn aliases_follow_the_persons_own_folder() {
    let world = world(Gt::Fake);
    world.sh("mkdir -p ../xdg/graphite; echo 'create create --all' > ../xdg/graphite/aliases");
    let xdg = world.path("xdg").display().to_string();
    drop(run_with(&world, &[("XDG_CONFIG_HOME", &xdg)], CREATE).expect("refused", "alias"));
    // A relative folder is no folder: the default counts for us.
    drop(run_with(&world, &[("XDG_CONFIG_HOME", "../xdg")], INSPECT).expect("answered", ""));
    drop(world.run(CREATE).done());
}

#[test]
fn a_relative_configuration_folder_does_not_hide_an_alias_from_us() {
    let world = world(Gt::Fake);
    dump_environment(&world);
    world.sh("mkdir -p xdg/graphite; echo 'create create --all' > xdg/graphite/aliases; echo xdg > .git/info/exclude");
    drop(run_with(&world, &[("XDG_CONFIG_HOME", "xdg")], CREATE).done());
    assert!(!world.sh("cat ../outside/env").contains("XDG_CONFIG_HOME"), "gt would read aliases that we do not");
}

#[test]
fn a_configuration_that_cannot_be_used_is_refused() {
    let world = world(Gt::Fake);
    let file = world.path("outside/config.json").display().to_string();
    for (text, said) in [
        (None, "No such file"),
        (Some(""), "EOF"),
        (Some("{"), "EOF"),
        (Some("[]x"), "config.json"),
        (Some(r#"{"untracked_limits": 1}"#), "untracked_limits"),
        (Some(r#"{"timeout_seconds": "5"}"#), "u64"),
        (Some(r#"{"timeout_seconds": -1}"#), "u64"),
        (Some(r#"{"timeout_seconds": 1, "timeout_seconds": 2}"#), "timeout_seconds"),
        (Some("{} {}"), "trailing"),
    ] {
        if let Some(text) = text {
            std::fs::write(&file, text).expect("written");
        }
        for answer in [
            run_with(&world, &[("PI_GRAPHITE_CONFIG", &file)], INSPECT),
            world.call(&["run", "--config", &file], INSPECT),
        ] {
            let answer = answer.expect("refused", "bad_config");
            assert_eq!(answer.exit, Some(2));
            assert!(answer.text().contains(said), "{text:?}: {}", answer.text());
        }
    }
    std::fs::write(&file, r#"{"timeout_seconds": 20}"#).expect("written");
    drop(run_with(&world, &[("PI_GRAPHITE_CONFIG", &file)], INSPECT).expect("answered", ""));
    drop(run_with(&world, &[("PI_GRAPHITE_CONFIG", "/")], INSPECT).expect("refused", "bad_config"));
    drop(run_with(&world, &[("PI_GRAPHITE_CONFIG", "")], INSPECT).expect("answered", ""));
}

#[test]
fn a_configuration_in_the_worktree_is_not_read() {
    let world = world(Gt::Fake);
    world.sh("mkdir .pi-graphite; echo nonsense > .pi-graphite/config.json; echo nonsense > pi-graphite.json; echo nonsense > .pi-graphite.json");
    drop(world.run(CREATE).done());
}

#[test]
fn without_a_home_nobody_can_tell_what_gt_reads() {
    for home in [None, Some(""), Some("relative")] {
        let world = world(Gt::Fake);
        let before = Treasure::of(&world);
        let mut command = world.pi_graphite(&["run"]);
        match home {
            Some(home) => command.env("HOME", home),
            None => command.env_remove("HOME"),
        };
        let answer = send(command, CREATE.as_bytes()).expect("unavailable", "state_unreadable");
        assert!(answer.text().contains("HOME"), "{}", answer.text());
        before.assert_untouched(&world);
    }
}

#[test]
fn a_home_that_is_not_there_is_fine() {
    for gt in [Gt::Fake, Gt::Real] {
        let world = world(gt);
        let before = Treasure::of(&world);
        let home = world.path("outside/home").display().to_string();
        drop(run_with(&world, &[("HOME", &home)], CREATE).done());
        before.assert_kept(&world);
    }
}
