//! What exists for weak models alone: a model whose profile says that it is guided works here, and no other.
//!
//! | guard | what it costs | what it buys |
//! |---|---|---|
//! | one JSON action a turn | a turn for each call | a small model loses no call of several |
//! | a schema that leaves out what would be refused ([`means`]) | the prompt cache, and what nobody thought of | a small model asks for what is refused again and again |
//! | forms of commands by what a step is about ([`matter`]) | they fit only some steps | it copies a form rightly and writes none |
//! | giving up late | turns that find nothing | it gives up at the first error |
//! | ten turns | long work | it goes round in circles |
//! | no command that is left running ([`limits`]) | servers and watches | it forgets what it has started |
//! | commands of 400 characters with closed quotes ([`limits`]) | long commands | it ends the JSON text at a quote, or never |

pub(crate) mod limits;
pub(crate) mod matter;
pub(crate) mod means;
pub(crate) mod prompt;

use std::sync::Arc;

use artoo_llm_client::{LlmClient, LlmError, Message, Request, ask, unfenced};
use artoo_types::{BlockedTarget, CallEnding, FailureClass, ToolCall};
use serde_json::Value;

use crate::end::{completed, ended, failed, shows, unfinished};
use crate::schemas::{Schemas, Turn};
use crate::{Action, Attempt, AttemptContext, CallTool, ExecuteError};

pub use matter::capable_programs;
use means::{Means, came_to_nothing};

/// The rules of the constant part of the prompt, at length and with examples.
pub const GUIDED_PROMPT: &str = include_str!("../prompts/guided.md");

/// Duplicates after which an attempt is over. Source: `docs/deviations.md`, "Duplicate calls" (lessons 58 and 90).
pub(crate) const MAX_DUPLICATES: u32 = 2;
/// Turns of an attempt.
const MAX_TURNS: u32 = 10;
/// Room for one turn, in tokens.
const TURN_TOKENS: u32 = 4096;
/// Turns without any result after which the model may give up.
const TRIES: u32 = 3;
/// Calls in a row that may come to nothing before the attempt is over: what follows is seldom better, and each costs a turn.
const MAX_VAIN: u32 = 5;
/// The temperature in hundredths once the model repeated itself. Without one it would say the same again, whatever it is told.
const STUCK_TEMPERATURE: u16 = 70;

/// Why a call is refused that a weak model alone makes: it copied a form as it is.
pub(crate) fn refusal(call: &BlockedTarget, intent: &str) -> Option<String> {
    let name = matter::placeholder(&call.target, intent)?;
    Some(format!("{name} stands for a name; write the name that the step means"))
}

/// One attempt of a guided model.
pub(crate) async fn attempt(
    schemas: &Schemas,
    cx: &AttemptContext,
    tools: &dyn CallTool,
    model: &Arc<dyn LlmClient>,
) -> Result<Attempt, ExecuteError> {
    let cx = &limits::bounded(cx);
    // The calls of the subtask so far, refused ones of this attempt included.
    let mut calls = cx.earlier.clone();
    let mut means = Means::left(cx, &calls);
    let mut tools_left = means.offer(&cx.tools);
    let system: Arc<str> = prompt::system(cx, &tools_left).into();
    let mut messages = vec![Message::user(prompt::step(cx, &means, &model.profile()))];
    let mut last: Option<ToolCall> = None;
    let (mut vain, mut is_stuck) = (0, false);
    let mut seen = cx.earlier.iter().any(shows) || !cx.subtask.earlier.is_empty();
    for turn in 0..MAX_TURNS {
        // A small model gives up at the first error; it may once it has seen something, or has tried.
        // Where it called wrongly and another program is left, there is something to try.
        let wrongly = |call: &ToolCall| {
            call.failure.as_ref().is_some_and(|failure| failure.class == FailureClass::Logical)
        };
        let has_another = means.program.is_some() && last.as_ref().is_some_and(wrongly);
        // A call that did what it should is something to answer from, even where it found nothing.
        let did_well = last.as_ref().is_some_and(ToolCall::succeeded);
        let may_give_up = (seen && !has_another && !did_well) || turn >= TRIES;
        let request = Request {
            messages: messages.clone(),
            temperature_percent: if is_stuck { STUCK_TEMPERATURE } else { 0 },
            ..Request::new("executor", system.clone(), "")
                .with_schema(schemas.of(&tools_left, Turn::Steered { may_answer: seen, may_give_up }))
                .with_max_tokens(TURN_TOKENS)
        };
        let answered = match ask::<Value>(model.as_ref(), request).await {
            // A decoder that is not bound to the schema may go on with what it is stuck with.
            Err(LlmError::Unusable { reason, .. }) if vain > 0 && means.program.is_some() => {
                return Ok(unfinished(format!("no other way was taken: {reason}"), last.as_ref()));
            }
            answered => answered?,
        };
        let turn: Value = answered.value;
        let (tool, arguments, declared) = match Action::read(&turn) {
            Some(Action::Answer(answer)) => return Ok(completed(unfenced(&answer), false)),
            Some(Action::GiveUp(reason)) => {
                return Ok(failed(FailureClass::Logical, reason.reason, last.as_ref()));
            }
            Some(Action::Call { tool, arguments, output_is_answer }) => {
                let may = cx.tools.iter().any(|spec| spec.name == tool && spec.output_is_answer);
                (tool, arguments, output_is_answer && may)
            }
            // The schema lets nothing else through; going on would ask the very same again.
            None => {
                return Err(ExecuteError::Model(LlmError::Unusable {
                    model: answered.model,
                    schema: "action".to_owned(),
                    reason: "it is neither a call, an answer nor a reason to give up".to_owned(),
                }));
            }
        };
        let call = match tools.call(&tool, arguments).await {
            Ok(call) => call,
            Err(stopped) => return Ok(ended(&stopped, last.as_ref())),
        };
        if declared
            && call.succeeded()
            && let Some(whole) = tools.whole_output(&call).await
            && !whole.trim().is_empty()
        {
            return Ok(completed(whole.trim().to_owned(), true));
        }
        seen |= shows(&call);
        is_stuck |= call.ending == CallEnding::Refused;
        vain = if came_to_nothing(&call) { vain + 1 } else { 0 };
        calls.push(call.clone());
        let before = std::mem::replace(&mut means, Means::left(cx, &calls));
        tools_left = means.offer(&cx.tools);
        let told = (means.program != before.program).then(|| means.told(&cx.subtask.intent)).flatten();
        messages.push(Message::assistant(turn.to_string()));
        messages.push(Message::user(prompt::after(&call, &cx.subtask.intent, told)));
        last = Some(call);
        if vain >= MAX_VAIN {
            return Ok(unfinished(format!("{vain} calls in a row came to nothing"), last.as_ref()));
        }
    }
    Ok(unfinished(format!("no answer within {} turns", MAX_TURNS), last.as_ref()))
}
