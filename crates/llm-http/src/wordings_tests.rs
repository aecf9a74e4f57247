//! Messages as servers word them.

use proptest::prelude::*;

use super::*;

const NOTHING: Sizes =
    Sizes { context: None, prompt: None, most_prompt: None, most_output: None, total: None };

fn context(context: u32, prompt: u32) -> Sizes {
    Sizes { context: Some(context), prompt: Some(prompt), ..NOTHING }
}

fn sum(context: u32, total: u32, prompt: u32) -> Sizes {
    Sizes { total: Some(total), ..self::context(context, prompt) }
}

fn bare(context: u32) -> Sizes {
    Sizes { context: Some(context), ..NOTHING }
}

fn output(most: u32) -> Sizes {
    Sizes { most_output: Some(most), ..NOTHING }
}

fn prompt(most: u32, prompt: u32) -> Sizes {
    Sizes { most_prompt: Some(most), prompt: Some(prompt), ..NOTHING }
}

#[test]
fn refusals_as_servers_word_them() {
    let table = [
        // OpenAI, Azure and older versions of vLLM
        (
            "This model's maximum context length is 8192 tokens. However, you requested 9001 tokens (8900 in the messages, 101 in the functions). Please reduce the length of the messages or functions.",
            sum(8192, 9001, 9001),
        ),
        (
            "This model's maximum context length is 6048 tokens. However, you requested 6616 tokens (568 in the messages, 6048 in the completion). Please reduce the length of the messages or completion.",
            sum(6048, 6616, 568),
        ),
        (
            "This model's maximum context length is 16385 tokens. However, your messages resulted in 23273 tokens (22394 in the messages, 879 in the functions).",
            context(16385, 23273),
        ),
        (
            "This model's maximum context length is 16385 tokens, however you requested 17000 tokens (1000 in your prompt; 16000 for the completion). Please reduce your prompt; or completion length.",
            sum(16385, 17000, 1000),
        ),
        (
            "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.",
            output(16384),
        ),
        (
            "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens. Please reduce the length of the messages.",
            prompt(272_000, 300_000),
        ),
        (
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
            NOTHING,
        ),
        // vLLM
        (
            "'max_tokens' or 'max_completion_tokens' is too large: 8000. This model's maximum context length is 8192 tokens and your request has 1200 input tokens (8000 > 8192 - 1200).",
            context(8192, 1200),
        ),
        (
            "This model's maximum context length is 8192 tokens. However, your request has 9000 input tokens. Please reduce the length of the input messages.",
            context(8192, 9000),
        ),
        (
            "This model's maximum context length is 8192 tokens. However, you requested 8000 output tokens and your prompt contains at least 193 input tokens, for a total of at least 8193 tokens. Please reduce the length of the input prompt or the number of requested output tokens.",
            sum(8192, 8193, 193),
        ),
        (
            "You passed 20001 input tokens and requested 8192 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 0 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=20001)",
            context(8192, 20001),
        ),
        (
            "The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.",
            context(4096, 5000),
        ),
        ("max_tokens must be at least 1, got -383.", NOTHING),
        // SGLang
        (
            "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 9200 tokens: 1200 tokens from the input messages and 8000 tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit.",
            Sizes { total: Some(9200), ..bare(8192) },
        ),
        (
            "The input (61709 tokens) is longer than the model's context length (40960 tokens).",
            context(40960, 61709),
        ),
        // llama.cpp
        (
            "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it",
            context(4096, 5000),
        ),
        ("Requested tokens (5000) exceed context window of 4096", Sizes { total: Some(5000), ..bare(4096) }),
        // LM Studio
        (
            "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input. Error Data: n/a, Additional Data: n/a",
            context(32768, 111_490),
        ),
        (
            "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input.",
            context(4096, 13055),
        ),
        (
            "Reached context length of 4096 tokens with model (arch: qwen2) that does not currently support mid-generation context overflow.",
            bare(4096),
        ),
        // TGI, Together
        (
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 1200 `inputs` tokens and 8000 `max_new_tokens`",
            context(4096, 1200),
        ),
        (
            "Input validation error: `inputs` must have less than 4095 tokens. Given: 5000",
            Sizes { most_prompt: Some(4095), ..NOTHING },
        ),
        ("Input validation error: `max_new_tokens` must be <= 2048. Given: 8000", output(2048)),
        // Anthropic
        ("prompt is too long: 210000 tokens > 200000 maximum", context(200_000, 210_000)),
        (
            "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again",
            context(200_000, 190_000),
        ),
        (
            "max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-sonnet-20241022",
            output(8192),
        ),
        // Mistral, DeepSeek, Groq, xAI, Cohere, Cerebras, Bedrock, DashScope, Moonshot, GitHub, Gemini, Fireworks
        (
            "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
            context(32768, 40000),
        ),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", output(8192)),
        (
            "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model",
            output(8192),
        ),
        (
            "Request too large for model `llama-3.1-8b-instant` in organization `org_01` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your message size and try again.",
            Sizes { total: Some(9000), ..bare(6000) },
        ),
        (
            "This model's maximum prompt length is 131072 but the request contains 150000 tokens.",
            prompt(131_072, 150_000),
        ),
        (
            "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000. Try using a shorter prompt",
            prompt(4081, 5000),
        ),
        (
            "Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192",
            Sizes { total: Some(9000), ..bare(8192) },
        ),
        (
            "The maximum tokens you requested exceeds the model limit of 8192. Try again with a maximum tokens value that is lower than 8192.",
            output(8192),
        ),
        (
            "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]",
            Sizes { most_prompt: Some(30720), ..NOTHING },
        ),
        ("<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]", output(8192)),
        ("Invalid request: Your request exceeded model token limit: 8192", bare(8192)),
        (
            "Request body too large for gpt-4o model. Max size: 8000 tokens.",
            Sizes { most_prompt: Some(8000), ..NOTHING },
        ),
        (
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            prompt(1_048_576, 1_200_000),
        ),
        (
            "Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive). Update the value and try again.",
            output(65536),
        ),
        ("The prompt is too long: 140000, model maximum context length: 131071", context(131_071, 140_000)),
        // OpenRouter
        (
            "This endpoint's maximum context length is 32768 tokens. However, you requested about 40500 tokens (32000 of text input, 500 of tool input, 8000 in the output). Please reduce the length of either one, or use the \"middle-out\" transform to compress your prompt automatically.",
            sum(32768, 40500, 32500),
        ),
        (
            "This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 27342. To increase, visit https://openrouter.ai/settings/credits",
            Sizes { total: Some(32000), ..output(27342) },
        ),
        (
            "max_tokens limit exceeded: 100000 > 9577. To increase, visit https://openrouter.ai/keys and create a key with a higher limit",
            output(9577),
        ),
        (
            "Prompt tokens limit exceeded: 230799 > 91442. To increase, visit https://openrouter.ai/settings/keys",
            prompt(91442, 230_799),
        ),
        // A validator
        ("body.max_tokens: Input should be less than or equal to 4096", output(4096)),
        // With commas
        ("prompt is too long: 210,000 tokens > 200,000 maximum", context(200_000, 210_000)),
    ];
    for (message, expected) in table {
        assert_eq!(sizes(message), expected, "{message}");
    }
}

