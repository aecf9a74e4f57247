//! The verdicts on one result: rules first, then checks, then the judge.

use std::{future::Future, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use artoo_checks::{Subject, evaluate};
use artoo_llm_client::LlmClient;
use artoo_types::{Criterion, CriterionVerdict, ExecutionStatus, FailureClass, Finding, Judge as DecidedBy};
use futures::FutureExt as _;

use crate::{Judge, JudgeContext};

/// Decides every criterion of `cx.subtask`, in order. `reached` sees each verdict as it falls.
///
/// A result that is not `completed` can never match: every criterion fails by rule, with the failure's class. A judge that
/// errs, panics or does not answer within `deadline` gives a failure of class `unknown`.
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
        let verdict = CriterionVerdict { criterion: criterion.text.clone(), mode: criterion.mode, judge, finding };
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
    if cx.result.status != ExecutionStatus::Completed {
        return (DecidedBy::Rule, unfinished(cx));
    }
    if let Some(check) = &criterion.check {
        let subject = Subject { output: &cx.result.output, tool_calls: &cx.result.tool_calls, answers: &[] };
        return (DecidedBy::Check, evaluate(check, &subject, cx.world));
    }
    match guarded(judge.judge(criterion, cx, model), deadline).await {
        Ok(Ok(finding)) => (DecidedBy::Model, finding),
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
