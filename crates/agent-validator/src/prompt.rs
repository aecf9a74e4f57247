//! The changing part of the judge's prompt.

use std::{fmt::Write as _, path::Path};

use artoo_llm_client::{Origin, fenced, fenced_file, fenced_output, inline};
use artoo_types::{CallEnding, Check, Criterion};

use crate::{JudgeContext, fast_loop::denies_its_deed};

/// The most bytes that are shown of a file that the step wrote.
const FILE_SHOWN: usize = 1200;
/// How many files of one call are shown: a command may write thousands.
const FILES_SHOWN: usize = 5;

/// What the judge is shown: the step, the evidence, then the claim and the criterion.
pub(crate) fn case(criterion: &Criterion, cx: &JudgeContext<'_>) -> String {
    let mut text = String::new();
    line(&mut text, format_args!("{}", cx.surroundings.now_line()));
    line(&mut text, format_args!("Step: {}", cx.subtask.intent));
    for (number, call) in cx.result.tool_calls.iter().enumerate() {
        let ending = match &call.ending {
            CallEnding::Exited { status } => format!("exit status {status}"),
            CallEnding::Signalled { signal } => format!("ended by signal {signal}"),
            CallEnding::Returned if call.succeeded() => "done".to_owned(),
            CallEnding::Returned => "failed".to_owned(),
            CallEnding::TimedOut => "took too long and was stopped".to_owned(),
            CallEnding::Cancelled => "cancelled".to_owned(),
            CallEnding::Refused => "refused, not run".to_owned(),
        };
        let made = inline(&format!("{} {}", call.tool, call.target()));
        line(&mut text, format_args!("Call {}: {made} ({ending})", number + 1));
        line(&mut text, format_args!("{}", fenced_output(call.output.origin.as_deref(), &call.output.shown)));
        if !call.stderr.shown.trim().is_empty() {
            line(&mut text, format_args!("Errors:\n{}", fenced(Origin::ToolOutput, &call.stderr.shown)));
        }
        for file in call.files.iter().take(FILES_SHOWN) {
            show(&mut text, "Written", &file.path, cx);
        }
    }
    // What the plan expects is shown even where no call is known to have written it.
    let written: Vec<_> =
        cx.result.tool_calls.iter().flat_map(|call| call.files.iter().take(FILES_SHOWN)).collect();
    for criterion in &cx.subtask.success_criteria {
        if let Some(Check::FileExists { path }) = &criterion.check
            && !written.iter().any(|file| file.path.ends_with(path))
        {
            show(&mut text, "File", path, cx);
        }
    }
    // The calls and the file are what is judged.
    if !cx.result.verbatim && !denies_its_deed(cx.subtask, &cx.result.output) {
        line(&mut text, format_args!("Claim:\n{}", fenced(Origin::SubTask, &cx.result.output)));
    }
    let _ = write!(text, "Criterion: {}", criterion.text);
    text
}

/// A file by its name and beginning, where there is one. The name may come from a model or from a tool, and stands on the fence.
fn show(text: &mut String, what: &str, path: &Path, cx: &JudgeContext<'_>) {
    let Some(head) = cx.world.head(path, FILE_SHOWN) else { return };
    line(text, format_args!("{what}:\n{}", fenced_file(&path.display().to_string(), &head)));
}

/// Writing to a string cannot fail.
fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{arguments}");
}
