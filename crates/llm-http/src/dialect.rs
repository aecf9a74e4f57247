//! Which protocol features one server supports, learned from its refusals.

use std::borrow::Cow;

use artoo_llm_client::{Request, with_tools_in_prompt};

/// The protocol features in which servers differ. A client starts with the richest dialect it knows and goes
/// down, never up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// How structured answers are requested.
    pub(crate) level: Level,
    /// Whether tools are sent. Otherwise they are described in the prompt.
    pub(crate) tools: bool,
    /// Whether `stream_options.include_usage` is sent.
    pub(crate) stream_usage: bool,
    /// Whether a temperature is sent. Reasoning models take none.
    pub(crate) temperature: bool,
    /// Whether the seed of a sample is sent. Few servers promise anything for it, and some refuse it.
    pub(crate) seed: bool,
    /// Whether the effort of thinking is sent, if one is configured.
    pub(crate) effort: bool,
    /// How the token limit of an answer is sent.
    pub(crate) limit: LimitField,
}

/// How the token limit of an answer is sent. A refusal leads to the next but for `Required`, which stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LimitField {
    /// By the only name that the format has, always.
    Required,
    /// By the name that is probably right for the server.
    Usual(LimitName),
    /// By the other name, since the server refused the usual one.
    Other(LimitName),
    /// Not at all, since the server refuses both.
    Omitted,
}

/// A name of the token limit of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LimitName {
    /// `max_tokens`, which most servers know.
    MaxTokens,
    /// `max_completion_tokens`, as newer models of OpenAI want it.
    MaxCompletionTokens,
}

impl LimitName {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }

    const fn other(self) -> Self {
        match self {
            Self::MaxTokens => Self::MaxCompletionTokens,
            Self::MaxCompletionTokens => Self::MaxTokens,
        }
    }
}

impl LimitField {
    /// The name by which the limit is sent, where there is a choice.
    pub(crate) const fn name(self) -> Option<LimitName> {
        match self {
            Self::Usual(name) | Self::Other(name) => Some(name),
            Self::Required | Self::Omitted => None,
        }
    }

    /// Whether a limit is sent.
    pub(crate) const fn is_sent(self) -> bool {
        match self {
            Self::Required | Self::Usual(_) | Self::Other(_) => true,
            Self::Omitted => false,
        }
    }

    /// The next way after the server named the field in a refusal with these words.
    fn after(self, words: &str) -> Option<Self> {
        const UNKNOWN: [&str; 8] = [
            "unsupported",
            "not supported",
            "unrecognized",
            "unknown",
            "unexpected",
            "not permitted",
            "extra_forbidden",
            "not allowed",
        ];
        let has = |name: LimitName| names_field(words, name.word());
        self.name().filter(|name| has(*name))?;
        match self {
            // A refusal of the value is no reason to try another name.
            Self::Usual(name) if has(name.other()) || UNKNOWN.iter().any(|word| words.contains(word)) => {
                Some(Self::Other(name.other()))
            }
            Self::Usual(_) | Self::Other(_) => Some(Self::Omitted),
            Self::Required | Self::Omitted => None,
        }
    }
}

/// Whether `words` have this name, and not only a longer one with it inside.
fn names_field(words: &str, name: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    words.match_indices(name).any(|(at, _)| {
        let (before, after) =
            (words.get(..at).unwrap_or_default(), words.get(at + name.len()..).unwrap_or_default());
        !is_part(before.chars().next_back()) && !is_part(after.chars().next())
    })
}

/// Ways to request a structured answer, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// The server's JSON Schema support in its strict form.
    Strict,
    /// The server's JSON Schema support.
    Schema,
    /// A tool whose input is the answer.
    Tool,
    /// JSON mode; the schema is in the prompt.
    Object,
    /// Only the schema in the prompt.
    Prompt,
}

impl Level {
    /// Whether the server gets the schema, so that the prompt need not contain it.
    pub(crate) const fn is_native(self) -> bool {
        match self {
            Self::Strict | Self::Schema | Self::Tool => true,
            Self::Object | Self::Prompt => false,
        }
    }
}

impl Dialect {
    /// The request as sent in this dialect, and how its answer is requested.
    pub(crate) fn put(self, request: &Request) -> (Cow<'_, Request>, Self) {
        if self.tools && !request.tools.is_empty() {
            return (Cow::Borrowed(request), self);
        }
        let told = with_tools_in_prompt(request);
        // A server constrained to the schema could not let the model call a tool in text.
        let level = if request.tools.is_empty() { self.level } else { Level::Prompt };
        (told, Self { level, ..self })
    }

