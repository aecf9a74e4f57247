//! The changing part of the judge's prompt.

use artoo_judging::{Exhibits, asked};
use artoo_llm_client::{ModelProfile, Origin};
use artoo_types::{Check, Criterion};

use crate::JudgeContext;

/// How many files of one call are shown: a command may write thousands.
const FILES_SHOWN: usize = 5;

/// What the judge is shown: the step, what earlier steps found, the calls with the files that they wrote, the claim; then the criteria.
pub(crate) fn case(criteria: &[Criterion], cx: &JudgeContext<'_>, profile: &ModelProfile) -> String {
    let mut shown = Exhibits::default();
    shown.line(cx.surroundings.now_line());
    // A weak model takes the request for what it is asked about.
    if !profile.guided && !cx.subtask.context.trim().is_empty() {
        shown.line(cx.subtask.context.trim());
    }
    shown.line(format!("Step: {}", cx.subtask.intent));
    shown.earlier(&cx.subtask.earlier);
    for (number, call) in (1..).zip(&cx.result.tool_calls) {
        shown.call(number, call);
        if !cx.evidence.iter().any(|other| other.call_id == call.call_id) {
            shown.line(format!("(Call {number} puts out the same where what the step names cannot be read: it says nothing about it.)"));
        }
        shown.written(call, cx.world, profile, FILES_SHOWN);
    }
    // What the plan expects is shown even where no call is known to have written it.
    let written: Vec<_> =
        cx.result.tool_calls.iter().flat_map(|call| call.files.iter().take(FILES_SHOWN)).collect();
    for criterion in &cx.subtask.success_criteria {
        if let Some(Check::FileExists { path }) = &criterion.check
            && !written.iter().any(|file| file.path.ends_with(path))
        {
            shown.file("File", path, cx.world, profile);
        }
    }
    // The calls and the file are what is judged.
    if !cx.result.verbatim {
        shown.line("Claim:");
        shown.text(Origin::SubTask, cx.result.output.as_str());
    }
    let question = asked(criteria, None);
    let sought = format!("{}\n{question}", cx.result.output);
    shown.render(profile, &sought) + &question
}
