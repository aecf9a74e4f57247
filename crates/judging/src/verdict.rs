//! A verdict, asked of a model.

use std::sync::LazyLock;

use artoo_llm_client::{JsonSchema, LlmClient, LlmError, Obtained, Request, ask};
use artoo_types::{Evidence, FailureClass, Finding, ToolCall};
use serde::Deserialize;

use crate::JudgeError;

/// Room for a verdict, in tokens.
const VERDICT_TOKENS: u32 = 160;

static SCHEMA: LazyLock<JsonSchema> = LazyLock::new(|| JsonSchema::of::<Answer>("verdict").terse());

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

/// Asks a model for the verdict on one criterion. What it says is tied to the last of `calls` that succeeded.
///
/// What no call shows, nobody can pass: where none succeeded, the criterion fails, `request` is not made and no model is asked.
///
/// # Errors
/// [`JudgeError::Model`]: the model failed, or gave no verdict even after one repair, or two that contradict each other.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use artoo_judging::{ask_verdict, conformance::call};
/// use artoo_llm_client::{Request, doubles::{Answer, Expect, ScriptedModel}};
/// use artoo_types::Finding;
///
/// let pass = serde_json::json!({"reason": "the listing has 3 lines", "verdict": "pass", "class": "logical"});
/// let model = ScriptedModel::new().expect(Expect::purpose("judge"), Answer::json(pass));
/// let calls = [call(1, "3\n", true)];
/// let request = || Request::new("judge", "You check one criterion.", "Criterion: it is a number");
/// let found = ask_verdict(&model, &calls, request).await.unwrap();
/// assert!(matches!(found, Finding::Pass { .. }));
/// # });
/// ```
pub async fn ask_verdict<'a>(
    model: &dyn LlmClient,
    calls: impl IntoIterator<Item = &'a ToolCall, IntoIter: DoubleEndedIterator>,
    request: impl FnOnce() -> Request,
) -> Result<Finding, JudgeError> {
    let Some(call_id) = calls.into_iter().rfind(|call| call.succeeded()).map(|call| call.call_id) else {
        return Ok(Finding::Fail {
            failure_class: FailureClass::Logical,
            reason: "no call succeeded, so nothing shows it".to_owned(),
            evidence: None,
        });
    };
    let request = request().with_schema(SCHEMA.clone()).with_max_tokens(VERDICT_TOKENS);
    let answered = ask::<Answer>(model, request).await?;
    let two = matches!(answered.obtained, Obtained::Extracted { more: true, .. });
    let answer = answered.value;
    if two || matches!((answer.verdict, answer.class), (Word::Pass, Class::Environmental)) {
        // In doubt it is no pass, and no lesson either.
        let reason = "it says two things at once".to_owned();
        let schema = SCHEMA.name.clone();
        return Err(LlmError::Unusable { model: answered.model, schema, reason }.into());
    }
    let evidence = Evidence::ToolCall { call_id, excerpt: answer.reason.clone() };
    Ok(match answer.verdict {
        Word::Pass => Finding::Pass { evidence },
        Word::Fail => Finding::Fail {
            failure_class: match answer.class {
                Class::Logical => FailureClass::Logical,
                Class::Environmental => FailureClass::Environmental,
            },
            reason: answer.reason,
            evidence: Some(evidence),
        },
    })
}
