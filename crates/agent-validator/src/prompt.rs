//! The changing part of the judge's prompt.

use std::fmt::Write as _;

use artoo_llm_client::{Origin, fenced};
use artoo_types::{CallEnding, Criterion};

use crate::JudgeContext;

/// The most bytes that are shown of a file that the step wrote.
const FILE_SHOWN: usize = 1200;

/// What the judge is shown: the step, the evidence, then the claim and the criterion.
pub(crate) fn case(criterion: &Criterion, cx: &JudgeContext<'_>) -> String {
    let mut text = String::new();
    let now = cx.surroundings.now.format("%A %Y-%m-%d %H:%M");
    line(&mut text, format_args!("Now: {now} ({})", cx.surroundings.zone));
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
        line(&mut text, format_args!("Call {}: {} {} ({ending})", number + 1, call.tool, call.target()));
        line(&mut text, format_args!("{}", fenced(Origin::ToolOutput, &call.output.shown)));
        if !call.stderr.shown.trim().is_empty() {
            line(&mut text, format_args!("Errors:\n{}", fenced(Origin::ToolOutput, &call.stderr.shown)));
        }
        for file in &call.files {
            if let Some(head) = cx.world.head(&file.path, FILE_SHOWN) {
                line(
                    &mut text,
                    format_args!("Written: {}\n{}", file.path.display(), fenced(Origin::File, &head)),
                );
            }
        }
    }
    if !cx.result.verbatim {
        line(&mut text, format_args!("Claim:\n{}", fenced(Origin::SubTask, &cx.result.output)));
    }
    let _ = write!(text, "Criterion: {}", criterion.text);
    text
}

/// Writing to a string cannot fail.
fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{arguments}");
}
