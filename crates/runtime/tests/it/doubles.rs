//! Test doubles for time, tools and roles.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use artoo_bus::Clock;
use artoo_llm_client::LlmClient;
use artoo_meta_validator::{JudgeError, ModelTaskJudge, TaskContext, TaskJudge, WHOLE};
use artoo_planner::{FailureContext, PlanContext, PlanError, Planner};
use artoo_tools::{Tool, ToolContext, ToolReport};
use artoo_types::{
    Arguments, Check, Criterion, Finding, Mode, OutcomeStatus, Plan, PlannedSubTask, ToolName,
};
use async_trait::async_trait;
use chrono::{DateTime, FixedOffset};
use serde_json::{Value, json};
use tokio::time::Instant;

/// Tokio's time, which a test can pause, as the only clock.
pub(crate) struct TokioClock(Instant);

impl TokioClock {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(Instant::now()))
    }
}

impl Clock for TokioClock {
    fn now(&self) -> DateTime<FixedOffset> {
        DateTime::parse_from_rfc3339("2026-03-01T12:00:00+01:00").unwrap() + self.0.elapsed()
    }

    fn monotonic(&self) -> Duration {
        self.0.elapsed()
    }
}

/// A tool without a process that prints its text.
pub(crate) struct Say;

#[async_trait]
impl Tool for Say {
    fn name(&self) -> ToolName {
        ToolName::new("say")
    }

    fn summary(&self) -> &str {
        "put out a text"
    }

    fn arguments(&self) -> Value {
        json!({
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
            "additionalProperties": false,
        })
    }

    async fn call(&self, arguments: &Arguments, _cx: &ToolContext) -> ToolReport {
        ToolReport::text(arguments.get("text").and_then(Value::as_str).unwrap_or_default())
    }
}

/// A tool that never answers and ignores cancellation.
pub(crate) struct Deaf;

#[async_trait]
impl Tool for Deaf {
    fn name(&self) -> ToolName {
        ToolName::new("deaf")
    }

    fn summary(&self) -> &str {
        "never answers"
    }

    fn arguments(&self) -> Value {
        json!({"type": "object", "properties": {}, "additionalProperties": false})
    }

    async fn call(&self, _arguments: &Arguments, _cx: &ToolContext) -> ToolReport {
        std::future::pending().await
    }
}

/// A planner that always proposes the same subtasks, plus the unmatched ones of the previous plan.
pub(crate) struct Fixed {
    pub(crate) subtasks: Vec<PlannedSubTask>,
    pub(crate) task_criteria: Vec<Criterion>,
}

impl Fixed {
    /// One step to name a colour, decided by the step's judge.
    pub(crate) fn judged_step() -> Self {
        let criteria = vec![judged("The answer is friendly and names a colour")];
        let step = PlannedSubTask { success_criteria: criteria, ..subtask(1, "Name a colour", &[]) };
        Self { subtasks: vec![step], task_criteria: Vec::new() }
    }
}

#[async_trait]
impl Planner for Fixed {
    async fn plan(&self, cx: &PlanContext, _model: &Arc<dyn LlmClient>) -> Result<Plan, PlanError> {
        Ok(Plan {
            task_criteria: self.task_criteria.clone(),
            ..Plan::new(cx.spec.task_id.clone(), cx.round, self.subtasks.clone())
        })
    }

    async fn failure_report(
        &self,
        _cx: &FailureContext,
        _model: &Arc<dyn LlmClient>,
    ) -> Result<String, PlanError> {
        Ok("The story of the failure.".to_owned())
    }
}

/// A planner that proposes one list of subtasks after the other, and keeps what matched before.
pub(crate) struct Series(Mutex<VecDeque<Vec<PlannedSubTask>>>);

impl Series {
    pub(crate) fn new(plans: impl IntoIterator<Item = Vec<PlannedSubTask>>) -> Arc<Self> {
        Arc::new(Self(Mutex::new(plans.into_iter().collect())))
    }
}

#[async_trait]
impl Planner for Series {
    async fn plan(&self, cx: &PlanContext, _model: &Arc<dyn LlmClient>) -> Result<Plan, PlanError> {
        let outcomes = cx.previous.iter().flat_map(|previous| &previous.outcomes);
        let matched = outcomes.filter(|outcome| outcome.status == OutcomeStatus::Matched);
        Ok(Plan {
            kept: matched.map(|outcome| outcome.subtask_id).collect(),
            ..Plan::new(
                cx.spec.task_id.clone(),
                cx.round,
                self.0.lock().unwrap().pop_front().unwrap_or_default(),
            )
        })
    }

    async fn failure_report(
        &self,
        _cx: &FailureContext,
        _model: &Arc<dyn LlmClient>,
    ) -> Result<String, PlanError> {
        Ok("The story of the failure.".to_owned())
    }
}

/// Passes the whole to the default judge as one criterion among others, so that a scripted judge answers with
/// verdicts alone.
pub(crate) struct AsksOfTheWhole;

#[async_trait]
impl TaskJudge for AsksOfTheWhole {
    async fn judge(
        &self,
        criteria: &[Criterion],
        cx: &TaskContext<'_>,
        model: &Arc<dyn LlmClient>,
    ) -> Result<Vec<Finding>, JudgeError> {
        let asked = |criterion: &Criterion| {
            if criterion.text == WHOLE { judged("The request is met") } else { criterion.clone() }
        };
        let criteria: Vec<Criterion> = criteria.iter().map(asked).collect();
        ModelTaskJudge.judge(&criteria, cx, model).await
    }
}

/// A subtask whose output must contain each of these words.
pub(crate) fn subtask(sequence: u32, intent: &str, words: &[&str]) -> PlannedSubTask {
    PlannedSubTask::new(sequence, intent, words.iter().map(|word| contains(word)).collect())
}

pub(crate) fn contains(word: &str) -> Criterion {
    Criterion::checked(
        format!("The output contains {word}"),
        Check::OutputContains { value: word.to_owned() },
    )
}

/// A criterion that only a judge can decide.
pub(crate) fn judged(text: &str) -> Criterion {
    Criterion::new(text, Mode::Plausible)
}

/// The concatenation of several results as one answer.
pub(crate) fn composed() -> artoo_llm_client::doubles::Answer {
    artoo_llm_client::doubles::Answer::with(|request| {
        let asked = &request.messages[0].content;
        let results = asked.split("<<<data: subtask result\n").skip(1);
        results.map(|rest| rest.split("\ndata>>>").next().unwrap_or_default()).collect::<Vec<_>>().join("; ")
    })
}