    /// The next dialect to try after the server refused `request` in this one with this message (in lower
    /// case); `None` if it names nothing that can be left out. `ladder` lists the levels allowed.
    ///
    /// Each step permanently leaves something out, so there are at most ten.
    pub(crate) fn after_refusal(
        self,
        status: u16,
        words: &str,
        ladder: &[Level],
        request: &Request,
    ) -> Option<Self> {
        // 500 and 501: llama-server reports a schema that its grammar cannot express as an internal error.
        if !matches!(status, 400 | 404 | 422 | 500 | 501) {
            return None;
        }
        let names = |phrases: &[&str]| phrases.iter().any(|phrase| words.contains(phrase));
        if self.stream_usage && names(&["stream_options", "include_usage"]) {
            return Some(Self { stream_usage: false, ..self });
        }
        // First, since the server may take the tools or the schema without it.
        if self.effort && names(&["effort"]) {
            return Some(Self { effort: false, ..self });
        }
        const ABOUT_SCHEMAS: [&str; 10] = [
            "response_format",
            "json_schema",
            "json schema",
            "json_object",
            "output_config",
            "output_format",
            "tool_choice",
            "structured output",
            "grammar",
            "input_schema",
        ];
        if names(&ABOUT_SCHEMAS)
            && let Some(weaker) = self.weaker(ladder, request)
        {
            return Some(weaker);
        }
        const ABOUT_TOOLS: [&str; 8] = [
            "tools",
            "tool_choice",
            "tool_calls",
            "tool choice",
            "tool call",
            "tool use",
            "function call",
            "functions",
        ];
        if self.tools && !request.tools.is_empty() && names(&ABOUT_TOOLS) {
            return Some(Self { tools: false, ..self });
        }
        if self.temperature && names(&["temperature"]) {
            return Some(Self { temperature: false, ..self });
        }
        // A server may list every field that it does not know, so only fields that were sent count.
        if self.seed && request.seed.is_some() && names(&["seed"]) {
            return Some(Self { seed: false, ..self });
        }
        self.limit.after(words).map(|limit| Self { limit, ..self })
    }

    /// The next dialect to try after the server could not use what its model wrote in answer to `request`, so
    /// that the server need not use it: tools and schema go into the prompt. `None` if it has neither.
    pub(crate) fn after_generation(self, ladder: &[Level], request: &Request) -> Option<Self> {
        if self.tools && !request.tools.is_empty() {
            return Some(Self { tools: false, ..self });
        }
        self.weaker(ladder, request)
    }

    /// The dialect with the next weaker way to request the structured answer that `request` wants.
    fn weaker(self, ladder: &[Level], request: &Request) -> Option<Self> {
        request.schema.as_ref()?;
        let place = ladder.iter().position(|level| *level == self.level)?;
        ladder.get(place + 1).map(|level| Self { level: *level, ..self })
    }

