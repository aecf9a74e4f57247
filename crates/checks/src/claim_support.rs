//! Verifies that calls support an answer: right words with a wrong number have the right form.

use artoo_text::file_names;
use artoo_types::{FailureClass, ToolCall};

use crate::{
    Record,
    missing_name::NOT_THERE,
    number::{Figure, figures, numbers_within},
    print_only::only_prints,
    same_answer::means_none,
};

/// Error messages of shells and the C library. English only; an error message in another language is not
/// recognised.
const COMPLAINTS: [&str; 11] = [
    NOT_THERE,
    "Permission denied",
    "Operation not permitted",
    "command not found",
    "Is a directory",
    "Not a directory",
    "Read-only file system",
    "syntax error",
    "invalid option",
    "unrecognized option",
    "Input/output error",
];

/// The part of an answer that no call shows, in words; `None` if everything is supported.
///
/// Every number must occur in the output of a call, rounded as the answer rounds it; beside one that does,
/// numbers in `named`, the words of the step itself, need no evidence. 0 is shown by a search that ran and
/// had no output. Every file name must occur in an output, in a call's arguments or in `named`. A call that
/// only prints its own arguments shows nothing, and a program's error message is no answer. Computing and
/// counting must be done by a tool. Words without numbers or names are not checked: only a reader can.
///
/// ```
/// use artoo_checks::{Record, unsupported_claim};
/// let nothing = Record::default();
/// assert_eq!(unsupported_claim("blue", false, nothing, ""), None);
/// assert!(unsupported_claim("4", false, nothing, "Which of the 4 files are empty?").is_some());
/// ```
///
/// Results of earlier steps count as evidence, too: a step may be a mere summary. `verbatim` says that the
/// answer is known to be the output of the last call, of which the record may show only head and tail.
/// Source: `docs/deviations.md`, "Borne out".
pub fn unsupported_claim(answer: &str, verbatim: bool, record: Record<'_>, named: &str) -> Option<String> {
    let Record { tool_calls: calls, earlier } = record;
    if is_complaint(answer, calls) {
        return Some("it is an error of a program, not an answer".to_owned());
    }
    if verbatim && let Some(last) = calls.last().filter(|call| !only_prints(call)) {
        let counted_nothing = says_zero(answer) || means_none(answer);
        return complaint(last).filter(|_| counted_nothing).map(in_vain);
    }
    let showing = || calls.iter().filter(|call| call.ran() && !only_prints(call));
    // A zero counted by a pipe after the program before it failed is not a result.
    let counted = |call: &ToolCall| {
        let mut numbers = numbers_within(&call.output.shown);
        numbers.retain(|number| *number != 0.0 || complaint(call).is_none());
        numbers
    };
    let mut shown: Vec<f64> = showing().flat_map(counted).collect();
    shown.extend(showing().flat_map(|call| numbers_within(&call.stderr.shown)));
    shown.extend(showing().any(found_nothing).then_some(0.0));
    shown.extend(earlier.iter().flat_map(|result| numbers_within(&result.output)));
    let asked = numbers_within(named);
    let stated = figures(&unnumbered(answer));
    let is_shown = |figure: &Figure| shown.iter().any(|shown| figure.rounds(*shown));
    let is_asked = |figure: &Figure| asked.iter().any(|asked| figure.rounds(*asked));
    let nothing_shown = !stated.iter().any(is_shown);
    if let Some(figure) =
        stated.iter().find(|figure| !is_shown(figure) && (nothing_shown || !is_asked(figure)))
    {
        // A pipe counts nothing if the program before it failed.
        let complaint = calls.iter().rev().find_map(complaint).filter(|_| figure.value == 0.0);
        return Some(match complaint {
            Some(complaint) => in_vain(complaint),
            None => format!("no call shows the number {}", figure.value),
        });
    }
    let stands = |name: &str| {
        named.contains(name)
            || earlier.iter().any(|result| result.output.contains(name))
            || showing().any(|call| call.output.shown.contains(name) || call.stderr.shown.contains(name))
            || calls.iter().filter(|call| !only_prints(call)).any(|call| call.target().contains(name))
            // What was seen to be changed is shown as well.
            || calls.iter().flat_map(|call| &call.files).any(|file| file.path.to_string_lossy().contains(name))
    };
    let missing = file_names(answer).find(|name| !stands(name))?;
    Some(format!("no call shows the name {missing:?}"))
}

