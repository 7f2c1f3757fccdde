//! The vocabulary: every word and flag that this program ever passes to gt or git.

/// Which program a command line is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Program {
    /// The Graphite CLI.
    Gt,
    /// git itself: only for exact changes of the index.
    Git,
}

/// A fixed word: a subcommand or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each variant is the word itself")]
pub enum Word {
    Abort,
    Checkout,
    Continue,
    Create,
    Delete,
    Fold,
    Info,
    Log,
    Modify,
    Move,
    Rename,
    Reset,
    Restack,
    Short,
    Squash,
    State,
    UpdateIndex,
}

/// A flag. Those that take a value are written as `--flag=value` in one argument, so that the value is never read as
/// an option of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each variant is the flag itself")]
pub enum Flag {
    Add,
    Branch,
    Commit,
    EndOfFlags,
    Force,
    LiteralPathspecs,
    Message,
    NoInteractive,
    Onto,
    Quiet,
    Remove,
    Source,
    Stack,
    Version,
}

impl Word {
    /// Every word.
    pub const ALL: [Self; 17] = [
        Self::Abort,
        Self::Checkout,
        Self::Continue,
        Self::Create,
        Self::Delete,
        Self::Fold,
        Self::Info,
        Self::Log,
        Self::Modify,
        Self::Move,
        Self::Rename,
        Self::Reset,
        Self::Restack,
        Self::Short,
        Self::Squash,
        Self::State,
        Self::UpdateIndex,
    ];

    /// The word as the program reads it.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Abort => "abort",
            Self::Checkout => "checkout",
            Self::Continue => "continue",
            Self::Create => "create",
            Self::Delete => "delete",
            Self::Fold => "fold",
            Self::Info => "info",
            Self::Log => "log",
            Self::Modify => "modify",
            Self::Move => "move",
            Self::Rename => "rename",
            Self::Reset => "reset",
            Self::Restack => "restack",
            Self::Short => "short",
            Self::Squash => "squash",
            Self::State => "state",
            Self::UpdateIndex => "update-index",
        }
    }
}

impl Flag {
    /// Every flag.
    pub const ALL: [Self; 14] = [
        Self::Add,
        Self::Branch,
        Self::Commit,
        Self::EndOfFlags,
        Self::Force,
        Self::LiteralPathspecs,
        Self::Message,
        Self::NoInteractive,
        Self::Onto,
        Self::Quiet,
        Self::Remove,
        Self::Source,
        Self::Stack,
        Self::Version,
    ];

    /// The flag as the program reads it, without a value.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Add => "--add",
            Self::Branch => "--branch",
            Self::Commit => "--commit",
            Self::EndOfFlags => "--",
            Self::Force => "--force",
            Self::LiteralPathspecs => "--literal-pathspecs",
            Self::Message => "--message",
            Self::NoInteractive => "--no-interactive",
            Self::Onto => "--onto",
            Self::Quiet => "--quiet",
            Self::Remove => "--remove",
            Self::Source => "--source",
            Self::Stack => "--stack",
            Self::Version => "--version",
        }
    }

    /// Whether the flag is always written with a value.
    #[must_use]
    pub const fn takes_value(self) -> bool {
        matches!(self, Self::Branch | Self::Message | Self::Onto | Self::Source)
    }
}
