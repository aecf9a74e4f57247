//! What exists for weak models alone: a model whose profile says that it is guided works here, and no other.
//!
//! | guard | what it costs | what it buys |
//! |---|---|---|
//! | one JSON action a turn | a turn for each call | a small model loses no call of several |
//! | the first command of several that mean the same ([`sampling`], [`agreement`]) | one to three derivations over the same prompt, and rehearsals | what it gets wrong by chance is outvoted, and literals are |
//! | no tools for names, searches and files while it derives an answer ([`limits`]) | an answer that one of them gives at once | it takes a list for how many there are, and these cannot be rehearsed |
//! | no reading of earlier outputs, and no file as an answer ([`limits`]) | the rest of a long output; a short file that is the answer | it makes up what to read, and takes a file for what was asked of it |
//! | what the step names, as it lies there and as a shell takes it ([`subject`]) | a line | it forgets quotes, and translates names |
//! | giving up late | turns that find nothing | it gives up at the first error |
//! | six turns, four in vain | long work | it goes round in circles |
//! | samples in place of a call whose result is known | three samples over the same prompt | without dice it would say the same again |
//! | no command that is left running ([`limits`]) | servers and watches | it forgets what it has started |
//! | commands of 400 characters with closed quotes ([`limits`]) | long commands | it ends the JSON text at a quote, or never |

mod agreement;
pub(crate) mod limits;
pub(crate) mod prompt;
mod sampling;
mod subject;

use std::path::PathBuf;
use std::sync::Arc;

use artoo_llm_client::{LlmClient, LlmError, Message, Request, ask, ask_several, unfenced};
use artoo_types::{CallEnding, FailureClass, Samples, ToolCall};
use serde_json::Value;

use crate::end::{completed, ended, failed, shows, unfinished};
use crate::schemas::{Schemas, Turn};
use crate::{Action, Attempt, AttemptContext, CallTool, ExecuteError, ToolSpec};

/// The rules of the constant part of the prompt, at length and with examples.
pub const GUIDED_PROMPT: &str = include_str!("../prompts/guided.md");

/// Duplicates after which an attempt is over. Source: `docs/deviations.md`, "Duplicate calls" (lessons 58 and 90).
pub(crate) const MAX_DUPLICATES: u32 = 2;
/// Turns of an attempt.
const MAX_TURNS: u32 = 6;
/// Room for one turn, in tokens.
const TURN_TOKENS: u32 = 4096;
/// Turns without any result after which the model may give up.
const TRIES: u32 = 3;
/// Calls in a row that may come to nothing before the attempt is over: what follows is seldom better, and each costs a turn.
const MAX_VAIN: u32 = 4;
/// The samples that are drawn in place of a call whose result is known. Without dice the model would say the same again, whatever it is told.
const OTHERS: u32 = 3;

