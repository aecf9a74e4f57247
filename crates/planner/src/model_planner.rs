//! The default planner: a model drafts, code decides.

use std::sync::Arc;

use artoo_llm_client::{JsonSchema, LlmClient, LlmError, Message, Request, StopReason, ask};
use artoo_types::{GaveUp, GiveUpKind, Plan, PlanMemory};
use async_trait::async_trait;

use crate::draft::{GiveUpDraft, GiveUpWord};
use crate::guided::{self, GUIDED_PROMPT};
use crate::{
    CompileOptions, FailureContext, PlanContext, PlanDraft, PlanError, Planner, Violation, compile, prompt,
    replan, validate,
};

/// The constant part of the planning prompt.
pub const SYSTEM_PROMPT: &str = include_str!("../prompts/system.md");
/// The constant part of the failure report's prompt.
pub const REPORT_PROMPT: &str = include_str!("../prompts/report.md");

/// Room for a plan, in tokens.
const PLAN_TOKENS: u32 = 4000;
/// The same for a guided model, whose plans are short.
const GUIDED_TOKENS: u32 = 1200;
/// Room for a failure report, in tokens.
const REPORT_TOKENS: u32 = 300;

/// Drafts with a model, compiles and validates with code. What its model's profile says decides how it is asked.
#[derive(Clone, Debug)]
pub struct ModelPlanner {
    second_derivation: bool,
    schema: JsonSchema,
    guided_schema: JsonSchema,
}

impl ModelPlanner {
    /// A planner that compiles with these options; whether they are for a guided model is its profile's to say.
    pub fn new(options: CompileOptions) -> Self {
        let schema = JsonSchema::of::<PlanDraft>("plan").terse();
        let guided_schema = guided::schema(&schema);
        Self { second_derivation: options.second_derivation, schema, guided_schema }
    }

    fn options(&self, guided: bool) -> CompileOptions {
        CompileOptions { second_derivation: self.second_derivation, guided }
    }

    async fn draft(&self, cx: &PlanContext, model: &Arc<dyn LlmClient>) -> Result<Plan, PlanError> {
        let profile = model.profile();
        let options = self.options(profile.guided);
        let (system, schema, tokens) = if profile.guided {
            (GUIDED_PROMPT, &self.guided_schema, GUIDED_TOKENS)
        } else {
            (SYSTEM_PROMPT, &self.schema, PLAN_TOKENS)
        };
        let mut request = Request::new("planner", system, prompt::planning(cx, &profile))
            .with_schema(schema.clone())
            .with_max_tokens(profile.room(tokens));
        if profile.guided {
            return guided::draft(request, options, cx, model).await;
        }
        let first = ask::<PlanDraft>(model.as_ref(), request.clone()).await?.value;
        let violations = match planned(&first, options, cx)? {
            (plan, violations) if violations.is_empty() => return Ok(plan),
            (_, violations) => violations,
        };
        request.messages.push(Message::assistant(serde_json::to_string(&first).unwrap_or_default()));
        request.messages.push(Message::user(prompt::refusal(&violations)));
        let second = ask::<PlanDraft>(model.as_ref(), request).await?.value;
        let (plan, violations) = planned(&second, options, cx)?;
        match violations.as_slice() {
            [] => Ok(plan),
            [Violation::SamePlan] => Err(PlanError::NoOtherPlan),
            [Violation::PersonIsThere(given_up)] => Err(PlanError::GaveUp(given_up.clone())),
            _ => Err(PlanError::Refused(violations)),
        }
    }
}

/// The plan that a draft comes to, and the rules that it breaks.
///
/// # Errors
/// [`PlanError::GaveUp`] where the draft says that there can be none.
fn planned(
    draft: &PlanDraft,
    options: CompileOptions,
    cx: &PlanContext,
) -> Result<(Plan, Vec<Violation>), PlanError> {
    let (plan, mut violations) = judged(draft, options, cx);
    if let Some(give_up) = draft.give_up.as_ref().filter(|_| draft.subtasks.is_empty()) {
        let given_up = gave_up(give_up);
        if given_up.kind == GiveUpKind::NeedsPerson && cx.person_present {
            return Ok((plan, vec![Violation::PersonIsThere(given_up)]));
        }
        return Err(PlanError::GaveUp(given_up));
    }
    if cx.previous.as_ref().is_some_and(|previous| replan::is_same(&plan.subtasks, previous)) {
        violations.push(Violation::SamePlan);
    }
    Ok((plan, violations))
}

fn gave_up(draft: &GiveUpDraft) -> GaveUp {
    GaveUp {
        kind: match draft.kind {
            GiveUpWord::Impossible => GiveUpKind::Impossible,
            GiveUpWord::NeedsPerson => GiveUpKind::NeedsPerson,
        },
        reason: draft.reason.trim().to_owned(),
        question: draft.question.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned),
    }
}

/// The plan that a draft comes to, and the rules of every plan that it breaks.
pub(crate) fn judged(draft: &PlanDraft, options: CompileOptions, cx: &PlanContext) -> (Plan, Vec<Violation>) {
    let plan = match &cx.previous {
        None => {
            let (subtasks, task_criteria) = compile(draft, &cx.spec, options, 0);
            Plan {
                memory: PlanMemory::default(),
                task_id: cx.spec.task_id.clone(),
                round: cx.round,
                task_criteria,
                subtasks,
                kept: Vec::new(),
            }
        }
        Some(previous) => replan::merged(previous, Some(draft), cx, options),
    };
    let violations = validate(&plan, cx);
    (plan, violations)
}

#[async_trait]
impl Planner for ModelPlanner {
    async fn plan(&self, cx: &PlanContext, model: &Arc<dyn LlmClient>) -> Result<Plan, PlanError> {
        if let Some(previous) = &cx.previous
            && !replan::needs_model(previous)
        {
            let plan = replan::merged(previous, None, cx, self.options(model.profile().guided));
            let violations = validate(&plan, cx);
            return if violations.is_empty() { Ok(plan) } else { Err(PlanError::Refused(violations)) };
        }
        self.draft(cx, model).await
    }

    async fn failure_report(
        &self,
        cx: &FailureContext,
        model: &Arc<dyn LlmClient>,
    ) -> Result<String, PlanError> {
        let profile = model.profile();
        // A small model adds what nobody saw. Code says what is usually done.
        if profile.guided {
            return Ok(String::new());
        }
        let request = Request::new("planner", REPORT_PROMPT, prompt::failure(cx))
            .with_max_tokens(profile.room(REPORT_TOKENS));
        let completion = model.complete(&request).await?;
        let text = completion.text.trim();
        // A text that was cut or is empty tells less than code does.
        if text.is_empty() || completion.stop != StopReason::End {
            return Err(PlanError::Model(LlmError::Unusable {
                model: completion.model,
                schema: "failure report".to_owned(),
                reason: "it was empty or cut".to_owned(),
            }));
        }
        Ok(text.to_owned())
    }
}
