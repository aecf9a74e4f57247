//! Verifies that giving up is justified: facts decide, or else a judge, whether the evidence shows that the step
//! cannot be done.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use artoo_checks::{Filesystem, MissingName};
use artoo_judging::{JudgeError, Waiting, decided};
use artoo_llm_client::LlmClient;
use artoo_types::{Criterion, ExecutionResult, Finding, GaveUp, GiveUpKind, Mode, StepKind, ToolCall};

use crate::{Judge, JudgeContext, verdicts::record};

/// The maximum size of a file that is searched for a name, in bytes. Whether a larger one has it, a judge decides.
const MOST_SEARCHED: u64 = 4 * 1024 * 1024;

/// The result, with the claim that the step is impossible removed if the evidence does not support it, so
/// that another way is tried. No judge is needed if the person has to answer or to consent, if nothing
/// was looked at, or if what the step names is not there. Without a verdict the claim is not borne out; the attempt has
/// failed by its own words either way.
///
/// # Errors
/// The provider of the judge's model fails, or its configuration is wrong.
pub(crate) async fn borne_out(
    result: ExecutionResult,
    cx: &JudgeContext<'_>,
    judge: &dyn Judge,
    model: &Arc<dyn LlmClient>,
    waiting: Waiting<'_>,
) -> Result<ExecutionResult, JudgeError> {
    let Some(claim) = claim(&result).filter(|_| cx.result.tool_calls.iter().any(ToolCall::ran)) else {
        return Ok(result);
    };
    if names_what_is_not_there(&claim, cx).await {
        return Ok(result);
    }
    let criterion = Criterion::new(
        "What was looked at shows that the step cannot be done, for the reason that is claimed",
        Mode::Verifiable,
    );
    let claimed = ExecutionResult { output: claim.reason.clone(), verbatim: false, ..cx.result.clone() };
    let cx = JudgeContext { result: &claimed, ..*cx };
    let judging = || async { judge.judge(std::slice::from_ref(&criterion), &cx, model).await };
    match decided(judging, 1, waiting, record(&cx)).await {
        Ok(found) if matches!(found.as_slice(), [(_, Finding::Pass { .. })]) => Ok(result),
        Err(error) if error.of_the_provider().is_some() => Err(error),
        Ok(_) | Err(_) => Ok(without(result)),
    }
}

/// Whether a call failed since something was not there that the step names, that is why it is given up, and nothing that is
/// there bears the name.
async fn names_what_is_not_there(claim: &GaveUp, cx: &JudgeContext<'_>) -> bool {
    let is_told = |missing: &MissingName| {
        [&cx.subtask.intent, &claim.reason].iter().all(|text| text.contains(missing.name()))
    };
    // That a file which is to be made is not there yet is no reason to give up.
    let is_needed = |missing: &MissingName| match (missing, cx.subtask.kind) {
        (MissingName::File(_), StepKind::Create | StepKind::Link) => false,
        (MissingName::File(_), StepKind::FindOut | StepKind::Change) | (MissingName::Key(_), _) => true,
    };
    let failed = cx.result.tool_calls.iter().filter(|call| call.ran() && call.failure.is_some());
    let missing: Vec<MissingName> = failed
        .filter_map(|call| MissingName::of(&call.stderr.shown))
        .filter(|missing| is_told(missing) && is_needed(missing) && !missing.is_one_of(cx.subject))
        .collect();
    if missing.is_empty() {
        return false;
    }
    let (world, subject) = (cx.world.clone(), cx.subject.to_vec());
    let look = move || missing.iter().any(|missing| !may_be_there(missing, &world, &subject));
    // This fails only when the process shuts down.
    tokio::task::spawn_blocking(look).await.unwrap_or(false)
}

/// Whether it is there, or cannot be known not to be.
fn may_be_there(missing: &MissingName, world: &Filesystem, subject: &[PathBuf]) -> bool {
    match missing {
        MissingName::File(name) => !matches!(world.place(Path::new(name)).try_exists(), Ok(false)),
        MissingName::Key(name) => subject.is_empty() || !subject.iter().all(|file| lacks(file, name)),
    }
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
