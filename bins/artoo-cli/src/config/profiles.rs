//! The profile (capabilities and limits) that applies to each model, with the reason.

use std::collections::BTreeMap;
use std::fmt;

use artoo_llm_client::{ModelProfile, ProfileOverrides, ToolCalling};

use super::layer::quoted;
use super::model_choice::ModelChoice;
use super::tables::Provider;
use crate::error::CommandError;

/// The profile that applies to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Applied {
    /// The profile.
    pub(crate) profile: ModelProfile,
    /// Where it comes from.
    pub(crate) reason: String,
}

/// The profile of a chosen model: the embedded model has its own, for others the name
/// decides; overrides in `said` take precedence.
pub(crate) fn applied(choice: &ModelChoice, said: &BTreeMap<String, ProfileOverrides>) -> Applied {
    let (known, why) = match choice.provider {
        Provider::Local => (ModelProfile::embedded(), "the embedded model"),
        Provider::Openai | Provider::Anthropic => {
            let known = ModelProfile::of(&choice.model);
            let is_unknown = known.family == ModelProfile::default().family;
            (known, if is_unknown { "nothing is known of the name" } else { "known by its name" })
        }
    };
    match said.get(&choice.model).filter(|said| !said.is_empty()) {
        None => Applied { profile: known, reason: why.to_owned() },
        Some(said) => {
            let reason = format!("{why}; [models.{}] says {}", quoted(&choice.model), keys(said).join(", "));
            Applied { profile: known.with(said), reason }
        }
    }
}

/// Checks that the overrides can work.
pub(super) fn known_better(
    models: &BTreeMap<String, ProfileOverrides>,
) -> Result<BTreeMap<String, ProfileOverrides>, CommandError> {
    /// The prompts of the roles alone take about that many tokens.
    const LEAST_CONTEXT: u32 = 2_048;
    /// A plan takes more than that.
    const LEAST_OUTPUT: u32 = 256;
    for (model, said) in models {
        let refused = |key: &str, value: u32, why: String| {
            let message = format!("`models.{}.{key}` is {value}, which is {why}", quoted(model));
            Err(CommandError::configuration(message).hint("leave it out to take what is known by the name"))
        };
        if said.silence_seconds == Some(0) {
            return refused("silence_seconds", 0, "no time at all".to_owned());
        }
        match (said.context_tokens, said.output_tokens) {
            (Some(context), _) if context < LEAST_CONTEXT => {
                return refused(
                    "context_tokens",
                    context,
                    format!("less than the {LEAST_CONTEXT} that prompts need"),
                );
            }
            (_, Some(output)) if output < LEAST_OUTPUT => {
                return refused(
                    "output_tokens",
                    output,
                    format!("less than the {LEAST_OUTPUT} that answers need"),
                );
            }
            (Some(context), Some(output)) if output >= context => {
                return refused(
                    "output_tokens",
                    output,
                    format!("no less than its whole context of {context}"),
                );
            }
            _ => {}
        }
    }
    Ok(models.clone())
}

/// One-line summary.
impl fmt::Display for Applied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let profile = &self.profile;
        write!(
            f,
            "{}: {} tokens of context, {} of answer, tools {}",
            profile.family,
            profile.context_tokens,
            profile.output_tokens,
            match profile.tool_calling {
                ToolCalling::Native => "called natively",
                ToolCalling::Json => "called by JSON",
            }
        )?;
        let marks = [
            (profile.images, "sees pictures"),
            (profile.reasoning, "thinks first"),
            (!profile.temperature, "takes no temperature"),
            (!profile.structured, "schemas in the prompt"),
            (profile.guided, "guided"),
        ];
        for (_, words) in marks.into_iter().filter(|(holds, _)| *holds) {
            write!(f, ", {words}")?;
        }
        if let Some(effort) = profile.reasoning_effort {
            write!(f, ", effort {}", effort.word())?;
        }
        if let Some(seconds) = profile.silence_seconds {
            write!(f, ", may be silent for {seconds} s")?;
        }
        Ok(())
    }
}

