//! The changing part of the task judge's prompt.

use std::borrow::Cow;

use artoo_judging::{Exhibits, asked};
use artoo_llm_client::{ModelProfile, Origin};
use artoo_types::{Criterion, SubTaskOutcome, ToolCall};

use crate::TaskContext;

/// What the judge is shown: the request, what each step did and put out, the merged output, then the criteria.
pub(crate) fn case(
    criteria: &[Criterion],
    cx: &TaskContext<'_>,
    merged: &str,
    profile: &ModelProfile,
) -> String {
    let mut shown = Exhibits::default();
    shown.line(cx.surroundings.now_line());
    shown.line(format!("Request: {}", cx.spec.intent));
    let mut numbers = 1_usize..;
    for outcome in cx.outcomes {
        shown.line(format!("Step: {}", outcome.intent));
        for (call, number) in calls_of(outcome).zip(numbers.by_ref()) {
            shown.call(number, call);
        }
    }
    shown.line("Result:");
    shown.text(Origin::SubTask, merged);
    let question = asked(criteria, None);
    let sought = format!("{merged}\n{question}");
    shown.render(profile, &sought) + &question
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
