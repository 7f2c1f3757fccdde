//! What can go wrong, as data: a closed table of codes, and the `Fault` that carries one.

mod code;

use std::collections::BTreeMap;

pub use code::{Class, Code};

/// A refusal or a failure. Callers branch on `code`; people read `message` and `hint`.
///
/// Guarantees: `message` is a lowercase fragment with values in backticks; `hint` is one imperative sentence that
/// says what to do next; `details` holds the values behind the message under stable names.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// The stable code.
    pub code: Code,
    /// What was wrong, and where.
    pub message: String,
    /// What to do next.
    pub hint: String,
    /// What its text says besides or instead of the message.
    pub said: Box<Said>,
    /// Values behind the message, by name.
    pub details: BTreeMap<String, serde_json::Value>,
}

/// What the text of a fault says besides or instead of its message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// The whole sentence that people search for, where there is one that must not change.
    pub words: Option<String>,
    /// Lines that help to understand it, such as the nearest candidates.
    pub aside: Vec<String>,
}

/// What a failed or interrupted request did to the world, computed from the two looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing that the snapshot sees has changed.
    None,
    /// Something has changed; `changes` lists it.
    Applied,
    /// The second look was not possible.
    Unknown,
}

impl Fault {
    /// A fault with the code's default hint.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: code.hint().to_owned(),
            said: Box::default(),
            details: BTreeMap::new(),
        }
    }

    /// A fault whose text for people is fixed, letter by letter. The message is the same sentence.
    pub fn words(code: Code, words: impl Into<String>) -> Self {
        let mut fault = Self::new(code, words);
        fault.said.words = Some(fault.message.clone());
        fault
    }

    /// Replaces the default hint by one that knows the case at hand.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// Adds lines that help to understand it.
    #[must_use]
    pub fn aside(mut self, lines: impl IntoIterator<Item = String>) -> Self {
        self.said.aside.extend(lines);
        self
    }

    /// Adds a named value.
    #[must_use]
    pub fn detail(mut self, name: &str, value: impl Into<serde_json::Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code.name(), self.message)
    }
}

impl std::error::Error for Fault {}
