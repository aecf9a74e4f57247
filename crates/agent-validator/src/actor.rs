//! The loop between the port and the fast loops.

use std::{collections::HashMap, path::PathBuf, sync::Arc, time::Duration};

use artoo_bus::{Port, Sender};
use artoo_checks::{Filesystem, named_paths};
use artoo_judging::{Dependence, RunAgain, dependences};
use artoo_llm_client::{LlmClient, Origin, metered, outside};
use artoo_types::{
    CriterionVerdict, ExecutionResult, Message, Role, SubTask, SubTaskId, Surroundings, ToolCall,
    VerdictReached,
};
use tokio::{sync::Mutex, task::JoinSet};
use tracing::Instrument as _;

use crate::{FastLoop, Judge, JudgeContext, RunCommand, Step, given_up::borne_out, verdicts};

/// What the actor is given besides its port.
#[derive(Clone)]
pub struct Settings {
    /// Where and when the run happens.
    pub surroundings: Surroundings,
    /// Corrections per subtask.
    pub max_retries: u32,
    /// How long a judge, or a command that is run to judge, may take for one criterion.
    pub judge_deadline: Duration,
    /// What runs the commands that criteria name.
    pub commands: Arc<dyn RunCommand>,
    /// What runs calls again, to find out what they depend on.
    pub again: Arc<dyn RunAgain>,
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings")
            .field("surroundings", &self.surroundings)
            .field("max_retries", &self.max_retries)
            .field("judge_deadline", &self.judge_deadline)
            .finish_non_exhaustive()
    }
}

/// Judges every result of the run. Subtasks are judged side by side, the attempts of one in order. Returns when the run is closed.
pub async fn run(mut port: Port, judge: Arc<dyn Judge>, model: Arc<dyn LlmClient>, settings: Settings) {
    let surroundings = &settings.surroundings;
    let world = Filesystem::new(&surroundings.working_folder, &surroundings.home, surroundings.now)
        .with_workspace(&surroundings.workspace);
    let harness =
        Arc::new(Harness { sender: port.sender(), judge, model, settings: settings.clone(), world });
    let mut loops: HashMap<SubTaskId, Arc<Mutex<FastLoop>>> = HashMap::new();
    let mut judging = JoinSet::new();
    while let Some(envelope) = port.recv().await {
        // Finished tasks are taken off, so that a long run does not collect them.
        while judging.try_join_next().is_some() {}
        if let Message::SubTask(subtask) = envelope.message.as_ref() {
            // A subtask that comes twice keeps the attempts it had.
            let fresh = || Arc::new(Mutex::new(FastLoop::new(subtask.clone(), settings.max_retries)));
            loops.entry(subtask.subtask_id).or_insert_with(fresh);
        } else if let Message::ExecutionResult(result) = envelope.message.as_ref()
            && let Some(fast_loop) = loops.get(&result.subtask_id)
        {
            let span = tracing::error_span!("subtask", subtask = %result.subtask_id);
            let judge = Arc::clone(&harness).judge(Arc::clone(fast_loop), result.clone());
            judging.spawn(judge.instrument(span));
        }
    }
}

/// What every judging task shares.
struct Harness {
    sender: Sender,
    judge: Arc<dyn Judge>,
    model: Arc<dyn LlmClient>,
    settings: Settings,
    world: Filesystem,
}

impl Harness {
    async fn judge(self: Arc<Self>, fast_loop: Arc<Mutex<FastLoop>>, result: ExecutionResult) {
        let mut fast_loop = fast_loop.lock().await;
        if !fast_loop.awaits(&result) {
            return;
        }
        let subtask = fast_loop.subtask().clone();
        let calls = self.sender.clone();
        let model =
            metered(Arc::clone(&self.model), Role::AgentValidator, Some(subtask.subtask_id), move |call| {
                if let Err(error) = calls.publish(call) {
                    tracing::debug!(%error, "a model call was not recorded");
                }
            });
        let judged = fast_loop.with_all_calls(&result);
        let subject = self.subject(&subtask);
        let evidence = self.evidence(&judged, &subject).await;
        let cx = JudgeContext {
            subtask: &subtask,
            result: &judged,
            surroundings: &self.settings.surroundings,
            world: &self.world,
            subject: &subject,
            evidence: &evidence,
        };
        let attempt = result.attempt;
        let reached = |verdict: &CriterionVerdict| {
            self.publish(VerdictReached {
                subtask_id: Some(subtask.subtask_id),
                attempt,
                verdict: verdict.clone(),
            });
        };
        let deadline = self.settings.judge_deadline;
        let result = borne_out(result, &cx, self.judge.as_ref(), &model, deadline).await;
        let kept = fast_loop.unchanged(&result);
        let (judge, commands) = (self.judge.as_ref(), self.settings.commands.as_ref());
        let verdicts = verdicts(&cx, judge, commands, &model, deadline, kept, reached).await;
        match fast_loop.conclude(&result, verdicts) {
            Some(Step::Correct(correction)) => self.publish(correction),
            Some(Step::Done(outcome)) => self.publish(outcome),
            None => {}
        }
    }

    /// What the answer to a question has to depend on: what its step names; where that names nothing, what the request does, of which it is a part.
    fn subject(&self, subtask: &SubTask) -> Vec<PathBuf> {
        if subtask.is_about_a_deed() {
            return Vec::new();
        }
        let named = named_paths(&subtask.intent, &self.world);
        let context = || named_paths(&outside(Origin::Memory, &subtask.context), &self.world);
        if named.is_empty() { context() } else { named }
    }

    /// The calls without those that say nothing about the subject.
    async fn evidence(&self, result: &ExecutionResult, subject: &[PathBuf]) -> Vec<ToolCall> {
        // What was changed is another thing now than it was when a call looked.
        let changed = result.tool_calls.iter().flat_map(|call| &call.files);
        let mut changed = changed.map(|file| self.world.place(&file.path));
        if changed.any(|file| subject.iter().any(|path| file.starts_with(path))) {
            return result.tool_calls.clone();
        }
        let again = self.settings.again.as_ref();
        let known = dependences(&result.tool_calls, subject, &self.world, again).await;
        let says_nothing = |call: &ToolCall| known.contains(&(call.call_id, Dependence::Independent));
        result.tool_calls.iter().filter(|call| !says_nothing(call)).cloned().collect()
    }

    fn publish(&self, message: impl Into<Message>) {
        if let Err(error) = self.sender.publish(message) {
            // A closed run needs no verdict; an overflow is reported by the bus itself.
            tracing::debug!(%error, "the agent-validator could not publish");
        }
    }
}
