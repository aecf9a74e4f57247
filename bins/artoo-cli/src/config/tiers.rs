//! Check that R4b, which judges the whole task, has no weaker model than R2, which planned it.
//!
//! A weak judge would accept a strong planner's mistakes.

use artoo_llm_client::parameters;

use super::choose::ModelChoice;
use super::sections::Provider;
use crate::error::CommandError;

/// Refuses a meta-validator that is known to be weaker than the planner. Unknown models are accepted.
pub(super) fn check(
    planner: &ModelChoice,
    executor: &ModelChoice,
    meta_validator: &ModelChoice,
) -> Result<(), CommandError> {
    let reason = if meta_validator == planner {
        return Ok(());
    } else if meta_validator == executor {
        "it is the model of the tool tier"
    } else if meta_validator.provider == Provider::Local && planner.provider != Provider::Local {
        "it is the embedded model"
    } else if let Some(tenths) = parameters(&meta_validator.model)
        && parameters(&planner.model).is_some_and(|of_planner| tenths < of_planner)
    {
        "its name says that it has fewer parameters"
    } else {
        return Ok(());
    };
    Err(CommandError::configuration(format!(
        "the meta-validator may not work with a weaker model than the planner: {} against {}, and {reason}",
        meta_validator.model, planner.model
    ))
    .hint("remove [roles.meta_validator], or name a model that is at least as strong as the planner's"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(name: &str) -> ModelChoice {
        let base_url = "http://localhost:1".to_owned();
        ModelChoice { provider: Provider::Openai, base_url, model: name.to_owned(), key_env: None }
    }

    #[test]
    fn a_weaker_judge_is_refused_and_an_unknown_one_is_not() {
        let refused = |planner: &str, executor: &str, judge: &str| {
            check(&model(planner), &model(executor), &model(judge)).is_err()
        };
        assert!(!refused("a", "b", "a"));
        assert!(refused("a", "b", "b"));
        assert!(!refused("a", "b", "c"));
        assert!(refused("qwen2.5:7b", "x", "qwen2.5:1.5b"));
        assert!(!refused("qwen2.5:7b", "x", "qwen2.5:32b"));
        assert!(!refused("big", "x", "qwen2.5:1.5b"));
        let local = ModelChoice { provider: Provider::Local, ..model("e") };
        assert!(check(&model("a"), &model("b"), &local).is_err());
    }
}
