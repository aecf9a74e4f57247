//! Asks a model for verdicts on criteria, and ties them to evidence.

use std::sync::{Arc, LazyLock};

use artoo_llm_client::{
    JsonSchema, LlmClient, LlmError, Message, Obtained, Request, Structured, ask_alone, ask_once_alone,
};
use artoo_types::{Criterion, EarlierResult, FailureClass, Finding, ToolCall};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{JudgeError, guided, supporting_call};

/// Output limit of a verdict, in tokens.
const VERDICT_TOKENS: u32 = 160;

static SCHEMA: LazyLock<JsonSchema> = LazyLock::new(|| JsonSchema::of::<Answer>("verdict").terse());

#[derive(Clone, Deserialize, Serialize, schemars::JsonSchema)]
pub(crate) struct Answer {
    #[schemars(length(min = 1, max = 240))]
    reason: String,
    verdict: Word,
    #[serde(default)]
    #[schemars(required)]
    class: Class,
    /// The call that shows it, as the prompt numbers it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    call: Option<usize>,
    /// Which criterion it is of, where several are asked about, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(crate) criterion: Option<usize>,
}

/// A model's answer: one verdict, or several.
#[derive(Clone, Deserialize, Serialize)]
#[serde(untagged)]
enum Answers {
    Several { verdicts: Vec<Answer> },
    One(Answer),
}

