//! User overrides of a model's profile.

use serde::{Deserialize, Serialize};

use super::{ModelProfile, ReasoningEffort, ToolCalling};

/// What is said of a model, in place of what its name says. What is not said stays.
///
/// ```
/// use artoo_llm_client::{ModelProfile, ProfileOverrides};
///
/// let said = ProfileOverrides { context_tokens: Some(8_000), guided: Some(true), ..ProfileOverrides::default() };
/// let profile = ModelProfile::of("somebody/else").with(&said);
/// assert_eq!((profile.context_tokens, profile.guided), (8_000, true));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProfileOverrides {
    /// How many tokens a prompt and its answer may have together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u32>,
    /// How many tokens an answer may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u32>,
    /// How it says which tools are called: by the calls of its server (`native`) or by JSON in its text (`json`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_calling: Option<ToolCalling>,
    /// Whether it can be shown pictures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<bool>,
    /// Whether it thinks before it answers, and needs room for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<bool>,
    /// How much it is told to think: `none`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`. Without it nothing is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<ReasoningEffort>,
    /// Whether its server takes a temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<bool>,
    /// How many seconds its server may send nothing, before and during an answer. Without it 300, and 1,800 for a server on this
    /// machine or in its own network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silence_seconds: Option<u32>,
    /// Whether its server can bind answers to a JSON Schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured: Option<bool>,
    /// Whether it is weak, so that it is guided: examples in prompts, one action a turn, commands derived in several ways.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guided: Option<bool>,
}

impl ProfileOverrides {
    /// Whether there are no overrides.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl ModelProfile {
    /// The profile with these overrides. If only a smaller context is set, an answer may take all of it.
    #[must_use]
    pub fn with(self, said: &ProfileOverrides) -> Self {
        let context_tokens = said.context_tokens.unwrap_or(self.context_tokens);
        Self {
            family: self.family,
            context_tokens,
            output_tokens: said.output_tokens.unwrap_or(self.output_tokens).min(context_tokens),
            tool_calling: said.tool_calling.unwrap_or(self.tool_calling),
            images: said.images.unwrap_or(self.images),
            reasoning: said.reasoning.unwrap_or(self.reasoning),
            reasoning_effort: said.reasoning_effort.or(self.reasoning_effort),
            temperature: said.temperature.unwrap_or(self.temperature),
            silence_seconds: said.silence_seconds.or(self.silence_seconds),
            structured: said.structured.unwrap_or(self.structured),
            guided: said.guided.unwrap_or(self.guided),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_counts_and_the_rest_stays() {
        let known = ModelProfile::of("qwen3:4b");
        assert_eq!(known.clone().with(&ProfileOverrides::default()), known);
        let said = ProfileOverrides {
            context_tokens: Some(2_000),
            output_tokens: Some(9_000),
            tool_calling: Some(ToolCalling::Json),
            images: Some(true),
            reasoning: Some(false),
            reasoning_effort: Some(ReasoningEffort::Low),
            temperature: Some(false),
            silence_seconds: Some(900),
            structured: Some(false),
            guided: Some(false),
        };
        let expected = ModelProfile {
            family: known.family.clone(),
            context_tokens: 2_000,
            output_tokens: 2_000,
            tool_calling: ToolCalling::Json,
            images: true,
            reasoning: false,
            reasoning_effort: Some(ReasoningEffort::Low),
            temperature: false,
            silence_seconds: Some(900),
            structured: false,
            guided: false,
        };
        assert_eq!(known.with(&said), expected);
        assert!(ProfileOverrides::default().is_empty() && !said.is_empty());
    }
}
