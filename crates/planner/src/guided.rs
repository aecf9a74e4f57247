//! What exists for weak models alone: a planner whose model's profile says that it is guided works with it, and no other.
//!
//! | guard | what it costs | what it buys |
//! |---|---|---|
//! | a prompt with examples, and a narrow schema | twice the prompt; no room for long steps, and none to give up | a small model copies a form rightly and writes none |
//! | a plan of one step is the request itself | what was planned beside it, a replan's new way included | a small model loses conditions where it restates |
//! | questions that are planned twice are asked once ([`repeats`]) | a step that was meant | it plans "find" and "list" as two steps |
//! | a request of several questions is cut ([`questions`]) | a call, and English alone | it plans one step for two questions |
//! | deeds are known by their verbs ([`deed`]) | English alone, and a refusal where the verb misleads | it plans a question for a deed |
//! | texts are judged and not derived twice ([`prose`]) | English alone | two commands that print a heading agree |
//! | files that stay as they are ([`untouched`]) | English alone | it plans no check for them |

pub(crate) mod deed;
pub(crate) mod prose;
pub(crate) mod questions;
pub(crate) mod repeats;
pub(crate) mod untouched;

use std::sync::Arc;

use artoo_llm_client::{ErrorKind, JsonSchema, LlmClient, Message, Request, ask};
use artoo_types::{Plan, PlannedSubTask};
use serde_json::{Value, json};

use crate::model_planner::judged;
use crate::{CompileOptions, PlanContext, PlanDraft, PlanError, Recalled, Violation, prompt};
use repeats::without_repeats;

/// The constant part of the planning prompt, at length and with examples.
pub const GUIDED_PROMPT: &str = include_str!("../prompts/guided.md");

/// Checks whose values a small model copies from its prompt, or guesses.
const WIDE_CHECKS: [&str; 4] = ["file_json", "table", "same_lines", "command_succeeds"];

/// The schema of a plan with bounds that keep a small model short, without [`WIDE_CHECKS`], and without giving up, which it does at the first
/// doubt.
pub(crate) fn schema(wide: &JsonSchema) -> JsonSchema {
    let mut schema = Value::clone(&wide.schema);
    if let Some(fields) = schema.pointer_mut("/properties").and_then(Value::as_object_mut) {
        fields.remove("give_up");
    }
    let step = "/properties/subtasks/items/properties";
    let mut set = |path: &str, key: &str, value: u32| {
        if let Some(object) = schema.pointer_mut(path).and_then(Value::as_object_mut) {
            object.insert(key.to_owned(), json!(value));
        }
    };
    set("/properties/subtasks", "minItems", 1);
    set("/properties/subtasks", "maxItems", 6);
    set(&format!("{step}/intent"), "maxLength", 300);
    set(&format!("{step}/sequence"), "maximum", 6);
    set(&format!("{step}/criteria"), "maxItems", 3);
    let mut forms = schema.pointer_mut(&format!("{step}/criteria/items/oneOf")).and_then(Value::as_array_mut);
    let is_narrow = |form: &Value| {
        let check = form.pointer("/properties/check/const").and_then(Value::as_str);
        !check.is_some_and(|check| WIDE_CHECKS.contains(&check))
    };
    forms.iter_mut().for_each(|forms| forms.retain(is_narrow));
    for fields in forms.into_iter().flatten().filter_map(|form| form.get_mut("properties")) {
        for (name, most) in [("text", 160), ("value", 120)] {
            if let Some(field) = fields.get_mut(name).and_then(Value::as_object_mut) {
                field.insert("maxLength".to_owned(), json!(most));
            }
        }
    }
    JsonSchema { name: wide.name.clone(), schema: Arc::new(schema) }
}

/// Drafts, and asks again where rules are broken or a question is left out.
pub(crate) async fn draft(
    mut request: Request,
    options: CompileOptions,
    cx: &PlanContext,
    model: &Arc<dyn LlmClient>,
) -> Result<Plan, PlanError> {
    let first = without_repeats(ask::<PlanDraft>(model.as_ref(), request.clone()).await?.value);
    let (plan, violations) = plan_of(&first, options, cx);
    if violations.is_empty() {
        let asked = questions::parts(&cx.spec.intent).len();
        if !options.second_derivation || cx.previous.is_some() || first.subtasks.len() >= asked {
            return Ok(plan);
        }
        return in_parts(request, &first, plan, asked, options, cx, model).await;
    }
    request.messages.push(Message::assistant(serde_json::to_string(&first).unwrap_or_default()));
    request.messages.push(Message::user(prompt::refusal(&violations)));
    let second = without_repeats(ask::<PlanDraft>(model.as_ref(), request).await?.value);
    let (mut plan, mut violations) = plan_of(&second, options, cx);
    if violations == [Violation::NoDeed]
        && let Some(mended) = deed::as_asked(second, &cx.spec.intent)
    {
        (plan, violations) = plan_of(&mended, options, cx);
    }
    if violations.is_empty() { Ok(plan) } else { Err(PlanError::Refused(violations)) }
}

/// A weak model often plans one step for a request that asks several things, and its answer leaves one out. It is asked
/// once more; where its second plan is no better, code cuts the request.
async fn in_parts(
    mut request: Request,
    first: &PlanDraft,
    plan: Plan,
    asked: usize,
    options: CompileOptions,
    cx: &PlanContext,
    model: &Arc<dyn LlmClient>,
) -> Result<Plan, PlanError> {
    request.messages.push(Message::assistant(serde_json::to_string(first).unwrap_or_default()));
    request.messages.push(Message::user(format!(
        "The request asks {asked} things. Write the whole plan again with a subtask for each of them."
    )));
    let second = match ask::<PlanDraft>(model.as_ref(), request).await {
        Ok(second) => without_repeats(second.value),
        // No plan at all is no better one. What breaks the way to the model breaks the next call, too.
        Err(error) if error.kind() == ErrorKind::Answer => first.clone(),
        Err(error) => return Err(error.into()),
    };
    for draft in [Some(second), questions::planned(&cx.spec.intent)].into_iter().flatten() {
        let (better, violations) = plan_of(&draft, options, cx);
        if violations.is_empty() && draft.subtasks.len() > first.subtasks.len() {
            return Ok(better);
        }
    }
    Ok(plan)
}

/// The plan that a draft comes to, and the rules that it breaks, those of weak models included.
fn plan_of(draft: &PlanDraft, options: CompileOptions, cx: &PlanContext) -> (Plan, Vec<Violation>) {
    let (mut plan, mut violations) = judged(draft, options, cx);
    with_the_words(&mut plan, draft, cx);
    let planned = plan.subtasks.iter().flat_map(|subtask| &subtask.success_criteria);
    if deed::is_asked_for(&cx.spec.intent) && !deed::is_looked_at(planned.chain(&plan.task_criteria), cx) {
        violations.push(Violation::NoDeed);
    }
    (plan, violations)
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
            subtask.context =
                format!("As planned:\n{}", artoo_llm_client::fenced(artoo_llm_client::Origin::Memory, words));
        }
    }
}
