//! `cargo xtask`: the project's own commands, a module each.

#![expect(
    clippy::disallowed_methods,
    reason = "these commands are a developer's tools: they start cargo, git and npm and write files; the guard's doors are in `src`"
)]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line program for people: printing is its job"
)]

mod bench;
mod cargo;
mod ci;
mod demo;
mod failure;
mod generate;
mod layers;
mod process;
mod source;
mod test;
mod tidy;
mod tools;
mod workspace;

use std::process::ExitCode;

use failure::{Failure, Result};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// One command: its name and arguments, what it is for, and the function behind it.
struct Task {
    name: &'static str,
    usage: &'static str,
    summary: &'static str,
    run: fn(&[String]) -> Result,
}

const TASKS: &[Task] = &[
    Task {
        name: "gen",
        usage: "gen [--check]",
        summary: "write schema/ and the generated docs, or tell what is out of date",
        run: generate::run,
    },
    Task {
        name: "tidy",
        usage: "tidy",
        summary: "check the house rules that no linter knows",
        run: |arguments| none(arguments).and_then(|()| tidy::run()),
    },
    Task {
        name: "layers",
        usage: "layers",
        summary: "check that a module imports only modules to its left",
        run: |arguments| none(arguments).and_then(|()| layers::run()),
    },
    Task {
        name: "test",
        usage: "test [ARGS…]",
        summary: "run every test with the fake and the real gt; ARGS go to the test binaries",
        run: test::run,
    },
    Task {
        name: "tools",
        usage: "tools",
        summary: "fetch the supported gt into the cache",
        run: |arguments| none(arguments).and_then(|()| tools::run()),
    },
    Task {
        name: "demo",
        usage: "demo",
        summary: "play a story on a throw-away repository through the real binary",
        run: |arguments| none(arguments).and_then(|()| demo::run()),
    },
    Task {
        name: "bench",
        usage: "bench [ARGS…]",
        summary: "measure the file operations; ARGS are `--quick` and parts of names of what is measured",
        run: bench::run,
    },
    Task {
        name: "ci",
        usage: "ci",
        summary: "everything that a change must pass, the tests last",
        run: |arguments| none(arguments).and_then(|()| ci::run()),
    },
    Task {
        name: "help",
        usage: "help",
        summary: "list these commands",
        run: |arguments| none(arguments).map(|()| help()),
    },
];

fn dispatch(arguments: &[String]) -> Result {
    let Some((name, rest)) = arguments.split_first() else {
        help();
        return Ok(());
    };
    let name = match name.as_str() {
        "-h" | "--help" => "help",
        name => name,
    };
    let task = TASKS.iter().find(|task| task.name == name);
    let task =
        task.ok_or_else(|| Failure::new(format!("there is no command `{name}`; the commands are:\n{}", listing())))?;
    (task.run)(rest)
}

fn help() {
    println!("cargo xtask COMMAND\n\n{}", listing());
}

fn listing() -> String {
    let lines = TASKS.iter().map(|task| format!("  {:<15} {}", task.usage, task.summary));
    lines.collect::<Vec<_>>().join("\n")
}

/// Proves that a command without arguments got none.
fn none(arguments: &[String]) -> Result {
    match arguments.first() {
        None => Ok(()),
        Some(first) => Err(Failure::new(format!("this command takes no arguments, and got `{first}`"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_command_is_answered_with_all_commands() {
        let failure = dispatch(&["nonsense".to_owned()]).expect_err("no such command");
        let text = failure.to_string();
        assert!(text.contains("`nonsense`"), "{text}");
        for task in TASKS {
            assert!(text.contains(task.summary), "{text}");
        }
    }

    #[test]
    fn a_usage_starts_with_the_name_of_its_command() {
        for task in TASKS {
            assert!(task.usage.starts_with(task.name), "{}", task.usage);
        }
    }

    #[test]
    fn a_command_without_arguments_refuses_some() {
        let failure = dispatch(&["tidy".to_owned(), "--fix".to_owned()]);
        assert!(failure.is_err());
    }
}
