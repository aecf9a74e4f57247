//! The default judge of task criteria.

use std::sync::{Arc, LazyLock};

use artoo_llm_client::{JsonSchema, LlmClient, LlmError, Obtained, Request, ask};
use artoo_types::{Criterion, Evidence, FailureClass, Finding};
use async_trait::async_trait;
use serde::Deserialize;

use crate::{TaskContext, TaskJudge, TaskJudgeError, prompt};

/// The constant part of the prompt.
pub const SYSTEM_PROMPT: &str = include_str!("../prompts/system.md");

/// Room for a verdict, in tokens.
const VERDICT_TOKENS: u32 = 160;

static SCHEMA: LazyLock<JsonSchema> = LazyLock::new(|| JsonSchema::of::<Answer>("task_verdict").terse());

/// Asks a model about each criterion alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct ModelTaskJudge;

#[derive(Deserialize, schemars::JsonSchema)]
struct Answer {
    #[schemars(length(min = 1, max = 240))]
    reason: String,
    verdict: Word,
    class: Class,
}

#[derive(Clone, Copy, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Word {
    Pass,
    Fail,
}

#[derive(Clone, Copy, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Class {
    Logical,
    Environmental,
}

#[async_trait]
impl TaskJudge for ModelTaskJudge {
    async fn judge(
        &self,
        criterion: &Criterion,
        cx: &TaskContext<'_>,
        model: &Arc<dyn LlmClient>,
    ) -> Result<Finding, TaskJudgeError> {
        let calls = cx.outcomes.iter().rev().flat_map(|outcome| outcome.tool_calls.iter().rev());
        let Some(call) = calls.into_iter().find(|call| call.succeeded()) else {
            return Ok(Finding::Fail {
                failure_class: FailureClass::Logical,
                reason: "no call succeeded, so nothing shows it".to_owned(),
                evidence: None,
            });
        };
        let request = Request::new("meta_validator", SYSTEM_PROMPT, prompt::case(criterion, cx))
            .with_schema(SCHEMA.clone())
            .with_max_tokens(VERDICT_TOKENS);
        let answered = ask::<Answer>(model.as_ref(), request).await?;
        let two = matches!(answered.obtained, Obtained::Extracted { more: true, .. });
        let answer = answered.value;
        if two || matches!((answer.verdict, answer.class), (Word::Pass, Class::Environmental)) {
            // In doubt it is no pass, and no lesson either.
            return Err(LlmError::Unusable {
                model: answered.model,
                schema: SCHEMA.name.clone(),
                reason: "it says two things at once".to_owned(),
            }
            .into());
        }
        let evidence = Evidence::ToolCall { call_id: call.call_id, excerpt: answer.reason.clone() };
        Ok(match (answer.verdict, answer.class) {
            (Word::Pass, _) => Finding::Pass { evidence },
            (Word::Fail, class) => Finding::Fail {
                failure_class: match class {
                    Class::Logical => FailureClass::Logical,
                    Class::Environmental => FailureClass::Environmental,
                },
                reason: answer.reason,
                evidence: Some(evidence),
            },
        })
    }
}
