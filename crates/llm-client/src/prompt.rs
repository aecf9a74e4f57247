//! Text that this crate adds to a prompt: the schema if the provider cannot enforce it, and the repair
//! request.

use std::borrow::Cow;

use crate::schema::cut;
use crate::{JsonSchema, Message, MessageRole, Request, StopReason};

/// The request for a model whose provider does not constrain answers: the schema is appended to the constant
/// part.
///
/// Adding it twice changes nothing, so a client that learns during a call that its server takes no schema may
/// add it, whether or not its caller already did.
pub fn with_schema_in_prompt(request: &Request) -> Cow<'_, Request> {
    let Some(schema) = &request.schema else {
        return Cow::Borrowed(request);
    };
    let instruction = instruction(schema);
    if request.system.ends_with(&instruction) {
        return Cow::Borrowed(request);
    }
    let gap = if request.system.is_empty() { "" } else { "\n\n" };
    let mut request = request.clone();
    request.system = format!("{}{gap}{instruction}", request.system).into();
    Cow::Owned(request)
}

/// The follow-up request for one repaired answer.
///
/// A truncated answer gets twice the token limit: the same request with the same limit would end the same.
pub(crate) fn repair(
    request: &Request,
    schema: &JsonSchema,
    answer: &str,
    stop: StopReason,
    violation: &str,
) -> Request {
    let mut repair = request.clone();
    let shape = if request.system.ends_with(&instruction(schema)) {
        String::new()
    } else {
        format!(" {}", instruction(schema))
    };
    let ask = format!(
        "Your answer cannot be used: {violation}. Answer again, complete and corrected, with the JSON value only.{shape}"
    );
    let answer = answer.trim();
    match repair.messages.last_mut() {
        // Providers refuse empty turns and two turns of the same speaker in a row.
        Some(last) if answer.is_empty() && last.role == MessageRole::User => {
            last.content = format!("{}\n\n{ask}", last.content);
        }
        _ => {
            if !answer.is_empty() {
                repair.messages.push(Message::assistant(cut(answer, MAX_QUOTED_CHARS)));
            }
            repair.messages.push(Message::user(ask));
        }
    }
    if stop == StopReason::Length {
        repair.max_tokens = repair.max_tokens.saturating_mul(2);
    }
    repair
}

/// How much of a bad answer the model is shown again.
const MAX_QUOTED_CHARS: usize = 4000;

fn instruction(schema: &JsonSchema) -> String {
    format!("Answer with one JSON value that fits this JSON Schema, and nothing else:\n{}", schema.schema)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request() -> Request {
        let schema = JsonSchema { name: "n".into(), schema: json!({"type": "object"}).into() };
        Request::new("test", "Count.", "How many?").with_schema(schema)
    }

    #[test]
    fn the_schema_is_added_once() {
        let once = with_schema_in_prompt(&request()).into_owned();
        assert_eq!(
            &*once.system,
            "Count.\n\nAnswer with one JSON value that fits this JSON Schema, and nothing else:\n{\"type\":\"object\"}"
        );
        assert!(matches!(with_schema_in_prompt(&once), Cow::Borrowed(_)));
    }

    #[test]
    fn turns_alternate_whatever_the_answer_was() {
        let request = request();
        let schema = request.schema.clone().unwrap();
        for answer in ["", "  ", "Three."] {
            let repair = repair(&request, &schema, answer, StopReason::End, "it is empty");
            let roles: Vec<_> = repair.messages.iter().map(|m| m.role).collect();
            assert!(roles.windows(2).all(|pair| pair[0] != pair[1]), "{roles:?}");
            assert_eq!(roles.last(), Some(&MessageRole::User));
        }
    }

    #[test]
    fn a_cut_answer_gets_more_room() {
        let request = request();
        let schema = request.schema.clone().unwrap();
        assert_eq!(repair(&request, &schema, "{", StopReason::Length, "cut").max_tokens, 2048);
        assert_eq!(repair(&request, &schema, "{", StopReason::End, "cut").max_tokens, 1024);
    }
}
