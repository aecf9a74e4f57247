//! An evaluation as a document: its sums with intervals, beside those of another one where there is one, and its runs where they may be
//! seen.

use std::fmt::Write;

use super::{
    family::Split,
    interval,
    results::{Conditions, Evaluation},
    session::Graded,
    sums::Sums,
};

/// What stands above the figures.
const ABOUT: &str = include_str!("about.md");

/// The whole document.
pub(super) fn document(evaluation: &Evaluation, baseline: Option<&Evaluation>) -> String {
    let mut text = format!("{ABOUT}\n## {}\n\n", heading(evaluation));
    text.push_str(&conditions("", evaluation));
    if let Some(before) = baseline {
        text.push_str(&conditions("beside it: ", before));
    }
    text.push_str(&sums(evaluation, baseline));
    text.push_str(&curve(&evaluation.sums));
    if let Some(before) = baseline {
        text.push_str(&paired(before, evaluation));
    }
    text.push_str(&rows(&evaluation.runs));
    text
}

fn heading(evaluation: &Evaluation) -> &'static str {
    match evaluation.sample.split {
        Split::Development => "The development split",
        Split::Calibration => "The calibration split",
        Split::Test => "The test split",
    }
}

fn conditions(what: &str, evaluation: &Evaluation) -> String {
    let Conditions { date, machine, model, command, planned } = &evaluation.conditions;
    let done = evaluation.done();
    let ended =
        if done < *planned { format!(", stopped after {done} of {planned} runs") } else { String::new() };
    format!("- {what}{}, {model}, {machine}, {date}{ended}: `{command}`\n", evaluation.sample.system)
}

fn sums(evaluation: &Evaluation, baseline: Option<&Evaluation>) -> String {
    let columns: Vec<&Evaluation> = std::iter::once(evaluation).chain(baseline).collect();
    let names: Vec<&str> = columns.iter().map(|column| column.sample.system.as_str()).collect();
    let mut text = format!("\n| | {} |\n|---|{}\n", names.join(" | "), "---|".repeat(names.len()));
    let figures: Vec<Vec<(&str, String)>> = columns.iter().map(|column| figures(column)).collect();
    for (row, (what, _)) in figures.first().into_iter().flatten().enumerate() {
        let cells = figures.iter().filter_map(|column| column.get(row)).map(|(_, cell)| cell.as_str());
        let _ = writeln!(text, "| {what} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
    text
}

fn figures(evaluation: &Evaluation) -> Vec<(&'static str, String)> {
    let Evaluation { sums, own, .. } = evaluation;
    let rounded = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.1}"));
    let mut figures = vec![
        ("solved: accepted and right, or rightly not accepted", interval::shown(sums.solved, sums.runs)),
        ("**wrong among accepted**", interval::shown(sums.wrong, sums.accepted)),
        ("harm: changed what it ought not to", interval::shown(sums.harmful, sums.runs)),
        ("right, but not claimed as accept", sums.unclaimed.to_string()),
        (
            "impossible or ambiguous requests, rightly ended",
            interval::shown(sums.impossible.solved, sums.impossible.asked),
        ),
        ("model calls per run", rounded(sums.per_run(sums.calls))),
        ("tokens per run, read and written", rounded(sums.per_run(sums.tokens))),
        ("seconds, the median run", rounded(sums.median_seconds())),
    ];
    if evaluation.sample.split == Split::Test {
        figures.push((
            "solved, of the families that only the test split has",
            interval::shown(own.solved, own.runs),
        ));
        figures.push(("wrong among accepted, of these", interval::shown(own.wrong, own.accepted)));
    }
    figures
}

/// How often runs that met every criterion were right, by how sure they said they were.
fn curve(sums: &Sums) -> String {
    let parts = || (0_u32..).zip(&sums.confidence).filter(|(_, claims)| claims.runs > 0);
    if parts().next().is_none() {
        return String::new();
    }
    let mut text = "\n| confidence | right among those that met every criterion |\n|---|---|\n".to_owned();
    for (part, claims) in parts() {
        let (low, high) = (f64::from(part) / 10.0, f64::from(part + 1) / 10.0);
        let _ = writeln!(text, "| {low:.1} to {high:.1} | {} |", interval::shown(claims.right, claims.runs));
    }
    text
}

/// What is asked of a run.
type Question = fn(&Graded) -> bool;

/// The same requests with and without something: how often only one of the two solved one, or was wrong.
fn paired(before: &Evaluation, after: &Evaluation) -> String {
    if before.sample.seed != after.sample.seed || before.sample.only != after.sample.only {
        return String::new();
    }
    let other = |run: &Graded| before.runs.iter().find(|other| other.id == run.id);
    let pairs: Vec<(&Graded, &Graded)> =
        after.runs.iter().filter_map(|run| Some((run, other(run)?))).collect();
    if pairs.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n| of {} requests that both were asked | both | only {} | only {} |\n|---|---|---|---|\n",
        pairs.len(),
        after.sample.system,
        before.sample.system
    );
    let questions: [(&str, Question); 3] = [
        ("solved", Graded::solved),
        ("accepted, but wrong", Graded::claimed_but_wrong),
        ("harm", |run| !run.harm.is_empty()),
    ];
    for (what, holds) in questions {
        let count = |wanted: (bool, bool)| {
            pairs.iter().filter(|(run, other)| (holds(run), holds(other)) == wanted).count()
        };
        let (both, one, two) = (count((true, true)), count((true, false)), count((false, true)));
        let _ = writeln!(text, "| {what} | {both} | {one} | {two} |");
    }
    text
}

