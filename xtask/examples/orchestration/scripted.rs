//! The in-process model of the benchmark.

use std::sync::Arc;

use artoo_llm_client::{Completion, LlmClient, LlmError, MessageRole, Request, Usage};
use async_trait::async_trait;

use crate::job::{self, Work};

/// Answers at once.
pub(crate) struct Scripted;

#[async_trait]
impl LlmClient for Scripted {
    fn model(&self) -> &str {
        "scripted"
    }

    fn structured(&self) -> bool {
        true
    }

    async fn complete(&self, request: &Request) -> Result<Completion, LlmError> {
        let schema = request.schema.as_ref().map_or("", |schema| schema.name.as_str());
        let turns = request.messages.iter();
        let turns = turns.map(|message| (message.role == MessageRole::Assistant, message.content.as_str()));
        let text = job::answer(schema, turns, Work::ReadFile);
        let usage = Usage { requests: 1, ..Usage::default() };
        Ok(Completion::of_text(text, usage, "scripted"))
    }
}

/// As an `LlmClient` for the runtime.
pub(crate) fn model() -> Arc<dyn LlmClient> {
    Arc::new(Scripted)
}
