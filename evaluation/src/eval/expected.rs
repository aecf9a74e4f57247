//! What a right run delivers, as a generator knows it.

use std::collections::BTreeMap;

use serde_json::Value;

/// What a right run says and leaves behind.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Expected {
    /// What its answer states; all of it.
    pub answers: Vec<Answer>,
    /// What it changes, and nothing beside.
    pub changes: Vec<Change>,
    /// Whether the request cannot be met: the right end is not to accept. Where there are answers as well, one that states all of them is
    /// right too, for example both totals where the request may mean either.
    pub refused: bool,
}

/// One thing that an answer states.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer {
    /// This number, and no other that could be meant.
    Number(f64),
    /// This number of bytes.
    Bytes(f64),
    /// These names or sentences, and none of the rest.
    Names {
        /// Those that a right answer has.
        chosen: Vec<String>,
        /// Those that it does not have.
        rest: Vec<String>,
    },
    /// Yes or no.
    Whether(bool),
}

/// One thing that is different afterwards. A path without a folder may also lie in the workspace.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Change {
    /// There is a file that holds this.
    Holds(String, Holds),
    /// There is nothing any more.
    Gone(String),
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Holds {
    /// These bytes.
    Bytes(Vec<u8>),
    /// This text, blank space at its ends and the kind of line ends aside.
    Text(String),
    /// These names, one a line, in any order; a line may give the path instead of the name.
    Names(Vec<String>),
    /// A number, alone or beside words.
    Number(f64),
    /// This JSON; numbers may stand as texts.
    Json(Value),
    /// A tar archive of these files, by their names without folders.
    Archive(BTreeMap<String, Vec<u8>>),
}

impl Change {
    /// The path that may change.
    pub(crate) fn path(&self) -> &str {
        match self {
            Self::Holds(path, _) | Self::Gone(path) => path,
        }
    }
}