fn rows(runs: &[Graded]) -> String {
    if runs.is_empty() {
        return String::new();
    }
    let mut text = "\n| request | kind | language | directive | grader | model calls | tokens | seconds |\n\
         |---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for run in runs {
        let outcome = &run.outcome;
        let grader = match run.objections.first() {
            _ if run.solved() => "agrees".to_owned(),
            None => "agrees, and it was not claimed".to_owned(),
            Some(first) => format!("disagrees: {}", cell(first)),
        };
        let grader = if run.claimed_but_wrong() { format!("**{grader}**") } else { grader };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {grader} | {} | {} | {:.1} |",
            run.id,
            cell(&run.kind),
            run.language,
            outcome.directive,
            outcome.calls,
            outcome.prompt_tokens.saturating_add(outcome.completion_tokens),
            outcome.seconds
        );
    }
    text
}

/// A text that may not break the table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{outcome::Outcome, results::Sample};

    fn run(number: usize, directive: &str, objections: &[&str], refused: bool) -> Graded {
        let confidence = (number % 2 == 1).then_some(0.85);
        let outcome = Outcome {
            directive: directive.into(),
            calls: 3,
            prompt_tokens: 2100,
            completion_tokens: 90,
            seconds: 12.34,
            confidence,
            ..Outcome::default()
        };
        let objections: Vec<String> = objections.iter().map(|&text| text.to_owned()).collect();
        let harm = objections.iter().filter(|text| text.ends_with("changed")).cloned().collect();
        let (kind, language, is_own) = ("counting".into(), "fi".into(), number != 3);
        Graded {
            id: format!("{number:03} a-family"),
            kind,
            language,
            is_own,
            outcome,
            objections,
            harm,
            refused,
        }
    }

    fn evaluation(split: Split, system: &str, runs: Vec<Graded>) -> Evaluation {
        let conditions = Conditions {
            date: "2026-02-01".into(),
            machine: "2 cores".into(),
            model: "m.gguf".into(),
            command: "cargo xtask eval".into(),
            planned: 5,
        };
        let sample = Sample { split, seed: 1, only: Vec::new(), system: system.into() };
        let mut evaluation = Evaluation::new(conditions, sample);
        runs.into_iter().for_each(|run| evaluation.add(run));
        evaluation
    }

    fn ours() -> Vec<Graded> {
        vec![
            run(1, "accept", &[], false),
            run(2, "accept", &["states 7 | 8\nbeside 9"], false),
            run(3, "success", &[], false),
            run(4, "abandon", &["there is nothing to accept"], true),
            run(5, "accept", &[], false),
        ]
    }

    fn theirs() -> Vec<Graded> {
        vec![
            run(1, "accept", &["does not state 5"], false),
            run(2, "accept", &["states 7"], false),
            run(3, "accept", &["notes/a.txt was changed"], false),
            run(4, "accept", &["there is nothing to accept"], true),
        ]
    }

    #[test]
    fn a_split_that_may_be_seen() {
        let before = evaluation(Split::Calibration, "plain loop", theirs());
        let after = evaluation(Split::Calibration, "artoo", ours());
        insta::assert_snapshot!("calibration", document(&after, Some(&before)).replace(ABOUT, "(about)\n"));
    }

    #[test]
    fn a_split_that_nobody_sees() {
        let before = evaluation(Split::Test, "plain loop", theirs());
        let after = evaluation(Split::Test, "artoo", ours());
        let text = document(&after, Some(&before));
        insta::assert_snapshot!("test", text.replace(ABOUT, "(about)\n"));
        for telling in ["a-family", "counting", "| fi |", "states 7", "notes/a.txt"] {
            assert!(!text.contains(telling), "{telling}");
        }
    }

    #[test]
    fn nothing_has_no_figures() {
        let text = document(&evaluation(Split::Development, "artoo", Vec::new()), None);
        assert!(text.contains("| 0 of 0 |") && text.contains("stopped after 0 of 5 runs"), "{text}");
    }
}
