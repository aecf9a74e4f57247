//! The default judge.

use std::sync::Arc;

use artoo_judging::{JudgeError, ask_verdict};
use artoo_llm_client::{LlmClient, Request};
use artoo_types::{Criterion, Finding};
use async_trait::async_trait;

use crate::{Judge, JudgeContext, prompt};

/// The constant part of the prompt.
pub const SYSTEM_PROMPT: &str = include_str!("../prompts/system.md");

/// Asks a model about each criterion alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct ModelJudge;

#[async_trait]
impl Judge for ModelJudge {
    async fn judge(
        &self,
        criterion: &Criterion,
        cx: &JudgeContext<'_>,
        model: &Arc<dyn LlmClient>,
    ) -> Result<Finding, JudgeError> {
        let request = || Request::new("agent_validator", SYSTEM_PROMPT, prompt::case(criterion, cx));
        ask_verdict(model.as_ref(), &cx.result.tool_calls, request).await
    }
}
