//! The table `[ui]` of `config.toml`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a person is shown what happens.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct UiTable {
    /// The keys of the prompt of a conversation.
    pub(crate) keys: Option<Keys>,
    /// How the terminal tells of the end of a run that took longer than 30 seconds.
    pub(crate) notify: Option<Notify>,
    /// Whether a screen reader speaks what is written: nothing is drawn again, and marks are words.
    pub(crate) screen_reader: Option<bool>,
}

/// The keys of a line editor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Keys {
    /// Those of emacs and of most shells.
    #[default]
    Emacs,
    /// Those of vi.
    Vi,
}

/// How a terminal tells that a long run has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Notify {
    /// Not at all.
    Never,
    /// By its bell.
    Bell,
    /// By its bell, and by a notification of the desktop where it knows the sequence OSC 9.
    #[default]
    Osc9,
}
