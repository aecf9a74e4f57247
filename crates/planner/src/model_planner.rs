//! The default planner: a model writes the draft, code compiles and validates it.

use std::sync::Arc;

use artoo_llm_client::{JsonSchema, LlmClient, Message, Request, StopReason, ask};
use artoo_types::{GaveUp, GiveUpKind, Plan, SubTaskId};
use async_trait::async_trait;
use serde_json::Value;

use crate::draft::CriterionDraft;
use crate::guided::GUIDED_PROMPT;
use crate::masked_names::{self, MaskedNames};
use crate::question::{self, Takes};
use crate::suggestion::NextDraft;
use crate::{
    Author, FailureContext, PlanContext, PlanDraft, PlanError, Planner, Violation, compile, direct, prompt,
    replan, schema, validate,
};

/// The constant part of the planning prompt.
pub const SYSTEM_PROMPT: &str = include_str!("../prompts/system.md");
/// The constant part of the failure report's prompt.
pub const REPORT_PROMPT: &str = include_str!("../prompts/report.md");

/// Output limit of a plan, in tokens.
const PLAN_TOKENS: u32 = 4000;
/// The same limit for a guided model, whose plans are short.
const GUIDED_TOKENS: u32 = 1200;
/// Output limit of a failure report, in tokens.
const REPORT_TOKENS: u32 = 60;

/// Drafts with a model, compiles and validates with code. The model's profile selects the prompt and the
/// schema.
#[derive(Clone, Debug)]
pub struct ModelPlanner {
    schema: JsonSchema,
    guided_schema: JsonSchema,
}

impl Default for ModelPlanner {
    fn default() -> Self {
        Self { schema: schema::plan(), guided_schema: schema::guided() }
    }
}

/// Compiles a draft into a plan, and lists the rules that it breaks.
///
/// # Errors
/// [`PlanError::GaveUp`] if the draft gives up.
fn planned(draft: &PlanDraft, author: Author, cx: &PlanContext) -> Result<(Plan, Vec<Violation>), PlanError> {
    let plan = match &cx.previous {
        None => {
            let kept: Vec<SubTaskId> = cx.resumed.iter().map(|outcome| outcome.subtask_id).collect();
            let draft = replan::without(draft, cx.resumed.iter());
            let (subtasks, task_criteria) = compile(&draft, &cx.spec, author, kept.len());
            Plan { task_criteria, kept, ..Plan::new(cx.spec.task_id.clone(), cx.round, subtasks) }
        }
        Some(previous) => replan::merged(previous, draft, author, cx),
    };
    if let Some(gave_up) = gave_up(draft) {
        return Err(PlanError::GaveUp(gave_up));
    }
    let mut violations = validate(&plan, cx);
    violations.extend(replan::repeats(&plan.subtasks, cx));
    Ok((plan, violations))
}

/// The draft with the names as they are, without criteria about what covers none.
fn uncovered(draft: PlanDraft, names: &MaskedNames, request: &str) -> PlanDraft {
    let mut draft = draft;
    draft.english = draft.english.map(|english| names.uncover(&english));
    for step in &mut draft.subtasks {
        step.intent = names.uncover(&step.intent);
        let criteria = std::mem::take(&mut step.criteria);
        step.criteria =
            criteria.into_iter().filter_map(|one| uncovered_criterion(one, names, request)).collect();
    }
    draft
}

/// A criterion with the names as they are, whatever its kind; `None` if it is about a word that covers nothing.
fn uncovered_criterion(
    criterion: CriterionDraft,
    names: &MaskedNames,
    request: &str,
) -> Option<CriterionDraft> {
    let mut told = serde_json::to_value(&criterion).ok()?;
    let texts = told.as_object_mut()?.values_mut();
    for text in texts.filter_map(|value| if let Value::String(text) = value { Some(text) } else { None }) {
        *text = names.uncover(text);
        if masked_names::is_invented(text, request) {
            return None;
        }
    }
    serde_json::from_value(told).ok()
}

/// What a draft without steps says instead of a plan.
fn gave_up(draft: &PlanDraft) -> Option<GaveUp> {
    let said = |text: &Option<String>| {
        text.as_deref()
            .map(str::trim)
            .filter(|text| draft.subtasks.is_empty() && !text.is_empty())
            .map(str::to_owned)
    };
    let asks = |question: String| GaveUp {
        kind: GiveUpKind::NeedsPerson,
        reason: question.clone(),
        question: Some(question),
    };
    let gives_up = |reason| GaveUp { kind: GiveUpKind::Impossible, reason, question: None };
    said(&draft.ask).map(asks).or_else(|| said(&draft.give_up).map(gives_up))
}

