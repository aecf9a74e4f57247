//! `ModelProfile`: a model's context size, supported features, and whether it is guided.

mod calibration;
mod effort;
mod families;
mod overrides;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use calibration::Calibration;
pub use effort::ReasoningEffort;
use families::Family;
pub use overrides::ProfileOverrides;

/// The known properties of a model.
///
/// All code that treats models differently asks this and nothing else. Features for weak models are active
/// only if [`guided`](Self::guided) is set.
/// ```
/// use artoo_llm_client::{ModelProfile, ToolCalling};
///
/// let known = ModelProfile::of("anthropic/claude-sonnet-4-5");
/// assert_eq!((known.tool_calling, known.guided, known.images), (ToolCalling::Native, false, true));
/// assert!(ModelProfile::of("qwen2.5-coder:1.5b").guided);
/// assert!(!ModelProfile::of("Qwen2.5-Coder-32B-Instruct").guided);
/// // Nothing is known of it: it is asked like a capable model with a small context.
/// assert_eq!(ModelProfile::of("somebody/else"), ModelProfile::default());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelProfile {
    /// The family that its name belongs to; `unknown` if none.
    pub family: String,
    /// Maximum tokens of a prompt and its answer together.
    pub context_tokens: u32,
    /// Maximum tokens of an answer.
    pub output_tokens: u32,
    /// How it calls tools.
    pub tool_calling: ToolCalling,
    /// Whether it accepts images.
    pub images: bool,
    /// Whether it thinks before it answers, and needs tokens for that.
    pub reasoning: bool,
    /// How much it is told to think. `None` says nothing, so that its server decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<ReasoningEffort>,
    /// Whether its server takes a temperature. Vendors refuse it for some models that think.
    #[serde(default = "usually")]
    pub temperature: bool,
    /// How long its server may send nothing, before and during an answer, in seconds. A model that thinks out of sight
    /// sends nothing while it does. `None`: [`DEFAULT_SILENCE`](Self::DEFAULT_SILENCE), or what the client sets for its server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silence_seconds: Option<u32>,
    /// Whether its server can constrain answers to a JSON Schema. Otherwise the schema goes into the prompt.
    /// A client finds out by itself if the server refuses a schema, but not if the server ignores it.
    #[serde(default = "usually")]
    pub structured: bool,
    /// Whether it is weak and therefore guided: examples in prompts, one action per turn with a schema that
    /// excludes invalid ones, commands derived in several ways.
    pub guided: bool,
}

/// The family of an unknown model.
const UNKNOWN: &str = "unknown";

/// How a model says which tools are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolCalling {
    /// By the calls of its wire format, several at once.
    Native,
    /// By one JSON object in its text.
    Json,
}

impl Default for ModelProfile {
    /// An unknown model: 32,000 tokens of context, 8,000 of answer, tool calls in JSON, which every server
    /// lets through, no images, not guided.
    fn default() -> Self {
        Self {
            family: UNKNOWN.to_owned(),
            context_tokens: 32_000,
            output_tokens: 8_000,
            tool_calling: ToolCalling::Json,
            images: false,
            reasoning: false,
            reasoning_effort: None,
            temperature: true,
            silence_seconds: None,
            structured: true,
            guided: false,
        }
    }
}

impl ModelProfile {
    /// How long a server may be silent if nothing else is known: five minutes, which thinking models take.
    pub const DEFAULT_SILENCE: Duration = Duration::from_secs(300);

    /// How long a model on this machine may be silent: half an hour, which a long prompt takes on a CPU.
    pub const LOCAL_SILENCE: Duration = Duration::from_secs(30 * 60);

    /// How long its server may send nothing.
    pub fn silence(&self) -> Duration {
        self.silence_seconds.map_or(Self::DEFAULT_SILENCE, |seconds| Duration::from_secs(seconds.into()))
    }

    /// The profile of a model, by its name on the server.
    pub fn of(model: &str) -> Self {
        let Some(family) = Family::of(model) else {
            return Self::default();
        };
        let unknown = Self::default();
        let is_below =
            |billions: u32| parameters(model).is_some_and(|tenths| tenths < u64::from(billions) * 10);
        Self {
            family: family.family.clone(),
            context_tokens: family.context_tokens.unwrap_or(unknown.context_tokens),
            output_tokens: family.output_tokens.unwrap_or(unknown.output_tokens),
            tool_calling: family.tool_calling.unwrap_or(ToolCalling::Native),
            images: family.images,
            reasoning: family.reasoning,
            reasoning_effort: unknown.reasoning_effort,
            temperature: family.temperature,
            silence_seconds: unknown.silence_seconds,
            structured: unknown.structured,
            guided: family.guided_below.is_some_and(is_below),
        }
    }

    /// The embedded model: small, on the CPU, constrained to schemas.
    pub fn embedded() -> Self {
        Self {
            family: "embedded".to_owned(),
            context_tokens: 8_192,
            output_tokens: 4_096,
            tool_calling: ToolCalling::Json,
            images: false,
            reasoning: false,
            reasoning_effort: None,
            temperature: true,
            silence_seconds: u32::try_from(Self::LOCAL_SILENCE.as_secs()).ok(),
            structured: true,
            guided: true,
        }
    }

