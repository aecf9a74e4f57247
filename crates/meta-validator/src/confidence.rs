//! Confidence in a result that every judge passed, from its supporting evidence and the judge's own
//! certainty.

use std::sync::{Arc, Mutex, PoisonError};

use artoo_llm_client::{Calibration, CallEnd, LlmClient, Metered};
use artoo_types::{Confidence, Criterion, Samples, SubTaskOutcome, ToolCall, UnitInterval};

/// The field of a judge's answer that contains the decision.
const VERDICT: &str = "verdict";

/// The kind of support for a result, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Support {
    /// It was derived in one way only.
    Alone,
    /// It was observed to be made or changed.
    Changed,
    /// It was made or changed as the plan specified in advance, and code checked it.
    Checked,
    /// It was derived in two ways that do the same, it depends on its subject, and fewer others that worked came to
    /// something else.
    Agreed,
    /// And these ways are written in two languages.
    Across,
}

/// Confidence in results that all passed: that of the weakest one. `judged` is the judge's certainty, if known.
pub(crate) fn confidence(
    outcomes: &[SubTaskOutcome],
    calibration: Calibration,
    judged: Option<UnitInterval>,
) -> Confidence {
    let share = |support| match support {
        Support::Alone => calibration.alone,
        Support::Changed => calibration.changed,
        Support::Checked => calibration.checked,
        Support::Agreed => calibration.agreed,
        Support::Across => calibration.across,
    };
    let least = outcomes
        .iter()
        .map(|outcome| (share(support(outcome)).get(), outcome))
        .min_by(|(one, _), (other, _)| one.total_cmp(other));
    let (found, why) = least.map_or((0.0, String::new()), |(share, outcome)| (share, why(outcome)));
    let sure = judged.unwrap_or(UnitInterval::ONE).get();
    let doubted =
        if sure < 0.9 { format!(", and the judge was sure of it by {sure:.2}") } else { String::new() };
    Confidence {
        value: UnitInterval::clamped(found * sure),
        least: calibration.least,
        why: format!("{why}{doubted}"),
        is_measured: calibration.is_measured,
    }
}

fn support(outcome: &SubTaskOutcome) -> Support {
    // What a server of tools did elsewhere was neither tried nor seen, so nothing else that was bears it out.
    if acted_elsewhere(outcome) {
        return Support::Alone;
    }
    let is_borne_out =
        |samples: &Samples| is_twofold(*samples) && samples.is_majority() && samples.against < samples.agreed;
    if let Some(samples) = outcome.samples.filter(is_borne_out) {
        return if samples.languages >= 2 { Support::Across } else { Support::Agreed };
    }
    if !outcome.is_about_a_deed() {
        return Support::Alone;
    }
    if outcome.criteria.iter().any(Criterion::is_about_a_deed) { Support::Checked } else { Support::Changed }
}

fn acted_elsewhere(outcome: &SubTaskOutcome) -> bool {
    let is_elsewhere = |call: &ToolCall| call.untried.as_ref().is_some_and(|untried| untried.elsewhere);
    outcome.is_about_a_deed() && outcome.tool_calls.iter().any(|call| call.succeeded() && is_elsewhere(call))
}

fn is_twofold(samples: Samples) -> bool {
    samples.ways >= 2 && samples.depends != Some(false)
}

fn why(outcome: &SubTaskOutcome) -> String {
    let intent = outcome.intent.trim();
    if acted_elsewhere(outcome) {
        return format!("it was done elsewhere, where it was neither tried nor seen: {intent}");
    }
    match (support(outcome), outcome.samples) {
        (Support::Changed, _) => format!("what was changed was seen, and judged by a model alone: {intent}"),
        (Support::Checked, _) => format!("what was changed is as the plan said before: {intent}"),
        (Support::Agreed, _) => format!("it was found out by commands of one language alone: {intent}"),
        (Support::Across, _) => format!("it was found out in two ways: {intent}"),
        (Support::Alone, Some(samples)) if is_twofold(samples) && samples.is_majority() => {
            format!("as many other ways of finding it out came to something else: {intent}")
        }
        (Support::Alone, Some(samples)) if is_twofold(samples) => {
            format!("too few ways of finding it out agreed: {intent}")
        }
        (Support::Alone, Some(samples)) if samples.asked > 1 => {
            format!("no second way of finding it out agreed: {intent}")
        }
        (Support::Alone, _) => format!("it was found out in one way alone: {intent}"),
    }
}

