//! The result of the suite as a document: of one evaluation, or of two beside each other.

mod compared;

use std::fmt::Write;

use super::{
    outcome::{DecidedBy, Judged},
    results::{Conditions, Evaluation},
    session::Graded,
    sums::Sums,
};

/// The tables with their sums.
pub(super) fn document(evaluation: &Evaluation, baseline: Option<&Evaluation>) -> String {
    let Conditions { date, machine, model, command, planned } = &evaluation.conditions;
    let total = evaluation.runs.len();
    let ended =
        if total < *planned { format!("\n- stopped after {total} of {planned} runs") } else { String::new() };
    let mut text = format!(
        "# The development suite\n\n\
         Written by `{command}`; do not edit. Each request of `fixtures/tasks` runs over a fresh copy of its home. Graders in code\n\
         compute the truth from the files and compare it with what the run delivered. *Decided by* says who judged the criteria that\n\
         the end of a run rests on: checks in code (how many), or a model (how many of how many).\n\n\
         - date: {date}\n- machine: {machine}\n- model: {model}{ended}\n"
    );
    match baseline {
        Some(before) => text.push_str(&compared::tables(before, evaluation)),
        None => text.push_str(&tables(evaluation)),
    }
    text
}

/// The tables of one evaluation.
fn tables(evaluation: &Evaluation) -> String {
    let mut text = "\n| sum | runs |\n|---|---|\n".to_owned();
    for row in rows(&Sums::of(&evaluation.runs)) {
        let _ = writeln!(text, "| {} | {} |", row.what, row.cell);
    }
    text.push_str(
        "\n| request | kind | directive | grader | decided by | model calls | tokens read | tokens written | seconds |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for run in &evaluation.runs {
        let outcome = &run.outcome;
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {:.1} |",
            run.id,
            cell(&run.kind),
            outcome.directive,
            grader(run),
            decided_by(outcome.judged),
            outcome.calls,
            outcome.prompt_tokens,
            outcome.completion_tokens,
            outcome.seconds
        );
    }
    text
}

/// A row of the sums.
struct SumRow {
    what: &'static str,
    cell: String,
    /// The figure, where two of them make a ratio.
    figure: Option<f64>,
}

fn rows(sums: &Sums) -> Vec<SumRow> {
    let row = |what, cell: String| SumRow { what, cell, figure: None };
    let claims = |claims: super::sums::Claims| format!("{} of {} accepted", claims.wrong, claims.accepted);
    let mean = |what, value: Option<f64>| SumRow { what, cell: figure(value), figure: value };
    let (cost, spent) = (sums.per_solved(), sums.spent_per_solved());
    // Where nothing was derived twice there is nothing to compare.
    let alone = if sums.alone.accepted == 0 { "-".to_owned() } else { claims(sums.alone) };
    vec![
        row(
            "solved: accepted and right, or rightly not accepted",
            format!("{} of {}", sums.solved, sums.runs),
        ),
        row("**claimed as accept but wrong**", format!("**{}**", sums.wrong())),
        row("wrong where checks in code decided every criterion", claims(sums.checked)),
        row("wrong where a model judged a criterion", claims(sums.judged)),
        row("wrong where there was no criterion", claims(sums.unjudged)),
        row("would be wrong, had the first of two derivations been enough", alone),
        row("right, but not claimed as accept", sums.unclaimed.to_string()),
        mean("model calls per solved request", cost.map(|cost| cost.calls)),
        mean("tokens per solved request, read and written", cost.map(|cost| cost.tokens)),
        mean("model calls of all requests, for each that was solved", spent.map(|cost| cost.calls)),
        mean("tokens of all requests, for each that was solved", spent.map(|cost| cost.tokens)),
    ]
}

fn grader(run: &Graded) -> String {
    match (run.impossible, run.objections.first()) {
        (true, _) if run.solved() => "agrees: nothing to accept".to_owned(),
        (false, None) => "agrees".to_owned(),
        (_, Some(first)) => format!("disagrees: {}", cell(first)),
        (true, None) => "disagrees".to_owned(),
    }
}

fn decided_by(judged: Judged) -> String {
    let Judged { by_code, by_model } = judged;
    match judged.decided_by() {
        DecidedBy::Checks => format!("checks ({by_code})"),
        DecidedBy::Model => format!("model ({by_model} of {})", by_code.saturating_add(by_model)),
        DecidedBy::Nobody => "nobody".to_owned(),
    }
}

/// A mean with as many digits as matter; a dash where there is none.
fn figure(value: Option<f64>) -> String {
    match value {
        Some(value) if value >= 100.0 => format!("{value:.0}"),
        Some(value) => format!("{value:.1}"),
        None => "-".to_owned(),
    }
}

/// A text that may not break the table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests;
