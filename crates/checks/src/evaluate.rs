//! Evaluation of a single check.

use std::{fmt::Display, io, path::Path};

use artoo_types::{CallEnding, Check, Evidence, FailureClass, FileChange, FileChangeKind, Finding, ToolCall};

use crate::{
    Filesystem, json_file,
    lint::compile,
    number::standalone_numbers,
    path_list::{Difference, difference},
    same_lines,
    table::{self, Expected},
};

/// The longest output that is matched against a pattern, in bytes.
const LONGEST_MATCHED: usize = 1024 * 1024;

/// The subject of a check: an output, and the calls behind it.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The output.
    pub output: &'a str,
    /// The calls of the attempt, or of all subtasks at task level.
    pub tool_calls: &'a [ToolCall],
}

/// Decides one check.
///
/// A failure takes the class of the last call if that call failed and its class is known; otherwise it is
/// logical, since all that is known is that this approach did not give the requested result. A check that
/// cannot be evaluated fails with class `unknown` and never passes. So does [`Check::CommandSucceeds`], which
/// R4a decides, since this function runs nothing.
pub fn evaluate(check: &Check, subject: &Subject<'_>, world: &Filesystem) -> Finding {
    let output = subject.output.trim();
    match check {
        Check::ExitStatus { equals } => exit_status(*equals, subject),
        Check::OutputEquals { value } => decide(subject, output == value.trim(), || {
            (seen("output", output), format!("the output is not {value:?}"))
        }),
        Check::OutputContains { value } => decide(subject, output.contains(value.as_str()), || {
            (seen("output", output), format!("the output does not contain {value:?}"))
        }),
        // A hostile pattern takes time in proportion to the text.
        Check::OutputMatches { .. } if output.len() > LONGEST_MATCHED => undecidable(format!(
            "the output has {} bytes, more than the {LONGEST_MATCHED} that a pattern looks at",
            output.len()
        )),
        Check::OutputMatches { pattern } => match compile(pattern) {
            Ok(regex) => decide(subject, regex.is_match(output), || {
                (seen("output", output), format!("the output does not match {pattern:?}"))
            }),
            Err(flaw) => undecidable(flaw.to_string()),
        },
        Check::OutputNumber { min, max } => number(*min, *max, output, subject),
        Check::OutputLines { min, max } => {
            let lines = output.lines().filter(|line| !line.trim().is_empty()).count() as u64;
            let met = min.is_none_or(|min| lines >= min) && max.is_none_or(|max| lines <= max);
            decide(subject, met, || (format!("{lines} lines"), format!("the output has {lines} lines")))
        }
        Check::OutputLists { folder, pattern } => listing(folder, pattern, subject, world),
        Check::JsonPointer { pointer, equals } => match serde_json::from_str::<serde_json::Value>(output) {
            Ok(json) => {
                let found = json.pointer(pointer);
                decide(subject, found == Some(equals), || {
                    let found = found.map_or_else(|| "nothing".to_owned(), ToString::to_string);
                    (format!("{pointer} is {}", excerpt(&found)), format!("{pointer} is {}", excerpt(&found)))
                })
            }
            Err(error) => fail(subject, seen("output", output), format!("the output is not JSON: {error}")),
        },
        Check::FileExists { path } => on_file(subject, path, world.exists(path), |there| {
            (there, if there { "is there" } else { "is not there" })
        }),
        Check::FileAbsent { path } => on_file(subject, path, world.exists(path), |there| {
            (!there, if there { "is still there" } else { "is not there" })
        }),
        Check::FileContains { path, value } => on_file(subject, path, world.contains(path, value), |found| {
            (found, if found { "contains the expected text" } else { "does not contain the expected text" })
        }),
        Check::FileHash { path, sha256 } => on_file(subject, path, world.sha256(path), |found| {
            let same = found.eq_ignore_ascii_case(sha256);
            (same, if same { "has the expected content" } else { "has other content than expected" })
        }),
        // A rename keeps the old time, so writes by the calls are considered first.
        Check::FileNewer { path } if is_written(path, subject, world) => {
            on_file(subject, path, world.exists(path), |there| {
                (there, if there { "was written in this run" } else { "is not there" })
            })
        }
        Check::FileNewer { path } => on_file(subject, path, world.newer(path), |newer| {
            (newer, if newer { "was written in this run" } else { "is older than this run" })
        }),
        Check::FileUnchanged { path } => on_file(subject, path, world.changed(path), |changed| {
            (!changed, if changed { "was changed in this run" } else { "is as it was before this run" })
        }),
        Check::FileJson { path, schema } => match json_file::compile(schema) {
            Ok(schema) => on_file(subject, path, json_file::meets(path, &schema, world), |seen| seen),
            Err(flaw) => undecidable(flaw.to_string()),
        },
        Check::Table { path, columns, min_rows, max_rows } => {
            let columns = columns.as_deref().unwrap_or_default();
            let expected = Expected { columns, min_rows: *min_rows, max_rows: *max_rows };
            on_file(subject, path, table::has(path, expected, world), |seen| seen)
        }
        Check::SameLines { path, other } => {
            on_file(subject, path, same_lines::compare(path, other, world), |seen| seen)
        }
        // Decided by R4a, which can run it.
        Check::CommandSucceeds { command } => {
            undecidable(format!("nobody ran `{command}`, and no file or answer shows whether it succeeds"))
        }
    }
}

