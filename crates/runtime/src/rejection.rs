//! What the person rejected, told from the messages of a run, and what follows for memory.

use std::sync::Arc;

use artoo_llm_client::LlmClient;
use artoo_mkct_memory::MemoryService;
use artoo_perceiver::{Dialogue, PerceiveError, Perceived, Perceiver};
use artoo_redaction::Redactor;
use artoo_types::{Message, Rejection, RunId, TaskSpec, ToolKind, Turn, UserRequest, short_id};
use async_trait::async_trait;

/// The run among `turns` whose result this message of a later run rejects, and how: R1 understood a correction, or
/// the tool `undo_run` took the run back. `None` for every other message.
pub fn rejected(message: &Message, turns: &[Turn]) -> Option<(RunId, Rejection)> {
    let known =
        |is_it: &dyn Fn(RunId) -> bool| turns.iter().filter_map(|turn| turn.run_id).find(|run| is_it(*run));
    if let Message::TaskSpec(TaskSpec { corrects: Some(corrects), .. }) = message {
        known(&|run| run == *corrects).map(|run| (run, Rejection::Corrected))
    } else if let Message::ToolFinished(finished) = message
        && finished.call.tool.is(ToolKind::UndoRun)
        && finished.call.succeeded()
        && finished.call.changed_files()
    {
        let name = finished.call.arguments.get("run")?.as_str()?;
        known(&|run| short_id(run) == name).map(|run| (run, Rejection::Undone))
    } else {
        None
    }
}

/// The reason that memory keeps: what the person did, and their words where they said something.
pub fn reason(how: Rejection, words: &str) -> String {
    match how {
        Rejection::Undone => format!("they {}", how.words()),
        Rejection::Corrected => format!("they {}: {words}", how.words()),
    }
}

/// Revokes what a run taught. A failure is logged: memory is advice, and the work goes on without.
pub(crate) async fn revoke(
    memory: &dyn MemoryService,
    redactor: &Redactor,
    (run, how): (RunId, Rejection),
    words: &str,
) {
    if let Err(error) = memory.revoke(run, &redactor.apply(&reason(how, words))).await {
        tracing::warn!(%error, %run, "what the rejected run taught could not be revoked");
    }
}

/// A perceiver behind which a correction is heeded: before anybody plans, memory no longer recommends what the
/// corrected run did. A run that is not among the turns is not believed.
pub(crate) struct HeedingCorrections {
    pub(crate) inner: Arc<dyn Perceiver>,
    pub(crate) memory: Arc<dyn MemoryService>,
    pub(crate) redactor: Redactor,
}

#[async_trait]
impl Perceiver for HeedingCorrections {
    async fn perceive(
        &self,
        request: &UserRequest,
        dialogue: &Dialogue,
        model: &Arc<dyn LlmClient>,
    ) -> Result<Perceived, PerceiveError> {
        let mut perceived = self.inner.perceive(request, dialogue, model).await?;
        if let Perceived::Task(task) = &mut perceived
            && let Some(run) = task.corrects
        {
            if request.turns.iter().any(|turn| turn.run_id == Some(run)) {
                let correction = (run, Rejection::Corrected);
                revoke(self.memory.as_ref(), &self.redactor, correction, &request.text).await;
            } else {
                task.corrects = None;
            }
        }
        Ok(perceived)
    }
}

#[cfg(test)]
mod tests {
    use artoo_types::{
        Arguments, CallEnding, CallFailure, CallId, FailureClass, FileChange, FileChangeKind, SubTaskId,
        ToolCall, ToolFinished,
    };
    use uuid::Uuid;

    use super::*;

    fn run(number: u128) -> RunId {
        RunId::new(Uuid::from_u128(number))
    }

    fn turns() -> Vec<Turn> {
        let of_run = |number| Turn { run_id: Some(run(number)), ..Turn::new("Make it", "made") };
        vec![Turn::new("hello", "hello"), of_run(1), of_run(2)]
    }

    /// A call that took back a run, as its record says.
    fn undo(name: &str) -> ToolCall {
        let arguments: Arguments = serde_json::from_value(serde_json::json!({ "run": name })).unwrap();
        let at = "2026-03-14T09:26:00+01:00".parse().unwrap();
        let file = FileChange::new("/w/a", FileChangeKind::Deleted);
        ToolCall {
            files: vec![file],
            ..ToolCall::new(
                CallId::new(Uuid::nil()),
                ToolKind::UndoRun.into(),
                arguments,
                CallEnding::Returned,
                at,
            )
        }
    }

    fn finished(call: ToolCall) -> Message {
        ToolFinished { subtask_id: SubTaskId::new(Uuid::nil()), call }.into()
    }

    #[test]
    fn a_correction_and_an_undo_reject_a_run_of_the_conversation() {
        let corrects = |number| TaskSpec { corrects: Some(run(number)), ..TaskSpec::verbatim("no") }.into();
        let name = short_id(run(2));
        let failed =
            CallFailure { class: FailureClass::Logical, reason: "changed since".to_owned(), hint: None };
        let other = ToolCall { tool: ToolKind::Shell.into(), ..undo(&name) };
        let table: [(Message, Option<(RunId, Rejection)>); 8] = [
            (corrects(1), Some((run(1), Rejection::Corrected))),
            (corrects(3), None),
            (TaskSpec::verbatim("no").into(), None),
            (finished(undo(&name)), Some((run(2), Rejection::Undone))),
            (finished(undo("000000000003")), None),
            (finished(ToolCall { failure: Some(failed), ..undo(&name) }), None),
            (finished(ToolCall { files: Vec::new(), ..undo(&name) }), None),
            (finished(other), None),
        ];
        for (message, expected) in table {
            assert_eq!(rejected(&message, &turns()), expected, "{message:?}");
        }
    }
}
