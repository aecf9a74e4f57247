//! Verifies that giving up is justified: facts decide, or else a judge, whether the evidence shows that the step
//! cannot be done.

use std::{fs, path::Path, sync::Arc, time::Duration};

use artoo_checks::MissingName;
use artoo_judging::decided;
use artoo_llm_client::LlmClient;
use artoo_types::{Criterion, ExecutionResult, Finding, GaveUp, GiveUpKind, Mode, ToolCall};

use crate::{Judge, JudgeContext, verdicts::record};

/// The maximum size of a file that is searched for a name, in bytes. Whether a larger one has it, a judge decides.
const MOST_SEARCHED: u64 = 4 * 1024 * 1024;

/// The result, with the claim that the step is impossible removed if the evidence does not support it, so
/// that another way is tried. No judge is needed if the person has to answer or to consent, if nothing
/// was looked at, or if what the step names is not there.
pub(crate) async fn borne_out(
    result: ExecutionResult,
    cx: &JudgeContext<'_>,
    judge: &dyn Judge,
    model: &Arc<dyn LlmClient>,
    deadline: Duration,
) -> ExecutionResult {
    let Some(claim) = claim(&result).filter(|_| cx.result.tool_calls.iter().any(ToolCall::ran)) else {
        return result;
    };
    if names_what_is_not_there(&claim, cx) {
        return result;
    }
    let criterion = Criterion {
        text: "What was looked at shows that the step cannot be done, for the reason that is claimed"
            .to_owned(),
        mode: Mode::Verifiable,
        check: None,
    };
    let claimed = ExecutionResult { output: claim.reason.clone(), verbatim: false, ..cx.result.clone() };
    let cx = JudgeContext { result: &claimed, ..*cx };
    let judging = async { judge.judge(std::slice::from_ref(&criterion), &cx, model).await };
    let found = decided(judging, 1, deadline, record(&cx)).await;
    let is_shown = matches!(found.as_slice(), [(_, Finding::Pass { .. })]);
    if is_shown { result } else { without(result) }
}

/// Whether a call failed since something was not there that the step names, that is why it is given up, and nothing that is
/// there bears the name.
fn names_what_is_not_there(claim: &GaveUp, cx: &JudgeContext<'_>) -> bool {
    let mut failed = cx.result.tool_calls.iter().filter(|call| call.ran() && call.failure.is_some());
    failed.any(|call| {
        MissingName::of(&call.stderr.shown).is_some_and(|missing| {
            let is_there = match &missing {
                MissingName::File(name) => cx.world.place(Path::new(name)).exists(),
                MissingName::Key(name) => {
                    cx.subject.is_empty() || !cx.subject.iter().all(|file| lacks(file, name))
                }
            };
            let is_told =
                [&cx.subtask.intent, &claim.reason].iter().all(|text| text.contains(missing.name()));
            is_told && !is_there && !missing.is_one_of(cx.subject)
        })
    })
}

/// Whether this is a file that can be searched, and the name stands nowhere in it.
fn lacks(file: &Path, name: &str) -> bool {
    let is_small = fs::metadata(file).is_ok_and(|about| about.is_file() && about.len() <= MOST_SEARCHED);
    let holds = |bytes: Vec<u8>| bytes.windows(name.len().max(1)).any(|part| part == name.as_bytes());
    is_small && fs::read(file).is_ok_and(|bytes| !holds(bytes))
}

fn claim(result: &ExecutionResult) -> Option<GaveUp> {
    let gave_up = result.failure.as_ref()?.gave_up.as_ref()?;
    match gave_up.kind {
        GiveUpKind::Impossible => Some(gave_up.clone()),
        GiveUpKind::NeedsPerson | GiveUpKind::NeedsConsent => None,
    }
}

fn without(mut result: ExecutionResult) -> ExecutionResult {
    if let Some(failure) = &mut result.failure {
        failure.gave_up = None;
    }
    result
}
