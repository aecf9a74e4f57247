//! Plan draft: the JSON that the model writes. Its schema is designed for the model; code converts it to bus
//! messages.

use artoo_types::StepKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A plan in the model's words: subtasks, or that there can be none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanDraft {
    /// The request in English. Only a weak model is asked for it: a restatement keeps more than an order in its own
    /// words does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 600))]
    pub english: Option<String>,
    /// The subtasks; none where it is given up.
    #[schemars(length(max = 12))]
    pub subtasks: Vec<SubTaskDraft>,
    /// Why there is no plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub give_up: Option<GiveUpDraft>,
}

impl PlanDraft {
    /// A draft of these subtasks.
    pub fn of(subtasks: Vec<SubTaskDraft>) -> Self {
        Self { english: None, subtasks, give_up: None }
    }
}

/// That there can be no plan, in the model's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GiveUpDraft {
    /// Why.
    pub kind: GiveUpWord,
    /// One sentence for the person.
    #[schemars(length(min = 1, max = 500))]
    pub reason: String,
    /// What the person is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 500))]
    pub question: Option<String>,
}

/// Why there can be no plan. Consent is asked for at the call, never by a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GiveUpWord {
    /// It cannot be done, whoever does it.
    Impossible,
    /// The person has to decide or supply something.
    NeedsPerson,
}

/// A subtask in the model's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubTaskDraft {
    /// What to do. A weak model is not asked for it: its one step is the request.
    #[serde(default)]
    #[schemars(length(min = 1, max = 2000))]
    pub intent: String,
    /// Its group. A weak model has one.
    #[serde(default)]
    #[schemars(range(min = 1, max = 12))]
    pub sequence: u32,
    /// What it is for.
    pub kind: StepKind,
    /// What must be true of its output. A weak model is not asked for it.
    #[serde(default)]
    #[schemars(length(min = 1, max = 8))]
    pub criteria: Vec<CriterionDraft>,
}

// A part of `Check`: a kind of it is asked for once it stands here and in `prompts/system.md`.
/// A criterion in the model's words, by how it can be decided. The checks are those that need no knowledge of the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "check", rename_all = "snake_case", deny_unknown_fields)]
pub enum CriterionDraft {
    /// The output is one number.
    OutputNumber {
        /// The assertion.
        #[schemars(length(min = 1, max = 500))]
        text: String,
    },
    /// The output contains words of the request.
    OutputContains {
        /// The assertion.
        #[schemars(length(min = 1, max = 500))]
        text: String,
        /// The words.
        #[schemars(length(min = 1, max = 500))]
        value: String,
    },
    /// The output has a shape.
    OutputMatches {
        /// The assertion.
        #[schemars(length(min = 1, max = 500))]
        text: String,
        /// A regular expression.
        #[schemars(length(min = 1, max = 500))]
        value: String,
    },
    /// A file is there afterwards.
    FileExists {
        /// The assertion.
        #[schemars(length(min = 1, max = 500))]
        text: String,
        /// Its path.
        #[schemars(length(min = 1, max = 200))]
        path: String,
    },
    /// A file is gone afterwards.
    FileAbsent {
        /// The assertion.
        #[schemars(length(min = 1, max = 500))]
        text: String,
        /// Its path.
        #[schemars(length(min = 1, max = 200))]
        path: String,
    },
    /// A file is as it was.
    FileUnchanged {
        /// The assertion.
        #[schemars(length(min = 1, max = 500))]
        text: String,
        /// Its path.
        #[schemars(length(min = 1, max = 200))]
        path: String,
    },
    /// A file contains words of the request.
    FileContains {
        /// The assertion.
        #[schemars(length(min = 1, max = 500))]
        text: String,
        /// Its path.
        #[schemars(length(min = 1, max = 200))]
        path: String,
        /// The words.
        #[schemars(length(min = 1, max = 500))]
        value: String,
    },
    /// A JSON file meets a schema.
    FileJson {
        /// The assertion.
        #[schemars(length(min = 1, max = 500))]
        text: String,
        /// Its path.
        #[schemars(length(min = 1, max = 200))]
        path: String,
        /// The JSON Schema, as text: no provider takes any object at all.
        #[schemars(length(min = 1, max = 4000))]
        schema: String,
    },
    /// A file is a table with a header row.
    Table {
        /// The assertion.
        #[schemars(length(min = 1, max = 500))]
        text: String,
        /// Its path.
        #[schemars(length(min = 1, max = 200))]
        path: String,
        /// The names of its columns, in order.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(max = 60))]
        columns: Option<Vec<String>>,
        /// The fewest rows below the header.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min_rows: Option<u64>,
        /// The most.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_rows: Option<u64>,
    },
    /// Two files have the same set of lines.
    SameLines {
        /// The assertion.
        #[schemars(length(min = 1, max = 500))]
        text: String,
        /// Its path.
        #[schemars(length(min = 1, max = 200))]
        path: String,
        /// The path of the other.
        #[schemars(length(min = 1, max = 200))]
        other: String,
    },
    /// A command succeeds.
    CommandSucceeds {
        /// The assertion.
        #[schemars(length(min = 1, max = 500))]
        text: String,
        /// The command.
        #[schemars(length(min = 1, max = 500))]
        command: String,
    },
    /// Only a reader can tell.
    None {
        /// The assertion.
        #[schemars(length(min = 1, max = 500))]
        text: String,
    },
}

impl CriterionDraft {
    /// The assertion in words.
    pub fn text(&self) -> &str {
        match self {
            Self::OutputNumber { text }
            | Self::OutputContains { text, .. }
            | Self::OutputMatches { text, .. }
            | Self::FileExists { text, .. }
            | Self::FileAbsent { text, .. }
            | Self::FileUnchanged { text, .. }
            | Self::FileContains { text, .. }
            | Self::FileJson { text, .. }
            | Self::Table { text, .. }
            | Self::SameLines { text, .. }
            | Self::CommandSucceeds { text, .. }
            | Self::None { text } => text,
        }
    }
}
