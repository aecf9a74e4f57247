//! A verdict, asked of a model.

use std::sync::{Arc, LazyLock};

use artoo_checks::unfounded;
use artoo_llm_client::{
    JsonSchema, LlmClient, LlmError, Message, Obtained, Request, Structured, ask, ask_once,
};
use artoo_types::{Evidence, FailureClass, Finding, ToolCall};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{JudgeError, bearing};

/// Room for a verdict, in tokens.
const VERDICT_TOKENS: u32 = 160;

static SCHEMA: LazyLock<JsonSchema> = LazyLock::new(|| JsonSchema::of::<Answer>("verdict").terse());

/// The same with room for the number of a call, which may be left out. It is not offered where there is nothing to choose.
static NUMBERED: LazyLock<JsonSchema> = LazyLock::new(|| {
    let mut schema = Value::clone(&SCHEMA.schema);
    if let Some(fields) = schema.pointer_mut("/properties").and_then(Value::as_object_mut) {
        fields.insert("call".to_owned(), json!({"type": ["integer", "null"], "minimum": 1}));
    }
    JsonSchema { name: SCHEMA.name.clone(), schema: Arc::new(schema) }
});

#[derive(Deserialize, Serialize, schemars::JsonSchema)]
struct Answer {
    #[schemars(length(min = 1, max = 240))]
    reason: String,
    verdict: Word,
    class: Class,
    /// The call that shows it, as the prompt numbers it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    call: Option<usize>,
}

#[derive(Clone, Copy, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Word {
    Pass,
    Fail,
}

#[derive(Clone, Copy, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Class {
    Logical,
    Environmental,
}

/// What a judge is shown, by which its verdict has to be borne out.
#[derive(Clone, Debug)]
pub struct Seen<'a> {
    /// The calls, in the order in which the prompt shows them.
    pub calls: Vec<&'a ToolCall>,
    /// Whether the prompt numbers them, from 1, so that the judge can name one.
    pub numbered: bool,
    /// The answer that is judged.
    pub answer: &'a str,
}

/// Asks a model for the verdict on one criterion. What it says is tied to the call that bears it out: the one that it names, otherwise
/// the one whose output holds what its reason quotes, the answer, or most of their words. The part of the record that does is quoted.
///
/// What no call shows, nobody can pass: where none succeeded, the criterion fails, `request` is not made and no model is asked.
///
/// A verdict that contradicts itself, or passes for a call that is not there or did not succeed, is asked for once more, with what is
/// wrong with it; unless the answer has been repaired already. So there are at most two calls of the model.
///
/// # Errors
/// [`JudgeError::Model`]: the model failed, or gave no verdict even when asked for the second time.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use artoo_judging::{Seen, ask_verdict, conformance::call};
/// use artoo_llm_client::{Request, doubles::{Answer, Expect, ScriptedModel}};
/// use artoo_types::{Evidence, Finding};
///
/// let pass = serde_json::json!({"reason": "the listing has 3 lines", "verdict": "pass", "class": "logical"});
/// let model = ScriptedModel::new().expect(Expect::purpose("judge"), Answer::json(pass));
/// let (count, list) = (call(1, "3\n", true), call(2, "a.txt\n", true));
/// let seen = Seen { calls: vec![&count, &list], numbered: false, answer: "3" };
/// let request = || Request::new("judge", "You check one criterion.", "Criterion: it is a number");
/// let found = ask_verdict(&model, &seen, request).await.unwrap();
/// let evidence = Evidence::ToolCall { call_id: count.call_id, excerpt: "3".to_owned() };
/// assert_eq!(found, Finding::Pass { evidence });
/// # });
/// ```
pub async fn ask_verdict(
    model: &dyn LlmClient,
    seen: &Seen<'_>,
    request: impl FnOnce() -> Request,
) -> Result<Finding, JudgeError> {
    if !seen.calls.iter().any(|call| call.succeeded()) {
        return Ok(Finding::Fail {
            failure_class: FailureClass::Logical,
            reason: "no call succeeded, so nothing shows it".to_owned(),
            evidence: None,
        });
    }
    let schema: &JsonSchema = if seen.numbered && seen.calls.len() > 1 { &NUMBERED } else { &SCHEMA };
    let request = request().with_schema(schema.clone()).with_max_tokens(VERDICT_TOKENS);
    let answered = ask::<Answer>(model, request.clone()).await?;
    let Some(wrong) = contradiction(&answered.value, is_two(&answered), seen) else {
        return Ok(finding(answered.value, seen));
    };
    if matches!(answered.obtained, Obtained::Repaired { .. }) {
        // In doubt it is no pass, and no lesson either.
        return Err(unusable(answered.model, wrong).into());
    }
    let answer = ask_again(model, request, &answered.value, &wrong, seen).await?;
    Ok(finding(answer, seen))
}

