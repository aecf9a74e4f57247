//! A judge of the program's own: what is accepted, code decides here, and no model: it passes what the
//! request names in quotation marks where a call put it out. The model that plans and acts follows a script.
//! `roles::meta_validator::conformance` puts a judge to the contract; `tests/it` does so with this one.

mod scene;

use artoo::{llm::LlmClient, roles::meta_validator::*, types::*};

pub(crate) struct Quoted;

#[async_trait::async_trait]
impl TaskJudge for Quoted {
    async fn judge(
        &self,
        criteria: &[Criterion],
        cx: &TaskContext<'_>,
        _: &std::sync::Arc<dyn LlmClient>,
    ) -> Result<Vec<Finding>, JudgeError> {
        let judged = |criterion: &Criterion| {
            let text = if criterion.text == WHOLE { &cx.spec.raw_input } else { &criterion.text };
            let quote = text.split('"').nth(1).unwrap_or(text);
            let mut calls = cx.outcomes.iter().flat_map(|outcome| &outcome.tool_calls);
            let call = calls.find(|call| call.succeeded() && call.output.shown.contains(quote));
            call.map_or_else(|| Finding::fail("no call put it out"), |call| Finding::pass(call, quote))
        };
        Ok(criteria.iter().map(judged).collect())
    }
}

#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn std::error::Error>> {
    scene::accepted("Where is \"shopping.txt\"?", |builder| builder.task_judge(Quoted)).await
}
