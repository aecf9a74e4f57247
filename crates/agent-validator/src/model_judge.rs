//! The default judge.

use std::sync::Arc;

use artoo_judging::{JudgeError, Seen, ask_verdict};
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
        let calls = cx.result.tool_calls.iter().collect();
        let seen = Seen { calls, numbered: true, answer: &cx.result.output };
        ask_verdict(model.as_ref(), &seen, request).await
    }
}
