//! Parses and sanitises a server's error message.

use std::time::Duration;

use artoo_redaction::Redactor;
use serde_json::Value;

use crate::overrun::in_fields;
use crate::wordings::Sizes;

/// A parsed error body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ErrorBody {
    /// For people: one line, truncated, without control characters and without keys.
    pub(crate) message: String,
    /// The same in full, in lower case. Only code looks at it.
    pub(crate) words: String,
    /// The provider's code, for example `insufficient_quota`.
    pub(crate) code: String,
    /// The parameter it complains about, for example `response_format`.
    pub(crate) param: String,
    /// Sizes in fields of their own, for a request that is too large.
    pub(crate) sizes: Option<Sizes>,
    /// Whether it holds what the model wrote, which the server could not use.
    has_generation: bool,
    /// The wait that it asks for.
    pub(crate) retry_after: Option<Duration>,
}

/// The fields that hold the message of an error.
pub(crate) const MESSAGES: [&str; 7] =
    ["message", "detail", "error_description", "msg", "error_msg", "error_message", "status_msg"];

/// Maximum characters of a message.
const MAX_MESSAGE: usize = 500;

impl ErrorBody {
    /// Parses a body of any form: an error object, a FastAPI `detail`, an HTML page, plain text, bytes, nothing.
    pub(crate) fn read(body: &[u8], redaction: &Redactor) -> Self {
        let Some(text) = readable(body) else {
            return Self::of_text(&format!("{} bytes that are no text", body.len()), redaction);
        };
        match serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}')) {
            Ok(json) => Self::of_json(&json, redaction),
            Err(_) => Self::of_text(&page_title(&text), redaction),
        }
    }

    /// A body that is parsed already.
    pub(crate) fn of_json(json: &Value, redaction: &Redactor) -> Self {
        // Some gateways wrap the object in an array.
        let json = json.get(0).unwrap_or(json);
        let error = json.get("error").filter(|error| !error.is_null()).unwrap_or(json);
        let message = MESSAGES
            .iter()
            .find_map(|name| error.get(name).or_else(|| json.get(name)))
            .map_or_else(|| words(error), words);
        let message = match within_gateway(error) {
            Some(inner) if !message.contains(&inner) => format!("{message}: {inner}"),
            _ => message,
        };
        let word = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let code = if word("code").is_empty() { word("type") } else { word("code") };
        Self {
            code,
            param: word("param"),
            sizes: in_fields(json),
            has_generation: error.get("failed_generation").is_some(),
            retry_after: retry_info(error),
            ..Self::of_text(&message, redaction)
        }
    }

    /// A body of which only a text is known.
    fn of_text(text: &str, redaction: &Redactor) -> Self {
        let line = one_line(text, redaction);
        Self { message: shortened(&line), words: line.to_lowercase(), ..Self::default() }
    }

    /// All text that can name the refused part of a request, in lower case.
    pub(crate) fn complaint(&self) -> String {
        format!("{} {} {}", self.words, self.code.to_lowercase(), self.param.to_lowercase())
    }

    /// Whether the account has no money left, so that a retry is pointless although the status (429) suggests
    /// one.
    pub(crate) fn is_about_credit(&self, status: u16) -> bool {
        const CODES: [&str; 10] = [
            "insufficient_quota",
            "insufficient_credits",
            "insufficient_balance",
            "insufficient_funds",
            "billing_hard_limit_reached",
            "billing_not_active",
            "billing_error",
            "exceeded_current_quota_error",
            "payment_required",
            "arrearage",
        ];
        // Anthropic has no code for this. A match changes only how the error is reported.
        const LOW_CREDIT: &str = "credit balance is too low";
        let code = self.code.to_lowercase();
        status == 402 || CODES.contains(&code.as_str()) || self.words.contains(LOW_CREDIT)
    }

    /// Whether the error says that the request is longer than the model takes.
    pub(crate) fn is_about_length(&self) -> bool {
        const ABOUT_LENGTH: [&str; 17] = [
            "context_length_exceeded",
            "context length",
            "context size",
            "context window",
            "context limit",
            "exceed_context_size",
            "tokens_limit_reached",
            "model_max_prompt_tokens_exceeded",
            "prompt is too long",
            "prompt too long",
            "prompt exceeds max length",
            "input is too long",
            "input is too large",
            "input token count",
            "range of input length",
            "too many tokens",
            "max_tokens must be at least 1, got -",
        ];
        let words = self.complaint();
        ABOUT_LENGTH.iter().any(|phrase| words.contains(phrase))
    }

    /// Whether the server could not use what its model wrote: a fault of this answer, and none of the request.
    pub(crate) fn is_about_generation(&self) -> bool {
        const CODES: [&str; 4] =
            ["tool_use_failed", "json_validate_failed", "output_parse_failed", "malformed_function_call"];
        // Ollama and llama-server give no code.
        const WORDS: [&str; 6] = [
            "error parsing tool call",
            "failed to parse tool call",
            "failed to parse input at pos",
            "failed to call a function",
            "failed to generate json",
            "tool call validation failed",
        ];
        let code = self.code.to_lowercase();
        self.has_generation
            || CODES.contains(&code.as_str())
            || WORDS.iter().any(|words| self.words.contains(words))
    }
}

