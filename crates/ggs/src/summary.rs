//! The words of a result. They are composed by code, so that no model can make an ending sound better than it
//! was.

use artoo_ggs_core::Rule;
use artoo_types::{OutcomeStatus, PartialOutput, TerminalState, UnmetCriterion};

use crate::Conclusion;

/// The text for the person. `words` is the meta-validator's summary, `story` the planner's report, where
/// there is one.
pub(crate) fn summary(
    conclusion: &Conclusion,
    partial: &[PartialOutput],
    words: &str,
    story: Option<&str>,
) -> String {
    match conclusion.directive {
        TerminalState::Accept => accepted(conclusion, words),
        TerminalState::Success => nearly(conclusion, partial),
        TerminalState::Abandon => {
            let told = story.map(str::trim).filter(|story| !story.is_empty());
            let story = told.map_or_else(|| template(conclusion, partial), str::to_owned);
            let reason = if story.contains(&conclusion.reason) { "" } else { &conclusion.reason };
            join(["Not finished.", reason, &story])
        }
    }
}

fn accepted(conclusion: &Conclusion, words: &str) -> String {
    let words = if words.trim().is_empty() { "Done." } else { words.trim() };
    let unchecked = if conclusion.judged { "" } else { "No criterion was set, so nothing was checked." };
    join([words, unchecked])
}

fn nearly(conclusion: &Conclusion, partial: &[PartialOutput]) -> String {
    let marked = if has_failed(partial) { "Outputs that failed their checks are marked." } else { "" };
    join(["Mostly done, not completely.", &missing(&conclusion.unmet), marked])
}

/// What was done, what is missing, what to do next: the planner's report, where the planner cannot write it.
fn template(conclusion: &Conclusion, partial: &[PartialOutput]) -> String {
    let matched: Vec<_> = partial
        .iter()
        .filter(|output| output.status == OutcomeStatus::Matched)
        .map(|output| output.intent.trim())
        .collect();
    let done = if matched.is_empty() { String::new() } else { format!("Done: {}.", matched.join("; ")) };
    let marked = if has_failed(partial) {
        "Some outputs failed their checks; they are handed over, marked."
    } else {
        ""
    };
    join([&done, &missing(&conclusion.unmet), marked, &next(conclusion)])
}

fn missing(unmet: &[UnmetCriterion]) -> String {
    let named: Vec<_> = unmet
        .iter()
        .map(|unmet| match unmet.reason.trim() {
            "" => unmet.criterion.trim().to_owned(),
            reason => format!("{} ({})", unmet.criterion.trim(), reason.trim_end_matches('.')),
        })
        .collect();
    if named.is_empty() { String::new() } else { format!("Not met: {}.", named.join("; ")) }
}

fn next(conclusion: &Conclusion) -> String {
    if let Some(next) = &conclusion.next {
        return format!("Next: {}", next.trim());
    }
    let Some(rule) = conclusion.rule else { return String::new() };
    let advice = match rule {
        Rule::BudgetSpent | Rule::NoReplansLeft => "allow more time or replans, or ask for a smaller step",
        Rule::OnlyDenied => "allow the action, or ask for something that does not need it",
        Rule::KeepsWorsening | Rule::NoMeansLeft => "ask for a smaller step, or say which way to go",
        Rule::FileMissing => "check the name, or say where the file is",
        // These end no run in failure, or end none at all.
        Rule::EveryCriterionMet | Rule::CloseEnough | Rule::ActionGrid => return String::new(),
    };
    format!("Next: {advice}.")
}

fn has_failed(partial: &[PartialOutput]) -> bool {
    partial.iter().any(|output| output.status != OutcomeStatus::Matched)
}

fn join<'a>(sentences: impl IntoIterator<Item = &'a str>) -> String {
    sentences.into_iter().filter(|sentence| !sentence.is_empty()).collect::<Vec<_>>().join(" ")
}
