//! What is wrong with a file of rules.

use std::io;
use std::path::{Path, PathBuf};

use artoo_consent::RuleError;

/// A file of rules that cannot be used, or not be written.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// It cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// Nobody has read through so much.
    #[error("{} {limit}", path.display())]
    TooMuch {
        /// The file.
        path: PathBuf,
        /// What of it is too much, in words.
        limit: String,
    },
    /// It is not TOML, or not of the schema.
    #[error("{place}: {problem}")]
    Malformed {
        /// Where.
        place: Spot,
        /// What is wrong.
        problem: String,
    },
    /// A key means nothing.
    #[error("{place}: unknown key `{key}`")]
    UnknownKey {
        /// Where.
        place: Spot,
        /// The key.
        key: String,
        /// What may help.
        hint: String,
    },
    /// A rule does not do what it says.
    #[error("{place}: {error}")]
    Rule {
        /// Where it begins.
        place: Spot,
        /// The rule, and what is wrong with it.
        error: RuleError,
    },
    /// A rule was not added, and nothing has changed.
    #[error("the rule was not written to {}", path.display())]
    NotWritten {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

/// A place in a file: line and column, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The file.
    pub path: PathBuf,
    /// The line.
    pub line: usize,
    /// The character in it.
    pub column: usize,
}

impl Spot {
    /// That of a byte of the text.
    pub(crate) fn of(path: &Path, text: &str, place: usize) -> Self {
        let before = text.get(..place).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
        Self { path: path.to_owned(), line, column }
    }
}

impl std::fmt::Display for Spot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.path.display(), self.line, self.column)
    }
}

impl PolicyError {
    /// What a person can do about it. `None` where the schema says it.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Unreadable { .. } => Some("check the file's owner, permissions and encoding"),
            Self::TooMuch { .. } => Some("fewer rules can be read through"),
            Self::Malformed { .. } => None,
            Self::UnknownKey { hint, .. } => Some(hint),
            Self::Rule { .. } => Some(
                "correct the rule or its examples; no run begins with a rule that does not do what it says",
            ),
            Self::NotWritten { .. } => {
                Some("check the owner, permissions and free space of the file and its folder")
            }
        }
    }
}
