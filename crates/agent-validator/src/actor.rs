//! The loop between the port and the fast loops.

use std::{collections::HashMap, sync::Arc, time::Duration};

use artoo_bus::{Port, Sender};
use artoo_checks::World;
use artoo_llm_client::{LlmClient, metered};
use artoo_types::{
    CriterionVerdict, ExecutionResult, Message, Role, SubTaskId, Surroundings, VerdictReached,
};
use tokio::{sync::Mutex, task::JoinSet};

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
    let world = World::new(&surroundings.working_folder, &surroundings.home, surroundings.now)
        .with_workspace(&surroundings.workspace);
    let bench = Arc::new(Bench { sender: port.sender(), judge, model, settings: settings.clone(), world });
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
            judging.spawn(Arc::clone(&bench).judge(Arc::clone(fast_loop), result.clone()));
        }
    }
}

/// What every judging task shares.
struct Bench {
    sender: Sender,
    judge: Arc<dyn Judge>,
    model: Arc<dyn LlmClient>,
    settings: Settings,
    world: World,
}

impl Bench {
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
        let cx = JudgeContext {
            subtask: &subtask,
            result: &judged,
            surroundings: &self.settings.surroundings,
            world: &self.world,
            doubt: None,
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

    fn publish(&self, message: impl Into<Message>) {
        if let Err(error) = self.sender.publish(message) {
            // A closed run needs no verdict; an overflow is reported by the bus itself.
            tracing::debug!(%error, "the agent-validator could not publish");
        }
    }
}
