//! The variable part of the judge's prompt.

use artoo_case_file::visibility::{Fact, Reader, Viewer, form};
use artoo_judging::{Exhibits, asked};
use artoo_llm_client::{ModelProfile, Origin, user_statements};
use artoo_types::{Check, Criterion};

use crate::JudgeContext;

/// The maximum number of files shown for one call: a command may write thousands.
const FILES_SHOWN: usize = 5;

/// The judge's view of the case: the step, the results of earlier steps, the calls with the files they wrote,
/// the claim; then the criteria.
pub(crate) fn case(criteria: &[Criterion], cx: &JudgeContext<'_>, profile: &ModelProfile) -> String {
    let mut shown = Exhibits::of(cx.excerpts);
    shown.line(cx.surroundings.now_line());
    shown.laws(&cx.subtask.briefing.laws);
    // A weak model confuses the request with the step it is asked about.
    if !profile.guided && !cx.subtask.context.trim().is_empty() {
        shown.line(cx.subtask.context.trim());
    }
    let limit = form(Viewer::StepJudge, Reader::of(profile.guided), Fact::UserStatements).limit();
    shown.block(&user_statements(&cx.background.statements, limit));
    shown.line(format!("Step: {}", cx.subtask.intent));
    shown.earlier(&cx.subtask.earlier);
    for (number, call) in (1..).zip(&cx.result.tool_calls) {
        shown.call(number, call);
        if !cx.evidence.iter().any(|other| other.call_id == call.call_id) {
            shown.line(format!("(Call {number} puts out the same where what the step names cannot be read: it says nothing about it.)"));
        }
        shown.written(call, cx.world, profile, FILES_SHOWN);
    }
    // Files that the plan expects are shown even if no call is known to have written them.
    let written: Vec<_> =
        cx.result.tool_calls.iter().flat_map(|call| call.files.iter().take(FILES_SHOWN)).collect();
    for criterion in &cx.subtask.success_criteria {
        if let Some(Check::FileExists { path }) = &criterion.check
            && !written.iter().any(|file| file.path.ends_with(path))
        {
            shown.file("File", path, cx.world, profile);
        }
    }
    // A verbatim output is already shown with its call.
    if !cx.result.verbatim {
        shown.line("Claim:");
        shown.text(Origin::SubTask, cx.result.output.as_str());
    }
    let question = asked(criteria);
    let sought = format!("{}\n{question}", cx.result.output);
    shown.render(profile, &sought) + &question
}
