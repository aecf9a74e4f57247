//! Asks a model for verdicts on criteria, and ties them to evidence.

use artoo_llm_client::{
    JsonSchema, LlmClient, LlmError, Message, ModelProfile, Obtained, Request, Structured, ask_alone,
    ask_once_alone,
};
use artoo_types::{Criterion, EarlierResult, FailureClass, Finding, ToolCall};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::answer_schema::{Answer, Class, Word, guided_verdict, in_order, verdicts};
use crate::{JudgeError, guided, supporting_call};

/// Output limit of a verdict, in tokens.
const VERDICT_TOKENS: u32 = 160;

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
/// assert_eq!(asked(&[criterion("It is a number")]), "Criterion: It is a number");
/// assert_eq!(asked(&[criterion("a"), criterion("b")]), "Criteria:\n1. a\n2. b");
/// assert_eq!(asked(&[]), "");
/// ```
pub fn asked(criteria: &[Criterion]) -> String {
    match criteria {
        [] => String::new(),
        [only] => format!("Criterion: {}", only.text),
        several => {
            let lines = (1..)
                .zip(several)
                .map(|(number, criterion): (usize, _)| format!("\n{number}. {}", criterion.text));
            format!("Criteria:{}", lines.collect::<String>())
        }
    }
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
///     Request::new("judge", "You check criteria.", asked(criteria))
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
        let nothing = || {
            Finding::failure(FailureClass::Logical, "no call showed anything, so nothing shows it".to_owned())
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
    let profile = model.profile();
    let request =
        question(criteria).with_schema(schema(seen, count, &profile)).with_max_tokens(profile.room(tokens));
    let mut answered = ask_alone::<Answers>(model, request.clone()).await?;
    let Some(wrong) = contradiction(&mut answered, seen, count) else {
        return Ok(findings(answered.value, seen));
    };
    if matches!(answered.obtained, Obtained::Repaired { .. }) {
        // In doubt it is neither a pass nor a lesson.
        return Err(unusable(answered.model, wrong).into());
    }
    let answer = ask_again(model, request, &answered.value, &wrong, seen, count).await?;
    Ok(findings(answer, seen))
}

/// The schema of an answer.
fn schema(seen: &Seen<'_>, count: usize, profile: &ModelProfile) -> JsonSchema {
    match (count, profile.guided) {
        (1, true) => guided_verdict(seen.calls.len() > 1),
        (_, _) => verdicts(count),
    }
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
    let mut answered = ask_once_alone::<Answers>(model, request).await?;
    match contradiction(&mut answered, seen, count) {
        Some(wrong) => Err(unusable(answered.model, wrong)),
        None => Ok(answered.value),
    }
}

/// Why an answer is invalid although it matches the schema.
fn contradiction(answered: &mut Structured<Answers>, seen: &Seen<'_>, count: usize) -> Option<String> {
    if let Answers::Several { verdicts } = &mut answered.value
        && !in_order(verdicts, count)
    {
        return Some(format!("it must have exactly one verdict on each criterion from 1 to {count}"));
    }
    answered.value.all().iter().find_map(|answer| torn(answer, seen)).map(|wrong| match count {
        1 => wrong,
        _ => format!("of one of the criteria {wrong}"),
    })
}

/// Why a single verdict contradicts itself.
pub(crate) fn torn(answer: &Answer, seen: &Seen<'_>) -> Option<String> {
    if let Some(wrong) = unexplained(&answer.reason) {
        return Some(wrong);
    }
    match (answer.verdict, answer.class) {
        (Word::Fail, _) => return None,
        (Word::Pass, Some(Class::Environmental)) => {
            return Some(
                "it passes, and its \"class\" is that of a fail; which of the two is meant?".to_owned(),
            );
        }
        (Word::Pass, Some(Class::Logical) | None) => {}
    }
    let number = answer.call?;
    match named(number, seen) {
        None => Some(format!("it points at call {number}, and there is none")),
        Some(call) if !call.showed() => Some(format!("it points at call {number}, which showed nothing")),
        Some(_) => None,
    }
}

/// What is told of a verdict without a reason: nobody could put a fail right, or check a pass.
pub(crate) fn unexplained(reason: &str) -> Option<String> {
    reason.trim().is_empty().then(|| "a verdict has no reason".to_owned())
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
            failure_class: Class::of_failure(answer.class),
            reason: answer.reason.clone(),
            evidence,
            also: Vec::new(),
        },
    }
}

pub(crate) fn named<'a>(number: usize, seen: &Seen<'a>) -> Option<&'a ToolCall> {
    seen.calls.get(number.checked_sub(1)?).copied()
}

pub(crate) fn unusable(model: String, reason: String) -> LlmError {
    LlmError::Unusable { model, schema: "verdict".to_owned(), reason }
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
