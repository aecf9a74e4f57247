//! Whose words a call brings in, and whose it was made of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::CallId;

/// What is known of the words in a call and its output.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Trust {
    /// Whose words the output may be; `None` where it is artoo's own, or there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreign: Option<Foreign>,
    /// Where its arguments have words that nobody but an earlier output brought in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tainted: Option<Taint>,
}

impl Trust {
    /// Whether there is nothing to say.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

/// Where words come from that neither the user nor artoo wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Foreign {
    /// Names and contents of files.
    File,
    /// The output of a command.
    Command,
    /// A page of somebody elsewhere.
    Web,
    /// One of the user's apps.
    App,
    /// A server of tools that others wrote.
    Server,
    /// A tool that does not say what it does.
    Unknown,
}

impl Foreign {
    /// In words, for a sentence.
    pub const fn words(self) -> &'static str {
        match self {
            Self::File => "a file",
            Self::Command => "the output of a command",
            Self::Web => "a page of somebody elsewhere",
            Self::App => "one of the user's apps",
            Self::Server => "a server of tools",
            Self::Unknown => "a tool that does not say whose words it brings",
        }
    }
}

/// Arguments with words of an earlier output in them, which were in nothing that the user wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Taint {
    /// The words, at most 120 characters of them.
    pub words: String,
    /// The first call that brought them in; `None` where it was the result of an earlier request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
    /// Whose words they are.
    pub foreign: Foreign,
}
