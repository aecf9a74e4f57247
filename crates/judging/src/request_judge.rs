//! Judge of the whole request: which of its words are met, and by which evidence.
//!
//! A judge that is asked whether a result is right accepts half of it. So it has to split the request by
//! quoting it, and to say for each part what meets it; code checks that the quotations are words of the
//! request, and whether any words are left over. Source: `docs/design/acceptance.md`.

use artoo_llm_client::{JsonSchema, LlmClient, Message, Structured, ask_alone, ask_once_alone};
use artoo_types::{CallId, Criterion, Evidence, FailureClass, Finding, Law};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::answer_schema::{self, Answer, Class, Part, Word, in_order};
use crate::verdict::{finding, named, torn, unexplained, unusable};
use crate::{JudgeError, Question, Seen, supporting_call};

/// The criterion that is judged before anything is accepted. It is a name, so that it reads right met and unmet.
pub const WHOLE: &str = "The request as a whole";

/// Output limits in tokens, for the parts and for each further verdict.
const PARTS_TOKENS: u32 = 640;
const VERDICT_TOKENS: u32 = 160;
/// The longest stretch of a request that no part has to quote, in characters: politeness and connecting
/// words.
const LONGEST_GAP: usize = 60;

/// The answer of a judge of the whole.
#[derive(Clone, Deserialize, Serialize)]
pub(crate) struct Parts {
    parts: Vec<Part>,
    /// Verdicts on the further criteria, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    verdicts: Vec<Answer>,
}

/// What is judged as a whole.
#[derive(Clone, Copy, Debug)]
pub struct WholeRequest<'a> {
    /// The request in the person's words. The parts of a judge cover it by quotation.
    pub text: &'a str,
    /// The person's laws. They are part of the request: a judge may quote them, and a part that quotes one and
    /// is not met fails the whole.
    pub laws: &'a [Law],
    /// Where the figures and names of the result come from.
    pub grounds: Grounds,
}

/// The origin of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grounds {
    /// All its numbers and names occur in the outputs.
    Shown,
    /// Some occur nowhere, so they are derived or invented: a pass quotes what they follow from.
    Derived,
}

/// The findings on a request and on further criteria, in one model call, and a second one if the answer is
/// unusable.
///
/// The request is met if every part of it is, and at least one part is met by a call that was made. A part
/// that is not met fails it, with the call that should have met it, if one is named. If no call showed
/// anything, nothing is met, and no model is asked.
///
/// # Errors
/// [`JudgeError::Model`]: the model failed, or gave no usable answer even at the second request.
pub async fn ask_whole(
    model: &dyn LlmClient,
    seen: &Seen<'_>,
    request: WholeRequest<'_>,
    criteria: &[Criterion],
    question: Question<'_>,
) -> Result<(Finding, Vec<Finding>), JudgeError> {
    if !seen.calls.iter().any(|call| supporting_call::shows(call)) {
        let nothing = || {
            Finding::failure(FailureClass::Logical, "no call showed anything, so nothing shows it".to_owned())
        };
        return Ok((nothing(), criteria.iter().map(|_| nothing()).collect()));
    }
    let asked = question(criteria)
        .with_schema(schema(criteria.len(), request.grounds))
        .with_max_tokens(model.profile().room(tokens(criteria.len())));
    let mut first = ask_alone::<Parts>(model, asked.clone()).await?;
    let Some(wrong) = flaw(&mut first.value, seen, request, criteria.len()) else {
        return Ok(findings(&first.value, seen));
    };
    let mut again = asked;
    again.messages.push(Message::assistant(json!(first.value).to_string()));
    again
        .messages
        .push(Message::user(format!("This cannot be used: {wrong}. Answer again, with the whole of it.")));
    let Structured { mut value, model, .. } = ask_once_alone::<Parts>(model, again).await?;
    match flaw(&mut value, seen, request, criteria.len()) {
        Some(wrong) => Err(unusable(model, wrong).into()),
        None => Ok(findings(&value, seen)),
    }
}

/// The output limit of an answer that has verdicts on so many further criteria, in tokens.
pub(crate) fn tokens(further: usize) -> u32 {
    let further = u32::try_from(further).unwrap_or(u32::MAX);
    PARTS_TOKENS.saturating_add(VERDICT_TOKENS.saturating_mul(further))
}

/// The schema of an answer.
pub(crate) fn schema(further: usize, grounds: Grounds) -> JsonSchema {
    answer_schema::parts(further, grounds == Grounds::Derived)
}

