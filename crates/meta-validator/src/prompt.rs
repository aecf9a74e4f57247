//! The variable part of the task judge's prompt.

use std::borrow::Cow;

use artoo_case_file::visibility::{Fact, Reader, Viewer, form};
use artoo_judging::{Exhibits, WHOLE};
use artoo_llm_client::{ModelProfile, Origin, inline, user_statements};
use artoo_types::{Criterion, CriterionVerdict, Evidence, Finding, Judge, SubTaskOutcome, ToolCall};

use crate::TaskContext;

/// The maximum number of files shown for one call: a command may write thousands.
pub(crate) const FILES_SHOWN: usize = 8;

/// The judge's view of the case: what the user said, the calls, outputs and changes of each step of the run, the answer for the person, the
/// doubts of code, and the request; then the criteria.
pub(crate) fn case(
    criteria: &[Criterion],
    cx: &TaskContext<'_>,
    told: &str,
    profile: &ModelProfile,
) -> String {
    let mut shown = Exhibits::of(cx.excerpts);
    shown.line(cx.surroundings.now_line());
    shown.line(format!("Request: {}", cx.spec.in_full()));
    words_of_the_user(&mut shown, cx, profile);
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
    if !cx.background.before.is_empty() && of_the_plan.all(|call| !call.changed_files()) {
        shown.line("The last plan created, changed or deleted nothing.");
    }
    if calls(cx).all(|call| !call.changed_files()) {
        shown.line("Nothing was created, changed or deleted.");
    }
    checked(&mut shown, cx);
    shown.line("Result:");
    shown.text(Origin::SubTask, told);
    notes(&mut shown, cx);
    let question = asked(criteria);
    shown.render(profile, &sought(cx, told, &question)) + &question
}

/// The user's laws, and what they said in this run.
pub(crate) fn words_of_the_user(shown: &mut Exhibits<'_>, cx: &TaskContext<'_>, profile: &ModelProfile) {
    shown.laws(cx.laws);
    let limit = form(Viewer::RequestJudge, Reader::of(profile.guided), Fact::UserStatements).limit();
    shown.block(&user_statements(&cx.background.statements, limit));
}

/// What code saw when it decided criteria of the steps: that needs no reader.
pub(crate) fn checked(shown: &mut Exhibits<'_>, cx: &TaskContext<'_>) {
    let saw = |verdict: &CriterionVerdict| match (&verdict.judge, &verdict.finding) {
        (Judge::Check, Finding::Pass { evidence: Evidence::Observation { text } }) => Some(inline(text)),
        (Judge::Check | Judge::Model | Judge::Rule, Finding::Pass { .. } | Finding::Fail { .. }) => None,
    };
    // The form of the result stands before the judge.
    let of_a_deed = |outcome: &SubTaskOutcome, verdict: &CriterionVerdict| {
        outcome.criteria.iter().any(|one| one.text == verdict.criterion && one.is_about_a_deed())
    };
    let verdicts = cx.outcomes.iter().flat_map(|outcome| {
        outcome.criteria_verdicts.iter().filter(move |verdict| of_a_deed(outcome, verdict))
    });
    let lines: Vec<String> = verdicts.filter_map(saw).collect();
    if !lines.is_empty() {
        shown.line("Checked by artoo:");
        shown.text(Origin::ToolOutput, lines.join("\n"));
    }
}

/// What code noticed about the result.
pub(crate) fn notes(shown: &mut Exhibits<'_>, cx: &TaskContext<'_>) {
    for doubt in cx.doubts {
        shown.line(format!("Note: {}", inline(doubt)));
    }
}

/// What the excerpts are chosen by.
pub(crate) fn sought(cx: &TaskContext<'_>, told: &str, question: &str) -> String {
    format!("{told}\n{}\n{question}", cx.spec.intent)
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
        ([_], _) | (_, true) => artoo_judging::asked(criteria),
        (_, false) => artoo_judging::asked(&further),
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
