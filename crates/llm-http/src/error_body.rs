//! Parses and sanitises a server's error message.

use artoo_redaction::Redactor;
use serde_json::Value;

/// A parsed error body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ErrorBody {
    /// For people: one line, truncated, without control characters and without keys.
    pub(crate) message: String,
    /// The provider's code, for example `insufficient_quota`.
    pub(crate) code: String,
    /// The parameter it complains about, for example `response_format`.
    pub(crate) param: String,
}

/// Maximum characters of a message.
const MAX_MESSAGE: usize = 500;

impl ErrorBody {
    /// Parses a body of any form: an error object, a FastAPI `detail`, an HTML page, plain text, nothing.
    pub(crate) fn read(body: &[u8], redaction: &Redactor) -> Self {
        let text = String::from_utf8_lossy(body);
        let Ok(json) = serde_json::from_str::<Value>(&text) else {
            return Self { message: clean(&page_title(&text), redaction), ..Self::default() };
        };
        // Some gateways wrap the object in an array.
        let json = json.get(0).unwrap_or(&json);
        let error = json.get("error").filter(|error| !error.is_null()).unwrap_or(json);
        let message = ["message", "detail", "error_description", "msg"]
            .iter()
            .find_map(|name| error.get(name).or_else(|| json.get(name)))
            .map_or_else(|| words(error), words);
        let word = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let code = if word("code").is_empty() { word("type") } else { word("code") };
        Self { message: clean(&message, redaction), code, param: word("param") }
    }

    /// All text that can name the refused part of a request, in lower case.
    pub(crate) fn complaint(&self) -> String {
        format!("{} {} {}", self.message, self.code, self.param).to_lowercase()
    }

    /// Whether a retry is pointless although the status (429) suggests it.
    pub(crate) fn is_final(&self) -> bool {
        matches!(self.code.as_str(), "insufficient_quota" | "billing_hard_limit_reached" | "billing_error")
    }

    /// The size of the prompt and of the context, if named, when this is an error about a too long prompt.
    pub(crate) fn too_long(&self, status: u16) -> Option<Sizes> {
        const ABOUT_LENGTH: [&str; 9] = [
            "context_length_exceeded",
            "context length",
            "context size",
            "context window",
            "context limit",
            "exceed_context_size",
            "prompt is too long",
            "input is too long",
            "input token count",
        ];
        let words = self.complaint();
        // 413: more bytes than the server reads, or more tokens than it takes at a time. 429 and the like are
        // temporary.
        let is_about_length = ABOUT_LENGTH.iter().any(|phrase| words.contains(phrase));
        if status != 413 && !(is_about_length && matches!(status, 0 | 400 | 422 | 500)) {
            return None;
        }
        let numbers =
            words.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse::<usize>().ok());
        let numbers: Vec<usize> = numbers.filter(|number| *number >= 256).collect();
        let (limit, tokens) = (numbers.iter().min().copied(), numbers.iter().max().copied());
        // The prompt and the answer's token limit are named separately: neither is the oversized prompt.
        let is_sum = words.contains(" + ");
        if limit < tokens && !is_sum { Some(Sizes { tokens, limit }) } else { Some(Sizes::default()) }
    }
}

/// The prompt's size and its limit, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) tokens: Option<usize>,
    pub(crate) limit: Option<usize>,
}

/// One line of at most [`MAX_MESSAGE`] characters: no secrets, no control characters (a server must not
/// control a terminal).
pub(crate) fn clean(text: &str, redaction: &Redactor) -> String {
    let redacted = redaction.apply(text);
    let mut line = String::new();
    let words = redacted.split(|c: char| c.is_whitespace() || c.is_control() || is_invisible(c));
    for word in words.filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if let Some((end, _)) = line.char_indices().nth(MAX_MESSAGE) {
        line.truncate(end);
        line.push('…');
    }
    if line.is_empty() { "no explanation".to_owned() } else { line }
}

