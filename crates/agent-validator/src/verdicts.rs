//! The verdicts on one result: rules first, then checks, then the judge.

use std::{sync::Arc, time::Duration};

use artoo_checks::{Subject, evaluate, missing_subject, overlooked, too_deep, unborne, unfound};
use artoo_judging::decided;
use artoo_llm_client::{LlmClient, Origin, outside};
use artoo_types::{
    Check, Criterion, CriterionVerdict, ExecutionStatus, FailureClass, Finding, Judge as DecidedBy, ToolCall,
};

use crate::{Judge, JudgeContext};

/// Decides every criterion of `cx.subtask`, in order. `reached` sees each verdict as it falls.
///
/// A result that is not `completed` can never match: every criterion fails by rule, with the failure's class. Nor can one
/// without a call that ran to its end: its output is a claim that nothing bears out, even where it has the right form. The same
/// holds for a figure or a file name in an answer that no call shows, and for a blank answer that a judge would be asked about. A
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
    let flaw = flaw(cx);
    for criterion in &cx.subtask.success_criteria {
        let (judge, finding) = match &flaw {
            Some(finding) => (DecidedBy::Rule, finding.clone()),
            None => decide(criterion, cx, judge, model, deadline).await,
        };
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
    if let Some(reason) = invented(criterion, cx) {
        return (DecidedBy::Rule, logical(reason));
    }
    if let Some(check) = &criterion.check {
        let subject = Subject { output: &cx.result.output, tool_calls: &cx.result.tool_calls, answers: &[] };
        return (DecidedBy::Check, evaluate(check, &subject, cx.world));
    }
    decided(async { judge.judge(criterion, cx, model).await }, deadline, &cx.result.tool_calls).await
}

/// What is wrong with the result as a whole, whatever the criterion. It may look at every file of a folder, so it is asked once.
fn flaw(cx: &JudgeContext<'_>) -> Option<Finding> {
    if cx.result.status != ExecutionStatus::Completed || cx.result.failure.is_some() {
        return Some(unfinished(cx));
    }
    if !cx.result.tool_calls.iter().any(ToolCall::ran) {
        return Some(without_a_call(cx));
    }
    // A second derivation is believed where it agrees with the first, and two that found nothing in the wrong place agree.
    if !cx.subtask.avoid.is_empty() && unfound(&cx.result.output, &cx.result.tool_calls) {
        let reason = "it says that there is nothing, and no call came back with nothing: search for what was asked about";
        return Some(logical(reason.to_owned()));
    }
    if cx.subtask.is_about_a_deed() {
        return None;
    }
    let (answer, step) = (&cx.result.output, &cx.subtask);
    // The context has the request, of which a step may have lost a limit.
    overlooked(answer, &step.intent, &cx.result.tool_calls, cx.world)
        .or_else(|| too_deep(answer, &step.intent, cx.world))
        .or_else(|| too_deep(answer, &outside(Origin::Memory, &step.context), cx.world))
        .map(logical)
}

/// What of the output nobody has shown. A check of its form would be met all the same, and a judge sees what he wants to see.
fn invented(criterion: &Criterion, cx: &JudgeContext<'_>) -> Option<String> {
    // "Is it there?" may be answered with no, "how many lines has it?" not with 0.
    let asks_for_a_figure = matches!(criterion.check, Some(Check::OutputNumber { .. }));
    let is_zero = cx.result.output.trim() == "0";
    if (asks_for_a_figure || is_zero)
        && let Some(reason) =
            missing_subject(&cx.result.output, &cx.subtask.intent, &cx.result.tool_calls, cx.world)
    {
        return Some(reason);
    }
    let named = match &criterion.check {
        None if cx.result.output.trim().is_empty() => return Some("the answer is empty".to_owned()),
        None if cx.subtask.is_about_a_deed() => return None,
        Some(Check::OutputNumber { .. }) => String::new(),
        None
        | Some(
            Check::OutputEquals { .. }
            | Check::OutputContains { .. }
            | Check::OutputMatches { .. }
            | Check::OutputLines { .. }
            | Check::OutputLists { .. }
            | Check::JsonPointer { .. },
        ) => {
            // What memory says was shown by no call of this run, and was not asked for.
            let context = outside(Origin::Memory, &cx.subtask.context);
            format!("{} {context} {}", cx.subtask.intent, criterion.text)
        }
        Some(
            Check::ExitStatus { .. }
            | Check::FileExists { .. }
            | Check::FileAbsent { .. }
            | Check::FileContains { .. }
            | Check::FileHash { .. }
            | Check::FileNewer { .. }
            | Check::FileUnchanged { .. }
            | Check::SameAnswer { .. },
        ) => return None,
    };
    unborne(&cx.result.output, cx.result.verbatim, &cx.result.tool_calls, &named)
}

fn logical(reason: String) -> Finding {
    Finding::Fail { failure_class: FailureClass::Logical, reason, evidence: None }
}

fn without_a_call(cx: &JudgeContext<'_>) -> Finding {
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

fn unfinished(cx: &JudgeContext<'_>) -> Finding {
    let (failure_class, reason) = match &cx.result.failure {
        Some(failure) => (failure.class, failure.reason.clone()),
        None => (FailureClass::Unknown, "the attempt did not finish".to_owned()),
    };
    Finding::Fail { failure_class, reason, evidence: None }
}
