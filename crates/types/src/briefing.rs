//! What everybody who works on a plan is told besides the plan.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Experience, Law, MegramId, SopRecord};

/// The request, the person's laws and the lessons of memory, each by itself: a step is about what its intent
/// and the request name, never about what a law or a lesson names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Briefing {
    /// The request, with what the person has added to it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub request: String,
    /// The person's laws (layer T), which hold in every run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub laws: Vec<Law>,
    /// What memory knows of such work, the most important first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lessons: Vec<Lesson>,
}

/// A piece of memory that a step is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lesson {
    /// A rule of the C layer.
    Rule(SopRecord),
    /// A recalled experience.
    Experience(Experience),
}

impl Briefing {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        let Self { request, laws, lessons } = self;
        request.is_empty() && laws.is_empty() && lessons.is_empty()
    }
}

impl Lesson {
    /// The Megram that it is.
    pub fn id(&self) -> MegramId {
        match self {
            Self::Rule(rule) => rule.id,
            Self::Experience(experience) => experience.id,
        }
    }
}
