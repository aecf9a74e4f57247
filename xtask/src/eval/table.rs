//! The result of the suite as a document.

use std::fmt::Write;

use super::session::Graded;

/// Under what conditions the suite ran.
#[derive(Clone, Debug)]
pub(super) struct Conditions {
    /// The day.
    pub date: String,
    /// The processor and its cores.
    pub machine: String,
    /// The model.
    pub model: String,
    /// The command that ran it.
    pub command: String,
    /// How many runs there are to be.
    pub planned: usize,
}

/// The table with its sums.
pub(super) fn document(conditions: &Conditions, runs: &[Graded]) -> String {
    let Conditions { date, machine, model, command, planned } = conditions;
    let solved = runs.iter().filter(|run| run.solved()).count();
    let wrong = runs.iter().filter(|run| run.claimed_but_wrong()).count();
    let unclaimed = runs
        .iter()
        .filter(|run| !run.impossible && !run.outcome.accepted() && run.objections.is_empty())
        .count();
    let total = runs.len();
    let ended =
        if total < *planned { format!("\n- stopped after {total} of {planned} runs") } else { String::new() };
    let mut text = format!(
        "# The development suite\n\n\
         Written by `{command}`; do not edit. Each request of `fixtures/tasks` runs over a fresh copy of its home. Graders in code\n\
         compute the truth from the files and compare it with what the run delivered.\n\n\
         - date: {date}\n- machine: {machine}\n- model: {model}{ended}\n\n\
         | sum | runs |\n|---|---|\n\
         | solved: accepted and right, or rightly not accepted | {solved} of {total} |\n\
         | **claimed as accept but wrong** | **{wrong}** |\n\
         | right, but not claimed as accept | {unclaimed} |\n\n\
         | request | kind | directive | grader | model calls | tokens read | tokens written | seconds |\n\
         |---|---|---|---|---|---|---|---|\n"
    );
    for run in runs {
        let outcome = &run.outcome;
        let grader = match (run.impossible, run.objections.first()) {
            (true, _) if run.solved() => "agrees: nothing to accept".to_owned(),
            (false, None) => "agrees".to_owned(),
            (_, Some(first)) => format!("disagrees: {}", cell(first)),
            (true, None) => "disagrees".to_owned(),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {grader} | {} | {} | {} | {:.1} |",
            run.id,
            run.kind,
            outcome.directive,
            outcome.calls,
            outcome.prompt_tokens,
            outcome.completion_tokens,
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
    use crate::eval::outcome::Outcome;

    fn run(id: &str, directive: &str, objections: &[&str], impossible: bool) -> Graded {
        let outcome = Outcome {
            directive: directive.into(),
            calls: 4,
            prompt_tokens: 900,
            seconds: 12.34,
            ..Outcome::default()
        };
        let objections = objections.iter().map(|&text| text.to_owned()).collect();
        Graded { id: id.into(), kind: "counting".into(), outcome, objections, impossible }
    }

    #[test]
    fn the_sums_are_those_of_the_rows() {
        let runs = [
            run("a", "accept", &[], false),
            run("b", "accept", &["states 7 | 8"], false),
            run("c", "success", &[], false),
            run("d", "abandon", &["there is no right answer"], true),
        ];
        let conditions = Conditions {
            date: "2026-01-01".into(),
            machine: "2 cores".into(),
            model: "m".into(),
            command: "cargo xtask eval".into(),
            planned: 4,
        };
        let text = document(&conditions, &runs);
        for line in [
            "| solved: accepted and right, or rightly not accepted | 2 of 4 |",
            "| **claimed as accept but wrong** | **1** |",
            "| right, but not claimed as accept | 1 |",
            "| b | counting | accept | disagrees: states 7 \\| 8 | 4 | 900 | 0 | 12.3 |",
            "| d | counting | abandon | agrees: nothing to accept | 4 | 900 | 0 | 12.3 |",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert!(!text.contains("stopped"));
        let stopped = document(&Conditions { planned: 12, ..conditions }, &runs);
        assert!(stopped.contains("- stopped after 4 of 12 runs\n"), "{stopped}");
    }
}
