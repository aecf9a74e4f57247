//! Drafts, models and runs to test with.

use std::sync::Arc;

use artoo_bus::{Bus, BusLimits, ManualClock, RunBus};
use artoo_llm_client::{
    LlmClient, Message as Turn, MessageRole,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_planner::{AnswerKind, CompileOptions, CriterionDraft, ModelPlanner, PlanDraft, SubTaskDraft};
use artoo_types::{Envelope, Message, RunId};

pub(crate) const ONCE: CompileOptions = CompileOptions { second_derivation: false };
pub(crate) const TWICE: CompileOptions = CompileOptions { second_derivation: true };

pub(crate) fn draft(subtasks: &[(&str, u32, AnswerKind)]) -> PlanDraft {
    let subtask = |(intent, sequence, kind): &(&str, u32, AnswerKind)| SubTaskDraft {
        intent: (*intent).to_owned(),
        sequence: *sequence,
        kind: *kind,
        criteria: vec![CriterionDraft::OutputNumber { text: "The output is one number".to_owned() }],
    };
    PlanDraft { subtasks: subtasks.iter().map(subtask).collect() }
}

pub(crate) fn question(intent: &str) -> PlanDraft {
    draft(&[(intent, 1, AnswerKind::FindOut)])
}

pub(crate) fn answer(draft: &PlanDraft) -> Answer {
    Answer::json(serde_json::to_value(draft).unwrap())
}

pub(crate) fn scripted(answers: Vec<Answer>) -> Arc<ScriptedModel> {
    let model = ScriptedModel::new();
    for answer in answers {
        model.add(Expect::purpose("planner"), answer);
    }
    Arc::new(model)
}

pub(crate) fn client(model: &Arc<ScriptedModel>) -> Arc<dyn LlmClient> {
    Arc::clone(model) as _
}

pub(crate) fn planner(options: CompileOptions) -> ModelPlanner {
    ModelPlanner::new(options)
}

/// What a model was sent, without the constant part.
pub(crate) fn changing(turns: &[Turn]) -> String {
    let speaker = |turn: &Turn| match turn.role {
        MessageRole::User => "user",
        MessageRole::Assistant => "assistant",
    };
    turns.iter().map(|turn| format!("--- {}\n{}\n", speaker(turn), turn.content)).collect()
}

/// An open run, and everything that is said in it.
pub(crate) struct Scene {
    pub(crate) bus: RunBus,
    seen: tokio::sync::mpsc::UnboundedReceiver<Arc<Envelope>>,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let clock = ManualClock::new("2026-03-14T09:26:53+08:00".parse().unwrap());
        let bus = Bus::new(Arc::new(clock), BusLimits::default()).open(RunId::OPERATOR).unwrap();
        let (see, seen) = tokio::sync::mpsc::unbounded_channel();
        bus.record(Box::new(move |envelope| {
            let _ = see.send(Arc::clone(envelope));
        }));
        Self { bus, seen }
    }

    /// What the planner said since the last look.
    pub(crate) fn said(&mut self) -> Vec<Message> {
        let said = std::iter::from_fn(|| self.seen.try_recv().ok());
        said.filter(|envelope| envelope.from == artoo_types::Role::Planner)
            .map(|envelope| Message::clone(&envelope.message))
            .collect()
    }
}
