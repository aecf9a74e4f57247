//! Suggestions for the person after a failure: the model picks one, code words it. Free text from a model
//! could claim something that was never observed.

use schemars::JsonSchema;
use serde::Deserialize;

/// What the model is asked to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NextDraft {
    pub(crate) next: Next,
}

/// What the person could do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Next {
    SayWhere,
    SayWhich,
    SayMore,
    SmallerStep,
    SupplyIt,
    AllowIt,
    MoreTime,
    OtherModel,
}

impl Next {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::SayWhere => "check the name, or say where it is",
            Self::SayWhich => "say which one is meant",
            Self::SayMore => "say more exactly what is wanted",
            Self::SmallerStep => "ask for a smaller step",
            Self::SupplyIt => "supply what is missing: a file, a program or a way in",
            Self::AllowIt => "consent to it, or ask for something that does not need it",
            Self::MoreTime => "allow more time or replans",
            Self::OtherModel => "use a stronger model",
        }
    }
}
