//! Composes the text of a result by code, so that no model can make an ending sound better than it was.

use artoo_ggs_core::Rule;
use artoo_types::{Confidence, OutcomeStatus, PartialOutput, TerminalState, UnitInterval, UnmetCriterion};

use crate::{Conclusion, text_builder::Telling};

/// What the text tells besides the conclusion.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Remarks<'a> {
    /// The meta-validator's summary.
    pub(crate) words: &'a str,
    /// The planner's proposal of what the person could do next.
    pub(crate) advice: Option<&'a str>,
    /// Why calls were never allowed.
    pub(crate) never_allowed: &'a [String],
}

/// The text for the person.
pub(crate) fn summary(conclusion: &Conclusion, partial: &[PartialOutput], remarks: Remarks<'_>) -> String {
    if let Some(confidence) = conclusion.unconfirmed() {
        return plausible(confidence);
    }
    if conclusion.is_unjudged() {
        return unjudged(conclusion, partial);
    }
    match conclusion.directive {
        TerminalState::Accept => accepted(conclusion, remarks.words),
        TerminalState::Success => {
            fell_short("Not complete", conclusion, partial, Remarks { advice: None, ..remarks })
        }
        TerminalState::Abandon => fell_short("Not finished", conclusion, partial, remarks),
    }
}

fn accepted(conclusion: &Conclusion, words: &str) -> String {
    let words = if words.trim().is_empty() { "Done." } else { words.trim() };
    let unchecked = if conclusion.judged { "" } else { " No criterion was set, so nothing was checked." };
    format!("{words}{unchecked}")
}

/// The result meets everything, and may still be wrong.
fn plausible(confidence: &Confidence) -> String {
    let mut telling = Telling::default();
    let percent = |share: UnitInterval| format!("{:.0} %", share.get() * 100.0);
    telling.open("Plausible, not confirmed", &confidence.why);
    telling.say(&format!(
        "Of results like this one {} were right; {} would be enough to accept it.",
        percent(confidence.value),
        percent(confidence.least)
    ));
    telling.list("Next", [("check it yourself, or ask a more capable model", "")]);
    telling.text()
}

/// Everything was done, and nobody has looked at the whole.
fn unjudged(conclusion: &Conclusion, partial: &[PartialOutput]) -> String {
    let mut telling = Telling::default();
    telling.open("Done, not checked", &conclusion.reason);
    let done = partial.iter().filter(|output| output.status == OutcomeStatus::Unjudged);
    telling.list("Done", done.map(|output| (output.intent.as_str(), "")));
    telling.list("Next", [(conclusion.next.as_deref().unwrap_or_default(), "")]);
    telling.text()
}

/// What is wrong, in the first line; then why the run did not continue, what was done, what is missing, and
/// what to do next.
fn fell_short(
    opening: &str,
    conclusion: &Conclusion,
    partial: &[PartialOutput],
    remarks: Remarks<'_>,
) -> String {
    let mut telling = Telling::default();
    telling.open(opening, &wrong(conclusion));
    telling.say(why(conclusion));
    telling.list("Done", done(partial).iter().map(|intent| (intent.as_str(), "")));
    telling.list(
        "Missing",
        conclusion.unmet.iter().map(|unmet| (unmet.criterion.as_str(), unmet.reason.as_str())),
    );
    // Where a refusal ended it, what was never allowed did not.
    let never_allowed = if conclusion.rule == Some(Rule::OnlyDenied) { &[] } else { remarks.never_allowed };
    telling.list("Never allowed, whoever agrees", never_allowed.iter().map(|reason| (reason.as_str(), "")));
    let has = |status| partial.iter().any(|output| output.status == status);
    if has(OutcomeStatus::Failed) {
        telling.say("Outputs that failed their checks are handed over, marked.");
    }
    if has(OutcomeStatus::Unjudged) {
        telling.say("An output that no judge has looked at is handed over, marked.");
    }
    let next =
        conclusion.next.as_deref().or(remarks.advice.map(str::trim).filter(|advice| !advice.is_empty()));
    telling.list("Next", [(next.unwrap_or(usual_advice(conclusion)), "")]);
    telling.text()
}

/// What was done; several steps by their number, under which their outputs are delivered.
fn done(partial: &[PartialOutput]) -> Vec<String> {
    let matched = (1..).zip(partial).filter(|(_, output)| output.status == OutcomeStatus::Matched);
    let told = |(number, output): (usize, &PartialOutput)| match partial {
        [_] => output.intent.clone(),
        _ => format!("step {number}: {}", output.intent),
    };
    matched.map(told).collect()
}

/// The one thing that is wrong: what the run was given up for, the fault, the missing file, or the finding on
/// the criterion with the greatest weight.
fn wrong(conclusion: &Conclusion) -> String {
    let decisive = || {
        let weighs_most = |unmet: &&UnmetCriterion| Some(&unmet.criterion) == conclusion.decisive.as_ref();
        let unmet = conclusion.unmet.iter().find(weighs_most).or(conclusion.unmet.first())?;
        Some(match unmet.reason.trim() {
            "" => format!("this is not met: {}", unmet.criterion.trim()),
            reason => reason.to_owned(),
        })
    };
    match conclusion.rule {
        None | Some(Rule::GaveUp | Rule::FileMissing) => conclusion.reason.clone(),
        Some(
            Rule::EveryCriterionMet
            | Rule::CloseEnough
            | Rule::BudgetSpent
            | Rule::OnlyDenied
            | Rule::KeepsWorsening
            | Rule::NoReplansLeft
            | Rule::NoMeansLeft
            | Rule::ActionGrid,
        ) => decisive().unwrap_or_else(|| conclusion.reason.clone()),
    }
}

/// Why another plan was not tried.
fn why(conclusion: &Conclusion) -> &'static str {
    match conclusion.rule {
        Some(Rule::BudgetSpent) => "The time and the replans allowed are nearly used up.",
        Some(Rule::NoReplansLeft) => "The replans allowed are used.",
        Some(Rule::OnlyDenied) => {
            "It needs an action that was not allowed, and a refusal is not worked around."
        }
        Some(Rule::KeepsWorsening) => "Each of the last plans made the result worse.",
        Some(Rule::NoMeansLeft) => "Every way that is left was tried, and none brought an answer.",
        Some(Rule::CloseEnough) => "So little is missing that another try is not worth its cost.",
        // These are self-explanatory, or do not end a run short.
        None | Some(Rule::GaveUp | Rule::FileMissing | Rule::EveryCriterionMet | Rule::ActionGrid) => "",
    }
}

fn usual_advice(conclusion: &Conclusion) -> &'static str {
    match conclusion.rule {
        Some(Rule::BudgetSpent | Rule::NoReplansLeft) => {
            "allow more time or replans, or ask for a smaller step"
        }
        Some(Rule::OnlyDenied) => "consent to it, or ask for something that does not need it",
        Some(Rule::KeepsWorsening | Rule::NoMeansLeft) => "ask for a smaller step, or say which way to go",
        Some(Rule::FileMissing) => "check the name, or say where the file is",
        // These do not end a run in failure, or do not end it at all.
        None | Some(Rule::EveryCriterionMet | Rule::CloseEnough | Rule::GaveUp | Rule::ActionGrid) => "",
    }
}
