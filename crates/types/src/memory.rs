//! The MKCT memory as its neighbours see it. Source: specification v0.8, R5.

use std::fmt;

use chrono::{DateTime, FixedOffset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::MegramId;

macro_rules! tag {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Wraps a tag that is already composed, for example one read from a store.
            pub fn from_raw(tag: impl Into<String>) -> Self {
                Self(tag.into())
            }

            /// The tag.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

tag! {
    /// The first half of a tag pair: `intent:<slug>` or `tool:<name>`.
    Space
}
tag! {
    /// The second half of a tag pair: `env:local` or `path:<target>`.
    Entity
}

impl Space {
    /// The space of a whole task, from the words of its intent; `intent:task` where it has no word.
    pub fn intent(intent: &str) -> Self {
        Self(format!("intent:{}", crate::intent_slug(intent).as_deref().unwrap_or("task")))
    }

    /// The space of a tool.
    pub fn tool(name: &crate::ToolName) -> Self {
        Self(format!("tool:{name}"))
    }
}

impl Entity {
    /// The entity of every task on this machine.
    pub fn local() -> Self {
        Self("env:local".to_owned())
    }

    /// The entity of a tool's target.
    pub fn path(target: &str) -> Self {
        Self(format!("path:{target}"))
    }
}

/// A layer of the pyramid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Level {
    /// Megram: a raw event.
    M,
    /// Knowledge: a task-scoped cache.
    K,
    /// Common sense: a promoted rule, without decay until trust bankruptcy.
    C,
    /// Thinking: the agent's laws.
    T,
}

/// The state of the controller that made a Megram: a row of the quantization matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MegramState {
    /// f 0.95, sigma -1, k 0.05.
    Abandon,
    /// f 0.90, sigma +1, k 0.05.
    Accept,
    /// f 0.85, sigma -1, k 0.05.
    ChangeApproach,
    /// f 0.80, sigma +1, k 0.05.
    Success,
    /// f 0.75, sigma +1, k 0.05.
    BreakSymmetry,
    /// f 0.30, sigma 0, k 0.2.
    ChangePath,
    /// f 0.10, sigma +0.5, k 0.5.
    Refine,
}

/// An atomic experience: `<ID, Level, created_at, last_recalled_at, space, entity, content, state, f, sigma, k>`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Megram {
    /// Its id.
    pub id: MegramId,
    /// Its layer.
    pub level: Level,
    /// When it was made.
    pub created_at: DateTime<FixedOffset>,
    /// When it was last recalled.
    pub last_recalled_at: Option<DateTime<FixedOffset>>,
    /// First half of its tag pair.
    pub space: Space,
    /// Second half.
    pub entity: Entity,
    /// The lesson in words.
    pub content: String,
    /// What made it.
    pub state: MegramState,
    /// Magnitude, 0 to 1.
    pub f: f64,
    /// Valence, -1 to 1.
    pub sigma: f64,
    /// Decay rate per day; 0 is timeless.
    pub k: f64,
}

/// A rule of the C layer as the planner gets it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SopRecord {
    /// Its id.
    pub id: MegramId,
    /// First half of its tag pair.
    pub space: Space,
    /// Second half.
    pub entity: Entity,
    /// The rule in words.
    pub content: String,
    /// Practice or constraint.
    pub polarity: Polarity,
    /// The Megrams it was distilled from.
    pub sources: Vec<MegramId>,
}

/// The sign of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Polarity {
    /// A best practice: prefer it.
    Practice,
    /// A constraint: must not.
    Constraint,
}

/// The two convolution channels of a tag pair, and what they advise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Potentials {
    /// Sum of |f| e^(-k dt): where to look.
    pub attention: f64,
    /// Sum of sigma f e^(-k dt): what to do.
    pub decision: f64,
    /// The advice.
    pub action: MemoryAction,
}

/// What the potentials advise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemoryAction {
    /// Attention below 0.5: too little history.
    Ignore,
    /// Decision above 0.2: should prefer.
    Exploit,
    /// Decision below -0.2: must not.
    Avoid,
    /// In between: proceed with a confirmation gate.
    Caution,
}

/// What does memory know of this pair? R2 to R5.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryQuery {
    /// First half of the pair.
    pub space: Space,
    /// Second half.
    pub entity: Entity,
}

/// The answer. R5 to R2: data, never text for a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryReply {
    /// First half of the pair.
    pub space: Space,
    /// Second half.
    pub entity: Entity,
    /// Rules of the C layer.
    pub sops: Vec<SopRecord>,
    /// The live potentials.
    pub potentials: Potentials,
}

/// Remember this. R7 to R5; nobody else may.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MegramWrite {
    /// What.
    pub megram: Megram,
}
