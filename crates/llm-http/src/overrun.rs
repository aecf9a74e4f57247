//! Understands a refusal of a request that is too large for its model.

use serde_json::Value;

use crate::error_body::ErrorBody;
use crate::wordings::{LIMIT_NAMES, Sizes, sizes};

/// The limit that a request went beyond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overrun {
    /// An answer may have at most this many tokens.
    Output {
        /// The tokens of the answer.
        most: u32,
    },
    /// The prompt and the limit of its answer are together more than the context. The prompt alone is not, as
    /// far as it is known.
    Sum {
        /// The tokens of the context.
        context: u32,
        /// The tokens of the prompt, if they are known.
        prompt: Option<u32>,
    },
    /// The prompt alone is too long.
    Prompt {
        /// The tokens that a prompt may have, if they are named.
        most: Option<u32>,
        /// The tokens of this one, if they are named.
        prompt: Option<u32>,
    },
    /// The request is too large, and no number says in what.
    Unclear,
}

impl Overrun {
    /// The limit that a refusal with this status is about, if it is about one. `sent` is the limit of the
    /// answer that was asked for.
    ///
    /// A number counts only if it agrees with what is known: a limit that the request kept was not the reason.
    pub(crate) fn of(status: u16, body: &ErrorBody, sent: Option<u32>) -> Option<Self> {
        if !matches!(status, 0 | 400 | 402 | 413 | 422 | 429 | 500) {
            return None;
        }
        let sizes = body.sizes.unwrap_or_else(|| sizes(&body.words));
        // A rate is a limit of this request only if the request is larger than a whole minute's worth.
        if status == 429 {
            let is_beyond = sizes.context.zip(sizes.total).is_some_and(|(most, total)| total > most);
            return is_beyond.then(|| Self::of_numbers(sizes, sent)).flatten();
        }
        if let Some(understood) = Self::of_numbers(sizes, sent) {
            return Some(understood);
        }
        (status == 413 || body.is_about_length()).then_some(Self::Unclear)
    }

    fn of_numbers(sizes: Sizes, sent: Option<u32>) -> Option<Self> {
        let Sizes { context, prompt, most_prompt, most_output, total } = sizes;
        if let Some(most) = most_output
            && sent.is_none_or(|sent| most < sent)
        {
            return Some(Self::Output { most });
        }
        // The total has the limit of the answer in it, which is known.
        let rest = total.and_then(|total| total.checked_sub(sent.unwrap_or(0))).filter(|rest| *rest > 0);
        let prompt = prompt.or(rest);
        match (context, most_prompt) {
            (Some(context), _) => match prompt {
                Some(prompt) if prompt >= context => {
                    Some(Self::Prompt { most: Some(context), prompt: Some(prompt) })
                }
                Some(prompt) if sent.is_some_and(|sent| prompt.saturating_add(sent) <= context) => {
                    Some(Self::Sum { context, prompt: None })
                }
                prompt => Some(Self::Sum { context, prompt }),
            },
            (None, Some(most)) if prompt.is_none_or(|prompt| prompt > most) => {
                Some(Self::Prompt { most: Some(most), prompt })
            }
            (None, _) => None,
        }
    }
}

/// The numbers that a body names in fields of their own: llama.cpp's `n_ctx`, the bound that a validator's
/// finding has about the limit of an answer.
pub(crate) fn in_fields(body: &Value) -> Option<Sizes> {
    let mut sizes = Sizes::default();
    collect(body, &mut sizes, 0);
    (sizes != Sizes::default()).then_some(sizes)
}