/// A judge's certainty of its verdicts: the lowest one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sureness(Arc<Mutex<Option<u16>>>);

impl Sureness {
    /// Wraps the model to observe the certainty of its verdicts.
    pub(crate) fn of(&self, model: &Arc<dyn LlmClient>) -> Arc<dyn LlmClient> {
        let least = Arc::clone(&self.0);
        Arc::new(Metered::new(Arc::clone(model), move |_, end| {
            let CallEnd::Answered(completion) = end else { return };
            let verdicts = completion.choices.iter().filter(|choice| choice.field == VERDICT);
            let mut least = least.lock().unwrap_or_else(PoisonError::into_inner);
            *least = verdicts.map(|choice| choice.permille).chain(*least).min();
        }))
    }

    /// The lowest certainty, once the judge is done and if its model reports it.
    pub(crate) fn least(&self) -> Option<UnitInterval> {
        let least = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        least.map(|permille| UnitInterval::clamped(f64::from(permille) / 1000.0))
    }
}

#[cfg(test)]
mod tests {
    use artoo_llm_client::{
        ModelProfile, Request,
        doubles::{Answer, Expect, ScriptedModel},
    };
    use artoo_types::{CallEnding, CallId, Check, StepKind, ToolName, Untried};
    use proptest::prelude::*;

    use super::*;
    use crate::conformance::outcome;

    fn calibration() -> Calibration {
        let share = |value: f64| UnitInterval::new(value).unwrap();
        Calibration {
            alone: share(0.25),
            agreed: share(0.5),
            across: share(0.75),
            changed: share(0.4375),
            checked: share(0.625),
            least: share(0.6),
            is_measured: true,
        }
    }

    fn found(samples: Option<Samples>) -> SubTaskOutcome {
        SubTaskOutcome { samples, ..outcome(1, "Count the files", "3") }
    }

    fn samples(agreed: u32, ways: u32, depends: Option<bool>) -> Option<Samples> {
        Some(Samples { asked: 3, agreed, ways, languages: ways, depends, against: 0 })
    }

    #[test]
    fn different_commands_bear_an_answer_out_and_one_said_twice_does_not() {
        let value = |samples| confidence(&[found(samples)], calibration(), None).value.get();
        assert_eq!(value(samples(2, 2, Some(true))), 0.75);
        assert_eq!(value(samples(2, 2, None)), 0.75);
        for alone in [None, samples(1, 1, Some(true)), samples(2, 1, Some(true)), samples(2, 2, Some(false))]
        {
            assert_eq!(value(alone), 0.25, "{alone:?}");
        }
    }

    /// Programs that agree against a shell command were wrong with the embedded model far more often than two
    /// languages that agree.
    #[test]
    fn two_languages_tell_more_than_one() {
        let said = |agreed, languages| {
            let samples =
                Samples { asked: 5, agreed, ways: agreed, languages, depends: Some(true), against: 0 };
            let confidence = confidence(&[found(Some(samples))], calibration(), None);
            (confidence.value.get(), confidence.confirms(), confidence.why)
        };
        let too_few = "too few ways of finding it out agreed: Count the files";
        assert_eq!(said(2, 2), (0.25, false, too_few.to_owned()));
        let alone = "it was found out by commands of one language alone: Count the files";
        assert_eq!(said(3, 1), (0.5, false, alone.to_owned()));
        let two = "it was found out in two ways: Count the files";
        assert_eq!(said(3, 2), (0.75, true, two.to_owned()));
    }

    /// What a small model says once is often chance: two of four that agree are contradicted by the other two, and two of
    /// three are not.
    #[test]
    fn what_as_many_contradict_is_not_borne_out() {
        let contradicted = |against| samples(2, 2, Some(true)).map(|samples| Samples { against, ..samples });
        let confidence = |against| confidence(&[found(contradicted(against))], calibration(), None);
        assert_eq!(confidence(1).value.get(), 0.75);
        assert_eq!(
            (confidence(2).value.get(), confidence(2).why.as_str()),
            (0.25, "as many other ways of finding it out came to something else: Count the files")
        );
    }

