//! Conformance suite for [`TaskJudge`]: contract checks that any implementation can be run against.
//!
//! Each check is one law. `model` is passed to the implementation; an implementation that asks a model needs
//! one that answers any question. The laws of [`check_all`] must hold for any answers;
//! [`passes_what_is_plainly_met`] needs a model that recognises the obvious, and is the law that a judge
//! which fails everything breaks.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! use std::sync::Arc;
//! use artoo_llm_client::{LlmClient, doubles::{Answer, Expect, ScriptedModel}};
//! use artoo_meta_validator::{ModelTaskJudge, conformance};
//!
//! let pass = serde_json::json!({"reason": "it says so", "verdict": "pass", "class": "logical"});
//! let model: Arc<dyn LlmClient> = Arc::new(ScriptedModel::new().always(Expect::any(), Answer::json(pass)));
//! assert_eq!(conformance::check_all(&ModelTaskJudge, &model).await, Ok(()));
//! assert_eq!(conformance::passes_what_is_plainly_met(&ModelTaskJudge, &model).await, Ok(()));
//! # });
//! ```

use std::sync::Arc;

use artoo_case_file::Background;
use artoo_checks::Filesystem;
use artoo_judging::conformance::{self as laws, EvidenceKind, Harness, Step, nowhere};
use artoo_judging::{Excerpts, Grounds};
use artoo_llm_client::LlmClient;
use artoo_types::{
    Criterion, Evidence, FailureClass, Finding, OutcomeStatus, RunId, SubTaskId, SubTaskOutcome, TaskSpec,
};
use async_trait::async_trait;
use serde_json::Value;
use uuid::Uuid;

use crate::{JudgeError, ModelTaskJudge, TaskContext, TaskJudge, WHOLE, merge};

/// Checks every law in turn.
///
/// # Errors
/// Describes how the implementation broke the first law that failed; likewise for the functions below.
pub async fn check_all(judge: &dyn TaskJudge, model: &Arc<dyn LlmClient>) -> Result<(), String> {
    passes_nothing_without_evidence(judge, model).await?;
    points_at_a_call_of_the_task(judge, model).await?;
    keeps_no_state(judge, model).await
}

/// If no call succeeded, nothing passes, whatever the outputs claim.
///
/// # Errors
/// See [`check_all`].
pub async fn passes_nothing_without_evidence(
    judge: &dyn TaskJudge,
    model: &Arc<dyn LlmClient>,
) -> Result<(), String> {
    laws::passes_no_claim_without_evidence(&WholeTask { judge, model }).await
}

/// A pass points at a call of one of the outcomes, and a fail gives a reason.
///
/// # Errors
/// See [`check_all`].
pub async fn points_at_a_call_of_the_task(
    judge: &dyn TaskJudge,
    model: &Arc<dyn LlmClient>,
) -> Result<(), String> {
    laws::points_at_what_shows_it(&WholeTask { judge, model }, EvidenceKind::Call).await
}

/// The same case gets the same verdict, regardless of the cases in between.
///
/// # Errors
/// See [`check_all`].
pub async fn keeps_no_state(judge: &dyn TaskJudge, model: &Arc<dyn LlmClient>) -> Result<(), String> {
    laws::keeps_no_state(&WholeTask { judge, model }).await
}

/// A criterion that is plainly met, and shown by a call, passes.
///
/// # Errors
/// See [`check_all`].
pub async fn passes_what_is_plainly_met(
    judge: &dyn TaskJudge,
    model: &Arc<dyn LlmClient>,
) -> Result<(), String> {
    laws::passes_what_is_plainly_met(&WholeTask { judge, model }).await
}

/// A subtask that matched, without verdicts.
pub fn outcome(number: u128, intent: &str, output: &str) -> SubTaskOutcome {
    SubTaskOutcome {
        output: Value::from(output),
        ..SubTaskOutcome::new(
            SubTaskId::new(Uuid::from_u128(number)),
            RunId::OPERATOR,
            intent,
            OutcomeStatus::Matched,
        )
    }
}

/// A task with this intent.
pub fn spec(intent: &str) -> TaskSpec {
    TaskSpec::verbatim(intent)
}

/// Presents each step to the judge as the outcome of a subtask.
struct WholeTask<'a> {
    judge: &'a dyn TaskJudge,
    model: &'a Arc<dyn LlmClient>,
}

#[async_trait]
impl Harness for WholeTask<'_> {
    async fn judged(&self, criterion: &Criterion, steps: &[Step]) -> Result<Finding, String> {
        let outcomes: Vec<SubTaskOutcome> = (1..)
            .zip(steps)
            .map(|(number, step)| SubTaskOutcome {
                tool_calls: step.calls.clone(),
                ..outcome(number, step.intent, step.output)
            })
            .collect();
        let surroundings = nowhere();
        let world = Filesystem::new(&surroundings.working_folder, &surroundings.home, surroundings.now);
        let cx = TaskContext {
            spec: &spec("Count the files in docs and send a report"),
            laws: &[],
            background: &Background::default(),
            outcomes: &outcomes,
            merged_output: &merge(&outcomes),
            answer: None,
            surroundings: &surroundings,
            world: &world,
            doubts: &[],
            grounds: Grounds::Shown,
            conversation: None,
            excerpts: Excerpts::Long,
        };
        let findings = self.judge.judge(std::slice::from_ref(criterion), &cx, self.model).await;
        laws::only(findings.map_err(|error| error.to_string())?)
    }
}

/// Test double for tests that are not about judging the whole: passes the whole with the last call that
/// showed something, and delegates everything else to the default judge.
#[derive(Clone, Copy, Debug, Default)]
pub struct TakesTheWhole;

#[async_trait]
impl TaskJudge for TakesTheWhole {
    async fn judge(
        &self,
        criteria: &[Criterion],
        cx: &TaskContext<'_>,
        model: &Arc<dyn LlmClient>,
    ) -> Result<Vec<Finding>, JudgeError> {
        let is_whole = |criterion: &&Criterion| criterion.text == WHOLE;
        let others: Vec<Criterion> =
            criteria.iter().filter(|criterion| !is_whole(criterion)).cloned().collect();
        let judged =
            if others.is_empty() { Vec::new() } else { ModelTaskJudge.judge(&others, cx, model).await? };
        let shown =
            cx.outcomes.iter().flat_map(|outcome| &outcome.tool_calls).rev().find(|call| call.showed());
        let whole = shown.map(|call| Finding::Pass {
            evidence: Evidence::ToolCall { call_id: call.call_id, excerpt: call.output.shown.clone() },
        });
        let missing = Finding::failure(FailureClass::Logical, "no call showed anything".to_owned());
        let mut judged = judged.into_iter();
        let found = |criterion: &Criterion| {
            if is_whole(&criterion) { Some(whole.clone().unwrap_or(missing.clone())) } else { judged.next() }
        };
        Ok(criteria.iter().filter_map(found).collect())
    }
}
