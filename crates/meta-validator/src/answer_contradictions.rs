//! Recorded facts that contradict the claim that a question is answered.

use artoo_types::{SubTaskOutcome, ToolCall, ToolKind};

use crate::contradictions::Results;

/// The fewest digits of a figure that a request hardly says by the way: a year, a port, an amount.
const FEWEST_ASKED: usize = 3;
/// The fewest digits of a result that hardly stands in its command by chance.
const FEWEST_PRINTED: usize = 2;

/// A figure of the request that no step, call or answer takes up: another question was planned and answered.
pub(crate) fn dropped_figure(results: &Results<'_>) -> Option<String> {
    let texts =
        results.outcomes.iter().flat_map(|outcome| [outcome.intent.clone(), outcome.output.to_string()]);
    let calls = results.calls.iter().flat_map(|call| [arguments(call), call.output.shown.clone()]);
    let texts: Vec<String> = texts.chain(calls).collect();
    let is_dropped = |figure: &&str| !texts.iter().any(|text| text.contains(*figure));
    let figure = figures(results.request).filter(|figure| figure.len() >= FEWEST_ASKED).find(is_dropped)?;
    Some(format!("the request says {figure}, which no step, call or answer takes up: answer what is asked"))
}

/// A number that stands in the command which printed it, and was neither asked with nor seen before.
pub(crate) fn printed_by_its_command(results: &Results<'_>) -> Option<String> {
    results.outcomes.iter().find_map(|outcome| {
        let answer = outcome.output.as_str()?.trim();
        let is_number = answer.len() >= FEWEST_PRINTED && answer.chars().all(|c| c.is_ascii_digit());
        (is_number && is_printed(answer, outcome, results.request))
            .then(|| format!("{answer} stands in the command that printed it: let a command find it out"))
    })
}

fn is_printed(answer: &str, outcome: &SubTaskOutcome, request: &str) -> bool {
    let has = |text: &str| figures(text).any(|figure| figure == answer);
    let calls = &outcome.tool_calls;
    let Some(last) = calls.iter().rposition(|call| call.output.shown.trim() == answer) else { return false };
    // The shell computes; a tool of another kind may be given its text.
    let is_command = calls.get(last).is_some_and(|call| call.tool.is(ToolKind::Shell));
    let was_seen = calls.iter().take(last).any(|call| has(&call.output.shown));
    is_command && !was_seen && !has(request) && calls.get(last).is_some_and(|call| has(&arguments(call)))
}

fn arguments(call: &ToolCall) -> String {
    call.arguments.values().map(|value| format!("{value}\n")).collect()
}

/// The figures of a text that are no part of a name.
fn figures(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '-' | '_' | ':');
    text.split(move |c: char| !is_part(c))
        .map(|word| word.trim_matches(|c: char| !c.is_ascii_alphanumeric()))
        .filter(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use artoo_judging::conformance::call;
    use artoo_types::{Arguments, OutcomeStatus, RunId, SubTaskId};

    use super::*;

    fn outcome(intent: &str, command: &str, output: &str) -> SubTaskOutcome {
        let arguments: Arguments = [("command".to_owned(), command.into())].into_iter().collect();
        SubTaskOutcome {
            output: output.into(),
            tool_calls: vec![ToolCall { arguments, ..call(1, output, true) }],
            ..SubTaskOutcome::new(
                SubTaskId::new(uuid::Uuid::nil()),
                RunId::OPERATOR,
                intent,
                OutcomeStatus::Matched,
            )
        }
    }

    fn contradicts(request: &str, outcome: SubTaskOutcome) -> (bool, bool) {
        let calls = outcome.tool_calls.clone();
        let results = Results {
            request,
            outcomes: &[outcome],
            calls: &calls,
            named: &[],
            not_made: None,
            links_are_declared: true,
        };
        (dropped_figure(&results).is_some(), printed_by_its_command(&results).is_some())
    }

    #[test]
    fn a_figure_of_the_request_is_taken_up() {
        let age = "How old will Anna be in 2030?";
        for (request, intent, command, output, is_dropped) in [
            (age, "Count the lines", "wc -l a.txt", "5", true),
            (age, age, "cat a.txt", "52", false),
            (age, "Compute her age", "expr 2030 - 1978", "52", false),
            ("2030年安娜几岁?", "Count the lines", "wc -l a.txt", "5", true),
            ("Who wrote report-2023.txt at 10:30?", "Find the author", "cat report-2023.txt", "Anna", false),
            ("Which of the 12 are new?", "List them", "ls", "a", false),
        ] {
            assert_eq!(
                contradicts(request, outcome(intent, command, output)).0,
                is_dropped,
                "{request} {intent}"
            );
        }
    }

    #[test]
    fn a_number_is_found_out() {
        let cores = "How many processors does this machine have?";
        for (request, command, output, is_printed) in [
            (cores, "python3 -c 'print(640)'", "640", true),
            (cores, "seq 640 640", "640", true),
            (cores, "nproc", "64", false),
            (cores, "echo 4", "4", false),
            ("What is 17 times 23?", "python3 -c 'print(17 * 23)'", "391", false),
            ("Is 640 more than 12?", "echo 640", "640", false),
        ] {
            assert_eq!(contradicts(request, outcome(request, command, output)).1, is_printed, "{command}");
        }
        let mut seen = outcome(cores, "echo 640", "640");
        seen.tool_calls.insert(0, call(2, "processors: 640", true));
        assert!(!contradicts(cores, seen).1, "another call put it out before");
    }
}