    /// The profile with the limits that its server has named. A prompt and an answer share the context, so an
    /// answer gets at most half of a smaller one.
    /// ```
    /// use artoo_llm_client::ModelProfile;
    ///
    /// let served = ModelProfile::of("qwen3-32b").within(Some(8_192), None);
    /// assert_eq!((served.context_tokens, served.output_tokens), (8_192, 4_096));
    /// assert_eq!(ModelProfile::default().within(Some(1_000_000), None), ModelProfile::default());
    /// ```
    #[must_use]
    pub fn within(mut self, context: Option<u32>, output: Option<u32>) -> Self {
        if let Some(context) = context.filter(|context| *context < self.context_tokens) {
            self.context_tokens = context;
            self.output_tokens = self.output_tokens.min(context / 2);
        }
        self.output_tokens = output.map_or(self.output_tokens, |output| self.output_tokens.min(output));
        self
    }

    /// How many bytes of one tool's output the model is shown: a sixteenth of its context, at least 2,400 and
    /// at most 48,000. A guided model gets the minimum, since it gets lost in more.
    pub fn shown_bytes(&self) -> usize {
        const BYTES_OF_A_TOKEN: usize = 4;
        let share = usize::try_from(self.context_tokens).unwrap_or(usize::MAX) / 16;
        if self.guided { 2_400 } else { share.saturating_mul(BYTES_OF_A_TOKEN).clamp(2_400, 48_000) }
    }

    /// The measured share of right results. A guided model of a known family counts as the embedded one, the
    /// only one that was measured; for any other the share is unknown, so its judge's verdict counts as it
    /// is.
    /// ```
    /// use artoo_llm_client::ModelProfile;
    /// let small = ModelProfile::embedded().calibration();
    /// assert!(small.alone < small.agreed && small.agreed < small.across && small.across >= small.least);
    /// ```
    pub fn calibration(&self) -> Calibration {
        Calibration::of(self.guided && self.family != UNKNOWN)
    }

    /// Token limit for an answer that needs about `tokens`. A model that thinks first gets more, and a model
    /// of which nothing is known somewhat more, since it may; up to its maximum output and half of its
    /// context.
    /// ```
    /// use artoo_llm_client::ModelProfile;
    ///
    /// let room = |model: &str| ModelProfile::of(model).room(2_000);
    /// assert_eq!([room("gpt-5"), room("gpt-4o"), room("somebody/else")], [18_000, 2_000, 6_096]);
    /// ```
    pub fn room(&self, tokens: u32) -> u32 {
        const FOR_THINKING: u32 = 16_000;
        const FOR_THE_UNKNOWN: u32 = 4_096;
        let thinking = match (self.reasoning, self.family == UNKNOWN) {
            (true, _) => FOR_THINKING,
            (false, true) => FOR_THE_UNKNOWN,
            (false, false) => 0,
        };
        tokens.saturating_add(thinking).min(self.output_tokens).min(self.context_tokens / 2)
    }
}

/// The number of parameters in a model's name, in tenths of a billion: 15 for `qwen2.5:1.5b`. `None` if the
/// name has none.
/// ```
/// use artoo_llm_client::parameters;
/// assert_eq!(["llama3:70b", "gpt-5-mini", "phi-0.5B"].map(parameters), [Some(700), None, Some(5)]);
/// ```
pub fn parameters(model: &str) -> Option<u64> {
    let name = model.to_lowercase();
    name.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).rev().find_map(|part| {
        let number = part.strip_suffix('b')?;
        let (whole, tenths) = number.split_once('.').unwrap_or((number, "0"));
        let tenth = tenths.get(..1)?;
        whole.parse::<u64>().ok()?.checked_mul(10)?.checked_add(tenth.parse().ok()?)
    })
}

fn usually() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_as_servers_write_them() {
        let table = [
            ("claude-opus-4-1", "Claude", false),
            ("gpt-5-mini", "GPT-5 and later", false),
            ("openai/gpt-oss-120b", "gpt-oss", false),
            ("unsloth/Qwen3-8B-GGUF", "Qwen3", false),
            ("qwen3:4b", "Qwen3", true),
            ("deepseek-r1:7b", "DeepSeek R1", true),
            ("mixtral-8x7b", "Mistral", false),
            ("phi4-mini", "Phi", false),
            ("myclaude", "unknown", false),
            ("", "unknown", false),
        ];
        for (name, family, guided) in table {
            let profile = ModelProfile::of(name);
            assert_eq!((profile.family.as_str(), profile.guided), (family, guided), "{name}");
        }
    }

    #[test]
    fn sizes_are_read_from_names() {
        let names = ["qwen2.5-coder-1.5b-instruct", "llama3:70b", "gpt-5-mini", "b", "mixtral-8x7b", "0.5B"];
        assert_eq!(names.map(parameters), [Some(15), Some(700), None, None, None, Some(5)]);
    }

    #[test]
    fn outputs_are_as_large_as_the_context_allows() {
        let of = |context_tokens, guided| {
            ModelProfile { context_tokens, guided, ..ModelProfile::default() }.shown_bytes()
        };
        assert_eq!(
            [of(4_000, false), of(32_000, false), of(200_000, false), of(1_000_000, true)],
            [2_400, 8_000, 48_000, 2_400]
        );
    }
}
