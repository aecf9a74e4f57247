//! The default planner: a model drafts, code decides.

use std::sync::Arc;

use artoo_llm_client::{
    ErrorKind, JsonSchema, LlmClient, LlmError, Message, Origin, Request, StopReason, ask, fenced,
};
use artoo_types::{Plan, PlannedSubTask};
use async_trait::async_trait;

use crate::{
    CompileOptions, FailureContext, PlanContext, PlanDraft, PlanError, Planner, Recalled, Violation, compile,
    deed, prompt, questions, replan, report_template, validate,
};

/// The constant part of the planning prompt.
pub const SYSTEM_PROMPT: &str = include_str!("../prompts/system.md");
/// The same for a small model: at length, and with examples.
pub const GUIDED_PROMPT: &str = include_str!("../prompts/guided.md");
/// The constant part of the failure report's prompt.
pub const REPORT_PROMPT: &str = include_str!("../prompts/report.md");

/// Room for a plan, in tokens.
const PLAN_TOKENS: u32 = 1200;
/// Room for a failure report, in tokens.
const REPORT_TOKENS: u32 = 300;

/// Drafts with a model, compiles and validates with code.
#[derive(Clone, Debug)]
pub struct ModelPlanner {
    options: CompileOptions,
    schema: JsonSchema,
    guided: bool,
}

impl ModelPlanner {
    /// A planner that compiles with these options.
    pub fn new(options: CompileOptions) -> Self {
        Self { options, schema: JsonSchema::of::<PlanDraft>("plan").terse(), guided: false }
    }

    /// Whether the model is small: it gets examples besides the rules, which double the prompt, and the story of a failure is the
    /// code's, because a small one adds what nobody saw.
    #[must_use]
    pub fn guided(self, guided: bool) -> Self {
        Self { guided, ..self }
    }

    async fn draft(&self, cx: &PlanContext, model: &Arc<dyn LlmClient>) -> Result<Plan, PlanError> {
        let system = if self.guided { GUIDED_PROMPT } else { SYSTEM_PROMPT };
        let mut request = Request::new("planner", system, prompt::planning(cx))
            .with_schema(self.schema.clone())
            .with_max_tokens(PLAN_TOKENS);
        let first = ask::<PlanDraft>(model.as_ref(), request.clone()).await?.value.without_repeats();
        let (plan, violations) = self.judged(&first, cx);
        if violations.is_empty() {
            let asked = questions::parts(&cx.spec.intent).len();
            if !self.options.second_derivation || cx.previous.is_some() || first.subtasks.len() >= asked {
                return Ok(plan);
            }
            return self.in_parts(request, &first, plan, asked, cx, model).await;
        }
        request.messages.push(Message::assistant(serde_json::to_string(&first).unwrap_or_default()));
        request.messages.push(Message::user(prompt::refusal(&violations)));
        let second = ask::<PlanDraft>(model.as_ref(), request).await?.value.without_repeats();
        let (mut plan, mut violations) = self.judged(&second, cx);
        if violations == [Violation::NoDeed]
            && let Some(mended) = deed::as_asked(second, &cx.spec.intent)
        {
            (plan, violations) = self.judged(&mended, cx);
        }
        if violations.is_empty() { Ok(plan) } else { Err(PlanError::Refused(violations)) }
    }

    /// A weak model often plans one step for a request that asks several things, and its answer leaves one out. It is asked
    /// once more; where its second plan is no better, code cuts the request.
    async fn in_parts(
        &self,
        mut request: Request,
        first: &PlanDraft,
        plan: Plan,
        asked: usize,
        cx: &PlanContext,
        model: &Arc<dyn LlmClient>,
    ) -> Result<Plan, PlanError> {
        request.messages.push(Message::assistant(serde_json::to_string(first).unwrap_or_default()));
        request.messages.push(Message::user(format!(
            "The request asks {asked} things. Write the whole plan again with a subtask for each of them."
        )));
        let second = match ask::<PlanDraft>(model.as_ref(), request).await {
            Ok(second) => second.value.without_repeats(),
            // No plan at all is no better one. What breaks the way to the model breaks the next call, too.
            Err(error) if error.kind() == ErrorKind::Answer => first.clone(),
            Err(error) => return Err(error.into()),
        };
        for draft in [Some(second), questions::planned(&cx.spec.intent)].into_iter().flatten() {
            let (better, violations) = self.judged(&draft, cx);
            if violations.is_empty() && draft.subtasks.len() > first.subtasks.len() {
                return Ok(better);
            }
        }
        Ok(plan)
    }

    fn judged(&self, draft: &PlanDraft, cx: &PlanContext) -> (Plan, Vec<Violation>) {
        let mut plan = match &cx.previous {
            None => {
                let (subtasks, task_criteria) = compile(draft, &cx.spec, self.options, 0);
                let task_id = cx.spec.task_id.clone();
                Plan {
                    memory: artoo_types::PlanMemory::default(),
                    task_id,
                    round: cx.round,
                    task_criteria,
                    subtasks,
                    kept: Vec::new(),
                }
            }
            Some(previous) => replan::merged(previous, Some(draft), cx, self.options),
        };
        with_the_words(&mut plan, draft, cx);
        let violations = validate(&plan, cx);
        (plan, violations)
    }
}

/// A step that is the whole request has the request's words. Where memory was heard, the planner's own words are what came of that, so the
/// executor is told them too.
fn with_the_words(plan: &mut Plan, draft: &PlanDraft, cx: &PlanContext) {
    let [drafted] = draft.subtasks.as_slice() else { return };
    let is_whole = |subtask: &&mut PlannedSubTask| {
        subtask.independent_of.is_empty() && subtask.context.is_empty() && subtask.intent == cx.spec.intent
    };
    let words = drafted.intent.trim();
    if words != cx.spec.intent && !Recalled::of(&cx.memory, cx.run_id).is_empty() {
        for subtask in plan.subtasks.iter_mut().filter(is_whole) {
            subtask.context = format!("As planned:\n{}", fenced(Origin::Memory, words));
        }
    }
}

#[async_trait]
impl Planner for ModelPlanner {
    async fn plan(&self, cx: &PlanContext, model: &Arc<dyn LlmClient>) -> Result<Plan, PlanError> {
        if let Some(previous) = &cx.previous
            && !replan::needs_model(previous)
        {
            let plan = replan::merged(previous, None, cx, self.options);
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
        if self.guided {
            return Ok(report_template(&cx.request));
        }
        let request =
            Request::new("planner", REPORT_PROMPT, prompt::failure(cx)).with_max_tokens(REPORT_TOKENS);
        let completion = model.complete(&request).await?;
        let text = completion.text.trim();
        // A text that was cut or is empty tells less than the template does.
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
