//! Guided planning, for weak models only: used if the model's profile says `guided`.
//!
//! The guards, each with its cost and its reason:
//!
//! - A prompt with examples, and no way to give up. Cost: plans for what cannot be done. Reason: a small model copies a
//!   form correctly and invents none, and it gives up at the first doubt.
//! - It is told nothing of the machine but the time. Cost: what the folder or the tools would say about a request. Reason: it plans
//!   about what it is shown, and reads it slowly.
//! - The request in English comes first, with the names of what is there covered ([`MaskedNames`](crate::masked_names::MaskedNames)). Cost: 20 tokens.
//!   Reason: asked for an order in its own words, a small model writes that of an example, and it translates names;
//!   of 37 requests in seven languages it loses none of the names so.
//! - A plan is one step ([`as_one_step`]), which is the request itself, with the request in English beside it
//!   ([`compile()`](crate::compile())). Cost: no steps that hand on what they found, and none side by side. Reason: a
//!   small model loses conditions and names in the steps that it takes a request apart into, says the same
//!   in two of them, and makes a file in one while it writes it in another; a program answers two questions as well as one.
//! - No criteria are asked for. Cost: criteria that were intended. Reason: it writes patterns that right answers do
//!   not match, the state before the step, or the paths of an example. What is done is derived in two ways and
//!   seen, and the whole is judged anyway.
//! - What had to be made still has to be made after a replan ([`replan`](crate::replan)). Cost: a criterion
//!   that the new way does not need. Reason: it plans a question in place of the change that failed.

use crate::PlanDraft;

/// The constant part of the planning prompt, in full and with examples.
pub const GUIDED_PROMPT: &str = include_str!("../prompts/guided.md");

/// The draft as one step: the request in English, for what its first change is for, if it has one.
pub(crate) fn as_one_step(draft: &PlanDraft) -> PlanDraft {
    let mut draft = draft.clone();
    let first = draft.subtasks.iter().position(|step| !step.kind.is_find_out()).unwrap_or_default();
    let together: Vec<&str> = draft.subtasks.iter().map(|step| step.intent.trim()).collect();
    let intent = draft.english.clone().unwrap_or_else(|| together.join("; "));
    draft.subtasks = draft.subtasks.into_iter().skip(first).take(1).collect();
    draft.subtasks.iter_mut().for_each(|step| step.intent.clone_from(&intent));
    draft
}
