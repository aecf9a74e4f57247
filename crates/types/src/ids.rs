//! Identifiers. The runtime mints them; a model never does.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// Wraps a UUID that the runtime made.
            pub const fn new(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The UUID inside.
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    };
}

uuid_id! {
    /// One request of a user and all that follows from it: a UUIDv7, the key of every state, log and message.
    ///
    /// Source: `docs/deviations.md`, "Identity": a name that a model invents is a label, never a key.
    RunId
}
uuid_id! {
    /// A conversation: runs that follow one another. A UUIDv7.
    SessionId
}
uuid_id! {
    /// One subtask of one plan. Minted by the dispatcher; ids in model output are ignored.
    SubTaskId
}
uuid_id! {
    /// One tool call.
    CallId
}
uuid_id! {
    /// One Megram in memory.
    MegramId
}

impl RunId {
    /// The run id of messages between the operator and the auditor, which belong to no request.
    pub const OPERATOR: Self = Self(Uuid::nil());
}

/// The end of an id, as people and models are shown it: ids of one minute begin alike.
///
/// ```
/// let run = artoo_types::RunId::new("0197f3a2-1111-7222-8333-8c74b3f2f2b5".parse()?);
/// assert_eq!(artoo_types::short_id(run), "8c74b3f2f2b5");
/// # Ok::<(), uuid::Error>(())
/// ```
pub fn short_id(id: impl fmt::Display) -> String {
    const SHOWN: usize = 12;
    let id = id.to_string();
    id.get(id.len().saturating_sub(SHOWN)..).map(str::to_owned).unwrap_or(id)
}

/// R1's short snake_case name of a task: a label for people and a class for memory, never a key.
///
/// ```
/// use artoo_types::TaskId;
/// assert_eq!(TaskId::from_text("Count the .txt files, please").to_string(), "count_the_txt");
/// assert_eq!(TaskId::from_text("!?").to_string(), "task");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct TaskId(String);

impl TaskId {
    /// The label of a text: the same words as [`crate::intent_slug`], and `task` where it has none.
    pub fn from_text(text: &str) -> Self {
        Self(crate::intent_slug(text).unwrap_or_else(|| "task".to_owned()))
    }

    /// The label.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The address of a full tool output in a run's evidence folder: the SHA-256 of its bytes, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(transparent)]
pub struct EvidenceId(#[schemars(regex(pattern = "^[0-9a-f]{64}$"))] String);

impl EvidenceId {
    /// Takes 64 lower-case hexadecimal digits; anything else is `None`, so that an id can never name another path.
    pub fn parse(hex: &str) -> Option<Self> {
        (hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)))
            .then(|| Self(hex.to_owned()))
    }

    /// The hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

// By hand, because a journal is read back from a disk: an id from there must not name another path either.
impl<'de> Deserialize<'de> for EvidenceId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text)
            .ok_or_else(|| serde::de::Error::custom("an evidence id has 64 lower-case hexadecimal digits"))
    }
}

impl fmt::Display for EvidenceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
