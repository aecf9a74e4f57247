//! Two evaluations beside each other. Sums are compared over the requests that both have; a sum over other requests is no comparison.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use super::{SumRow, cell, decided_by, figure, grader, rows};
use crate::eval::{
    results::{Conditions, Evaluation},
    session::Graded,
    sums::{Cost, Sums, solved_both_times},
};

/// The tables of two evaluations.
pub(super) fn tables(before: &Evaluation, after: &Evaluation) -> String {
    let both: BTreeSet<&str> = ids(before).intersection(&ids(after)).copied().collect();
    let everything = ids(after).len() == both.len() && ids(before).len() == both.len();
    let mut text = baseline(&before.conditions, before.runs.len());
    if everything {
        text.push_str("\n| sum | before | after | ratio |\n|---|---|---|---|\n");
    } else {
        let _ = write!(
            text,
            "- {} of {} requests are in both; *before* and *after* are of these, *all after* is of every run of this evaluation\n\
             \n| sum | before | after | ratio | all after |\n|---|---|---|---|---|\n",
            both.len(),
            ids(before).union(&ids(after)).count()
        );
    }
    let sums = |runs: &[Graded]| Sums::of(runs.iter().filter(|run| both.contains(run.id.as_str())));
    let columns = rows(&sums(&before.runs)).into_iter().zip(rows(&sums(&after.runs)));
    for ((before, now), all) in columns.zip(rows(&Sums::of(&after.runs))) {
        let all = if everything { String::new() } else { format!(" {} |", all.cell) };
        let ratio = ratio(before.figure, now.figure);
        let SumRow { what, cell, .. } = now;
        let _ = writeln!(text, "| {what} | {} | {cell} | {ratio} |{all}", before.cell);
    }
    if let Some((was, is, count)) = solved_both_times(&before.runs, &after.runs) {
        for (what, was, is) in [("model calls", was.calls, is.calls), ("tokens", was.tokens, is.tokens)] {
            let (was, is) = (Some(was), Some(is));
            let all = if everything { "" } else { " |" };
            let ratio = ratio(was, is);
            let (was, is) = (figure(was), figure(is));
            let _ = writeln!(
                text,
                "| {what} per request, of the {count} that were solved both times | {was} | {is} | {ratio} |{all}"
            );
        }
    }
    text.push_str(
        "\n| request | kind | before | after | decided by | model calls | tokens | seconds |\n|---|---|---|---|---|---|---|---|\n",
    );
    for (was, is) in pairs(&before.runs, &after.runs) {
        text.push_str(&row(was, is));
    }
    text
}

fn baseline(conditions: &Conditions, runs: usize) -> String {
    let Conditions { date, machine, model, command, planned } = conditions;
    let mut text = format!("- before: {date}, {machine}, {model}, `{command}`");
    if runs < *planned {
        let _ = write!(text, ", stopped after {runs} of {planned} runs");
    }
    text.push('\n');
    text
}

fn ids(evaluation: &Evaluation) -> BTreeSet<&str> {
    evaluation.runs.iter().map(|run| run.id.as_str()).collect()
}

/// The runs of each request side by side: the first before with the first after, and so on.
fn pairs<'a>(before: &'a [Graded], after: &'a [Graded]) -> Vec<(Option<&'a Graded>, Option<&'a Graded>)> {
    let mut requests: BTreeMap<&str, (Vec<&Graded>, Vec<&Graded>)> = BTreeMap::new();
    for run in before {
        requests.entry(&run.id).or_default().0.push(run);
    }
    for run in after {
        requests.entry(&run.id).or_default().1.push(run);
    }
    let side_by_side = |(before, after): (Vec<&'a Graded>, Vec<&'a Graded>)| {
        let count = before.len().max(after.len());
        (0..count).map(move |at| (before.get(at).copied(), after.get(at).copied()))
    };
    requests.into_values().flat_map(side_by_side).collect()
}

fn row(was: Option<&Graded>, is: Option<&Graded>) -> String {
    let Some(named) = is.or(was) else { return String::new() };
    let both = |show: &dyn Fn(&Graded) -> String| {
        let [was, is] = [was, is].map(|run| run.map_or_else(|| "-".to_owned(), show));
        if was == is { is } else { format!("{was} → {is}") }
    };
    let result = |run: Option<&Graded>| match run {
        None => "not run".to_owned(),
        Some(run) => {
            let text = format!("{}, {}", run.outcome.directive, grader(run));
            if run.claimed_but_wrong() { format!("**{text}**") } else { text }
        }
    };
    format!(
        "| {} | {} | {} | {} | {} | {} | {} | {} |\n",
        named.id,
        cell(&named.kind),
        result(was),
        result(is),
        both(&|run| decided_by(run.outcome.judged)),
        both(&|run| run.outcome.calls.to_string()),
        both(&|run| Cost::of(run).tokens.to_string()),
        both(&|run| format!("{:.1}", run.outcome.seconds))
    )
}

fn ratio(before: Option<f64>, after: Option<f64>) -> String {
    match (before, after) {
        (Some(before), Some(after)) if before > 0.0 => format!("{:.2}", after / before),
        _ => String::new(),
    }
}