/// The message of the server behind a gateway, which hands it on as a text (`error.metadata.raw`).
fn within_gateway(error: &Value) -> Option<String> {
    let raw = error.get("metadata")?.get("raw")?;
    let parsed = raw.as_str().and_then(|raw| serde_json::from_str::<Value>(raw).ok());
    let inner = parsed.as_ref().unwrap_or(raw);
    let error = inner.get("error").unwrap_or(inner);
    let message = MESSAGES.iter().find_map(|name| error.get(name)).unwrap_or(error);
    Some(words(message)).filter(|message| !message.trim().is_empty())
}

/// The wait in Google's `RetryInfo`: `"retryDelay": "34.5s"`.
fn retry_info(error: &Value) -> Option<Duration> {
    let delay =
        error.get("details")?.as_array()?.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    Duration::try_from_secs_f64(delay.strip_suffix('s')?.parse().ok()?).ok()
}

/// The body as text, if it is one: bytes of another kind are not worth showing to anybody.
fn readable(body: &[u8]) -> Option<String> {
    /// One in so many characters may be unreadable: a body may be cut within one, or be of an old encoding.
    const PER_BAD: usize = 8;
    let text = String::from_utf8_lossy(body);
    let is_bad = |c: &char| {
        *c == char::REPLACEMENT_CHARACTER || (c.is_control() && !c.is_whitespace() && *c != '\u{1b}')
    };
    let bad = text.chars().filter(is_bad).count();
    (bad <= 2 || bad.saturating_mul(PER_BAD) <= text.chars().count()).then(|| text.into_owned())
}

/// One line of at most [`MAX_MESSAGE`] characters: no secrets, no control characters (a server must not
/// control a terminal).
pub(crate) fn clean(text: &str, redaction: &Redactor) -> String {
    shortened(&one_line(text, redaction))
}

fn one_line(text: &str, redaction: &Redactor) -> String {
    let redacted = redaction.apply(text);
    let mut line = String::new();
    let words = redacted.split(|c: char| c.is_whitespace() || c.is_control() || is_invisible(c));
    for word in words.filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None if line.is_empty() => "no explanation".to_owned(),
        None => line.to_owned(),
    }
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

    fn read(body: &str) -> ErrorBody {
        ErrorBody::read(body.as_bytes(), &Redactor::new())
    }

    #[test]
    fn a_gateway_hands_on_the_reason_of_the_server_behind_it() {
        check(
            r#"{"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": "{\"error\":{\"message\":\"no such tool\"}}", "provider_name": "x"}}}"#,
            "Provider returned error: no such tool",
        );
        check(
            r#"{"error": {"message": "Provider returned error", "metadata": {"raw": "upstream is full"}}}"#,
            "Provider returned error: upstream is full",
        );
    }

    #[test]
    fn bytes_are_not_shown() {
        let packed = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b, 0xcd, 0xff, 0xfe, 0x80, 0x81, 1, 2];
        assert_eq!(ErrorBody::read(&packed, &Redactor::new()).message, "18 bytes that are no text");
        let old = b"Zugriff verweigert: der Schl\xfcssel ist ung\xfcltig";
        assert!(ErrorBody::read(old, &Redactor::new()).message.starts_with("Zugriff"), "an old encoding");
    }

    #[test]
    fn credit_generation_and_length_are_told_apart() {
        let broke = read(
            r#"{"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}"#,
        );
        assert!(broke.is_about_credit(429) && !broke.is_about_length() && !broke.is_about_generation());
        let low = read(
            r#"{"type": "error", "error": {"type": "invalid_request_error", "message": "Your credit balance is too low to access the API."}}"#,
        );
        assert!(low.is_about_credit(400));
        assert!(read("").is_about_credit(402) && !read("slow down").is_about_credit(429));
        for failed in [
            r#"{"error": {"message": "Failed to call a function.", "code": "tool_use_failed", "failed_generation": "<function"}}"#,
            r#"{"error": {"message": "tool call validation failed: no property", "type": "invalid_request_error", "code": "tool_use_failed"}}"#,
            r#"{"error": {"message": "odd", "failed_generation": ""}}"#,
            r#"{"error": {"message": "error parsing tool call: raw='{\"a', err=unexpected end", "type": "api_error"}}"#,
        ] {
            assert!(read(failed).is_about_generation(), "{failed}");
        }
        assert!(!read("registry.local/library/gemma:2b does not support tools").is_about_generation());
        assert!(read(r#"{"error": {"message": "no", "code": "context_length_exceeded"}}"#).is_about_length());
    }

    #[test]
    fn a_wait_may_stand_in_the_body() {
        let body = read(
            r#"[{"error": {"code": 429, "message": "quota", "details": [{"@type": "x"}, {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}]}}]"#,
        );
        assert_eq!(body.retry_after, Some(Duration::from_millis(34_500)));
        assert_eq!(read(r#"{"error": {"details": [{"retryDelay": "soon"}]}}"#).retry_after, None);
    }

    proptest! {
        #[test]
        fn never_panics(body in prop::collection::vec(any::<u8>(), 0..200)) {
            let message = ErrorBody::read(&body, &Redactor::new()).message;
            prop_assert!(!message.chars().any(char::is_control));
        }
    }
}
