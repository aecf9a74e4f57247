//! The changing part of the task judge's prompt.

use std::fmt::Write as _;

use artoo_llm_client::{Origin, fenced, fenced_output, inline};
use artoo_types::Criterion;

use crate::TaskContext;

/// The most characters of one call's output that are shown.
const SHOWN: usize = 800;
/// The most characters of the merged output that are shown.
const MERGED: usize = 4000;

/// What the judge is shown: the request, what each step did and put out, the merged output, then the criterion.
pub(crate) fn case(criterion: &Criterion, cx: &TaskContext<'_>) -> String {
    let mut text = String::new();
    line(&mut text, format_args!("{}", cx.surroundings.now_line()));
    line(&mut text, format_args!("Request: {}", cx.spec.intent));
    for outcome in cx.outcomes {
        line(&mut text, format_args!("Step: {}", outcome.intent));
        for call in outcome.tool_calls.iter().filter(|call| call.succeeded()) {
            let shown: String = call.output.shown.chars().take(SHOWN).collect();
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
    let merged = cx.merged_output.as_str().map_or_else(|| cx.merged_output.to_string(), str::to_owned);
    let merged: String = merged.chars().take(MERGED).collect();
    line(&mut text, format_args!("Result:\n{}", fenced(Origin::SubTask, &merged)));
    let _ = write!(text, "Criterion: {}", criterion.text);
    text
}

/// Writing to a string cannot fail.
fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{arguments}");
}
