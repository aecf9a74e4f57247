//! Errors that a provider says, and what no client expects on a connection.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Answer, Group, Kind, On, kind};
use crate::soak::reply::{Act, Framing, Reply};

/// Statuses that pass, or do not.
const STATUSES: [u16; 34] = [
    400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 413, 415, 418, 421, 422, 424, 425, 429, 451, 498, 499,
    500, 501, 502, 503, 504, 507, 520, 522, 524, 525, 527, 529, 530,
];
/// What stands in `Retry-After`.
const RETRY_AFTER: [&str; 7] =
    ["0", "1", "0.5", "-1", "soon", "Thu, 01 Jan 1970 00:00:00 GMT", "99999999999999999999"];
/// Bodies of errors with status 200.
const ERRORS: [&str; 8] = [
    r#"{"detail": "Model is loading"}"#,
    r#"{"message": "quota exceeded", "code": 429}"#,
    r#"{"object": "error", "message": "The model does not exist.", "code": 404}"#,
    r#"{"success": false, "errors": [{"message": "bad account"}]}"#,
    r#"{"error": {"message": "boom", "type": "server_error"}}"#,
    r#"{"error": "boom"}"#,
    r#"{"choices": []}"#,
    "null",
];

pub(super) const REFUSALS: &[Kind] = &[
    kind("status", Group::Refusals, On::Any, |answer| {
        let status = answer.draw.one_of(&STATUSES);
        refusal(status, &json!({"message": format!("this is a {status}"), "type": "error"}))
    }),
    kind("status-with-retry-after", Group::Refusals, On::Any, |answer| {
        let status = answer.draw.one_of(&[429_u16, 503, 529, 500, 408]);
        let after = answer.draw.one_of(&RETRY_AFTER);
        refusal(status, &json!({"message": "slow down", "type": "rate_limit_error"}))
            .header("retry-after", after)
    }),
    kind("status-without-body", Group::Refusals, On::Any, |answer| {
        Reply::body(answer.draw.one_of(&STATUSES), "text/plain", "")
    }),
    kind("gateway-page", Group::Refusals, On::Any, |answer| {
        let status = answer.draw.one_of(&[502_u16, 503, 520, 521, 522, 523, 524, 525, 526, 527, 530]);
        Reply::body(
            status,
            "text/html",
            format!("<html><title>{status}</title>{}</html>", "x".repeat(20_000)),
        )
    }),
    kind("error-body-with-200", Group::Refusals, On::Any, |answer| {
        Reply::body(200, "application/json", answer.draw.one_of(&ERRORS))
    }),
    kind("error-event-with-200", Group::Refusals, On::Any, |answer| {
        let error = answer.draw.one_of(&ERRORS);
        Reply::stream(vec![Act::Send(format!("data: {error}\n\ndata: [DONE]\n\n").into_bytes())])
    }),
    kind("tool-use-failed", Group::Refusals, On::Chat, |_| {
        let text = r#"<function=shell>{"command": "ls"}</function>"#;
        refusal(
            400,
            &json!({"message": "Failed to call a function.", "code": "tool_use_failed", "failed_generation": text}),
        )
    }),
    kind("json-validate-failed", Group::Refusals, On::Chat, |_| {
        refusal(
            400,
            &json!({"message": "Failed to generate JSON.", "code": "json_validate_failed", "failed_generation": "{"}),
        )
    }),
    kind("context-too-small", Group::Refusals, On::Any, |answer| {
        let limit = answer.call.limit();
        let text = format!(
            "'max_tokens' is too large: {limit}. This model's maximum context length is 8192 tokens and your request has 1200 input tokens ({limit} > 8192 - 1200)."
        );
        small(answer, 6900, &text)
    }),
    kind("output-too-small", Group::Refusals, On::Any, |answer| {
        let limit = answer.call.limit();
        let text = format!(
            "max_tokens: {limit} > 512, which is the maximum allowed number of output tokens for this model"
        );
        small(answer, 512, &text)
    }),
    kind("prompt-too-long", Group::Refusals, On::Any, |_| {
        let text = "This model's maximum context length is 4096 tokens. However, your messages resulted in 5210 tokens.";
        refusal(
            400,
            &json!({"message": text, "type": "invalid_request_error", "code": "context_length_exceeded"}),
        )
    }),
    kind("knows-no-tools", Group::Refusals, On::Any, |answer| {
        let body = &answer.call.body;
        let refused = ["tools", "response_format", "output_config", "temperature", "stream_options"];
        match refused.iter().find(|name| body.get(**name).is_some()) {
            Some(name) => {
                refusal(400, &json!({"message": format!("Unknown parameter: '{name}'."), "param": name}))
            }
            None => answer.stream.reply(),
        }
    }),
    kind("key-revoked", Group::Refusals, On::Any, |_| {
        refusal(401, &json!({"message": "Incorrect API key provided"}))
    }),
    kind("no-credits", Group::Refusals, On::Any, |_| {
        refusal(429, &json!({"message": "You exceeded your current quota", "code": "insufficient_quota"}))
    }),
    kind("model-gone", Group::Refusals, On::Any, |_| {
        refusal(404, &json!({"message": "The model `soak` does not exist", "code": "model_not_found"}))
    }),
];

