//! The default executor: a model chooses the calls.

use std::sync::Arc;

use artoo_llm_client::{Completion, LlmClient, LlmError, ask};
use artoo_types::ToolName;
use async_trait::async_trait;
use futures_util::future::join_all;
use serde_json::Value;

use crate::attempt_end::{completed, ended};
use crate::guided;
use crate::schema_cache::{Schemas, Turn};
use crate::tool_loop::{Made, Next, ToolLoop, Wanted};
use crate::{Attempt, AttemptContext, CallStopped, CallTool, ExecuteError, Executor};

/// How often a prompt that the server rejects as too long is compacted and sent again.
const MAX_CUTS: u32 = 3;

/// Default executor: the model chooses the calls, in the tool loop or, if its profile says that it is weak,
/// in the guided loop.
#[derive(Debug, Default)]
pub struct ModelExecutor {
    schemas: Schemas,
}

#[async_trait]
impl Executor for ModelExecutor {
    async fn attempt(
        &self,
        cx: &AttemptContext,
        tools: &dyn CallTool,
        model: &Arc<dyn LlmClient>,
    ) -> Result<Attempt, ExecuteError> {
        let profile = model.profile();
        if profile.guided {
            return guided::attempt(&self.schemas, cx, tools, model).await;
        }
        let turn = Turn::Any(cx.environment.user());
        let mut work = ToolLoop::new(cx, profile, || self.schemas.of(&cx.tools, turn));
        let mut cuts = 0;
        loop {
            // Its server may have named a smaller context than its name promises.
            work.refit(model.profile());
            let completion = match say(&mut work, model).await {
                Err(LlmError::TooLong { .. }) if cuts < MAX_CUTS && work.compact() => {
                    cuts += 1;
                    continue;
                }
                said => said?,
            };
            let mut next = work.heard(&completion);
            loop {
                next = match next {
                    Next::Again => break,
                    Next::End(attempt) => return Ok(left_by(work, attempt)),
                    Next::AskPerson { id, otherwise } => {
                        let question = otherwise.question.as_ref().unwrap_or(&otherwise.reason).clone();
                        let answer = tools.ask_person(&question).await;
                        work.answered(id, answer, otherwise)
                    }
                    Next::Call(wanted) => match carry_out(&wanted, cx, tools).await {
                        Came::All(calls) => work.came(calls),
                        Came::Answer(made, attempt) => {
                            work.answered_by(*made);
                            return Ok(left_by(work, attempt));
                        }
                        Came::Stopped(stopped) => return Ok(ended(&stopped, work.last())),
                    },
                    // The schema permits nothing else; another turn would send the same request again.
                    Next::Unusable => {
                        return Err(ExecuteError::Model(LlmError::Unusable {
                            model: completion.model,
                            schema: "action".to_owned(),
                            reason: "it is neither a call, an answer nor a reason to give up".to_owned(),
                        }));
                    }
                };
            }
        }
    }
}

async fn say(work: &mut ToolLoop<'_>, model: &Arc<dyn LlmClient>) -> Result<Completion, LlmError> {
    let request = work.request();
    if work.is_native() {
        return model.complete(&request).await;
    }
    let answered = ask::<Value>(model.as_ref(), request).await?;
    Ok(Completion::of_text(answered.value.to_string(), answered.usage, answered.model))
}

/// The attempt, with the conversation that led to it.
fn left_by(work: ToolLoop<'_>, attempt: Attempt) -> Attempt {
    Attempt { conversation: Some(work.into_conversation()), ..attempt }
}

/// The result of the calls of one turn.
enum Came {
    All(Vec<Made>),
    /// The output of this call is the answer.
    Answer(Box<Made>, Attempt),
    Stopped(CallStopped),
}

/// Makes the calls of one turn: adjacent read-only calls concurrently, all others in order.
async fn carry_out(wanted: &[Wanted], cx: &AttemptContext, tools: &dyn CallTool) -> Came {
    let only_looks = |tool: &ToolName| cx.tools.iter().any(|spec| spec.name == *tool && spec.only_looks);
    let mut made = Vec::with_capacity(wanted.len());
    for side_by_side in wanted.chunk_by(|one, other| only_looks(&one.tool) && only_looks(&other.tool)) {
        let calls = side_by_side.iter().map(|call| tools.call(&call.tool, call.arguments.clone()));
        for (call, came) in side_by_side.iter().zip(join_all(calls).await) {
            match came {
                Ok(came) => {
                    let picture =
                        if came.output.media_type.is_some() { tools.picture(&came).await } else { None };
                    let hides = tools.hides_effects(&came);
                    made.push(Made { id: call.id.clone(), call: came, hides, picture });
                }
                Err(stopped) => return Came::Stopped(stopped),
            }
        }
    }
    // The model declares `is_answer` before it has seen any output, so the flag only counts for a single
    // call.
    if let ([Wanted { is_answer: true, .. }], [Made { call, .. }]) = (wanted, made.as_slice())
        && call.succeeded()
        && let Some(whole) = tools.whole_output(call).await
        && !whole.trim().is_empty()
        && let Some(answer) = made.pop()
    {
        return Came::Answer(Box::new(answer), completed(whole.trim().to_owned(), true));
    }
    Came::All(made)
}