    #[test]
    fn a_result_is_as_sure_as_its_least_part() {
        let agreed = found(samples(2, 2, Some(true)));
        let deed = SubTaskOutcome { kind: StepKind::Create, ..found(None) };
        let all = [agreed.clone(), deed];
        let both = confidence(&all, calibration(), None);
        assert_eq!(both.value.get(), 0.4375);
        assert!(!both.confirms() && both.why.contains("Count the files"), "{both:?}");
        let unsure = confidence(&[agreed], calibration(), UnitInterval::new(0.5));
        assert_eq!(unsure.value.get(), 0.375);
        assert!(unsure.why.ends_with("and the judge was sure of it by 0.50"), "{unsure:?}");
        assert!(!confidence(&[], calibration(), None).confirms());
    }

    #[test]
    fn a_deed_that_code_checked_is_surer_than_one_that_a_model_judged() {
        let check = Check::FileAbsent { path: "old.txt".into() };
        let gone = Criterion::checked("It is gone", check);
        let judged = SubTaskOutcome { kind: StepKind::Change, ..found(None) };
        let checked = SubTaskOutcome { criteria: vec![gone], ..judged.clone() };
        let value = |outcome| confidence(&[outcome], calibration(), None).value.get();
        assert_eq!((value(judged), value(checked)), (0.4375, 0.625));
    }

    /// A trial, or another way that came to the same, says nothing of what a server did on another machine.
    #[test]
    fn a_deed_elsewhere_is_borne_out_by_nothing() {
        let ending = CallEnding::Returned;
        let call = ToolCall::new(
            CallId::new(uuid::Uuid::nil()),
            ToolName::new("mail__send"),
            Default::default(),
            ending,
            Default::default(),
        );
        let elsewhere =
            ToolCall { untried: Some(Untried { elsewhere: true, ..Untried::default() }), ..call.clone() };
        let here = ToolCall {
            untried: Some(Untried { folders: vec!["/home/ada".into()], elsewhere: false }),
            ..call
        };
        let check = Check::FileAbsent { path: "old.txt".into() };
        let of = |call: ToolCall| SubTaskOutcome {
            kind: StepKind::Change,
            criteria: vec![Criterion::checked("It is gone", check.clone())],
            tool_calls: vec![call],
            ..found(samples(2, 2, Some(true)))
        };
        let sent = confidence(&[of(elsewhere)], calibration(), None);
        assert_eq!((sent.value.get(), sent.confirms()), (0.25, false));
        assert_eq!(sent.why, "it was done elsewhere, where it was neither tried nor seen: Count the files");
        assert_eq!(confidence(&[of(here)], calibration(), None).value.get(), 0.75);
    }

    #[test]
    fn what_nobody_measured_is_as_the_judge_says() {
        let capable = ModelProfile::default().calibration();
        let confidence = confidence(&[found(None)], capable, None);
        assert!(confidence.confirms() && !confidence.is_measured);
    }

    #[tokio::test]
    async fn the_least_sure_verdict_counts() {
        let answer = |permille| Answer::text("{}").sure("class", 10).sure("verdict", permille);
        let model =
            ScriptedModel::new().expect(Expect::any(), answer(900)).expect(Expect::any(), answer(700));
        let sureness = Sureness::default();
        let model = sureness.of(&(Arc::new(model) as Arc<dyn LlmClient>));
        assert_eq!(sureness.least(), None);
        for _ in 0..2 {
            model.complete(&Request::new("judge", "Judge.", "it")).await.unwrap();
        }
        assert_eq!(sureness.least().map(UnitInterval::get), Some(0.7));
    }

    proptest! {
        #[test]
        fn more_parts_and_more_doubt_never_make_it_surer(
            all in prop::collection::vec(prop_oneof![Just(samples(2, 2, None)), Just(None)], 1..5),
            sure in 0.0..=1.0_f64,
        ) {
            let outcomes: Vec<_> = all.into_iter().map(found).collect();
            let value = |outcomes: &[SubTaskOutcome], sure| {
                confidence(outcomes, calibration(), UnitInterval::new(sure)).value
            };
            prop_assert!(value(&outcomes, sure) <= value(&outcomes[..1], sure));
            prop_assert!(value(&outcomes, sure) <= value(&outcomes, 1.0));
        }
    }
}
