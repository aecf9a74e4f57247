//! Token estimates, for servers that do not report counts.

use crate::{Message, Request, ToolDefinition, Usage};

/// Estimates the tokens of `text` from its characters. Never 0 for a non-empty text.
///
/// Common tokenizers use about one token for four ASCII characters, one for two characters of another
/// alphabet (Cyrillic, Greek, Arabic, Hebrew), one for each CJK character, and two for an emoji. On ordinary
/// prose and JSON the result is within a third of the true count. It is good for a budget, not for a bill: a
/// caller that reports it sets [`Usage::estimated`].
/// ```
/// use artoo_llm_client::estimate_tokens;
///
/// assert_eq!(estimate_tokens(""), 0);
/// assert_eq!(estimate_tokens("four characters each"), 5);
/// assert_eq!(estimate_tokens("最大的文件"), 5);
/// ```
pub fn estimate_tokens(text: &str) -> u64 {
    let quarters: u64 = text.chars().map(quarters).sum();
    quarters.div_ceil(4)
}

/// The usage of a call whose server sent no counts: both estimated, one request, no time.
pub fn estimate_usage(request: &Request, answer: &str) -> Usage {
    /// Role markers and separators around each message, as chat templates add them.
    const PER_MESSAGE: u64 = 4;
    let system = estimate_tokens(&request.system) + PER_MESSAGE;
    let turns: u64 = request.messages.iter().map(|message| estimate_message(message) + PER_MESSAGE).sum();
    let tool = |tool: &ToolDefinition| {
        estimate_tokens(&tool.name)
            + estimate_tokens(&tool.description)
            + estimate_tokens(&tool.parameters.to_string())
    };
    let tools: u64 = request.tools.iter().map(tool).sum();
    Usage {
        prompt_tokens: system + tools + turns,
        cached_tokens: 0,
        completion_tokens: estimate_tokens(answer),
        estimated: true,
        elapsed_ms: 0,
        requests: 1,
    }
}

/// Estimates the tokens of one turn: its words, calls and results. A picture counts as 1,500.
/// ```
/// use artoo_llm_client::{Message, estimate_message};
/// assert_eq!(estimate_message(&Message::user("four characters each")), 5);
/// ```
pub fn estimate_message(message: &Message) -> u64 {
    const PICTURE: u64 = 1_500;
    let calls =
        message.calls.iter().map(|call| estimate_tokens(&call.name) + estimate_tokens(&call.arguments));
    let results = message.results.iter().map(|result| {
        estimate_tokens(&result.content) + PICTURE * u64::try_from(result.images.len()).unwrap_or_default()
    });
    estimate_tokens(&message.content) + calls.sum::<u64>() + results.sum::<u64>()
}

/// The cost of one character in quarters of a token.
fn quarters(c: char) -> u64 {
    match u32::from(c) {
        0..=0x7F => 1,
        // From Latin with diacritics to the scripts of India and South-East Asia.
        0x80..=0x10FF | 0x1200..=0x1FFF => 2,
        // General punctuation, arrows, box drawing.
        0x2000..=0x2BFF => 4,
        // Hangul, CJK, kana, full-width forms.
        0x1100..=0x11FF | 0x2E80..=0xD7FF | 0xF900..=0xFAFF | 0xFF00..=0xFFEF | 0x2_0000..=0x3_FFFF => 4,
        _ => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn table() {
        let check = |text: &str, expected: u64| assert_eq!(estimate_tokens(text), expected, "{text:?}");
        check("a", 1);
        check("hello world", 3);
        check("привет", 3);
        check("한국어", 3);
        check("🙂", 2);
        check("文件 docs", 4);
    }

    #[test]
    fn an_estimate_says_that_it_is_one() {
        let usage = estimate_usage(&Request::new("t", "system", "user"), "answer");
        assert_eq!(
            usage,
            Usage {
                prompt_tokens: 11,
                completion_tokens: 2,
                estimated: true,
                requests: 1,
                ..Usage::default()
            }
        );
    }

    proptest! {
        #[test]
        fn grows_with_the_text(a in ".*", b in ".*") {
            let joined = format!("{a}{b}");
            prop_assert!(estimate_tokens(&joined) >= estimate_tokens(&a));
            prop_assert!(estimate_tokens(&joined) <= estimate_tokens(&a) + estimate_tokens(&b));
        }
    }
}
