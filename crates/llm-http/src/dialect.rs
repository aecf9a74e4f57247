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
    /// Whether the token limit is called `max_completion_tokens`, as newer OpenAI models want it, or
    /// `max_tokens`.
    pub(crate) completion_limit: bool,
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
    /// Each step permanently leaves something out, so there are at most eight.
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
        if !self.completion_limit && names(&["max_completion_tokens"]) {
            return Some(Self { completion_limit: true, ..self });
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
        let weaker = || ladder.get(ladder.iter().position(|level| *level == self.level)? + 1);
        if request.schema.is_some()
            && names(&ABOUT_SCHEMAS)
            && let Some(level) = weaker()
        {
            return Some(Self { level: *level, ..self });
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
        None
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
            completion_limit: self.completion_limit || other.completion_limit,
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
        completion_limit: false,
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
            Some(Dialect { completion_limit: true, ..RICH }),
        );
        check(
            "Unsupported value: 'temperature' does not support 0 with this model.",
            Some(Dialect { temperature: false, ..RICH }),
        );
        check("max_tokens is too large: 100000", None);
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
        let words = "stream_options max_completion_tokens response_format tools temperature seed";
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
            completion_limit: true,
        };
        assert_eq!((steps, dialect), (8, poorest));
    }
}
