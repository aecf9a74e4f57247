//! The changing part of the task judge's prompt.

use std::{borrow::Cow, fmt::Write as _};

use artoo_judging::telling;
use artoo_llm_client::{Origin, fenced, fenced_output, inline};
use artoo_types::{Criterion, SubTaskOutcome, ToolCall};

use crate::TaskContext;

/// About as many characters of one call's output are shown.
const SHOWN: usize = 800;
/// About as many characters of the merged output are shown.
const MERGED: usize = 4000;

/// What the judge is shown: the request, what each step did and put out, the merged output, then the criterion.
pub(crate) fn case(criterion: &Criterion, cx: &TaskContext<'_>, merged: &str) -> String {
    let mut text = String::new();
    let sought = format!("{}\n{merged}", criterion.text);
    line(&mut text, format_args!("{}", cx.surroundings.now_line()));
    line(&mut text, format_args!("Request: {}", cx.spec.intent));
    for outcome in cx.outcomes {
        line(&mut text, format_args!("Step: {}", outcome.intent));
        for call in calls_of(outcome) {
            let shown = telling(&call.output.shown, SHOWN, &sought);
            line(
                &mut text,
                format_args!(
                    "{}\n{}",
                    inline(&format!("{} {}", call.tool, call.target())),
                    fenced_output(call.output.origin.as_deref(), &shown)
                ),
            );
        }
    }
    let merged = telling(merged, MERGED, &criterion.text);
    line(&mut text, format_args!("Result:\n{}", fenced(Origin::SubTask, &merged)));
    let _ = write!(text, "Criterion: {}", criterion.text);
    text
}

/// The merged output as text.
pub(crate) fn merged<'a>(cx: &TaskContext<'a>) -> Cow<'a, str> {
    cx.merged_output.as_str().map_or_else(|| Cow::Owned(cx.merged_output.to_string()), Cow::Borrowed)
}

/// The calls that are shown, in their order.
pub(crate) fn calls<'a>(cx: &TaskContext<'a>) -> impl Iterator<Item = &'a ToolCall> {
    cx.outcomes.iter().flat_map(calls_of)
}

fn calls_of(outcome: &SubTaskOutcome) -> impl Iterator<Item = &ToolCall> {
    outcome.tool_calls.iter().filter(|call| call.succeeded())
}

/// Writing to a string cannot fail.
fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{arguments}");
}
