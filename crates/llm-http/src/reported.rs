//! Errors that a server reports with status 200: in a body, in an event, or beside a choice.

use serde_json::Value;

use crate::decode::Bad;
use crate::error_body::MESSAGES;

/// The error in a value that is no answer, in any of the forms that servers use; `None` if it names none.
///
/// `{"error": ...}` in an answer is found by [`beside`]; this is for values without choices or content.
pub(crate) fn instead(value: &Value) -> Option<Bad> {
    if let Some(bad) = beside(value) {
        return Some(bad);
    }
    let errors = value.get("errors").map(|errors| errors.get(0).unwrap_or(errors));
    if let Some(error) = errors.filter(|error| is_told(error)) {
        return Some(reported(error));
    }
    // MiniMax and its kind: a status beside an answer without choices.
    if let Some(error) = value.get("base_resp").filter(|error| word(error, &["status_msg"]).is_some()) {
        return Some(reported(error));
    }
    is_error_by_name(value).then(|| reported(value))
}

/// The error that is named as such, wherever it stands: `{"error": ...}`, an event of the type `error`, an
/// object of the kind `error`.
pub(crate) fn beside(value: &Value) -> Option<Bad> {
    if let Some(error) = value.get("error").filter(|error| is_told(error)) {
        return Some(reported(error));
    }
    let is_error = |field: &str| {
        value.get(field).and_then(Value::as_str).is_some_and(|kind| kind.eq_ignore_ascii_case("error"))
    };
    (is_error("object") || is_error("type")).then(|| reported(value))
}

/// The report that an error object, or its text, makes: its message and equivalent HTTP status.
pub(crate) fn reported(error: &Value) -> Bad {
    let message = match word(error, &MESSAGES) {
        Some(message) => message.to_owned(),
        None => match error {
            Value::String(text) => text.clone(),
            Value::Null => "an error without a message".to_owned(),
            // The server's own form, which `ErrorBody` puts into words.
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => error.to_string(),
        },
    };
    Bad::Reported { status: status(error), message, error: error.clone() }
}

/// Whether a value without an answer is an error: one of its message fields holds a text. In an answer,
/// `message` is an object.
fn is_error_by_name(value: &Value) -> bool {
    MESSAGES.iter().any(|field| {
        value.get(field).is_some_and(|message| match message {
            Value::String(text) => !text.trim().is_empty(),
            // FastAPI's list of complaints.
            Value::Array(list) => *field == "detail" && !list.is_empty(),
            Value::Object(_) => *field == "detail",
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        })
    })
}

/// Whether an error field holds an error: many servers send it empty with every answer.
fn is_told(error: &Value) -> bool {
    match error {
        Value::Null | Value::Bool(false) => false,
        Value::Bool(true) => true,
        Value::String(text) => !text.trim().is_empty(),
        Value::Number(code) => code.as_u64() != Some(0),
        Value::Object(fields) => fields.values().any(is_told),
        Value::Array(list) => list.iter().any(is_told),
    }
}

fn word<'a>(error: &'a Value, names: &[&str]) -> Option<&'a str> {
    let named = names.iter().filter_map(|name| error.get(name)?.as_str());
    named.map(str::trim).find(|text| !text.is_empty())
}

/// The HTTP status that an error is equivalent to; 0 if it names none.
fn status(error: &Value) -> u16 {
    const CODES: [&str; 5] = ["code", "status", "status_code", "error_code", "http_code"];
    const NAMES: [&str; 3] = ["type", "code", "status"];
    let numbers = CODES.iter().filter_map(|field| match error.get(field)? {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    });
    // Numbers of a server's own making are not statuses.
    let mut statuses =
        numbers.filter_map(|number| u16::try_from(number).ok()).filter(|n| (400..600).contains(n));
    statuses.next().unwrap_or_else(|| {
        let names = NAMES.iter().filter_map(|field| error.get(field)?.as_str());
        names.map(named_status).find(|status| *status != 0).unwrap_or(0)
    })
}

/// The status of a kind of error, as the vendors' lists of errors have it.
fn named_status(name: &str) -> u16 {
    match name.to_ascii_lowercase().as_str() {
        "invalid_request_error" | "bad_request" | "invalid_argument" => 400,
        "authentication_error" | "invalid_api_key" | "unauthenticated" => 401,
        "billing_error" | "insufficient_credits" => 402,
        "permission_error" | "permission_denied" => 403,
        "not_found_error" | "model_not_found" | "not_found" => 404,
        "request_too_large" => 413,
        "rate_limit_error"
        | "rate_limit_exceeded"
        | "rate_limited"
        | "too_many_requests"
        | "resource_exhausted" => 429,
        "insufficient_quota" => 429,
        "api_error" | "server_error" | "internal_error" | "internal_server_error" | "internal" => 500,
        "bad_gateway" => 502,
        "service_unavailable" | "unavailable" => 503,
        "timeout_error" | "timeout" | "gateway_timeout" | "deadline_exceeded" => 504,
        "overloaded_error" | "overloaded" | "engine_overloaded" => 529,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_as_servers_report_them() {
        let check = |body: Value, status: u16, message: &str| {
            let Some(Bad::Reported { status: found, message: said, .. }) = instead(&body) else {
                panic!("{body} is no error");
            };
            assert_eq!((found, said.as_str()), (status, message), "{body}");
        };
        check(json!({"error": {"message": "m", "code": 503}}), 503, "m");
        check(json!({"error": {"message": "m", "code": "429"}}), 429, "m");
        check(json!({"error": {"message": "m", "type": "server_error"}}), 500, "m");
        check(json!({"error": {"message": "m", "status": "RESOURCE_EXHAUSTED"}}), 429, "m");
        check(json!({"error": "m"}), 0, "m");
        check(json!({"detail": "m"}), 0, "m");
        check(
            json!({"detail": [{"loc": ["a"], "msg": "m"}]}),
            0,
            "{\"detail\":[{\"loc\":[\"a\"],\"msg\":\"m\"}]}",
        );
        check(json!({"message": "m", "code": 429}), 429, "m");
        check(json!({"object": "error", "message": "m", "code": 404}), 404, "m");
        check(json!({"success": false, "errors": [{"message": "m", "code": 10000}]}), 0, "m");
        check(json!({"errors": ["m"]}), 0, "m");
        check(json!({"error_code": 18, "error_msg": "m"}), 0, "m");
        check(json!({"base_resp": {"status_code": 1002, "status_msg": "m"}}), 0, "m");
        check(json!({"type": "error", "message": "m", "status": 529}), 529, "m");
        check(json!({"status": "error", "msg": "m", "code": "timeout"}), 504, "m");
        for none in [
            json!({}),
            json!({"error": null}),
            json!({"error": "", "message": {"content": "m"}}),
            json!({"errors": [], "id": "x"}),
            json!({"object": "chat.completion.chunk"}),
            json!([1]),
            json!(3),
        ] {
            assert_eq!(instead(&none), None, "{none}");
        }
    }
}