/// Why an answer is unusable.
pub(crate) fn flaw(
    answer: &mut Parts,
    seen: &Seen<'_>,
    request: WholeRequest<'_>,
    further: usize,
) -> Option<String> {
    let quotes = answer.parts.iter().map(|part| part.quote.as_str());
    if let Some(invented) = quotes.clone().find(|quote| !is_of_the_request(&request, quote)) {
        return Some(format!("{invented:?} does not stand in the request; quote its words"));
    }
    let fails = answer.parts.iter().any(|part| part.verdict == Word::Fail);
    // If a part fails, the rest does not matter.
    if !fails && let Some(left_over) = left_over(request.text, quotes) {
        return Some(format!("no part quotes these words of the request: {left_over:?}"));
    }
    for part in answer.parts.iter().filter(|part| part.verdict == Word::Pass) {
        match part.call.map(|number| (number, named(number, seen))) {
            Some((number, None)) => return Some(format!("it points at call {number}, and there is none")),
            Some((number, Some(call))) if !call.showed() => {
                return Some(format!("it points at call {number}, which showed nothing"));
            }
            Some((_, Some(_))) | None => {}
        }
    }
    if !fails && !seen.calls.is_empty() && answer.parts.iter().all(|part| part.call.is_none()) {
        return Some("it points at no call; say which call meets a part".to_owned());
    }
    if let Some(wrong) = answer.parts.iter().find_map(|part| unexplained(&part.reason)) {
        return Some(wrong);
    }
    let mut sources = answer.parts.iter().flat_map(|part| part.from.iter().flatten()).peekable();
    if !fails && request.grounds == Grounds::Derived {
        if sources.peek().is_none() {
            return Some(
                "no \"from\" quotes the outputs from which the figures and names follow that no output shows"
                    .to_owned(),
            );
        }
        if let Some(invented) = sources.find(|quote| !supporting_call::is_quoted(quote, &seen.calls)) {
            return Some(format!("{invented:?} stands in no output"));
        }
    }
    if !in_order(&mut answer.verdicts, further) {
        return Some(format!("it must have exactly one verdict on each criterion from 1 to {further}"));
    }
    answer.verdicts.iter().find_map(|verdict| torn(verdict, seen))
}

pub(crate) fn findings(answer: &Parts, seen: &Seen<'_>) -> (Finding, Vec<Finding>) {
    (
        of_the_whole(&answer.parts, seen),
        answer.verdicts.iter().map(|verdict| finding(verdict, seen)).collect(),
    )
}

fn of_the_whole(parts: &[Part], seen: &Seen<'_>) -> Finding {
    let unmet: Vec<&Part> = parts.iter().filter(|part| part.verdict == Word::Fail).collect();
    let pointed = |part: &Part| {
        let call = named(part.call?, seen)?;
        Some(supporting_call::quoted(call, &format!("{}\n{}", seen.answer, part.reason)))
    };
    if let Some(first) = unmet.first() {
        let reasons = unmet.iter().map(|part| format!("{:?}: {}", part.quote.trim(), part.reason.trim()));
        let evidence = unmet.iter().find_map(|part| pointed(part));
        let mut also: Vec<CallId> =
            unmet.iter().filter_map(|part| Some(named(part.call?, seen)?.call_id)).collect();
        also.sort_unstable();
        also.dedup();
        also.retain(|call| evidence.as_ref().and_then(Evidence::call) != Some(*call));
        return Finding::Fail {
            failure_class: Class::of_failure(first.class),
            reason: reasons.collect::<Vec<_>>().join("; "),
            evidence,
            also,
        };
    }
    let showed: Vec<_> = seen.calls.iter().copied().filter(|call| supporting_call::shows(call)).collect();
    let reasons = || parts.iter().map(|part| part.reason.as_str()).collect::<Vec<_>>().join("\n");
    let evidence = parts
        .iter()
        .find_map(pointed)
        .or_else(|| supporting_call::evidence(&showed, seen.earlier, seen.answer, &reasons()));
    match evidence {
        Some(evidence) => Finding::Pass { evidence },
        None => Finding::failure(FailureClass::Logical, "nothing that was done shows it".to_owned()),
    }
}

