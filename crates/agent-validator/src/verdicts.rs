//! The verdicts on one result: rules first, then checks, then the judge.

use std::{future::Future, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use artoo_checks::{Subject, evaluate};
use artoo_llm_client::LlmClient;
use artoo_types::{
    CallEnding, Criterion, CriterionVerdict, Evidence, ExecutionStatus, FailureClass, Finding,
    Judge as DecidedBy, ToolCall,
};
use futures::FutureExt as _;

use crate::{Judge, JudgeContext};

/// Decides every criterion of `cx.subtask`, in order. `reached` sees each verdict as it falls.
///
/// A result that is not `completed` can never match: every criterion fails by rule, with the failure's class. Nor can one
/// without a call that ran to its end: its output is a claim that nothing bears out, even where it has the right form. A
/// judge that errs, panics, does not answer within `deadline` or points at a call of another subtask gives a failure of
/// class `unknown`.
pub async fn verdicts(
    cx: &JudgeContext<'_>,
    judge: &dyn Judge,
    model: &Arc<dyn LlmClient>,
    deadline: Duration,
    mut reached: impl FnMut(&CriterionVerdict) + Send,
) -> Vec<CriterionVerdict> {
    let mut verdicts = Vec::with_capacity(cx.subtask.success_criteria.len());
    for criterion in &cx.subtask.success_criteria {
        let (judge, finding) = decide(criterion, cx, judge, model, deadline).await;
        let verdict =
            CriterionVerdict { criterion: criterion.text.clone(), mode: criterion.mode, judge, finding };
        reached(&verdict);
        verdicts.push(verdict);
    }
    verdicts
}

async fn decide(
    criterion: &Criterion,
    cx: &JudgeContext<'_>,
    judge: &dyn Judge,
    model: &Arc<dyn LlmClient>,
    deadline: Duration,
) -> (DecidedBy, Finding) {
    if cx.result.status != ExecutionStatus::Completed || cx.result.failure.is_some() {
        return (DecidedBy::Rule, unfinished(cx));
    }
    if !cx.result.tool_calls.iter().any(ran) {
        return (DecidedBy::Rule, unborne(cx));
    }
    if let Some(check) = &criterion.check {
        let subject = Subject { output: &cx.result.output, tool_calls: &cx.result.tool_calls, answers: &[] };
        return (DecidedBy::Check, evaluate(check, &subject, cx.world));
    }
    // The call itself is inside, since an implementation may panic before it returns its future.
    match guarded(async { judge.judge(criterion, cx, model).await }, deadline).await {
        Ok(Ok(finding)) => grounded(finding, cx),
        Ok(Err(error)) => (DecidedBy::Rule, unknown(error.to_string())),
        Err(reason) => (DecidedBy::Rule, unknown(reason)),
    }
}

/// Runs a judge so that neither a panic nor silence of its can spread.
async fn guarded<T>(judging: impl Future<Output = T>, deadline: Duration) -> Result<T, String> {
    match tokio::time::timeout(deadline, AssertUnwindSafe(judging).catch_unwind()).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(_)) => Err("the judge panicked".to_owned()),
        Err(_) => Err(format!("the judge gave no verdict within {} s", deadline.as_secs())),
    }
}

/// Whether a call came to its end. One that failed may still show something: that a file is not there.
fn ran(call: &ToolCall) -> bool {
    match call.ending {
        CallEnding::Exited { .. } | CallEnding::Returned => true,
        CallEnding::Signalled { .. } | CallEnding::TimedOut | CallEnding::Cancelled | CallEnding::Refused => {
            false
        }
    }
}

fn unborne(cx: &JudgeContext<'_>) -> Finding {
    let failure = cx.result.tool_calls.last().and_then(|call| call.failure.as_ref());
    Finding::Fail {
        failure_class: failure.map_or(FailureClass::Logical, |failure| failure.class),
        reason: match failure {
            Some(failure) => {
                format!("no call ran to its end, so nothing shows the result: {}", failure.reason)
            }
            None => "no tool was called, so nothing shows the result".to_owned(),
        },
        evidence: None,
    }
}

/// A pass must point at a call of this subtask; anything else is a pass without evidence, which is a fail.
fn grounded(finding: Finding, cx: &JudgeContext<'_>) -> (DecidedBy, Finding) {
    match &finding {
        Finding::Pass { evidence: Evidence::ToolCall { call_id, .. } }
            if !cx.result.tool_calls.iter().any(|call| call.call_id == *call_id) =>
        {
            (
                DecidedBy::Rule,
                unknown("the judge points at a call that was not made for this subtask".to_owned()),
            )
        }
        Finding::Pass { .. } | Finding::Fail { .. } => (DecidedBy::Model, finding),
    }
}

fn unfinished(cx: &JudgeContext<'_>) -> Finding {
    let (failure_class, reason) = match &cx.result.failure {
        Some(failure) => (failure.class, failure.reason.clone()),
        None => (FailureClass::Unknown, "the attempt did not finish".to_owned()),
    };
    Finding::Fail { failure_class, reason, evidence: None }
}

fn unknown(reason: String) -> Finding {
    Finding::Fail { failure_class: FailureClass::Unknown, reason, evidence: None }
}
