//! The default perceiver.

use std::{fmt::Write as _, sync::Arc};

use artoo_llm_client::{JsonSchema, LlmClient, Request, ask};
use artoo_types::{Constraints, TaskId, TaskSpec, UserRequest};
use async_trait::async_trait;
use serde::Deserialize;

use crate::{PerceiveError, Perceiver};

/// The longest request in bytes. Longer texts belong in a file: every later prompt repeats the intent.
pub const MAX_REQUEST_BYTES: usize = 16 * 1024;

/// The constant part of the prompt.
pub const SYSTEM_PROMPT: &str = include_str!("../prompts/system.md");

/// The most characters of an earlier result that are shown.
const RESULT_SHOWN: usize = 600;

/// Copies by code; asks a model only where there are earlier turns that the request may refer to.
#[derive(Clone, Copy, Debug, Default)]
pub struct FaithfulPerceiver;

#[derive(Deserialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Resolved {
    #[schemars(length(min = 1, max = 4000))]
    intent: String,
}

#[async_trait]
impl Perceiver for FaithfulPerceiver {
    async fn perceive(&self, request: &UserRequest, model: &Arc<dyn LlmClient>) -> Result<TaskSpec, PerceiveError> {
        let text = request.text.trim();
        if !text.chars().any(char::is_alphanumeric) {
            return Err(PerceiveError::Empty);
        }
        if text.len() > MAX_REQUEST_BYTES {
            return Err(PerceiveError::TooLong { bytes: text.len(), limit: MAX_REQUEST_BYTES });
        }
        let intent = if request.turns.is_empty() { text.to_owned() } else { resolve(request, text, model).await? };
        Ok(TaskSpec {
            task_id: TaskId::from_text(&intent),
            intent,
            constraints: Constraints::default(),
            raw_input: request.text.clone(),
        })
    }
}

async fn resolve(request: &UserRequest, text: &str, model: &Arc<dyn LlmClient>) -> Result<String, PerceiveError> {
    let prompt = Request::new("perceiver", SYSTEM_PROMPT, conversation(request, text))
        .with_schema(JsonSchema::of::<Resolved>("resolved_request"))
        .with_max_tokens(1024);
    let answer = ask::<Resolved>(model.as_ref(), prompt).await?;
    Ok(answer.value.intent.trim().to_owned())
}

/// The changing part of the prompt: the turns, oldest first, then the newest message.
fn conversation(request: &UserRequest, text: &str) -> String {
    let mut prompt = String::new();
    for (number, turn) in request.turns.iter().enumerate() {
        let result: String = turn.result.chars().take(RESULT_SHOWN).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(prompt, "Turn {}\nuser: {}\nresult: {result}\n", number + 1, turn.input);
    }
    let _ = write!(prompt, "Newest message: {text}");
    prompt
}
