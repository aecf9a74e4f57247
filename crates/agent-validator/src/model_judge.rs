//! Default judge of a subtask: asks a model about the criteria.

use std::sync::Arc;

use artoo_judging::{JudgeError, Seen, ask_verdicts};
use artoo_llm_client::{LlmClient, Request};
use artoo_types::{Criterion, Finding};
use async_trait::async_trait;

use crate::{Judge, JudgeContext, prompt};

/// The constant part of the prompt.
pub const SYSTEM_PROMPT: &str = include_str!("../prompts/system.md");
/// The constant part for a guided model, which is asked about one criterion at a time.
pub const GUIDED_PROMPT: &str = include_str!("../prompts/guided.md");

/// Asks a model about all criteria at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct ModelJudge;

#[async_trait]
impl Judge for ModelJudge {
    async fn judge(
        &self,
        criteria: &[Criterion],
        cx: &JudgeContext<'_>,
        model: &Arc<dyn LlmClient>,
    ) -> Result<Vec<Finding>, JudgeError> {
        let profile = model.profile();
        let system = if profile.guided { GUIDED_PROMPT } else { SYSTEM_PROMPT };
        let seen = Seen {
            calls: cx.result.tool_calls.iter().collect(),
            earlier: &cx.subtask.earlier,
            answer: &cx.result.output,
        };
        let question = |criteria: &[Criterion]| {
            Request::new("agent_validator", system, prompt::case(criteria, cx, &profile))
        };
        ask_verdicts(model.as_ref(), &seen, criteria, &question).await
    }
}