/// The keys that are set.
fn keys(said: &ProfileOverrides) -> Vec<&'static str> {
    let set = [
        ("context_tokens", said.context_tokens.is_some()),
        ("output_tokens", said.output_tokens.is_some()),
        ("tool_calling", said.tool_calling.is_some()),
        ("images", said.images.is_some()),
        ("reasoning", said.reasoning.is_some()),
        ("reasoning_effort", said.reasoning_effort.is_some()),
        ("temperature", said.temperature.is_some()),
        ("silence_seconds", said.silence_seconds.is_some()),
        ("structured", said.structured.is_some()),
        ("guided", said.guided.is_some()),
    ];
    set.into_iter().filter(|(_, is_set)| *is_set).map(|(key, _)| key).collect()
}

#[cfg(test)]
mod tests {
    use artoo_llm_client::ReasoningEffort;

    use super::*;

    fn shown(provider: Provider, model: &str, said: ProfileOverrides) -> String {
        let choice =
            ModelChoice { provider, base_url: String::new(), model: model.to_owned(), key_env: None };
        let applied = applied(&choice, &BTreeMap::from([(model.to_owned(), said)]));
        format!("{applied} ({})", applied.reason)
    }

    #[test]
    fn each_model_has_its_profile_and_the_reason_for_it() {
        let nothing = ProfileOverrides::default;
        insta::assert_snapshot!(shown(Provider::Openai, "qwen3:4b", nothing()), @"Qwen3: 32000 tokens of context, 12000 of answer, tools called natively, thinks first, guided (known by its name)");
        insta::assert_snapshot!(shown(Provider::Anthropic, "claude-sonnet-4-5", nothing()), @"Claude: 200000 tokens of context, 32000 of answer, tools called natively, sees pictures, thinks first (known by its name)");
        insta::assert_snapshot!(shown(Provider::Openai, "mock", nothing()), @"unknown: 32000 tokens of context, 8000 of answer, tools called by JSON (nothing is known of the name)");
        insta::assert_snapshot!(shown(Provider::Local, "qwen2.5-coder-1.5b", nothing()), @"embedded: 8192 tokens of context, 4096 of answer, tools called by JSON, guided, may be silent for 1800 s (the embedded model)");
        let said = ProfileOverrides {
            reasoning_effort: Some(ReasoningEffort::Low),
            silence_seconds: Some(600),
            ..nothing()
        };
        insta::assert_snapshot!(shown(Provider::Openai, "gpt-5-mini", said), @r#"GPT-5 and later: 256000 tokens of context, 64000 of answer, tools called natively, sees pictures, thinks first, takes no temperature, effort low, may be silent for 600 s (known by its name; [models.gpt-5-mini] says reasoning_effort, silence_seconds)"#);
        let said = ProfileOverrides { structured: Some(false), guided: Some(false), ..nothing() };
        insta::assert_snapshot!(shown(Provider::Openai, "qwen3:1.7b", said), @r#"Qwen3: 32000 tokens of context, 12000 of answer, tools called natively, thinks first, schemas in the prompt (known by its name; [models."qwen3:1.7b"] says structured, guided)"#);
    }

    #[test]
    fn sizes_that_cannot_work_are_refused() {
        let refusal = |context_tokens: Option<u32>, output_tokens: Option<u32>| {
            let said = ProfileOverrides { context_tokens, output_tokens, ..ProfileOverrides::default() };
            known_better(&BTreeMap::from([("a.b".to_owned(), said)])).map_err(|error| error.to_string())
        };
        assert!(refusal(Some(4_096), Some(1_024)).is_ok());
        insta::assert_snapshot!(refusal(Some(0), None).unwrap_err(), @r#"`models."a.b".context_tokens` is 0, which is less than the 2048 that prompts need"#);
        insta::assert_snapshot!(refusal(None, Some(3)).unwrap_err(), @r#"`models."a.b".output_tokens` is 3, which is less than the 256 that answers need"#);
        let said = ProfileOverrides { silence_seconds: Some(0), ..ProfileOverrides::default() };
        let silent = known_better(&BTreeMap::from([("a.b".to_owned(), said)])).unwrap_err().to_string();
        insta::assert_snapshot!(silent, @r#"`models."a.b".silence_seconds` is 0, which is no time at all"#);
        insta::assert_snapshot!(refusal(Some(4_096), Some(4_096)).unwrap_err(), @r#"`models."a.b".output_tokens` is 4096, which is no less than its whole context of 4096"#);
    }
}