/// Invisible characters, and characters that change the direction of text.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// A value as text: strings bare, lists joined, FastAPI's `{loc, msg}` as `place: message`, all else as JSON.
fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(words).collect::<Vec<_>>().join("; "),
        Value::Object(fields) => match (fields.get("loc"), fields.get("msg")) {
            (Some(Value::Array(place)), Some(Value::String(message))) => {
                let place: Vec<String> = place.iter().map(words).collect();
                format!("{}: {message}", place.join("."))
            }
            _ => value.to_string(),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// The title of an HTML page, or the text itself if it is none.
fn page_title(text: &str) -> String {
    if !text.trim_start().starts_with('<') {
        return text.to_owned();
    }
    let lower = text.to_ascii_lowercase();
    let title = lower.find("<title>").and_then(|start| {
        let start = start + "<title>".len();
        let end = start + lower.get(start..)?.find('<')?;
        text.get(start..end)
    });
    match title {
        Some(title) => format!("an HTML page titled {:?}", title.trim()),
        None => "an HTML page".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(body: &str, expected: &str) {
        assert_eq!(ErrorBody::read(body.as_bytes(), &Redactor::new()).message, expected, "{body:?}");
    }

    #[test]
    fn bodies_as_servers_send_them() {
        check(r#"{"error": {"message": "no such model", "code": 404}}"#, "no such model");
        check(r#"{"error": "model 'x' not found"}"#, "model 'x' not found");
        check(
            r#"{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}"#,
            "Overloaded",
        );
        check(r#"[{"error": {"message": "quota"}}]"#, "quota");
        check(r#"{"message": "plain"}"#, "plain");
        check(r#"{"detail": "Not Found"}"#, "Not Found");
        check(
            r#"{"detail": [{"loc": ["body", "n"], "msg": "too big", "input": {"temperature": 1}}]}"#,
            "body.n: too big",
        );
        check(
            "<html><head><TITLE>502 Bad\n Gateway</TITLE></head></html>",
            "an HTML page titled \"502 Bad\\n Gateway\"",
        );
        check("<!doctype html><p>", "an HTML page");
        check("upstream timed out", "upstream timed out");
        check("", "no explanation");
        check("{}", "{}");
    }

    #[test]
    fn words_cannot_steer_a_terminal_or_flood_it() {
        check("a\u{1b}[31mred\u{7}\r\n\u{202e}b", "a [31mred b");
        let long = "x".repeat(10_000);
        assert_eq!(
            ErrorBody::read(long.as_bytes(), &Redactor::new()).message.chars().count(),
            MAX_MESSAGE + 1
        );
        check("🙂 文件", "🙂 文件");
    }

    #[test]
    fn prompts_that_are_too_long() {
        let check = |status: u16, message: &str, expected: Option<Option<(usize, usize)>>| {
            let body = ErrorBody { message: message.into(), ..ErrorBody::default() };
            let expected = expected.map(|sizes| Sizes {
                tokens: sizes.map(|(tokens, _)| tokens),
                limit: sizes.map(|(_, limit)| limit),
            });
            assert_eq!(body.too_long(status), expected, "{message:?}");
        };
        let told = |tokens, limit| Some(Some((tokens, limit)));
        check(
            400,
            "This model's maximum context length is 8192 tokens. However, you requested 9001 tokens (8900 in the messages, 101 in the functions).",
            told(9001, 8192),
        );
        check(400, "prompt is too long: 210000 tokens > 200000 maximum", told(210_000, 200_000));
        check(
            500,
            "request (5000 tokens) exceeds the available context size (4096 tokens)",
            told(5000, 4096),
        );
        check(400, "maximum context length exceeded", Some(None));
        check(400, "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000", Some(None));
        check(413, "Request too large", Some(None));
        check(429, "too many tokens for the context window; wait", None);
        check(400, "limit 1000 of 2000", None);
    }

    proptest! {
        #[test]
        fn never_panics(body in prop::collection::vec(any::<u8>(), 0..200)) {
            let message = ErrorBody::read(&body, &Redactor::new()).message;
            prop_assert!(!message.chars().any(char::is_control));
        }
    }
}
