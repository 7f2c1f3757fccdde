//! A command line made of words, flags and parsed values, and the last check before it is used.

use super::{Flag, Program, Word};
use crate::value::{Body, BranchName, RelPath, Subject};

/// The arguments of one command, in order.
///
/// Guarantee: built only from the vocabulary and from values that are valid by construction; [`Argv::checked`] looks
/// once more, at the plain strings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argv {
    program: Program,
    args: Vec<String>,
}

/// Why the last check refuses a command line. Reaching it is a bug of this program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArgvError {
    /// An argument that starts with `-` and is no flag of the vocabulary.
    #[error("`{0}` is not a known flag")]
    UnknownFlag(String),
    /// An argument with a NUL byte.
    #[error("an argument holds a NUL byte")]
    Nul,
    /// A gt command line without `--no-interactive`.
    #[error("the command could ask a question")]
    Interactive,
}

impl Argv {
    /// Starts a gt command line. `--no-interactive` is put in by [`Argv::checked`]'s contract: see there.
    #[must_use]
    pub fn gt(word: Word) -> Self {
        Self { program: Program::Gt, args: vec![word.text().to_owned()] }
    }

    /// `gt --version`, the one gt command line without a subcommand.
    #[must_use]
    pub fn gt_version() -> Self {
        Self { program: Program::Gt, args: Vec::new() }.flag(Flag::Version)
    }

    /// Starts a git command line that reads paths as plain names.
    #[must_use]
    pub fn git(word: Word) -> Self {
        Self { program: Program::Git, args: vec![Flag::LiteralPathspecs.text().to_owned(), word.text().to_owned()] }
    }

    /// Adds a word.
    #[must_use]
    pub fn word(self, word: Word) -> Self {
        self.push(word.text().to_owned())
    }

    /// Adds a flag without a value.
    #[must_use]
    pub fn flag(self, flag: Flag) -> Self {
        self.push(flag.text().to_owned())
    }

    /// Adds a branch as an argument of its own.
    #[must_use]
    pub fn branch(self, branch: &BranchName) -> Self {
        self.push(branch.as_str().to_owned())
    }

    /// Adds `--flag=<branch>`.
    #[must_use]
    pub fn branch_flag(self, flag: Flag, branch: &BranchName) -> Self {
        self.push(format!("{}={branch}", flag.text()))
    }

    /// Adds the commit's text: subject and body, which gt joins with a blank line.
    #[must_use]
    pub fn message(self, subject: &Subject, body: &Body) -> Self {
        let flag = Flag::Message.text();
        self.push(format!("{flag}={subject}")).push(format!("{flag}={body}"))
    }

    /// Adds `--` and the paths. `./` before each keeps a leading `-` from being read as an option.
    #[must_use]
    pub fn paths(self, paths: &[RelPath]) -> Self {
        paths.iter().fold(self.flag(Flag::EndOfFlags), |argv, path| argv.push(format!("./{path}")))
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> Program {
        self.program
    }

    /// The arguments as they stand.
    #[must_use]
    pub fn args(&self) -> &[String] {
        &self.args
    }

    /// The last check before spawning.
    ///
    /// # Errors
    /// [`ArgvError`] when an argument starts with `-` and is not of the vocabulary, holds a NUL, or when gt could ask.
    pub fn checked(&self) -> Result<&[String], ArgvError> {
        for arg in &self.args {
            if arg.contains('\0') {
                return Err(ArgvError::Nul);
            }
            if arg.starts_with('-') && !is_known(arg) {
                return Err(ArgvError::UnknownFlag(arg.clone()));
            }
        }
        let silent = [Flag::NoInteractive, Flag::Version].map(Flag::text);
        if self.program == Program::Gt && !self.args.iter().any(|arg| silent.contains(&arg.as_str())) {
            return Err(ArgvError::Interactive);
        }
        Ok(&self.args)
    }

    fn push(mut self, arg: String) -> Self {
        self.args.push(arg);
        self
    }
}

/// Whether an argument that starts with `-` is a flag of the vocabulary in its right form.
fn is_known(arg: &str) -> bool {
    Flag::ALL.iter().any(|flag| match arg.strip_prefix(flag.text()) {
        Some("") => !flag.takes_value(),
        Some(rest) => flag.takes_value() && rest.starts_with('='),
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::{Argv, ArgvError, Flag, Word};
    use crate::value::{Body, BranchName, RelPath, Subject};

    #[test]
    fn text_that_looks_like_options_stays_text() {
        let subject = Subject::try_from("-rf --force".to_owned()).expect("a subject");
        let body = Body::try_from("--no-verify\n@/etc/hostname".to_owned()).expect("a body");
        let name = BranchName::try_from("f1".to_owned()).expect("a branch");
        let argv = Argv::gt(Word::Create).branch(&name).message(&subject, &body).flag(Flag::NoInteractive);
        let args = argv.checked().expect("it is of the vocabulary");
        assert_eq!(
            args,
            ["create", "f1", "--message=-rf --force", "--message=--no-verify\n@/etc/hostname", "--no-interactive"]
        );
    }

    #[test]
    fn the_last_check_refuses_what_the_vocabulary_does_not_hold() {
        let refused = |arg: &str| {
            Argv::gt(Word::Log).flag(Flag::NoInteractive).push(arg.to_owned()).checked().map(<[String]>::len)
        };
        for arg in ["-x", "--all", "--messages", "--message", "--force=1", "--no-interactive=0", "-"] {
            assert_eq!(refused(arg), Err(ArgvError::UnknownFlag(arg.to_owned())), "{arg}");
        }
        assert_eq!(refused("a\0b"), Err(ArgvError::Nul));
        assert_eq!(refused("plain"), Ok(3));
        assert_eq!(Argv::gt(Word::Log).checked().map(<[String]>::len), Err(ArgvError::Interactive));
        assert_eq!(Argv::gt_version().checked().map(<[String]>::len), Ok(1));
    }

    #[test]
    fn paths_come_after_the_end_of_flags_and_never_start_with_a_dash() {
        let path = RelPath::try_from("-x/y".to_owned()).expect("a path");
        let argv = Argv::git(Word::UpdateIndex).flag(Flag::Add).flag(Flag::Remove).paths(&[path]);
        let args = argv.checked().expect("it is of the vocabulary");
        assert_eq!(args, ["--literal-pathspecs", "update-index", "--add", "--remove", "--", "./-x/y"]);
    }
}