fn collect(value: &Value, sizes: &mut Sizes, depth: u8) {
    /// Error bodies are flat; a hostile one may not be.
    const DEEPEST: u8 = 6;
    if depth > DEEPEST {
        return;
    }
    match value {
        Value::Object(fields) => {
            let count = |value: Option<&Value>| {
                value
                    .and_then(Value::as_u64)
                    .and_then(|count| u32::try_from(count).ok())
                    .filter(|count| *count > 0)
            };
            sizes.context = sizes.context.or(count(fields.get("n_ctx")));
            sizes.prompt = sizes.prompt.or(count(fields.get("n_prompt_tokens")));
            if fields.get("loc").is_some_and(is_about_the_answer) {
                let bound = |name: &str, less: u32| {
                    count(fields.get("ctx")?.get(name)).and_then(|bound| bound.checked_sub(less))
                };
                sizes.most_output = sizes.most_output.or_else(|| bound("le", 0)).or_else(|| bound("lt", 1));
            }
            fields.values().for_each(|field| collect(field, sizes, depth + 1));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, sizes, depth + 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Whether a validator's place is the limit of the answer.
fn is_about_the_answer(place: &Value) -> bool {
    let is_limit =
        |part: &Value| part.as_str().is_some_and(|part| part == "max_tokens" || LIMIT_NAMES.contains(&part));
    place.as_array().is_some_and(|parts| parts.iter().any(is_limit))
}

#[cfg(test)]
mod tests {
    use artoo_redaction::Redactor;
    use serde_json::json;

    use super::*;

    fn of(status: u16, message: &str, sent: Option<u32>) -> Option<Overrun> {
        let body = json!({"error": {"message": message}}).to_string();
        Overrun::of(status, &ErrorBody::read(body.as_bytes(), &Redactor::new()), sent)
    }

    #[test]
    fn what_a_refusal_is_about() {
        let sum = |context, prompt| Some(Overrun::Sum { context, prompt });
        let prompt = |most, prompt| Some(Overrun::Prompt { most, prompt });
        let vllm = "'max_tokens' is too large: 8000. This model's maximum context length is 8192 tokens and your request has 1200 input tokens (8000 > 8192 - 1200).";
        assert_eq!(of(400, vllm, Some(8000)), sum(8192, Some(1200)));
        let total = "This model's maximum context length is 8192 tokens. However, you requested 9200 tokens";
        assert_eq!(of(400, total, Some(8000)), sum(8192, Some(1200)), "the rest of the total is the prompt");
        assert_eq!(of(400, total, None), prompt(Some(8192), Some(9200)), "all of it is");
        let long = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens";
        assert_eq!(of(400, long, Some(100)), prompt(Some(8192), Some(9001)));
        assert_eq!(of(400, "maximum context length is 8192 tokens", Some(100)), sum(8192, None));
        let output = "max_tokens: 64000 > 8192, which is the maximum";
        assert_eq!(of(400, output, Some(64_000)), Some(Overrun::Output { most: 8192 }));
        assert_eq!(of(400, output, Some(100)), None, "a limit that was kept is not the reason");
        assert_eq!(of(400, "maximum context length exceeded", Some(100)), Some(Overrun::Unclear));
        assert_eq!(of(413, "Request too large", Some(100)), Some(Overrun::Unclear));
        let credit = "You requested up to 32000 tokens, but can only afford 2000.";
        assert_eq!(of(402, credit, Some(32_000)), Some(Overrun::Output { most: 2_000 }));
        let llama = r#"{"error": {"code": 400, "message": "the request exceeds the available context size, try increasing it", "type": "exceed_context_size_error", "n_prompt_tokens": 5000, "n_ctx": 4096}}"#;
        let llama = ErrorBody::read(llama.as_bytes(), &Redactor::new());
        assert_eq!(Overrun::of(400, &llama, Some(100)), prompt(Some(4096), Some(5000)));
        let validator = r#"{"detail": [{"type": "less_than_equal", "loc": ["body", "max_tokens"], "msg": "too large", "input": 8000, "ctx": {"le": 4096}}]}"#;
        let validator = ErrorBody::read(validator.as_bytes(), &Redactor::new());
        assert_eq!(Overrun::of(422, &validator, Some(8000)), Some(Overrun::Output { most: 4096 }));
    }

    #[test]
    fn what_no_refusal_of_its_size_is() {
        for (status, message) in [
            (429, "too many tokens for the context window; wait"),
            (429, "Rate limit reached: Limit 30000, Used 29000, Requested 5000. Please try again in 8s."),
            (503, "maximum context length is 8192 tokens"),
            (400, "limit 1000 of 2000"),
            (404, "the model qwen3-32b does not exist; context length 8192"),
            (500, "worker 8192 died after 1200 s"),
        ] {
            assert_eq!(of(status, message, Some(8000)), None, "{message}");
        }
        let minute = "Request too large for m on tokens per min (TPM): Limit 6000, Requested 9000.";
        let expected = Some(Overrun::Sum { context: 6000, prompt: Some(1000) });
        assert_eq!((of(429, minute, Some(8000)), of(413, minute, Some(8000))), (expected, expected));
    }
}
