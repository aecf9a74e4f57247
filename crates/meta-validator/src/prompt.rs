//! The variable part of the task judge's prompt.

use std::borrow::Cow;

use artoo_case_file::visibility::{Fact, Reader, Viewer, form};
use artoo_judging::{Exhibits, WHOLE};
use artoo_llm_client::{ModelProfile, Origin, inline, user_statements};
use artoo_types::{Criterion, SubTaskOutcome, ToolCall};

use crate::TaskContext;

/// The maximum number of files shown for one call: a command may write thousands.
const FILES_SHOWN: usize = 8;

/// The judge's view of the case: what the user said, the calls, outputs and changes of each step of the run, the answer for the person, the
/// doubts of code, and the request; then the criteria.
pub(crate) fn case(
    criteria: &[Criterion],
    cx: &TaskContext<'_>,
    told: &str,
    profile: &ModelProfile,
) -> String {
    let mut shown = Exhibits::default();
    shown.line(cx.surroundings.now_line());
    shown.line(format!("Request: {}", cx.spec.in_full()));
    shown.laws(cx.laws);
    let limit = form(Viewer::RequestJudge, Reader::of(profile.guided), Fact::UserStatements).limit();
    shown.block(&user_statements(&cx.background.statements, limit));
    if !cx.background.before.is_empty() {
        shown.line("Done by earlier plans of this run:");
    }
    let mut numbers = 1_usize..;
    for outcome in &cx.background.before {
        step(&mut shown, outcome, cx, profile, &mut numbers);
    }
    if !cx.background.before.is_empty() {
        shown.line("Done by the last plan:");
    }
    for outcome in cx.outcomes {
        step(&mut shown, outcome, cx, profile, &mut numbers);
    }
    let mut of_the_plan = cx.outcomes.iter().flat_map(|outcome| &outcome.tool_calls);
    if !cx.background.before.is_empty() && of_the_plan.all(|call| call.files.is_empty()) {
        shown.line("The last plan created, changed or deleted nothing.");
    }
    if calls(cx).all(|call| call.files.is_empty()) {
        shown.line("Nothing was created, changed or deleted.");
    }
    shown.line("Result:");
    shown.text(Origin::SubTask, told);
    for doubt in cx.doubts {
        shown.line(format!("Note: {}", inline(doubt)));
    }
    let question = asked(criteria);
    let sought = format!("{told}\n{}\n{question}", cx.spec.intent);
    shown.render(profile, &sought) + &question
}

/// A step, with its calls and what they changed.
fn step<'a>(
    shown: &mut Exhibits<'a>,
    outcome: &'a SubTaskOutcome,
    cx: &TaskContext<'a>,
    profile: &ModelProfile,
    numbers: &mut impl Iterator<Item = usize>,
) {
    if outcome.intent != cx.spec.intent {
        shown.line(format!("Step: {}", outcome.intent));
    }
    for (call, number) in outcome.tool_calls.iter().zip(numbers) {
        shown.call(number, call);
        shown.written(call, cx.world, profile, FILES_SHOWN);
    }
}

/// The end of the prompt. The request is quoted above it; the whole is judged part by part.
fn asked(criteria: &[Criterion]) -> String {
    let further: Vec<Criterion> =
        criteria.iter().filter(|criterion| criterion.text != WHOLE).cloned().collect();
    match (criteria, further.is_empty()) {
        ([_], _) | (_, true) => artoo_judging::asked(criteria, None),
        (_, false) => artoo_judging::asked(&further, None),
    }
}

/// The text for the person: the composed answer, or the merged output as text.
pub(crate) fn told<'a>(cx: &TaskContext<'a>) -> Cow<'a, str> {
    if let Some(answer) = cx.answer {
        return Cow::Borrowed(answer);
    }
    cx.merged_output.as_str().map_or_else(|| Cow::Owned(cx.merged_output.to_string()), Cow::Borrowed)
}

/// The calls shown, in order: those of earlier plans first.
pub(crate) fn calls<'a>(cx: &TaskContext<'a>) -> impl Iterator<Item = &'a ToolCall> {
    cx.background.before.iter().chain(cx.outcomes).flat_map(|outcome| &outcome.tool_calls)
}
