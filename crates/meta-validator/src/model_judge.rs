//! The default judge of task criteria.

use std::sync::Arc;

use artoo_judging::{JudgeError, Seen, ask_verdicts};
use artoo_llm_client::{LlmClient, Request};
use artoo_types::{Criterion, Finding};
use async_trait::async_trait;

use crate::{TaskContext, TaskJudge, prompt};

/// The constant part of the prompt.
pub const SYSTEM_PROMPT: &str = include_str!("../prompts/system.md");
/// The same for a guided model, which is asked about one criterion at a time.
pub const GUIDED_PROMPT: &str = include_str!("../prompts/guided.md");

/// Asks a model about all criteria at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct ModelTaskJudge;

#[async_trait]
impl TaskJudge for ModelTaskJudge {
    async fn judge(
        &self,
        criteria: &[Criterion],
        cx: &TaskContext<'_>,
        model: &Arc<dyn LlmClient>,
    ) -> Result<Vec<Finding>, JudgeError> {
        let profile = model.profile();
        let system = if profile.guided { GUIDED_PROMPT } else { SYSTEM_PROMPT };
        let merged = prompt::merged(cx);
        let seen = Seen { calls: prompt::calls(cx).collect(), earlier: &[], answer: &merged, doubt: None };
        let question = |criteria: &[Criterion]| {
            Request::new("meta_validator", system, prompt::case(criteria, cx, &merged, &profile))
        };
        ask_verdicts(model.as_ref(), &seen, criteria, &question).await
    }
}
