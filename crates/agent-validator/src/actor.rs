//! The agent-validator's actor: connects the bus port to one fast loop per subtask.

use std::{collections::HashMap, path::PathBuf, sync::Arc, time::Duration};

use artoo_bus::{Port, Sender};
use artoo_checks::Filesystem;
use artoo_judging::{Dependence, Excerpts, JudgeError, Rerun, Waiting, dependences};
use artoo_llm_client::{LlmClient, Silence, metered};
use artoo_types::{
    CriterionVerdict, ExecutionResult, Fault, Message, Role, SubTask, SubTaskId, Surroundings, ToolCall,
    VerdictReached, Warning,
};
use tokio::{sync::Mutex, task::JoinSet};
use tracing::Instrument as _;

use crate::{
    FastLoop, Judge, JudgeContext, RunCommand, Step, StepMentions, give_up_review::borne_out, verdicts,
};

/// The actor's inputs besides its port.
#[derive(Clone)]
pub struct Settings {
    /// Environment of the run: time, folders, platform.
    pub surroundings: Surroundings,
    /// Maximum number of corrections per subtask.
    pub max_retries: u32,
    /// How long a judge may be silent over a criterion, which it is asked about at most twice; and the time limit of a
    /// command that a criterion names.
    pub judge_deadline: Duration,
    /// The run's silence. Limits of silence rest while it rests, as when the run waits for a person.
    pub silence: Silence,
    /// Runs the commands that criteria name.
    pub commands: Arc<dyn RunCommand>,
    /// Runs calls again in perturbed worlds, to find out what they depend on.
    pub again: Arc<dyn Rerun>,
    /// The folders of the run, without the files that no judge is shown and no check reads.
    pub world: Filesystem,
    /// How much of each output a judge is shown.
    pub excerpts: Excerpts,
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

/// Judges every result of the run. Subtasks are judged concurrently, the attempts of one subtask in order.
/// Returns when the run is closed.
pub async fn run(mut port: Port, judge: Arc<dyn Judge>, model: Arc<dyn LlmClient>, settings: Settings) {
    let harness = Arc::new(Harness { sender: port.sender(), judge, model, settings: settings.clone() });
    let mut loops: HashMap<SubTaskId, Arc<Mutex<FastLoop>>> = HashMap::new();
    let mut judging = JoinSet::new();
    while let Some(envelope) = port.recv().await {
        // Finished tasks are reaped, so that they do not accumulate in a long run.
        while judging.try_join_next().is_some() {}
        if let Message::SubTask(subtask) = envelope.message.as_ref() {
            // A duplicate of a subtask keeps its attempts.
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

/// State shared by all judging tasks.
struct Harness {
    sender: Sender,
    judge: Arc<dyn Judge>,
    model: Arc<dyn LlmClient>,
    settings: Settings,
}

impl Harness {
    async fn judge(self: Arc<Self>, fast_loop: Arc<Mutex<FastLoop>>, result: ExecutionResult) {
        let mut fast_loop = fast_loop.lock().await;
        if !fast_loop.awaits(&result) {
            return;
        }
        if let Some(fault) = result.failure.as_ref().and_then(|failure| failure.fault.as_deref()) {
            return self.end(&mut fast_loop, &result, fault.clone());
        }
        let subtask = fast_loop.subtask().clone();
        let calls = self.sender.clone();
        let silence = self.settings.silence.below();
        let heard = silence.clone();
        let model =
            metered(Arc::clone(&self.model), Role::AgentValidator, Some(subtask.subtask_id), move |call| {
                heard.heard();
                if let Err(error) = calls.publish(call) {
                    tracing::debug!(%error, "a model call was not recorded");
                }
            });
        let judged = fast_loop.with_all_calls(&result);
        let mentions = self.mentions(&subtask).await;
        let subject = mentions.subject(&subtask);
        let evidence = self.evidence(&judged, subject).await;
        let background = self.sender.case_file().background(subtask.round);
        let cx = JudgeContext {
            subtask: &subtask,
            result: &judged,
            background: &background,
            surroundings: &self.settings.surroundings,
            world: &self.settings.world,
            mentions: &mentions,
            subject,
            evidence: &evidence,
            excerpts: self.settings.excerpts,
        };
        let attempt = result.attempt;
        let reached = |verdict: &CriterionVerdict| {
            self.publish(VerdictReached {
                subtask_id: Some(subtask.subtask_id),
                attempt,
                verdict: verdict.clone(),
            });
        };
        let asked_again = |error: &JudgeError| {
            let message = format!("{error}; it is asked again");
            self.publish(Warning { role: Role::AgentValidator, message });
        };
        let waiting =
            Waiting { deadline: self.settings.judge_deadline, silence: &silence, asked_again: &asked_again };
        let (judge, commands) = (self.judge.as_ref(), self.settings.commands.as_ref());
        let judging = async {
            let result = borne_out(result.clone(), &cx, judge, &model, waiting).await?;
            let kept = fast_loop.unchanged(&result);
            let verdicts = verdicts(&cx, judge, commands, &model, waiting, kept, reached).await?;
            Ok::<_, JudgeError>((result, verdicts))
        };
        let (result, verdicts) = match judging.await {
            Ok(judged) => judged,
            Err(error) => return self.end(&mut fast_loop, &result, error.fault(Role::AgentValidator)),
        };
        match fast_loop.conclude(&result, verdicts) {
            Some(Step::Correct(correction)) => self.publish(correction),
            Some(Step::Done(outcome)) => self.publish(outcome),
            None => {}
        }
    }

    /// Ends the run with a fault that leaves the result without a verdict. The outcome first: R7 ends the run at the
    /// fault, and hands over what it knows.
    fn end(&self, fast_loop: &mut FastLoop, result: &ExecutionResult, fault: Fault) {
        if let Some(outcome) = fast_loop.unjudged(result, &fault.message) {
            self.publish(outcome);
        }
        self.publish(fault);
    }

    /// What a step and its request name, as it is now.
    async fn mentions(&self, subtask: &SubTask) -> StepMentions {
        let (subtask, world) = (subtask.clone(), self.settings.world.clone());
        // This fails only when the process shuts down.
        tokio::task::spawn_blocking(move || StepMentions::of(&subtask, &world)).await.unwrap_or_default()
    }

    /// The calls, without those whose output does not depend on the subject.
    async fn evidence(&self, result: &ExecutionResult, subject: &[PathBuf]) -> Vec<ToolCall> {
        // A file that was changed since a call looked at it can no longer be compared.
        let changed = result.tool_calls.iter().flat_map(|call| &call.files);
        let mut changed = changed.map(|file| self.settings.world.place(&file.path));
        if changed.any(|file| subject.iter().any(|path| file.starts_with(path))) {
            return result.tool_calls.clone();
        }
        let again = self.settings.again.as_ref();
        let known = dependences(&result.tool_calls, subject, &self.settings.world, again).await;
        let says_nothing = |call: &ToolCall| known.contains(&(call.call_id, Dependence::Independent));
        result.tool_calls.iter().filter(|call| !says_nothing(call)).cloned().collect()
    }

    fn publish(&self, message: impl Into<Message>) {
        if let Err(error) = self.sender.publish(message) {
            // A closed run needs no verdict; the bus itself reports an overflow.
            tracing::debug!(%error, "the agent-validator could not publish");
        }
    }
}