/// One attempt of a guided model.
pub(crate) async fn attempt(
    schemas: &Schemas,
    cx: &AttemptContext,
    tools: &dyn CallTool,
    model: &Arc<dyn LlmClient>,
) -> Result<Attempt, ExecuteError> {
    let cx = &limits::bounded(cx);
    let system: Arc<str> = prompt::system(cx).into();
    let subject = subject::of(cx).await;
    let told = subject::told(&subject, &cx.surroundings.working_folder);
    let mut messages = vec![Message::user(prompt::step(cx, told.as_deref(), &model.profile()))];
    let mut last: Option<ToolCall> = None;
    let mut last_samples: Option<Samples> = None;
    let mut vain = 0;
    let mut seen = cx.earlier.iter().any(shows) || !cx.subtask.earlier.is_empty();
    for number in 0..MAX_TURNS {
        // A small model gives up at the first error; it may once it has seen something, or has tried. A call that did what it should is
        // something to answer from, even where it found nothing.
        let did_well = last.as_ref().is_some_and(ToolCall::succeeded);
        let may_give_up = (seen && !did_well) || number >= TRIES;
        let offered = Turn::Guided { may_answer: seen, may_give_up };
        let asked = |tools: &[ToolSpec]| Request {
            messages: messages.clone(),
            ..Request::new("executor", system.clone(), "")
                .with_schema(schemas.of(tools, offered))
                .with_max_tokens(TURN_TOKENS)
        };
        let (turn, samples) = match next_turn(cx, &asked, &subject, number, tools, model).await {
            // What a model is stuck with behind a call in vain, a correction may get it out of.
            Err(ExecuteError::Model(LlmError::Unusable { reason, .. })) if vain > 0 => {
                return Ok(unfinished(
                    format!("nothing that was said next could be used: {reason}"),
                    last.as_ref(),
                ));
            }
            next => next?,
        };
        let (tool, arguments, declared) = match Action::read(&turn) {
            Some(Action::Answer(answer)) => {
                return Ok(Attempt { samples: last_samples, ..completed(unfenced(&answer), false) });
            }
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
                    model: model.model().to_owned(),
                    schema: "action".to_owned(),
                    reason: "it is neither a call, an answer nor a reason to give up".to_owned(),
                }));
            }
        };
        let call = match tools.call(&tool, arguments).await {
            Ok(call) => call,
            Err(stopped) => return Ok(ended(&stopped, last.as_ref())),
        };
        // Samples say how far one call is to be believed, and nothing of what follows from others.
        last_samples = samples;
        if declared
            && call.succeeded()
            && let Some(whole) = tools.whole_output(&call).await
            && !whole.trim().is_empty()
        {
            return Ok(Attempt { samples: last_samples, ..completed(whole.trim().to_owned(), true) });
        }
        seen |= shows(&call);
        let in_vain = came_to_nothing(&call);
        vain = if in_vain { vain + 1 } else { 0 };
        messages.push(Message::assistant(turn.to_string()));
        let forgot = in_vain && subject::is_left_out(&subject, &call.target());
        messages.push(Message::user(prompt::after(&call, told.as_deref().filter(|_| forgot))));
        last = Some(call);
        if vain >= MAX_VAIN {
            return Ok(unfinished(format!("{vain} calls in a row came to nothing"), last.as_ref()));
        }
    }
    Ok(unfinished(format!("no answer within {MAX_TURNS} turns"), last.as_ref()))
}

/// What the model says next, and how far samples of it agree, where there are any.
async fn next_turn(
    cx: &AttemptContext,
    asked: &(dyn Fn(&[ToolSpec]) -> Request + Sync),
    subject: &[PathBuf],
    number: u32,
    tools: &dyn CallTool,
    model: &Arc<dyn LlmClient>,
) -> Result<(Value, Option<Samples>), ExecuteError> {
    if number == 0
        && sampling::is_due(cx, tools).await
        && let Some(taken) =
            sampling::first_turn(&asked(&limits::rehearsed(&cx.tools)), &cx.programs, subject, tools, model)
                .await?
    {
        return Ok((taken.turn, taken.samples));
    }
    let request = asked(&cx.tools);
    let turn = ask::<Value>(model.as_ref(), request.clone()).await?.value;
    if !sampling::is_known(&turn, tools) {
        return Ok((turn, None));
    }
    let others = (1..=OTHERS).map(|number| request.sample(number)).collect();
    let others = ask_several::<Value>(model.as_ref(), others).await.into_iter().flatten();
    let fresh = others.map(|other| other.value).find(|other| !sampling::is_known(other, tools));
    Ok((fresh.unwrap_or(turn), None))
}

/// Whether a call brought nothing to go on with: it was refused, or it failed and complained. A search without a hit ends
/// with status 1 and complains of nothing.
fn came_to_nothing(call: &ToolCall) -> bool {
    match call.ending {
        CallEnding::Refused => true,
        CallEnding::Exited { .. } => call.failure.is_some() && !call.stderr.shown.trim().is_empty(),
        CallEnding::Returned
        | CallEnding::Signalled { .. }
        | CallEnding::TimedOut
        | CallEnding::Cancelled => call.failure.is_some(),
    }
}
