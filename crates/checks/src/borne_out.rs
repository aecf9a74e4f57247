//! Whether calls bear out what an answer says: right words and a wrong figure have the right form.

use std::path::Path;

use artoo_text::{file_names, file_paths, last_part};
use artoo_types::{FailureClass, ToolCall};

use crate::{
    Filesystem, Record,
    answer::means_none,
    number::{Figure, figures, numbers_within},
    print::only_prints,
};

/// What they say of a file that is missing.
const NOT_THERE: &str = "No such file or directory";

/// What a shell and the C library say when something went wrong. English only; in other languages a complaint is not known as one.
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

/// What an answer says and no call shows, in words; `None` where all of it is borne out.
///
/// Every figure must stand in what a call put out, rounded as the answer rounds it; beside one that does, figures of `named`, what
/// the step itself names, need no evidence. 0 is shown by a search that ran and put out nothing. Every file name must stand in an output, in a call's
/// arguments or in `named`. A call that only prints its own arguments shows nothing, and a complaint of a program is no answer.
/// What is computed or counted must be computed by a tool. Words without figures or names are not looked at: only a reader can.
///
/// ```
/// use artoo_checks::{Record, unborne};
/// let nothing = Record::default();
/// assert_eq!(unborne("blue", false, nothing, ""), None);
/// assert!(unborne("4", false, nothing, "Which of the 4 files are empty?").is_some());
/// ```
///
/// What earlier steps found shows what it says, too: a step may only sum up. `verbatim` says that the answer is known to be what the last call put out, of which the record may show only head and tail.
/// Source: `docs/deviations.md`, "Borne out".
pub fn unborne(answer: &str, verbatim: bool, record: Record<'_>, named: &str) -> Option<String> {
    let Record { tool_calls: calls, earlier } = record;
    if is_complaint(answer, calls) {
        return Some("it is an error of a program, not an answer".to_owned());
    }
    if verbatim && let Some(last) = calls.last().filter(|call| !only_prints(call)) {
        let counted_nothing = says_zero(answer) || means_none(answer);
        let complaint = complaint(last).filter(|_| counted_nothing)?;
        return Some(format!("the command went wrong ({complaint}), so that it found nothing says nothing"));
    }
    let showing = || calls.iter().filter(|call| call.ran() && !only_prints(call));
    // What a pipe counts when the program before it went wrong is nothing that was found out.
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
        return Some(format!("no call shows the number {}; let a tool compute it", figure.value));
    }
    let stands = |name: &str| {
        named.contains(name)
            || earlier.iter().any(|result| result.output.contains(name))
            || showing().any(|call| call.output.shown.contains(name) || call.stderr.shown.contains(name))
            || calls.iter().filter(|call| !only_prints(call)).any(|call| call.target().contains(name))
    };
    let missing = file_names(answer).find(|name| !stands(name))?;
    Some(format!("no call shows the name {missing:?}"))
}

/// The file that a step names and that is not there, where the answer is 0 all the same: that is no figure of a file.
///
/// A call said so; or the step names it with its folder, nothing lies at that path, no call shows its name, and the step names no
/// file that is there: a command that hides its complaints counts an empty input.
///
/// ```
/// # use artoo_checks::{Filesystem, missing_subject};
/// # let world = Filesystem::new("/", "/root", Default::default());
/// let asked = "How many lines does nowhere/a.txt have?";
/// assert!(missing_subject("0", asked, &[], &world).is_some());
/// assert_eq!(missing_subject("3", asked, &[], &world), None);
/// ```
pub fn missing_subject(answer: &str, intent: &str, calls: &[ToolCall], world: &Filesystem) -> Option<String> {
    if !says_zero(answer) && !means_none(answer) {
        return None;
    }
    let shown = |name: &str| calls.iter().any(|call| call.output.shown.contains(name));
    // What cannot be looked at is not known to be missing.
    let lacks = |path: &str| matches!(world.exists(Path::new(path)), Ok(false));
    let names_one_that_is_there = file_paths(intent).any(|path| !lacks(path));
    let path = file_paths(intent).find(|path| {
        let name = last_part(path);
        let in_a_folder = path.contains('/') && !path.starts_with('/');
        reported_missing(name, calls)
            || (in_a_folder && !names_one_that_is_there && lacks(path) && !shown(name))
    })?;
    Some(format!("{path} is not there, so 0 is no figure of it"))
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

/// Whether a search ran and put out nothing. One that the world was in the way of has found out nothing; a status that nobody can
/// read, without a complaint, is how `grep` says it.
fn found_nothing(call: &ToolCall) -> bool {
    let readable = match call.failure.as_ref().map(|failure| failure.class) {
        None => complaint(call).is_none(),
        Some(FailureClass::Unknown) => call.stderr.shown.trim().is_empty(),
        Some(FailureClass::Logical | FailureClass::Environmental | FailureClass::Denied) => false,
    };
    // `print` of an empty list ends a line all the same.
    readable && call.output.shown.trim().is_empty()
}

fn says_zero(answer: &str) -> bool {
    let figures = figures(answer);
    !figures.is_empty() && figures.iter().all(|figure| figure.value == 0.0)
}

/// What a program that the call started said on its error stream, as its own word: "find: missing argument to `-exec'". Behind a pipe
/// the call succeeds all the same. A warning is none, and neither is what a search says of what it passes over; `ls: cannot access '*.pdf'` even says
/// that there is none.
fn complaint(call: &ToolCall) -> Option<&str> {
    const PASSED_OVER: [&str; 5] =
        ["warning", NOT_THERE, "Is a directory", "binary file matches", "Permission denied"];
    let lines = call.stderr.shown.lines().map(str::trim);
    lines.filter(|line| !PASSED_OVER.iter().any(|words| line.contains(words))).find(|line| {
        let program = line.split_once(": ").map_or("", |(before, _)| before);
        names(call, program.rsplit('/').next().unwrap_or(program))
    })
}

/// Whether a call names a program by a word of its own.
fn names(call: &ToolCall, program: &str) -> bool {
    let target = call.target();
    let mut words = target.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.'));
    !program.is_empty() && words.any(|word| word == program)
}

/// Whether the world said that something is not there, or not to be had.
fn found_missing(call: &ToolCall) -> bool {
    call.failure.as_ref().is_some_and(|failure| failure.class == FailureClass::Environmental)
}

/// Whether a call that had a file of this name in it failed because that is not there.
pub(crate) fn reported_missing(name: &str, calls: &[ToolCall]) -> bool {
    let says = |text: &str| text.contains(NOT_THERE);
    calls.iter().any(|call| {
        let reason = call.failure.as_ref().map_or("", |failure| &failure.reason);
        let complains = says(&call.stderr.shown) || says(reason);
        found_missing(call) && call.target().contains(name) && complains
    })
}

/// Whether every line is a complaint of a program that one of the calls started. The same words in a log that was asked for come from
/// another program.
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
#[path = "borne_out_tests.rs"]
mod tests;