impl Answers {
    fn all(&self) -> &[Answer] {
        match self {
            Self::Several { verdicts } => verdicts,
            Self::One(answer) => std::slice::from_ref(answer),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Word {
    Pass,
    Fail,
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Class {
    #[default]
    Logical,
    Environmental,
}

/// The material shown to a judge, which has to support its verdicts.
#[derive(Clone, Debug)]
pub struct Seen<'a> {
    /// The calls, in the order in which the prompt numbers them, from 1.
    pub calls: Vec<&'a ToolCall>,
    /// The results of earlier steps.
    pub earlier: &'a [EarlierResult],
    /// The answer being judged.
    pub answer: &'a str,
}

/// Builds the request about some criteria.
pub type Question<'a> = &'a (dyn Fn(&[Criterion]) -> Request + Send + Sync);

/// The end of a judge's prompt: the question.
///
/// ```
/// use artoo_judging::{asked, conformance::criterion};
/// assert_eq!(asked(&[criterion("It is a number")], None), "Criterion: It is a number");
/// assert_eq!(asked(&[criterion("a"), criterion("b")], None), "Criteria:\n1. a\n2. b");
/// ```
pub fn asked(criteria: &[Criterion], doubt: Option<&str>) -> String {
    let doubt = doubt.map(|doubt| {
        format!(
            "Note on the result: {doubt}. It may still follow from what is shown, as a sum or a count does. Pass only if it does.\n"
        )
    });
    let criteria = match criteria {
        [only] => format!("Criterion: {}", only.text),
        several => {
            let lines = (1..)
                .zip(several)
                .map(|(number, criterion): (usize, _)| format!("\n{number}. {}", criterion.text));
            format!("Criteria:{}", lines.collect::<String>())
        }
    };
    format!("{}{criteria}", doubt.unwrap_or_default())
}

/// Asks a model for the verdicts on some criteria, all in one request; a guided model is asked about one at a
/// time.
///
/// Each verdict is tied to the call that supports it: the one that it names, otherwise the one whose output,
/// or the earlier result that, contains what its reason quotes, the answer, or most of their words. The
/// supporting part of the record is quoted.
///
/// Nothing passes without evidence: if no call showed anything and no earlier step found anything, each
/// criterion fails, `question` is not called and no model is asked.
///
/// If a verdict contradicts itself, or passes because of a call that does not exist or did not succeed, the
/// model is asked once more and told what is wrong, unless the answer has been repaired already. So there are
/// at most two model calls for each question.
///
/// # Errors
/// [`JudgeError::Model`]: the model failed, or gave no verdict even at the second request.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use artoo_judging::{Seen, ask_verdicts, asked, conformance::{call, criterion}};
/// use artoo_llm_client::{Request, doubles::{Answer, Expect, ScriptedModel}};
/// use artoo_types::{Evidence, Finding};
///
/// let pass = serde_json::json!({"reason": "the listing has 3 lines", "verdict": "pass", "class": "logical"});
/// let model = ScriptedModel::new().expect(Expect::purpose("judge"), Answer::json(pass));
/// let (count, list) = (call(1, "3\n", true), call(2, "a.txt\n", true));
/// let seen = Seen { calls: vec![&count, &list], earlier: &[], answer: "3" };
/// let criteria = [criterion("it is a number")];
/// let found = ask_verdicts(&model, &seen, &criteria, &|criteria| {
///     Request::new("judge", "You check criteria.", asked(criteria, None))
/// });
/// let evidence = Evidence::ToolCall { call_id: count.call_id, excerpt: "3".to_owned() };
/// assert_eq!(found.await.unwrap(), [Finding::Pass { evidence }]);
/// # });
/// ```
pub async fn ask_verdicts(
    model: &dyn LlmClient,
    seen: &Seen<'_>,
    criteria: &[Criterion],
    question: Question<'_>,
) -> Result<Vec<Finding>, JudgeError> {
    if !seen.calls.iter().any(|call| supporting_call::shows(call)) && seen.earlier.is_empty() {
        let nothing = || Finding::Fail {
            failure_class: FailureClass::Logical,
            reason: "no call showed anything, so nothing shows it".to_owned(),
            evidence: None,
        };
        return Ok(criteria.iter().map(|_| nothing()).collect());
    }
    if model.profile().guided {
        guided::one_by_one(model, seen, criteria, question).await
    } else {
        ask_together(model, seen, criteria, question).await
    }
}

/// One request about all of these criteria.
pub(crate) async fn ask_together(
    model: &dyn LlmClient,
    seen: &Seen<'_>,
    criteria: &[Criterion],
    question: Question<'_>,
) -> Result<Vec<Finding>, JudgeError> {
    let count = criteria.len();
    if count == 0 {
        return Ok(Vec::new());
    }
    let tokens = VERDICT_TOKENS.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX));
    let request =
        question(criteria).with_schema(schema(seen, count)).with_max_tokens(model.profile().room(tokens));
    let answered = ask_alone::<Answers>(model, request.clone()).await?;
    let Some(wrong) = contradiction(&answered, seen, count) else {
        return Ok(findings(answered.value, seen));
    };
    if matches!(answered.obtained, Obtained::Repaired { .. }) {
        // In doubt it is neither a pass nor a lesson.
        return Err(unusable(answered.model, wrong).into());
    }
    let answer = ask_again(model, request, &answered.value, &wrong, seen, count).await?;
    Ok(findings(answer, seen))
}

/// The schema of an answer. The number of a call is optional, and left out if there is no choice.
fn schema(seen: &Seen<'_>, count: usize) -> JsonSchema {
    let has_choice = seen.calls.len() > 1;
    if count == 1 && !has_choice {
        return SCHEMA.clone();
    }
    let mut verdict = Value::clone(&SCHEMA.schema);
    let mut add = |name: &str, field: Value, is_required: bool| {
        if let Some(fields) = verdict.pointer_mut("/properties").and_then(Value::as_object_mut) {
            fields.insert(name.to_owned(), field);
        }
        if is_required && let Some(required) = verdict.pointer_mut("/required").and_then(Value::as_array_mut)
        {
            required.push(Value::from(name));
        }
    };
    if has_choice {
        add("call", json!({"type": ["integer", "null"], "minimum": 1}), false);
    }
    if count == 1 {
        return JsonSchema { name: SCHEMA.name.clone(), schema: Arc::new(verdict) };
    }
    add("criterion", json!({"type": "integer", "minimum": 1, "maximum": count}), true);
    let verdicts = json!({"type": "array", "items": verdict, "minItems": count, "maxItems": count});
    let schema = json!({
        "type": "object", "properties": {"verdicts": verdicts}, "required": ["verdicts"], "additionalProperties": false,
    });
    JsonSchema { name: "verdicts".to_owned(), schema: Arc::new(schema) }
}

/// The one further request after a contradiction.
async fn ask_again(
    model: &dyn LlmClient,
    mut request: Request,
    said: &Answers,
    wrong: &str,
    seen: &Seen<'_>,
    count: usize,
) -> Result<Answers, LlmError> {
    let told =
        format!("Your verdict cannot be used: {wrong}. Answer again, with one verdict that fits its reason.");
    request.messages.push(Message::assistant(json!(said).to_string()));
    request.messages.push(Message::user(told));
    let answered = ask_once_alone::<Answers>(model, request).await?;
    match contradiction(&answered, seen, count) {
        Some(wrong) => Err(unusable(answered.model, wrong)),
        None => Ok(answered.value),
    }
}

/// Why an answer is invalid although it matches the schema.
fn contradiction(answered: &Structured<Answers>, seen: &Seen<'_>, count: usize) -> Option<String> {
    let answers = answered.value.all();
    if count > 1 && !answers.iter().map(|answer| answer.criterion).eq((1..=count).map(Some)) {
        return Some(format!("it must have one verdict on each criterion from 1 to {count}, in this order"));
    }
    answers.iter().find_map(|answer| torn(answer, seen)).map(|wrong| match count {
        1 => wrong,
        _ => format!("of one of the criteria {wrong}"),
    })
}

/// Why a single verdict contradicts itself.
pub(crate) fn torn(answer: &Answer, seen: &Seen<'_>) -> Option<String> {
    match (answer.verdict, answer.class) {
        (Word::Fail, Class::Logical | Class::Environmental) => return None,
        (Word::Pass, Class::Environmental) => {
            let told = "it says two things at once: it passes, and its class is that of a fail (of a pass it is logical)";
            return Some(told.to_owned());
        }
        (Word::Pass, Class::Logical) => {}
    }
    let number = answer.call?;
    match named(number, seen) {
        None => Some(format!("it points at call {number}, and there is none")),
        Some(call) if !call.showed() => Some(format!("it points at call {number}, which showed nothing")),
        Some(_) => None,
    }
}

/// The findings from answers without a contradiction.
fn findings(answers: Answers, seen: &Seen<'_>) -> Vec<Finding> {
    answers.all().iter().map(|answer| finding(answer, seen)).collect()
}

pub(crate) fn finding(answer: &Answer, seen: &Seen<'_>) -> Finding {
    let evidence = match answer.call.and_then(|number| named(number, seen)) {
        Some(call) => Some(supporting_call::quoted(call, &format!("{}\n{}", seen.answer, answer.reason))),
        None => {
            let showed: Vec<&ToolCall> =
                seen.calls.iter().copied().filter(|call| supporting_call::shows(call)).collect();
            supporting_call::evidence(&showed, seen.earlier, seen.answer, &answer.reason)
        }
    };
    match (answer.verdict, evidence) {
        (Word::Pass, Some(evidence)) => Finding::Pass { evidence },
        // A pass without evidence is a fail.
        (Word::Pass | Word::Fail, evidence) => Finding::Fail {
            failure_class: match answer.class {
                Class::Logical => FailureClass::Logical,
                Class::Environmental => FailureClass::Environmental,
            },
            reason: answer.reason.clone(),
            evidence,
        },
    }
}

pub(crate) fn named<'a>(number: usize, seen: &Seen<'a>) -> Option<&'a ToolCall> {
    seen.calls.get(number.checked_sub(1)?).copied()
}

pub(crate) fn unusable(model: String, reason: String) -> LlmError {
    LlmError::Unusable { model, schema: SCHEMA.name.clone(), reason }
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