fn in_vain(complaint: &str) -> String {
    format!("the command went wrong ({complaint}), so that it found nothing says nothing")
}

/// The answer without the numbers of a numbered list: 1, 2 and so on at the beginnings of its lines.
fn unnumbered(answer: &str) -> String {
    let lines: Vec<&str> = answer.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let items: Option<Vec<&str>> = (1_usize..)
        .zip(&lines)
        .map(|(number, line)| {
            let rest = line.strip_prefix(&number.to_string())?;
            rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))
        })
        .collect();
    match items {
        Some(items) if items.len() > 1 => items.join("\n"),
        Some(_) | None => answer.to_owned(),
    }
}

/// Whether a search ran and had no output. A search that failed for environmental reasons has found out
/// nothing; an unknown exit status without an error message is how `grep` reports no match.
fn found_nothing(call: &ToolCall) -> bool {
    let readable = match call.failure.as_ref().map(|failure| failure.class) {
        None => complaint(call).is_none(),
        Some(FailureClass::Unknown) => call.stderr.shown.trim().is_empty(),
        Some(
            FailureClass::Logical
            | FailureClass::Environmental
            | FailureClass::Denied
            | FailureClass::Forbidden,
        ) => false,
    };
    // `print` of an empty list still outputs a newline.
    readable && call.output.shown.trim().is_empty()
}

pub(crate) fn says_zero(answer: &str) -> bool {
    let figures = figures(answer);
    !figures.is_empty() && figures.iter().all(|figure| figure.value == 0.0)
}

/// An error message on stderr from a program that the call started, with the program's name: "find: missing
/// argument to `-exec'". Behind a pipe the call succeeds all the same. A warning does not count, nor does a
/// message about what a search skips; `ls: cannot access '*.pdf'` even says that there is none.
fn complaint(call: &ToolCall) -> Option<&str> {
    const PASSED_OVER: [&str; 5] =
        ["warning", NOT_THERE, "Is a directory", "binary file matches", "Permission denied"];
    let lines = call.stderr.shown.lines().map(str::trim);
    lines.filter(|line| !PASSED_OVER.iter().any(|words| line.contains(words))).find(|line| {
        let program = line.split_once(": ").map_or("", |(before, _)| before);
        names(call, program.rsplit('/').next().unwrap_or(program))
    })
}

/// Whether a call contains a program's name as a separate word.
fn names(call: &ToolCall, program: &str) -> bool {
    let target = call.target();
    let mut words = target.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.'));
    !program.is_empty() && words.any(|word| word == program)
}

/// Whether the environment reported that something does not exist or is unavailable.
fn found_missing(call: &ToolCall) -> bool {
    call.failure.as_ref().is_some_and(|failure| failure.class == FailureClass::Environmental)
}

/// Whether a call that mentions a file of this name failed because it does not exist.
pub(crate) fn reported_missing(name: &str, calls: &[ToolCall]) -> bool {
    let says = |text: &str| text.contains(NOT_THERE);
    calls.iter().any(|call| {
        let reason = call.failure.as_ref().map_or("", |failure| &failure.reason);
        let complains = says(&call.stderr.shown) || says(reason);
        found_missing(call) && call.target().contains(name) && complains
    })
}

/// Whether every line is an error message of a program that one of the calls started. The same words in a
/// requested log come from another program.
fn is_complaint(answer: &str, calls: &[ToolCall]) -> bool {
    let answer = answer.trim();
    let started = |program: &str| {
        matches!(program, "sh" | "bash" | "dash" | "zsh") || calls.iter().any(|call| names(call, program))
    };
    let complains = |line: &str| {
        let Some((before, said)) = line.split_once(": ") else { return false };
        let program = before.rsplit('/').next().unwrap_or(before);
        COMPLAINTS.iter().any(|words| said.contains(words)) && started(program)
    };
    let mut lines = answer.lines().filter(|line| !line.trim().is_empty()).peekable();
    let traceback = answer.starts_with("Traceback (most recent call last):") && started("python3");
    traceback || (lines.peek().is_some() && lines.all(complains))
}

#[cfg(test)]
#[path = "claim_support_tests.rs"]
mod tests;
