//! Conformance suite for [`Judge`]: contract checks that any implementation can be run against.
//!
//! Each check is one law. `model` is passed to the implementation; an implementation that asks a model needs
//! one that answers any question. The laws of [`check_all`] must hold for any answers;
//! [`passes_what_is_plainly_met`] needs a model that recognises the obvious, and is the law that a judge
//! which fails everything breaks.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! use std::sync::Arc;
//! use artoo_agent_validator::{ModelJudge, conformance};
//! use artoo_llm_client::{LlmClient, doubles::{Answer, Expect, ScriptedModel}};
//!
//! let pass = serde_json::json!({"reason": "it says so", "verdict": "pass", "class": "logical"});
//! let model: Arc<dyn LlmClient> = Arc::new(ScriptedModel::new().always(Expect::any(), Answer::json(pass)));
//! assert_eq!(conformance::check_all(&ModelJudge, &model).await, Ok(()));
//! assert_eq!(conformance::passes_what_is_plainly_met(&ModelJudge, &model).await, Ok(()));
//! # });
//! ```

use std::sync::Arc;

use artoo_checks::Filesystem;
use artoo_judging::Excerpts;
use artoo_judging::conformance::{self as laws, EvidenceKind, Harness, Step, nowhere};
use artoo_llm_client::LlmClient;
use artoo_types::{
    Criterion, ExecutionResult, ExecutionStatus, Finding, PlannedSubTask, RunId, SubTask, SubTaskId, ToolCall,
};
use async_trait::async_trait;
use uuid::Uuid;

use crate::{Judge, JudgeContext, StepMentions};

pub use artoo_judging::conformance::call;

/// Checks every law in turn.
///
/// # Errors
/// Describes how the implementation broke the first law that failed; likewise for the functions below.
pub async fn check_all(judge: &dyn Judge, model: &Arc<dyn LlmClient>) -> Result<(), String> {
    passes_no_claim_without_evidence(judge, model).await?;
    points_at_a_call_of_the_subtask(judge, model).await?;
    keeps_no_state(judge, model).await
}

/// If no call succeeded, nothing passes, whatever the output claims.
///
/// # Errors
/// See [`check_all`].
pub async fn passes_no_claim_without_evidence(
    judge: &dyn Judge,
    model: &Arc<dyn LlmClient>,
) -> Result<(), String> {
    laws::passes_no_claim_without_evidence(&OneSubTask { judge, model }).await
}

/// A pass points at a call of the subtask or quotes what was looked at, and a fail gives a reason.
///
/// # Errors
/// See [`check_all`].
pub async fn points_at_a_call_of_the_subtask(
    judge: &dyn Judge,
    model: &Arc<dyn LlmClient>,
) -> Result<(), String> {
    laws::points_at_what_shows_it(&OneSubTask { judge, model }, EvidenceKind::CallOrObservation).await
}

/// The same case gets the same verdict, regardless of the cases in between.
///
/// # Errors
/// See [`check_all`].
pub async fn keeps_no_state(judge: &dyn Judge, model: &Arc<dyn LlmClient>) -> Result<(), String> {
    laws::keeps_no_state(&OneSubTask { judge, model }).await
}

/// A criterion that is plainly met, and shown by a call, passes.
///
/// # Errors
/// See [`check_all`].
pub async fn passes_what_is_plainly_met(judge: &dyn Judge, model: &Arc<dyn LlmClient>) -> Result<(), String> {
    laws::passes_what_is_plainly_met(&OneSubTask { judge, model }).await
}

/// A subtask with these criteria, none of which has a check.
pub fn subtask(intent: &str, criteria: &[&str]) -> SubTask {
    SubTask::of(
        SubTaskId::new(Uuid::nil()),
        RunId::OPERATOR,
        PlannedSubTask::new(1, intent, criteria.iter().map(|text| laws::criterion(text)).collect()),
    )
}

/// The completed first attempt at [`subtask`], with this output and these calls.
pub fn result(output: &str, tool_calls: Vec<ToolCall>) -> ExecutionResult {
    ExecutionResult {
        tool_calls,
        ..ExecutionResult::new(SubTaskId::new(Uuid::nil()), 1, ExecutionStatus::Completed, output)
    }
}

/// Presents all steps to the judge as one subtask.
struct OneSubTask<'a> {
    judge: &'a dyn Judge,
    model: &'a Arc<dyn LlmClient>,
}

#[async_trait]
impl Harness for OneSubTask<'_> {
    async fn judged(&self, criterion: &Criterion, steps: &[Step]) -> Result<Finding, String> {
        let intents: Vec<&str> = steps.iter().map(|step| step.intent).collect();
        let outputs: Vec<&str> = steps.iter().map(|step| step.output).collect();
        let calls = steps.iter().flat_map(|step| step.calls.clone()).collect();
        let subtask =
            SubTask { success_criteria: vec![criterion.clone()], ..subtask(&intents.join(", then: "), &[]) };
        let surroundings = nowhere();
        let world = Filesystem::new(&surroundings.working_folder, &surroundings.home, surroundings.now);
        let result = result(&outputs.join("\n"), calls);
        let cx = JudgeContext {
            background: &artoo_case_file::Background::default(),
            subtask: &subtask,
            result: &result,
            surroundings: &surroundings,
            world: &world,
            mentions: &StepMentions::of(&subtask, &world),
            subject: &[],
            evidence: &result.tool_calls,
            excerpts: Excerpts::Long,
        };
        let findings = self.judge.judge(std::slice::from_ref(criterion), &cx, self.model).await;
        laws::only(findings.map_err(|error| error.to_string())?)
    }
}
