//! Test fixtures: drafts, models and runs.

use std::sync::Arc;

use artoo_bus::doubles::Scene;
use artoo_llm_client::{
    LlmClient, Message as Turn, MessageRole, ModelProfile,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_planner::{CriterionDraft, ModelPlanner, PlanDraft, SubTaskDraft};
use artoo_types::StepKind;

pub(crate) fn draft(subtasks: &[(&str, u32, StepKind)]) -> PlanDraft {
    let subtask = |(intent, sequence, kind): &(&str, u32, StepKind)| SubTaskDraft {
        intent: (*intent).to_owned(),
        sequence: *sequence,
        kind: *kind,
        criteria: vec![CriterionDraft::OutputNumber { text: "The output is one number".to_owned() }],
    };
    PlanDraft::of(subtasks.iter().map(subtask).collect())
}

pub(crate) fn question(intent: &str) -> PlanDraft {
    draft(&[(intent, 1, StepKind::FindOut)])
}

pub(crate) fn answer(draft: &PlanDraft) -> Answer {
    Answer::json(serde_json::to_value(draft).unwrap())
}

/// A weak model.
pub(crate) fn guided() -> ScriptedModel {
    ScriptedModel::new().profiled(ModelProfile::embedded())
}

/// A weak model with these answers.
pub(crate) fn scripted(answers: Vec<Answer>) -> Arc<ScriptedModel> {
    saying(guided(), answers)
}

/// A capable model with these answers.
pub(crate) fn capable(answers: Vec<Answer>) -> Arc<ScriptedModel> {
    saying(ScriptedModel::new(), answers)
}

fn saying(model: ScriptedModel, answers: Vec<Answer>) -> Arc<ScriptedModel> {
    for answer in answers {
        model.add(Expect::purpose("planner"), answer);
    }
    Arc::new(model)
}

pub(crate) fn client(model: &Arc<ScriptedModel>) -> Arc<dyn LlmClient> {
    Arc::clone(model) as _
}

pub(crate) fn planner() -> ModelPlanner {
    ModelPlanner::default()
}

/// The messages sent to a model, without the constant part.
pub(crate) fn changing(turns: &[Turn]) -> String {
    let speaker = |turn: &Turn| match turn.role {
        MessageRole::User => "user",
        MessageRole::Assistant => "assistant",
    };
    turns.iter().map(|turn| format!("--- {}\n{}\n", speaker(turn), turn.content)).collect()
}

/// An open run that records all its messages.
pub(crate) fn scene() -> Scene {
    Scene::new("2026-03-14T09:26:53+08:00".parse().unwrap()).unwrap()
}