    /// The intersection of both dialects: concurrent calls that learned different things must not overwrite
    /// each other's findings.
    pub(crate) fn poorer_of(self, other: Self, ladder: &[Level]) -> Self {
        let rank = |level: Level| ladder.iter().position(|known| *known == level);
        Self {
            level: if rank(other.level) > rank(self.level) { other.level } else { self.level },
            tools: self.tools && other.tools,
            stream_usage: self.stream_usage && other.stream_usage,
            temperature: self.temperature && other.temperature,
            seed: self.seed && other.seed,
            effort: self.effort && other.effort,
            limit: self.limit.max(other.limit),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use artoo_llm_client::{JsonSchema, ToolDefinition};
    use serde_json::json;

    use super::*;

    const LADDER: [Level; 4] = [Level::Strict, Level::Schema, Level::Object, Level::Prompt];
    const RICH: Dialect = Dialect {
        level: Level::Strict,
        tools: true,
        stream_usage: true,
        temperature: true,
        seed: true,
        effort: true,
        limit: LimitField::Usual(LimitName::MaxTokens),
    };

    fn request() -> Request {
        let schema = JsonSchema { name: "n".into(), schema: json!({}).into() };
        Request::new("test", "", "").with_schema(schema)
    }

    fn with_tools(request: Request) -> Request {
        let look =
            ToolDefinition { name: "look".into(), description: "looks".into(), parameters: Arc::default() };
        request.with_tools(Arc::new([look]))
    }

    #[test]
    fn refusals_as_servers_word_them() {
        let check = |words: &str, expected: Option<Dialect>| {
            assert_eq!(
                RICH.after_refusal(400, &words.to_lowercase(), &LADDER, &request()),
                expected,
                "{words:?}"
            );
        };
        let schema = Some(Dialect { level: Level::Schema, ..RICH });
        check("Invalid schema for response_format 'plan': 'required' is required", schema);
        check("This response_format type is unavailable now", schema);
        check("failed to parse grammar", schema);
        check(
            "Unrecognized request argument supplied: stream_options",
            Some(Dialect { stream_usage: false, ..RICH }),
        );
        check(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            Some(Dialect { limit: LimitField::Other(LimitName::MaxCompletionTokens), ..RICH }),
        );
        check(
            "body.max_tokens: Extra inputs are not permitted",
            Some(Dialect { limit: LimitField::Other(LimitName::MaxCompletionTokens), ..RICH }),
        );
        check(
            "Function tools with reasoning_effort are not supported for this model in /v1/chat/completions",
            Some(Dialect { effort: false, ..RICH }),
        );
        check(
            "Unsupported value: 'temperature' does not support 0 with this model.",
            Some(Dialect { temperature: false, ..RICH }),
        );
        // No number says what would fit.
        check("max_tokens is too large: 100000", Some(Dialect { limit: LimitField::Omitted, ..RICH }));
        check("max_tokens_per_day is used up", None);
        check("invalid model", None);
    }

    #[test]
    fn only_refusals_of_the_request_count() {
        for status in [401, 403, 408, 429, 502, 503] {
            assert_eq!(RICH.after_refusal(status, "response_format", &LADDER, &request()), None);
        }
        let bare = Request::new("test", "", "");
        assert_eq!(RICH.after_refusal(400, "response_format", &LADDER, &bare), None, "no schema was sent");
        assert_eq!(RICH.after_refusal(400, "tools", &LADDER, &request()), None, "no tools were sent");
        assert_eq!(RICH.after_refusal(400, "seed", &LADDER, &bare), None, "no seed was sent");
    }

    #[test]
    fn servers_that_take_no_tools() {
        let bare = with_tools(Request::new("test", "", ""));
        let without = Some(Dialect { tools: false, ..RICH });
        for words in [
            "registry.local/library/gemma:2b does not support tools",
            "tools param requires --jinja flag",
            "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
            "no endpoints found that support tool use.",
            "unrecognized request argument supplied: tools",
            "function calling is not enabled for this model",
        ] {
            assert_eq!(RICH.after_refusal(400, words, &LADDER, &bare), without, "{words}");
        }
        assert_eq!(RICH.after_refusal(400, "invalid model", &LADDER, &bare), None);
        let deaf = Dialect { tools: false, ..RICH };
        assert_eq!(deaf.after_refusal(400, "tools", &LADDER, &bare), None, "they were not sent");
    }

    #[test]
    fn tools_are_put_into_the_prompt_with_a_schema_that_binds_nobody() {
        let both = with_tools(request());
        assert_eq!(RICH.put(&both), (Cow::Borrowed(&both), RICH));
        let deaf = Dialect { tools: false, ..RICH };
        let (told, dialect) = deaf.put(&both);
        assert_eq!((told.tools.len(), dialect), (0, Dialect { level: Level::Prompt, ..deaf }));
        assert_eq!(deaf.put(&request()).1, deaf);
    }

    #[test]
    fn what_two_calls_learned_is_kept() {
        let schema = Dialect { level: Level::Object, ..RICH };
        let usage = Dialect { stream_usage: false, ..RICH };
        let both = Dialect { level: Level::Object, stream_usage: false, ..RICH };
        assert_eq!(schema.poorer_of(usage, &LADDER), both);
        assert_eq!(usage.poorer_of(schema, &LADDER), both);
        assert_eq!(both.poorer_of(RICH, &LADDER), both);
    }

    #[test]
    fn a_server_that_names_everything_is_asked_a_bounded_number_of_times() {
        let words =
            "max_tokens stream_options max_completion_tokens response_format tools temperature seed effort";
        let request = with_tools(request()).sample(1);
        let mut dialect = RICH;
        let mut steps = 0;
        while let Some(next) = dialect.after_refusal(400, words, &LADDER, &request) {
            assert_ne!(next, dialect);
            dialect = next;
            steps += 1;
        }
        let poorest = Dialect {
            level: Level::Prompt,
            tools: false,
            stream_usage: false,
            temperature: false,
            seed: false,
            effort: false,
            limit: LimitField::Omitted,
        };
        assert_eq!((steps, dialect), (10, poorest));
    }

    #[test]
    fn a_limit_without_which_no_request_is_valid_stays() {
        let bare = Dialect { limit: LimitField::Required, ..RICH };
        assert_eq!(
            bare.after_refusal(400, "max_tokens is odd", &LADDER, &Request::new("test", "", "")),
            None
        );
    }

    #[test]
    fn what_a_server_cannot_read_goes_into_the_prompt() {
        let both = with_tools(request());
        let untold = RICH.after_generation(&LADDER, &both).unwrap();
        assert_eq!(untold, Dialect { tools: false, ..RICH });
        let weaker = untold.after_generation(&LADDER, &both).unwrap();
        assert_eq!(weaker, Dialect { level: Level::Schema, ..untold });
        assert_eq!(RICH.after_generation(&LADDER, &Request::new("test", "", "")), None);
        let last = Dialect { level: Level::Prompt, ..untold };
        assert_eq!(last.after_generation(&LADDER, &both), None);
    }
}
