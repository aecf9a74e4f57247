//! What the model is asked to write. Its schema is the model's; the messages of the bus are made from it by code.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Verbs that all ask to find.
const FINDING: [&str; 8] = ["find", "list", "search", "identify", "get", "locate", "show", "retrieve"];

/// A plan in the model's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanDraft {
    /// The subtasks.
    #[schemars(length(min = 1, max = 6))]
    pub subtasks: Vec<SubTaskDraft>,
}

impl PlanDraft {
    /// The draft without questions that it has asked before: a small model plans "Find the files that ..." and "List the files that
    /// ..." as two steps. The first of them stays. "Count the files" is another question than "List the files".
    ///
    /// ```
    /// use artoo_planner::{AnswerKind, CriterionDraft, PlanDraft, SubTaskDraft};
    ///
    /// let step = |intent: &str| SubTaskDraft {
    ///     intent: intent.to_owned(),
    ///     sequence: 1,
    ///     kind: AnswerKind::FindOut,
    ///     criteria: vec![CriterionDraft::None { text: "It is clear".to_owned() }],
    /// };
    /// let draft = PlanDraft { subtasks: vec![step("Find the notes in docs"), step("List the notes in docs.")] };
    /// assert_eq!(draft.without_repeats().subtasks, [step("Find the notes in docs")]);
    /// ```
    #[must_use]
    pub fn without_repeats(self) -> Self {
        let mut asked: Vec<Vec<String>> = Vec::new();
        let is_new = |subtask: &SubTaskDraft| {
            let words = subtask.intent.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            let mut question: Vec<String> = words.map(str::to_lowercase).collect();
            if let Some(verb) = question.first_mut().filter(|verb| FINDING.contains(&verb.as_str())) {
                "find".clone_into(verb);
            }
            if subtask.kind != AnswerKind::FindOut {
                return true;
            }
            let is_new = !asked.contains(&question);
            asked.push(question);
            is_new
        };
        Self { subtasks: self.subtasks.into_iter().filter(is_new).collect() }
    }
}

/// A subtask in the model's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubTaskDraft {
    /// What to do.
    #[schemars(length(min = 1, max = 300))]
    pub intent: String,
    /// Its group.
    #[schemars(range(min = 1, max = 6))]
    pub sequence: u32,
    /// What it is for.
    pub kind: AnswerKind,
    /// What must be true of its output.
    #[schemars(length(min = 1, max = 3))]
    pub criteria: Vec<CriterionDraft>,
}

/// What a subtask is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerKind {
    /// To answer a question about what there is.
    FindOut,
    /// To make something new.
    Create,
    /// To alter what exists.
    Change,
}

/// A criterion in the model's words, by how it can be decided. The checks are those that need no knowledge of the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "check", rename_all = "snake_case", deny_unknown_fields)]
pub enum CriterionDraft {
    /// The output is one number.
    OutputNumber {
        /// The assertion.
        #[schemars(length(min = 1, max = 160))]
        text: String,
    },
    /// The output contains words of the request.
    OutputContains {
        /// The assertion.
        #[schemars(length(min = 1, max = 160))]
        text: String,
        /// The words.
        #[schemars(length(min = 1, max = 120))]
        value: String,
    },
    /// The output has a shape.
    OutputMatches {
        /// The assertion.
        #[schemars(length(min = 1, max = 160))]
        text: String,
        /// A regular expression.
        #[schemars(length(min = 1, max = 120))]
        value: String,
    },
    /// A file is there afterwards.
    FileExists {
        /// The assertion.
        #[schemars(length(min = 1, max = 160))]
        text: String,
        /// Its path.
        #[schemars(length(min = 1, max = 200))]
        path: String,
    },
    /// A file contains words of the request.
    FileContains {
        /// The assertion.
        #[schemars(length(min = 1, max = 160))]
        text: String,
        /// Its path.
        #[schemars(length(min = 1, max = 200))]
        path: String,
        /// The words.
        #[schemars(length(min = 1, max = 120))]
        value: String,
    },
    /// Only a reader can tell.
    None {
        /// The assertion.
        #[schemars(length(min = 1, max = 160))]
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
            | Self::FileContains { text, .. }
            | Self::None { text } => text,
        }
    }
}
