//! The short question: what a short request takes, in one small call. Only a request that takes several steps, or whose
//! answer cannot be used, is asked about at length afterwards.

use std::sync::Arc;

use artoo_llm_client::{LlmClient, LlmError, Request, ask_once};
use artoo_types::StepKind;
use serde::Deserialize;

use crate::compile::LONGEST_INTENT;
use crate::draft::unless_null;
use crate::{CriterionDraft, PlanContext, PlanDraft, PlanError, Shortcuts, SubTaskDraft, prompt, schema};

/// The constant part of the short question, with a place for [`DIRECT`].
const SHORT: &str = include_str!("../prompts/short.md");
/// The line about answering, where that is allowed.
const DIRECT: &str = include_str!("../prompts/direct.md");
/// Where that line goes.
const PLACE: &str = "{answer}\n";

/// Output limit of the answer, in tokens.
const SHORT_TOKENS: u32 = 200;

/// The word for a request that takes a whole plan.
const SEVERAL: &str = "several_steps";
/// The word for a request that needs no tool.
const ANSWER: &str = "answer";

/// What a request takes.
pub(crate) enum Takes {
    /// This plan: mostly one step.
    Plan(PlanDraft),
    /// A plan that is asked for at length.
    WholePlan,
    /// An answer from the model's knowledge, which may have been given.
    Answer(Option<String>),
}

/// Whether the short question comes first: the run allows it, nothing was tried yet, and the request is short enough to be
/// the intent of a step. A weak model has a question of its own.
pub(crate) fn is_asked(cx: &PlanContext) -> bool {
    let may_be_short = match cx.shortcuts {
        Shortcuts::None => false,
        Shortcuts::ShortPlan | Shortcuts::DirectAnswer => true,
    };
    may_be_short && cx.is_fresh() && cx.spec.intent.chars().count() <= LONGEST_INTENT
}

/// The constant part of the short question, with or without the way to answer.
pub fn short_prompt(may_answer: bool) -> String {
    SHORT.replace(PLACE, if may_answer { DIRECT } else { "" })
}

/// The answer, read tolerantly: a model may write a whole plan at once.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Said {
    r#do: Option<String>,
    #[serde(deserialize_with = "unless_null")]
    criteria: Vec<CriterionDraft>,
    text: Option<String>,
    #[serde(flatten)]
    plan: PlanDraft,
}

/// Asks it.
pub(crate) async fn ask(cx: &PlanContext, model: &Arc<dyn LlmClient>) -> Result<Takes, PlanError> {
    let (profile, may_answer) = (model.profile(), cx.may_answer());
    let mut words: Vec<&str> = schema::KINDS.to_vec();
    words.extend([SEVERAL, "give_up", "ask"]);
    words.extend(may_answer.then_some(ANSWER));
    let request = Request::new("planner", short_prompt(may_answer), prompt::short(cx, &profile, may_answer))
        .with_schema(schema::short(&words))
        .read_by_type()
        .with_max_tokens(profile.room(SHORT_TOKENS));
    match ask_once::<Said>(model.as_ref(), request).await {
        Ok(answer) => Ok(takes(answer.value, may_answer)),
        // The long question has room, and a repair.
        Err(LlmError::Unusable { .. }) => Ok(Takes::WholePlan),
        Err(error) => Err(error.into()),
    }
}

fn takes(said: Said, may_answer: bool) -> Takes {
    let Said { r#do: word, criteria, text, plan } = said;
    let text = text.filter(|text| !text.trim().is_empty());
    let word = word.as_deref().unwrap_or_default();
    if let Some(kind) = kind(word) {
        let step = SubTaskDraft { intent: String::new(), sequence: 1, kind, criteria };
        return Takes::Plan(PlanDraft::of(vec![step]));
    }
    match (word, text) {
        (ANSWER, text) if may_answer => Takes::Answer(text),
        ("ask", Some(text)) => Takes::Plan(PlanDraft { ask: Some(text), ..PlanDraft::default() }),
        ("give_up", Some(text)) => Takes::Plan(PlanDraft { give_up: Some(text), ..PlanDraft::default() }),
        _ if plan == PlanDraft::default() => Takes::WholePlan,
        _ => Takes::Plan(plan),
    }
}

fn kind(word: &str) -> Option<StepKind> {
    StepKind::deserialize(serde::de::value::StrDeserializer::<serde::de::value::Error>::new(word)).ok()
}
