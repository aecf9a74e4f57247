//! The MKCT memory as its neighbours see it. Source: specification v0.8, R5.

use std::fmt;
use std::path::Path;

use chrono::{DateTime, FixedOffset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{BlockedTarget, MegramId, RunId};

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

    /// Whether it is the space of a tool.
    pub fn is_of_a_tool(&self) -> bool {
        self.0.starts_with("tool:")
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

    /// The entity of a folder that a task was worked on in: its local context.
    pub fn folder(path: &Path) -> Self {
        Self(format!("path:{}", path.display()))
    }

    /// The entity of a call in a working folder.
    fn in_folder(folder: &Path, call: &str) -> Self {
        Self(format!("path:{} $ {call}", folder.display()))
    }

    /// The entity of a tool's target.
    pub fn path(target: &str) -> Self {
        Self(format!("path:{target}"))
    }
}

/// What memory is filed under: a kind of task or a tool, and where or on what.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct TagPair {
    /// First half.
    pub space: Space,
    /// Second half.
    pub entity: Entity,
}

impl TagPair {
    /// A pair of these.
    pub fn new(space: Space, entity: Entity) -> Self {
        Self { space, entity }
    }

    /// The pair of a tool and its input, in any folder.
    pub fn of_call(call: &BlockedTarget) -> Self {
        Self::new(Space::tool(&call.tool), Entity::path(&call.target))
    }

    /// The pair of a tool and its input in a working folder: `make` that failed in one project says nothing of another.
    ///
    /// ```
    /// use artoo_types::{BlockedTarget, TagPair, ToolName};
    ///
    /// let call = BlockedTarget { tool: ToolName::new("shell"), target: "ls docs".into() };
    /// let pair = TagPair::of_call_in(&call, "/home/ada".as_ref());
    /// assert_eq!(pair.to_string(), "(tool:shell, path:/home/ada $ ls docs)");
    /// let answer = TagPair::of_answer("Count", &call, "/home/ada".as_ref());
    /// assert_eq!(answer.to_string(), "(intent:count, path:/home/ada $ shell ls docs)");
    /// ```
    pub fn of_call_in(call: &BlockedTarget, folder: &Path) -> Self {
        Self::new(Space::tool(&call.tool), Entity::in_folder(folder, &call.target))
    }

    /// The pair of a call as the answer to a request of this intent: the call may be right where another thing is asked.
    pub fn of_answer(intent: &str, call: &BlockedTarget, folder: &Path) -> Self {
        let called = format!("{} {}", call.tool, call.target);
        Self::new(Space::intent(intent), Entity::in_folder(folder, &called))
    }

    /// Where experience of a call is filed that is about to be made in this folder, for a request of this intent.
    pub fn about_call(intent: &str, call: &BlockedTarget, folder: &Path) -> Vec<Self> {
        vec![Self::of_call(call), Self::of_call_in(call, folder), Self::of_answer(intent, call, folder)]
    }
}

impl fmt::Display for TagPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.space, self.entity)
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

impl MegramState {
    /// All of them, in the order of the specification's table.
    pub const ALL: [Self; 7] = [
        Self::Abandon,
        Self::Accept,
        Self::ChangeApproach,
        Self::Success,
        Self::BreakSymmetry,
        Self::ChangePath,
        Self::Refine,
    ];
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
    /// Whose experience it is. Not part of the specification's tuple: without it a recalled lesson could not name its run. R5
    /// fills it in.
    #[serde(default)]
    pub origin: Option<Origin>,
}

impl Megram {
    /// What it is filed under.
    pub fn pair(&self) -> TagPair {
        TagPair::new(self.space.clone(), self.entity.clone())
    }
}

/// Whose experience a Megram is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// R7 wrote it in this run.
    Run(RunId),
    /// The person said it.
    Person,
    /// The Dreamer distilled it, or feedback on a rule made it.
    Dreamer,
    /// It came with an import; whose it was there is not vouched for here.
    Import,
    /// The person rejected the result of this run: an experience against those of the run.
    Revoked(RunId),
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

/// What does memory know of these pairs, and of what is like these words? R2 to R5.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryQuery {
    /// The pairs that are asked for, the one of the task's intent first.
    pub pairs: Vec<TagPair>,
    /// The words by which similar experience is to be found, besides; `None` asks for the pairs alone.
    pub like: Option<String>,
}

/// The answer. R5 to R2: data, never text for a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryReply {
    /// Each pair that was asked for, in the order of the question, known or not; then similar ones that are known, the most similar
    /// first.
    pub recalled: Vec<PairMemory>,
    /// The person's laws (layer T), oldest first: in every reply.
    pub laws: Vec<Law>,
}

impl MemoryReply {
    /// The reply of a memory that knows nothing.
    pub fn nothing(query: &MemoryQuery) -> Self {
        let unknown = |pair: &TagPair| PairMemory::unknown(pair.clone());
        Self { recalled: query.pairs.iter().map(unknown).collect(), laws: Vec::new() }
    }
}

/// What is known of one pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairMemory {
    /// The pair.
    pub pair: TagPair,
    /// Why it is in the reply.
    pub reason: RecallReason,
    /// The live potentials.
    pub potentials: Potentials,
    /// Rules of the C layer, oldest first.
    pub sops: Vec<SopRecord>,
    /// The few strongest live experiences behind the potentials, strongest first.
    pub experiences: Vec<Experience>,
}

impl PairMemory {
    /// A pair that was asked for and of which nothing is known.
    pub fn unknown(pair: TagPair) -> Self {
        let potentials = Potentials { attention: 0.0, decision: 0.0, action: MemoryAction::Ignore };
        Self { pair, reason: RecallReason::Asked, potentials, sops: Vec::new(), experiences: Vec::new() }
    }
}

/// Why a pair was recalled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "why")]
pub enum RecallReason {
    /// It was asked for.
    Asked,
    /// Its words are like those of the question.
    Similar {
        /// How alike, from 0 to 1.
        score: f64,
        /// The words and parts of words that both have, the rarest first.
        shared: Vec<String>,
    },
}

/// A recalled experience, with where it comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Experience {
    /// The Megram.
    pub id: MegramId,
    /// When it was made.
    pub created_at: DateTime<FixedOffset>,
    /// Whose it is.
    pub origin: Option<Origin>,
    /// What made it.
    pub state: MegramState,
    /// The lesson in words.
    pub content: String,
    /// What it adds to the attention of its pair now, from 0 to 1.
    pub strength: f64,
    /// Its valence, -1 to 1.
    pub sigma: f64,
}

/// A law of the person's (layer T).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Law {
    /// Its id.
    pub id: MegramId,
    /// Its words.
    pub content: String,
}

/// Remember this. R7 to R5; nobody else may.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MegramWrite {
    /// What.
    pub megram: Megram,
}

/// What one cycle of the Dreamer did. R5 to whoever watches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DreamReport {
    /// Rules that fell.
    pub demoted: Vec<MegramId>,
    /// Rules that arose.
    pub promoted: Vec<MegramId>,
    /// Experiences that were deleted.
    pub forgotten: Vec<MegramId>,
    /// Pairs that were due and looked at.
    pub examined: u64,
    /// Pairs whose sums did not agree with the direct sum, and were summed anew.
    pub corrected: u64,
}

impl DreamReport {
    /// Whether nothing in memory was changed.
    pub fn is_idle(&self) -> bool {
        self.demoted.is_empty()
            && self.promoted.is_empty()
            && self.forgotten.is_empty()
            && self.corrected == 0
    }
}