/// The plan or the answer that one small call gives for a short request; `None` if the request takes a whole plan.
async fn at_once(cx: &PlanContext, model: &Arc<dyn LlmClient>) -> Result<Option<Plan>, PlanError> {
    match question::ask(cx, model).await? {
        Takes::Plan(draft) => {
            let (plan, violations) = planned(&draft, Author::Capable, cx)?;
            Ok(violations.is_empty().then_some(plan))
        }
        Takes::Answer(given) => match direct::answer(given.as_deref(), cx, model).await? {
            Some(answer) => Err(PlanError::Answered(answer)),
            None => Ok(None),
        },
        Takes::WholePlan => Ok(None),
    }
}

#[async_trait]
impl Planner for ModelPlanner {
    async fn plan(&self, cx: &PlanContext, model: &Arc<dyn LlmClient>) -> Result<Plan, PlanError> {
        let profile = model.profile();
        let (author, system, schema, tokens) = if profile.guided {
            (Author::Guided, GUIDED_PROMPT, &self.guided_schema, GUIDED_TOKENS)
        } else {
            (Author::Capable, SYSTEM_PROMPT, &self.schema, PLAN_TOKENS)
        };
        let (names, told) = match author {
            Author::Guided => (MaskedNames::of(&cx.spec.intent, &cx.listing), prompt::guided(cx, &profile)),
            Author::Capable => {
                if question::is_asked(cx)
                    && let Some(plan) = at_once(cx, model).await?
                {
                    return Ok(plan);
                }
                (MaskedNames::default(), prompt::planning(cx, &profile))
            }
        };
        let said = |draft: PlanDraft| match author {
            Author::Guided => uncovered(draft, &names, &cx.spec.intent),
            Author::Capable => draft,
        };
        let mut request = Request::new("planner", system, names.cover(&told))
            .with_schema(schema.clone())
            .read_by_type()
            .with_max_tokens(profile.room(tokens));
        let first = ask::<PlanDraft>(model.as_ref(), request.clone()).await?.value;
        let violations = match planned(&said(first.clone()), author, cx)? {
            (plan, violations) if violations.is_empty() => return Ok(plan),
            (_, violations) => violations,
        };
        request.messages.push(Message::assistant(serde_json::to_string(&first).unwrap_or_default()));
        request.messages.push(Message::user(names.cover(&prompt::refusal(&violations))));
        let second = ask::<PlanDraft>(model.as_ref(), request).await?.value;
        let (plan, violations) = planned(&said(second), author, cx)?;
        match violations.as_slice() {
            [] => Ok(plan),
            [Violation::SamePlan] => Err(PlanError::NoOtherPlan),
            [Violation::NearlySamePlan] => Err(PlanError::OnlyReworded),
            // Finished steps are left out of a replan, so a replan that consists only of them is empty.
            [Violation::Empty] if cx.previous.is_some() => Err(PlanError::NothingMissing),
            _ => Err(PlanError::Refused(violations)),
        }
    }

    async fn failure_report(
        &self,
        cx: &FailureContext,
        model: &Arc<dyn LlmClient>,
    ) -> Result<String, PlanError> {
        let profile = model.profile();
        // A small model chooses at random, so code gives the default suggestion.
        if profile.guided {
            return Ok(String::new());
        }
        let request = Request::new("planner", REPORT_PROMPT, prompt::failure(cx))
            .with_schema(JsonSchema::of::<NextDraft>("next").terse())
            .with_max_tokens(profile.room(REPORT_TOKENS));
        let completion = model.complete(&request).await?;
        // Asked only once: the person is waiting, and code has a default suggestion. An answer without its end is none.
        if completion.stop != StopReason::End {
            return Ok(String::new());
        }
        let draft = serde_json::from_str::<NextDraft>(completion.text.trim());
        Ok(draft.map(|draft| draft.next.words().to_owned()).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FolderListing, Listed};

    /// Observed with the embedded model: "write the sum into total.txt" was planned with a criterion about DIR1, a word of the example
    /// in its prompt, so that a right result was done again and in vain.
    #[test]
    fn lesson_no_criterion_is_about_a_word_that_covers_nothing() {
        let request = "Laske summa tiedostosta sales.csv ja kirjoita se tiedostoon DIR2";
        let listed = vec![Listed { path: "sales.csv".to_owned(), bytes: Some(9) }];
        let names = MaskedNames::of(request, &FolderListing { listed, ..FolderListing::default() });
        let of = |path: &str| {
            let (text, path) = (format!("{path} is there"), path.to_owned());
            uncovered_criterion(CriterionDraft::FileExists { text, path }, &names, request)
        };
        let exists = |path: &str| {
            let (text, path) = (format!("{path} is there"), path.to_owned());
            Some(CriterionDraft::FileExists { text, path })
        };
        assert_eq!(of("FILE1.csv"), exists("sales.csv"));
        assert_eq!(of("total.txt"), exists("total.txt"));
        assert_eq!(of("DIR1"), None);
        assert_eq!(of("DIR1/FILE1.csv"), None);
        assert_eq!(of("DIR2"), exists("DIR2"), "the request names it");
        let number = CriterionDraft::OutputNumber { text: "It is a number".to_owned() };
        assert_eq!(uncovered_criterion(number.clone(), &names, request), Some(number));
    }
}
