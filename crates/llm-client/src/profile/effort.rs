//! `ReasoningEffort`: how much a model is to think before it answers.

use serde::{Deserialize, Serialize};

/// How much a model is to think. Servers take some of these, and have their own default.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningEffort {
    /// Not at all.
    None,
    /// As little as possible.
    Minimal,
    /// Little.
    Low,
    /// As most servers have it.
    Medium,
    /// Much.
    High,
    /// More than that.
    Xhigh,
    /// As much as it can.
    Max,
}

impl ReasoningEffort {
    /// The word for it on the wire and in the configuration.
    pub const fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Xhigh => "xhigh",
            Self::Max => "max",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_the_same_everywhere() {
        use ReasoningEffort::{High, Low, Max, Medium, Minimal, None, Xhigh};
        for effort in [None, Minimal, Low, Medium, High, Xhigh, Max] {
            assert_eq!(serde_json::to_value(effort).unwrap(), effort.word());
        }
    }
}