/// The one call that a contradiction is good for.
async fn ask_again(
    model: &dyn LlmClient,
    mut request: Request,
    said: &Answer,
    wrong: &str,
    seen: &Seen<'_>,
) -> Result<Answer, LlmError> {
    let told =
        format!("Your verdict cannot be used: {wrong}. Answer again, with one verdict that fits its reason.");
    request.messages.push(Message::assistant(json!(said).to_string()));
    request.messages.push(Message::user(told));
    let answered = ask_once::<Answer>(model, request).await?;
    match contradiction(&answered.value, is_two(&answered), seen) {
        Some(wrong) => Err(unusable(answered.model, wrong)),
        None => Ok(answered.value),
    }
}

/// Whether another answer followed.
fn is_two(answered: &Structured<Answer>) -> bool {
    matches!(answered.obtained, Obtained::Extracted { more: true, .. })
}

/// Why an answer is no verdict although it has the form of one. `two` says that another one followed.
fn contradiction(answer: &Answer, two: bool, seen: &Seen<'_>) -> Option<String> {
    if two {
        return Some("it says two things at once: one verdict, and then another".to_owned());
    }
    match (answer.verdict, answer.class) {
        (Word::Fail, Class::Logical | Class::Environmental) => return None,
        (Word::Pass, Class::Environmental) => {
            let told = "it says two things at once: it passes, and its class is that of a fail (of a pass it is logical)";
            return Some(told.to_owned());
        }
        (Word::Pass, Class::Logical) => {}
    }
    let said = Finding::Pass { evidence: Evidence::Observation { text: answer.reason.clone() } };
    if !answer.reason.trim().is_empty() && unfounded(&said, &[]).is_some() {
        return Some(
            "it says two things at once: it passes, and its reason says that it is not so".to_owned(),
        );
    }
    let number = answer.call?;
    match named(number, seen) {
        None => Some(format!("it points at call {number}, and there is none")),
        Some(call) if !call.succeeded() => Some(format!("it points at call {number}, which did not succeed")),
        Some(_) => None,
    }
}

/// What an answer without a contradiction comes to.
fn finding(answer: Answer, seen: &Seen<'_>) -> Finding {
    let evidence = match answer.call.and_then(|number| named(number, seen)) {
        Some(call) => Some(bearing::quoted(call, &format!("{}\n{}", seen.answer, answer.reason))),
        None => {
            let succeeded: Vec<&ToolCall> =
                seen.calls.iter().copied().filter(|call| call.succeeded()).collect();
            bearing::evidence(&succeeded, seen.answer, &answer.reason)
        }
    };
    match (answer.verdict, evidence) {
        (Word::Pass, Some(evidence)) => Finding::Pass { evidence },
        // A pass that points nowhere is none.
        (Word::Pass | Word::Fail, evidence) => Finding::Fail {
            failure_class: match answer.class {
                Class::Logical => FailureClass::Logical,
                Class::Environmental => FailureClass::Environmental,
            },
            reason: answer.reason,
            evidence,
        },
    }
}

fn named<'a>(number: usize, seen: &Seen<'a>) -> Option<&'a ToolCall> {
    seen.calls.get(number.checked_sub(1)?).copied()
}

fn unusable(model: String, reason: String) -> LlmError {
    LlmError::Unusable { model, schema: SCHEMA.name.clone(), reason }
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