/// Whether a call is known to have created or changed the file.
fn is_written(path: &Path, subject: &Subject<'_>, world: &Filesystem) -> bool {
    let path = world.place(path);
    let is_it = |file: &FileChange| match file.change {
        FileChangeKind::Created | FileChangeKind::Changed => world.place(&file.path) == path,
        FileChangeKind::Deleted => false,
    };
    subject.tool_calls.iter().flat_map(|call| &call.files).any(is_it)
}

fn exit_status(equals: i32, subject: &Subject<'_>) -> Finding {
    let Some(call) = subject.tool_calls.last() else {
        return Finding::failure(FailureClass::Logical, "no tool was called".to_owned());
    };
    let (met, ended) = match &call.ending {
        CallEnding::Exited { status } => (*status == equals, format!("exit status {status}")),
        // A tool without a process succeeds like a process with exit status 0.
        CallEnding::Returned => (call.succeeded() == (equals == 0), "returned".to_owned()),
        CallEnding::Signalled { signal } => (false, format!("ended by signal {signal}")),
        CallEnding::TimedOut => (false, "timed out".to_owned()),
        CallEnding::Cancelled => (false, "cancelled".to_owned()),
        CallEnding::Refused => (false, "refused".to_owned()),
    };
    let evidence = Evidence::ToolCall { call_id: call.call_id, excerpt: ended.clone() };
    if met {
        Finding::Pass { evidence }
    } else {
        let why = call.failure.as_ref().map(|failure| format!(": {}", failure.reason)).unwrap_or_default();
        Finding::Fail {
            failure_class: class_of(subject),
            reason: format!("{} {ended}, expected exit status {equals}{why}", call.tool),
            evidence: Some(evidence),
            also: Vec::new(),
        }
    }
}

fn listing(folder: &Path, pattern: &str, subject: &Subject<'_>, world: &Filesystem) -> Finding {
    let found = difference(subject.output, folder, pattern, world);
    on_file(subject, folder, found, |Difference { files, missing, wrong }| match (missing, wrong) {
        (None, None) => {
            (true, format!("has {files} files that fit {pattern:?}, and the output names them all"))
        }
        (Some(missing), _) => {
            (false, format!("has {:?}, which the output does not name", missing.display().to_string()))
        }
        (None, Some(wrong)) => (false, format!("has no {}, which the output names", excerpt(&wrong))),
    })
}

fn number(min: Option<f64>, max: Option<f64>, output: &str, subject: &Subject<'_>) -> Finding {
    match standalone_numbers(output).as_slice() {
        [value] => {
            let met = min.is_none_or(|min| *value >= min) && max.is_none_or(|max| *value <= max);
            decide(subject, met, || (format!("the number is {value}"), format!("{value} is out of range")))
        }
        [] => fail(subject, seen("output", output), "the output has no number".to_owned()),
        several => fail(
            subject,
            seen("output", output),
            format!("the output has {} numbers where one is expected", several.len()),
        ),
    }
}

fn on_file<T, W: Display>(
    subject: &Subject<'_>,
    path: &Path,
    looked: Result<T, io::Error>,
    judge: impl FnOnce(T) -> (bool, W),
) -> Finding {
    match looked {
        Ok(state) => {
            let (met, words) = judge(state);
            let text = format!("{} {words}", path.display());
            decide(subject, met, || (text.clone(), text))
        }
        // A file that was not read to its end neither contains nor lacks the text.
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            undecidable(format!("{}: {error}", path.display()))
        }
        Err(error) => {
            let text = format!("{}: {error}", path.display());
            fail(subject, text.clone(), text)
        }
    }
}

fn decide(subject: &Subject<'_>, met: bool, say: impl FnOnce() -> (String, String)) -> Finding {
    let (observed, wrong) = say();
    if met {
        Finding::Pass { evidence: Evidence::Observation { text: observed } }
    } else {
        fail(subject, observed, wrong)
    }
}

fn fail(subject: &Subject<'_>, observed: String, reason: String) -> Finding {
    Finding::Fail {
        failure_class: class_of(subject),
        reason,
        evidence: Some(Evidence::Observation { text: observed }),
        also: Vec::new(),
    }
}

fn undecidable(reason: String) -> Finding {
    Finding::failure(FailureClass::Unknown, reason)
}

fn class_of(subject: &Subject<'_>) -> FailureClass {
    let failure = subject.tool_calls.last().and_then(|call| call.failure.as_ref());
    match failure.map(|failure| failure.class) {
        Some(class @ (FailureClass::Environmental | FailureClass::Denied | FailureClass::Forbidden)) => class,
        // An ambiguous exit status (grep, diff and test use it as an answer) does not change the check's own
        // finding.
        Some(FailureClass::Logical | FailureClass::Unknown) | None => FailureClass::Logical,
    }
}

fn seen(what: &str, text: &str) -> String {
    format!("{what}: {}", excerpt(text))
}

/// The first 200 characters, quoted, with a note on how much was omitted.
pub(crate) fn excerpt(text: &str) -> String {
    let first: String = text.chars().take(200).collect();
    if first.len() < text.len() {
        format!("{first:?} and {} more bytes", text.len() - first.len())
    } else {
        format!("{first:?}")
    }
}

#[cfg(test)]
mod tests;