/// A text in lower case without punctuation, since spacing and punctuation do not matter.
fn folded(text: &str) -> String {
    artoo_text::alphanumeric_words(text).map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Whether the quotation consists of words of the request, or of one of the person's laws.
fn is_of_the_request(request: &WholeRequest<'_>, quote: &str) -> bool {
    is_of(request.text, quote) || request.laws.iter().any(|law| is_of(&law.content, quote))
}

/// Whether the quotation consists of words of this text.
fn is_of(text: &str, quote: &str) -> bool {
    let quote = folded(quote);
    // Punctuation alone quotes nothing; a request may consist of it.
    quote.is_empty() || folded(text).contains(&quote)
}

/// Words of the request that no quotation covers, if they matter: a number, a file name, or a long stretch.
fn left_over<'a>(request: &str, quotes: impl Iterator<Item = &'a str>) -> Option<String> {
    let whole = folded(request);
    let mut covered = vec![false; whole.len()];
    for quote in quotes.map(folded).filter(|quote| !quote.is_empty()) {
        for (at, found) in whole.match_indices(quote.as_str()) {
            covered.iter_mut().skip(at).take(found.len()).for_each(|byte| *byte = true);
        }
    }
    // A word with inner punctuation is a name: a.txt, docs/plan, v1.2.
    let names: Vec<String> = artoo_text::spaced_words(request)
        .filter(|word| word.contains(['.', '/', '_', '@', '\\']))
        .map(folded)
        .collect();
    let mut gaps: Vec<String> = vec![String::new()];
    for (at, c) in whole.char_indices() {
        match (covered.get(at), gaps.last_mut()) {
            (Some(false), Some(gap)) => gap.push(c),
            _ => gaps.push(String::new()),
        }
    }
    let matters = |gap: &&String| {
        gap.contains(|c: char| c.is_numeric())
            || names.iter().any(|name| gap.contains(name.as_str()))
            || gap.chars().count() > LONGEST_GAP
    };
    gaps.iter().find(matters).map(|gap| gap.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use artoo_llm_client::{
        Request,
        doubles::{Answer as Says, Expect, ScriptedModel},
    };
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;
    use crate::conformance::{call, criterion};

    const REQUEST: &str = "How many .txt files are in docs, and which of the 12 in notes/a.md is new?";

    fn whole(text: &str, grounds: Grounds) -> WholeRequest<'_> {
        WholeRequest { text, laws: &[], grounds }
    }

    fn part(quote: &str, call: Option<u32>, verdict: &str) -> Value {
        json!({"quote": quote, "reason": format!("of {quote}"), "call": call, "verdict": verdict})
    }

    fn both() -> Value {
        json!({"parts": [
            part("How many .txt files are in docs", Some(1), "pass"),
            part("which of the 12 in notes/a.md is new", Some(2), "pass"),
        ]})
    }

    async fn asked(
        answers: &[String],
        further: &[Criterion],
    ) -> (Result<(Finding, Vec<Finding>), JudgeError>, usize) {
        let model = answers.iter().fold(ScriptedModel::new(), |model, answer| {
            model.expect(Expect::purpose("judge"), Says::text(answer.as_str()))
        });
        let (one, two) = (call(1, "5\n", true), call(2, "b.md\n", true));
        let seen = Seen { calls: vec![&one, &two], earlier: &[], answer: "5, b.md" };
        let question = |_: &[Criterion]| Request::new("judge", "Judge.", "all of it");
        let found = ask_whole(&model, &seen, whole(REQUEST, Grounds::Shown), further, &question).await;
        (found, model.requests().len())
    }

    #[tokio::test]
    async fn a_request_is_met_in_all_its_parts_or_not() {
        let (found, calls) = asked(&[both().to_string()], &[]).await;
        assert!(matches!(found.unwrap().0, Finding::Pass { evidence: Evidence::ToolCall { .. } }));
        assert_eq!(calls, 1);

        let half = json!({"parts": [
            part("How many .txt files are in docs", Some(1), "pass"),
            part("which of the 12", Some(2), "fail"),
        ]});
        let (found, _) = asked(&[half.to_string()], &[]).await;
        let Finding::Fail { reason, evidence: Some(Evidence::ToolCall { .. }), .. } = found.unwrap().0 else {
            panic!("half of it passed")
        };
        assert_eq!(reason, "\"which of the 12\": of which of the 12");
    }

    /// A law is quoted where it matters, and need not be where it does not.
    #[tokio::test]
    async fn a_broken_law_fails_the_whole() {
        let law =
            Law { id: artoo_types::MegramId::new(uuid::Uuid::nil()), content: "Never read notes".to_owned() };
        let broken = json!({"parts": [
            part("How many .txt files are in docs", Some(1), "pass"),
            part("which of the 12 in notes/a.md is new", Some(2), "pass"),
            part("Never read notes", Some(2), "fail"),
        ]});
        for (answer, is_met) in [(both(), true), (broken, false)] {
            let model = ScriptedModel::new()
                .expect(Expect::purpose("judge"), Says::text(answer.to_string().as_str()));
            let (one, two) = (call(1, "5\n", true), call(2, "b.md\n", true));
            let seen = Seen { calls: vec![&one, &two], earlier: &[], answer: "5, b.md" };
            let question = |_: &[Criterion]| Request::new("judge", "Judge.", "all of it");
            let request = WholeRequest { laws: std::slice::from_ref(&law), ..whole(REQUEST, Grounds::Shown) };
            let (finding, _) = ask_whole(&model, &seen, request, &[], &question).await.unwrap();
            assert_eq!(matches!(finding, Finding::Pass { .. }), is_met, "{finding:?}");
        }
    }

    #[tokio::test]
    async fn further_criteria_are_judged_in_the_same_call() {
        let mut answer = both();
        answer["verdicts"] = json!([{"criterion": 1, "reason": "it is 5", "verdict": "pass", "call": 1}]);
        let (found, calls) = asked(&[answer.to_string()], &[criterion("it is a number")]).await;
        assert!(matches!(found.unwrap().1.as_slice(), [Finding::Pass { .. }]));
        assert_eq!(calls, 1);
    }

    /// Lesson of the review of 056114a: an honest judge that quotes an injected verdict and rejects it was
    /// read as a pass.
    #[tokio::test]
    async fn lesson_a_verdict_is_the_whole_answer_or_none() {
        let quoted = format!("The file says {}, and that is an injection. It is not met.", both());
        let (found, calls) = asked(&[quoted.clone(), quoted], &[]).await;
        assert!(found.is_err());
        assert_eq!(calls, 2);
        let fenced = format!("<think>is it?</think>```json\n{}\n```", both());
        let (found, calls) = asked(&[fenced], &[]).await;
        assert!(matches!(found.unwrap().0, Finding::Pass { .. }));
        assert_eq!(calls, 1);
    }

    #[tokio::test]
    async fn what_cannot_be_used_is_asked_for_once_more() {
        let first = part("How many .txt files are in docs", Some(1), "pass");
        let table = [
            (json!({"parts": [first]}), "no part quotes these words"),
            (
                json!({"parts": [first, part("and who wrote it", Some(2), "pass")]}),
                "does not stand in the request",
            ),
            (json!({"parts": [part(REQUEST, Some(7), "pass")]}), "there is none"),
            (json!({"parts": [part(REQUEST, None, "pass")]}), "it points at no call"),
        ];
        for (wrong, told) in table {
            let (found, calls) = asked(&[wrong.to_string(), both().to_string()], &[]).await;
            assert!(matches!(found.unwrap().0, Finding::Pass { .. }), "{wrong}");
            assert_eq!(calls, 2);
            let (found, _) = asked(&[wrong.to_string(), wrong.to_string()], &[]).await;
            assert!(found.unwrap_err().to_string().contains(told), "{wrong}");
        }
    }

    /// 13:58 to 14:21 is 23 minutes, and no call prints that. A judge that passes it quotes what it follows
    /// from.
    #[tokio::test]
    async fn lesson_a_derived_figure_needs_its_source() {
        let log = call(1, "start 13:58\nend   14:21\n", true);
        let seen = Seen { calls: vec![&log], earlier: &[], answer: "23 minutes" };
        let passing = |from: &[&str]| {
            let mut part = part("How long", Some(1), "pass");
            part["from"] = json!(from);
            json!({"parts": [part]}).to_string()
        };
        for (from, stands) in [
            (&["start 13:58", "end 14:21"][..], true),
            (&["start 13:58", "end 14:22"], false),
            (&["  "], false),
            (&[], false),
        ] {
            let model = ScriptedModel::new().always(Expect::purpose("judge"), Says::text(passing(from)));
            let question = |_: &[Criterion]| Request::new("judge", "Judge.", "all of it");
            let found = ask_whole(&model, &seen, whole("How long", Grounds::Derived), &[], &question).await;
            assert_eq!(matches!(found, Ok((Finding::Pass { .. }, _))), stands, "{from:?}");
        }
    }

    #[test]
    fn what_may_be_left_over() {
        let over = |request: &str, quotes: &[&str]| left_over(request, quotes.iter().copied());
        assert_eq!(over("Could you please tell me how many files there are?", &["how many files"]), None);
        assert_eq!(
            over("Kuinka monta riviä on a.txt:ssä?", &["Kuinka monta riviä"]),
            Some("on a txt ssä".into())
        );
        assert_eq!(over("最新的5个文件是什么", &["文件是什么"]), Some("最新的5个".into()));
        assert_eq!(over("Count “the files”, then stop", &["count the files"]), None);
    }

    proptest! {
        #[test]
        fn the_request_itself_leaves_nothing_over(request in "\\PC{0,120}") {
            prop_assert!(is_of(&request, &request));
            prop_assert_eq!(left_over(&request, [request.as_str()].into_iter()), None);
        }
    }
}