pub(super) const KINDS: &[Kind] = &[
    kind("silence", Group::Transport, On::Any, |_| Reply { acts: vec![Act::Stall], ..Reply::bare("") }),
    kind("silence-behind-the-head", Group::Transport, On::Any, |_| Reply::stream(vec![Act::Stall])),
    kind("closed-at-once", Group::Transport, On::Any, |_| Reply::bare("")),
    kind("closed-in-the-head", Group::Transport, On::Any, |_| Reply::bare("HTTP/1.1 200 OK\r\ncontent-ty")),
    kind("not-http", Group::Transport, On::Any, |_| Reply::bare("SSH-2.0-OpenSSH_9.2\r\n")),
    kind("noise", Group::Transport, On::Any, |answer| Reply::bare(noise(answer, 4096))),
    kind("noise-in-the-stream", Group::Transport, On::Any, |answer| {
        let noise = noise(answer, 2000);
        let mut reply = answer.stream.reply();
        reply.acts.insert(0, Act::Send(noise));
        reply
    }),
    kind("html", Group::Transport, On::Any, |_| {
        Reply::body(
            200,
            "text/html",
            "<!doctype html><html><body><h1>Sign in to the hotel</h1></body></html>",
        )
    }),
    kind("gzip", Group::Transport, On::Any, |answer| {
        let bytes = [b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03".to_vec(), noise(answer, 500)].concat();
        Reply::body(200, "text/event-stream", bytes).header("content-encoding", "gzip")
    }),
    kind("binary", Group::Transport, On::Any, |answer| {
        Reply::body(200, "application/octet-stream", noise(answer, 100_000))
    }),
    kind("invalid-utf8", Group::Transport, On::Any, |answer| {
        let mut bytes = answer.stream.bytes();
        let middle = bytes.len() / 3;
        bytes.splice(middle..middle, *b"\xff\xfe\xc3\x28");
        Reply::stream(vec![Act::Send(bytes)])
    }),
    kind("redirect-to-itself", Group::Transport, On::Any, |answer| {
        Reply::body(307, "text/plain", "").header("location", &answer.call.path)
    }),
    kind("no-content", Group::Transport, On::Any, |_| Reply::body(204, "text/plain", "")),
    kind("empty-body", Group::Transport, On::Any, |_| Reply::body(200, "text/event-stream", "")),
    kind("only-the-end-mark", Group::Transport, On::Any, |_| {
        Reply::stream(vec![Act::Send(b"data: [DONE]\n\n".to_vec())])
    }),
    kind("length-too-long", Group::Transport, On::Any, |answer| {
        let bytes = answer.stream.bytes();
        let announced = bytes.len().saturating_add(1000);
        Reply { framing: Framing::Length(announced), ..Reply::body(200, "text/event-stream", bytes) }
    }),
    kind("length-too-short", Group::Transport, On::Any, |answer| {
        let bytes = answer.stream.bytes();
        let announced = bytes.len() / 2;
        Reply { framing: Framing::Length(announced), ..Reply::body(200, "text/event-stream", bytes) }
    }),
    kind("bad-chunk-size", Group::Transport, On::Any, |_| {
        Reply::bare(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\nzz\r\ndata\r\n",
        )
    }),
    kind("until-the-connection-ends", Group::Transport, On::Any, |answer| Reply {
        framing: Framing::Close,
        ..answer.stream.reply()
    }),
    kind("huge-headers", Group::Transport, On::Any, |answer| {
        answer.stream.reply().header("x-padding", &"p".repeat(2 * 1024 * 1024))
    }),
    kind("one-line-of-megabytes", Group::Transport, On::Any, |_| {
        let line = [b"data: ".to_vec(), vec![b'x'; 8 * 1024 * 1024]].concat();
        Reply::stream(vec![Act::Send(line)])
    }),
    kind("megabytes-of-events", Group::Transport, On::Any, |answer| {
        let bytes =
            answer.stream.content.first().map(crate::soak::stream::event).unwrap_or_default().repeat(200);
        Reply::stream((0..200).map(|_| Act::Send(bytes.clone())).collect())
    }),
    kind("endless-comments", Group::Transport, On::Any, |_| {
        Reply::stream(vec![Act::Forever {
            bytes: b": keep-alive\n\n".to_vec(),
            every: Duration::from_millis(100),
        }])
    }),
    // Pings that are events keep a client's watchdog quiet for ever: Wei-Shaw/sub2api PR 1707.
    kind("endless-pings", Group::Transport, On::Any, |_| {
        let bytes = b"event: ping\ndata: {\"type\": \"ping\"}\n\n".to_vec();
        Reply::stream(vec![Act::Forever { bytes, every: Duration::from_millis(100) }])
    }),
    kind("endless-empty-events", Group::Transport, On::Any, |_| {
        let bytes = b"data: {\"choices\":[{\"index\":0,\"delta\":{}}]}\n\n".to_vec();
        Reply::stream(vec![Act::Forever { bytes, every: Duration::from_millis(50) }])
    }),
    kind("endless-words", Group::Transport, On::Any, |answer| {
        answer.say(crate::soak::stream::Completion::words("and so on "));
        let events = answer.stream.content.iter().map(crate::soak::stream::event);
        let bytes = events.collect::<Vec<_>>().concat();
        Reply::stream(vec![Act::Forever { bytes, every: Duration::from_millis(1) }])
    }),
    kind("endless-blanks", Group::Transport, On::Any, |_| {
        let bytes = vec![b' '; 64 * 1024];
        Reply::stream(vec![Act::Forever { bytes, every: Duration::from_millis(1) }])
    }),
    kind("slow-drip", Group::Transport, On::Any, |answer| {
        let bytes = answer.stream.bytes();
        let pieces = bytes.chunks(bytes.len().div_ceil(40).max(1));
        let drips =
            pieces.flat_map(|piece| [Act::Send(piece.to_vec()), Act::Wait(Duration::from_millis(40))]);
        Reply::stream(drips.collect())
    }),
];

/// An error in the form that most servers give it.
fn refusal(status: u16, error: &Value) -> Reply {
    Reply::json(status, &json!({"type": "error", "error": error}))
}

/// Refuses a request whose limit is above this; answers any other.
fn small(answer: &Answer<'_>, most: u64, text: &str) -> Reply {
    if answer.call.limit() <= most {
        return answer.stream.reply();
    }
    refusal(400, &json!({"message": text, "type": "invalid_request_error", "param": "max_tokens"}))
}

/// Bytes without sense.
fn noise(answer: &mut Answer<'_>, length: usize) -> Vec<u8> {
    (0..length).map(|_| u8::try_from(answer.draw.below(256)).unwrap_or_default()).collect()
}
