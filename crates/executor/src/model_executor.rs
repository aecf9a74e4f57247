//! The default executor: a model chooses the calls, one a turn.

use std::sync::Arc;

use artoo_llm_client::{LlmClient, LlmError, Message, Request, ask, unfenced};
use artoo_types::{CallEnding, ExecutionFailure, ExecutionStatus, FailureClass, ToolCall};
use async_trait::async_trait;
use serde_json::Value;

use crate::means::{Means, came_to_nothing};
use crate::schemas::Schemas;
use crate::{Action, Attempt, AttemptContext, CallStopped, CallTool, ExecuteError, Executor, prompt};

/// The rules of the constant part of the prompt; the tools follow.
pub const SYSTEM_PROMPT: &str = include_str!("../prompts/system.md");
/// The same for a small model: at length, and with examples.
pub const GUIDED_PROMPT: &str = include_str!("../prompts/guided.md");

/// Room for one turn, in tokens.
const TURN_TOKENS: u32 = 4096;
/// Turns without any result after which the model may give up.
const TRIES: u32 = 3;
/// Calls in a row that may come to nothing before the attempt is over: what follows is seldom better, and each costs a turn.
const MAX_VAIN: u32 = 5;
/// The temperature in hundredths once the model repeated itself. Without one it would say the same again, whatever it is told.
const STUCK_TEMPERATURE: u16 = 70;

/// Lets a model choose the calls.
#[derive(Debug)]
pub struct ModelExecutor {
    max_turns: u32,
    guided: bool,
    schemas: Schemas,
}

impl Default for ModelExecutor {
    /// Ten turns an attempt.
    fn default() -> Self {
        Self::new(10)
    }
}

impl ModelExecutor {
    /// An executor that gives the model this many turns an attempt, at least one.
    pub fn new(max_turns: u32) -> Self {
        Self { max_turns: max_turns.max(1), guided: false, schemas: Schemas::default() }
    }

    /// Whether the model gets examples besides the rules. A small one needs them; they more than double the prompt.
    #[must_use]
    pub fn guided(self, guided: bool) -> Self {
        Self { guided, ..self }
    }
}

#[async_trait]
impl Executor for ModelExecutor {
    async fn attempt(
        &self,
        cx: &AttemptContext,
        tools: &dyn CallTool,
        model: &Arc<dyn LlmClient>,
    ) -> Result<Attempt, ExecuteError> {
        // The calls of the subtask so far, refused ones of this attempt included.
        let mut calls = cx.earlier.clone();
        let mut means = Means::left(cx, &calls);
        let mut tools_left = means.offer(&cx.tools);
        let system: Arc<str> = prompt::system(self.guided, cx, &tools_left).into();
        let mut messages = vec![Message::user(prompt::step(self.guided, cx, &means))];
        let mut last: Option<ToolCall> = None;
        let (mut vain, mut is_stuck) = (0, false);
        let mut seen = cx.earlier.iter().any(shows);
        for turn in 0..self.max_turns {
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
                    .with_schema(self.schemas.of(&tools_left, seen, may_give_up))
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
                    return Ok(failed(FailureClass::Logical, reason, last.as_ref()));
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
        Ok(unfinished(format!("no answer within {} turns", self.max_turns), last.as_ref()))
    }
}

fn completed(output: String, verbatim: bool) -> Attempt {
    Attempt { status: ExecutionStatus::Completed, output, verbatim, failure: None }
}

/// The fast loop may still correct it.
fn unfinished(reason: String, last: Option<&ToolCall>) -> Attempt {
    Attempt {
        status: ExecutionStatus::Uncertain,
        output: shown(last),
        verbatim: false,
        failure: Some(ExecutionFailure { class: FailureClass::Logical, reason, infrastructure: false }),
    }
}

/// Whether a call has shown anything to answer from: it succeeded, or it put something out, or it found nothing and did
/// not complain (a search without a hit ends with status 1).
fn shows(call: &ToolCall) -> bool {
    let ran = call.ending != CallEnding::Refused;
    ran && (call.succeeded() || !call.output.shown.trim().is_empty() || call.stderr.shown.trim().is_empty())
}

/// A failure takes the class of the last call where that failed and the machine knows why: it knows better than the model.
fn failed(class: FailureClass, reason: String, last: Option<&ToolCall>) -> Attempt {
    let known = |class: &FailureClass| *class != FailureClass::Unknown;
    let of_the_call = last.and_then(|call| call.failure.as_ref()).map(|failure| failure.class).filter(known);
    let class = of_the_call.unwrap_or(class);
    Attempt {
        status: ExecutionStatus::Failed,
        output: shown(last),
        verbatim: false,
        failure: Some(ExecutionFailure { class, reason, infrastructure: false }),
    }
}

fn ended(stopped: &CallStopped, last: Option<&ToolCall>) -> Attempt {
    match stopped {
        // The fast loop may still correct this: the attempt is unfinished, not impossible.
        CallStopped::Repeated { .. } => Attempt {
            status: ExecutionStatus::Uncertain,
            ..failed(FailureClass::Logical, stopped.to_string(), last)
        },
        CallStopped::Denied { reason } => Attempt {
            status: ExecutionStatus::Failed,
            output: shown(last),
            verbatim: false,
            failure: Some(ExecutionFailure {
                class: FailureClass::Denied,
                reason: reason.clone(),
                infrastructure: false,
            }),
        },
        CallStopped::Cancelled => Attempt {
            status: ExecutionStatus::Failed,
            output: shown(last),
            verbatim: false,
            failure: Some(ExecutionFailure {
                class: FailureClass::Unknown,
                reason: stopped.to_string(),
                infrastructure: true,
            }),
        },
    }
}

fn shown(last: Option<&ToolCall>) -> String {
    last.map(|call| call.output.shown.trim().to_owned()).unwrap_or_default()
}
