//! Guided restatement of a follow-up, for weak models only: the model first decides whether the message
//! refers to earlier turns, with a prompt of examples. Used if the model's profile says `guided`. Its benefit
//! is measured by `cargo xtask follow-ups`.

use std::{fmt::Write as _, sync::Arc};

use artoo_case_file::visibility::{Fact, Limit, Reader, Viewer, form};
use artoo_llm_client::{JsonSchema, LlmClient, Request, ask};
use artoo_types::UserRequest;
use serde::Deserialize;

use crate::{Dialogue, PerceiveError};

/// The constant part of the prompt.
pub const GUIDED_PROMPT: &str = include_str!("../prompts/guided.md");

/// The maximum number of turns shown to such a model. With more it repeats one of them.
const TURNS: usize = RESULT.items;

/// The maximum length of an earlier request shown, in characters.
const INPUT_SHOWN: usize = 400;

/// The maximum length of an earlier result shown, in characters.
const RESULT: Limit = form(Viewer::Perceiver, Reader::Guided, Fact::EarlierTurns).limit();

// Not a doc comment: that would be sent to the model with the schema.
#[derive(Deserialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
struct FollowUp {
    refers: bool,
    #[schemars(length(min = 1, max = 1000))]
    intent: String,
}

/// The restated request; `None` if the message is self-contained.
pub(crate) async fn restated(
    request: &UserRequest,
    dialogue: &Dialogue,
    model: &Arc<dyn LlmClient>,
) -> Result<Option<String>, PerceiveError> {
    let prompt = Request::new("perceiver", GUIDED_PROMPT, conversation(request, dialogue))
        .with_max_tokens(model.profile().room(400))
        .with_schema(JsonSchema::of::<FollowUp>("follow_up"));
    let FollowUp { refers, intent } = ask::<FollowUp>(model.as_ref(), prompt).await?.value;
    Ok(refers.then_some(intent))
}

/// The turns, oldest first, then the newest message, each as a quoted string on one line: no earlier result
/// can pose as another line.
fn conversation(request: &UserRequest, dialogue: &Dialogue) -> String {
    let turns = request.recent_turns();
    let mut prompt = String::new();
    for turn in turns.iter().skip(turns.len().saturating_sub(TURNS)) {
        let input: String = turn.input.chars().take(INPUT_SHOWN).collect();
        let result = turn.beside() + &turn.result;
        let result = RESULT.cut(&result);
        // Writing to a string cannot fail.
        let _ = writeln!(prompt, "before: {}\ngot: {}", quoted(&input), quoted(&result));
    }
    let answers = dialogue.exchanges().iter().map(|exchange| exchange.answer.as_str());
    let said: Vec<&str> = std::iter::once(request.text.trim()).chain(answers).collect();
    let _ = writeln!(prompt, "now: {}", quoted(&said.join(" ")));
    prompt
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
