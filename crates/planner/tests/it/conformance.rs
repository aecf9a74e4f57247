//! Tests of the conformance suite: it detects planners that break the contract.

use std::sync::Arc;

use artoo_llm_client::{LlmClient, doubles::ScriptedModel};
use artoo_planner::{FailureContext, PlanContext, PlanError, Planner, Violation, conformance};
use artoo_types::{Check, Criterion, OutcomeStatus, Plan, PlannedSubTask};
use async_trait::async_trait;

/// A planner without a model, with a selectable defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Foreign {
    Sound,
    PlansNothing,
    KeepsStrangers,
    RunsAgain,
    ForgetsWhatMatched,
    RepeatsWhatFailed,
    Fails,
}

#[async_trait]
impl Planner for Foreign {
    async fn plan(&self, cx: &PlanContext, _model: &Arc<dyn LlmClient>) -> Result<Plan, PlanError> {
        if *self == Self::Fails {
            return Err(PlanError::Refused(vec![Violation::Empty]));
        }
        let outcomes = || cx.previous.iter().flat_map(|previous| &previous.outcomes);
        let matched = outcomes().filter(|outcome| outcome.status == OutcomeStatus::Matched);
        let mut kept: Vec<_> = matched.map(|outcome| outcome.subtask_id).collect();
        let mut subtasks = vec![step("Look at it in another way")];
        match self {
            Self::PlansNothing => subtasks.clear(),
            Self::KeepsStrangers if kept.is_empty() => {
                kept.push(artoo_types::SubTaskId::new(uuid::Uuid::from_u128(99)));
            }
            Self::RunsAgain => subtasks.push(step("Count the files")),
            Self::ForgetsWhatMatched => kept.clear(),
            Self::RepeatsWhatFailed => {
                let failed = outcomes().filter(|outcome| outcome.status == OutcomeStatus::Failed);
                let again = failed.map(|outcome| PlannedSubTask {
                    success_criteria: outcome.criteria.clone(),
                    ..step(&outcome.intent)
                });
                subtasks = again.collect();
            }
            Self::Sound | Self::KeepsStrangers | Self::Fails => {}
        }
        let task_id = cx.spec.task_id.clone();
        Ok(Plan { kept, ..Plan::new(task_id, cx.round, subtasks) })
    }

    async fn failure_report(
        &self,
        _cx: &FailureContext,
        _model: &Arc<dyn LlmClient>,
    ) -> Result<String, PlanError> {
        Ok("It was not to be.".to_owned())
    }
}

fn step(intent: &str) -> PlannedSubTask {
    let criterion =
        Criterion::checked("The output is a number", Check::OutputNumber { min: None, max: None });
    PlannedSubTask::new(1, intent, vec![criterion])
}

#[tokio::test]
async fn a_sound_planner_without_a_model_passes() {
    let model: Arc<dyn LlmClient> = Arc::new(ScriptedModel::new());
    assert_eq!(conformance::check_all(&Foreign::Sound, &model).await, Ok(()));
}

#[tokio::test]
async fn the_suite_finds_planners_that_break_the_contract() {
    let model: Arc<dyn LlmClient> = Arc::new(ScriptedModel::new());
    for flawed in [Foreign::PlansNothing, Foreign::KeepsStrangers, Foreign::Fails] {
        assert!(conformance::plans_what_can_be_run(&flawed, &model).await.is_err(), "{flawed:?}");
    }
    for flawed in [Foreign::PlansNothing, Foreign::RunsAgain, Foreign::ForgetsWhatMatched, Foreign::Fails] {
        assert!(conformance::keeps_what_matched(&flawed, &model).await.is_err(), "{flawed:?}");
    }
    for flawed in [Foreign::PlansNothing, Foreign::RepeatsWhatFailed, Foreign::Fails] {
        assert!(conformance::plans_another_way(&flawed, &model).await.is_err(), "{flawed:?}");
    }
}
