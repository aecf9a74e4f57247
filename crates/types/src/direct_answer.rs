//! An answer without work, and what a result rests on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::TaskId;

/// The answer to a request that needs no tool, from the model's knowledge. Nobody has checked it. R2 to R7, in place of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DirectAnswer {
    /// The task's label.
    pub task_id: TaskId,
    /// The answer.
    pub text: String,
}

/// What a result rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// On what calls showed, as far as it was judged.
    #[default]
    Evidence,
    /// On the model's knowledge alone: nothing was looked at, and nothing was checked.
    Model,
}

impl Basis {
    /// Whether it is the usual one.
    pub fn is_evidence(&self) -> bool {
        match self {
            Self::Evidence => true,
            Self::Model => false,
        }
    }
}