/// The first form of this code took the least and the greatest of all numbers.
#[test]
fn numbers_without_a_meaning_have_none() {
    for message in [
        "The model qwen2.5-72b-instruct-128k was not found, request 8192 of 2026-11-27T21:48:00Z, id 4711-8192",
        "Rate limit reached for gpt-4o in organization org-8192: try again in 20s. Code 429, trace 123456.",
        "Input should be less than or equal to 2 for temperature, 100000 was given",
        "limit 1000 of 2000",
        "the image has 4096 x 2160 pixels, which is more than 2048",
        "n must be 1, not 8192",
        "Connection 10.0.0.1:8080 refused after 30000 ms",
        "context deadline exceeded after 60000 ms",
    ] {
        assert_eq!(sizes(message), NOTHING, "{message}");
    }
}

proptest! {
    #[test]
    fn never_panics(text in ".{0,200}") {
        let _ = sizes(&text);
    }

    /// What stands around a wording changes nothing, as long as it is not of it.
    #[test]
    fn the_rest_of_the_message_does_not_matter(
        before in "([a-z]{3,9}-[0-9]{1,9} |error [a-z]+: |#[0-9]{4} )?", after in "( id [0-9]{4}-[0-9]{4}\\.| \\([0-9]{3}\\)\\.)?",
        context in 1_000_u32..2_000_000, prompt in 1_u32..2_000_000,
    ) {
        let text = format!("{before}This model's maximum context length is {context} tokens and your request has {prompt} input tokens.{after}");
        prop_assert_eq!(sizes(&text), self::context(context, prompt), "{}", text);
    }
}
