//! The default judge of task criteria.

use std::sync::Arc;

use artoo_judging::{JudgeError, Seen, ask_verdict};
use artoo_llm_client::{LlmClient, Request};
use artoo_types::{Criterion, Finding};
use async_trait::async_trait;

use crate::{TaskContext, TaskJudge, prompt};

/// The constant part of the prompt.
pub const SYSTEM_PROMPT: &str = include_str!("../prompts/system.md");

/// Asks a model about each criterion alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct ModelTaskJudge;

#[async_trait]
impl TaskJudge for ModelTaskJudge {
    async fn judge(
        &self,
        criterion: &Criterion,
        cx: &TaskContext<'_>,
        model: &Arc<dyn LlmClient>,
    ) -> Result<Finding, JudgeError> {
        let merged = prompt::merged(cx);
        let seen = Seen { calls: prompt::calls(cx).collect(), numbered: false, answer: &merged };
        let request = || Request::new("meta_validator", SYSTEM_PROMPT, prompt::case(criterion, cx, &merged));
        ask_verdict(model.as_ref(), &seen, request).await
    }
}
