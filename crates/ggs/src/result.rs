//! Builds the messages that R7 sends to the planner and to the person.

use artoo_ggs_core::{Decision, Parameters, loss, omega};
use artoo_types::{
    ActionState, Basis, DirectAnswer, FailureReportRequest, FinalResult, OutcomeStatus, PartialOutput,
    PlanDirective, RunId, TaskId, TerminalState, UnitInterval,
};
use serde_json::Value;

use crate::failed_calls::never_allowed;
use crate::summary::{Remarks, summary};
use crate::{Conclusion, Round, combined_output};

/// The directive of an action state.
pub fn plan_directive(task_id: TaskId, action: ActionState, decision: &Decision) -> PlanDirective {
    PlanDirective {
        task_id,
        round: decision.round(),
        loss: decision.loss,
        prev_directive: decision.prev_directive,
        directive: action,
        blocked_tools: decision.blocked.tools.iter().cloned().collect(),
        blocked_targets: decision.blocked.targets.iter().cloned().collect(),
        blocked_programs: decision.blocked.programs.iter().cloned().collect(),
        blocked_approaches: decision.blocked.approaches.iter().cloned().collect(),
        failed_criterion: decision.failed_criterion.clone().unwrap_or_default(),
        unmet: decision.unmet.clone(),
        failure_class: decision.failure_class,
        grad_l: decision.grad_l,
        grad_goal: decision.grad_goal,
        rationale: decision.rationale.clone(),
    }
}

/// The question to the planner before a run is abandoned.
pub fn failure_report_request(
    task_id: TaskId,
    conclusion: &Conclusion,
    partial: Vec<PartialOutput>,
) -> FailureReportRequest {
    FailureReportRequest {
        task_id,
        reason: conclusion.reason.clone(),
        unmet: conclusion.unmet.clone(),
        partial,
    }
}

/// The one result of a run.
///
/// `round` is the meta-validator's last report, `advice` the planner's failure report. The deliverable of
/// `accept`, and of an unconfirmed result that meets everything, is the merged output; of any other `success`
/// all outputs; of `abandon` only the matched ones, so that nothing unchecked passes for a result. The others
/// are in `partial`, labelled. Where every step matched and no judge has looked at the whole, the deliverable is
/// what was done, and nothing of it is labelled as checked.
pub fn final_result(
    run_id: RunId,
    task_id: TaskId,
    conclusion: Conclusion,
    partial: Vec<PartialOutput>,
    round: Option<&Round>,
    advice: Option<&str>,
) -> FinalResult {
    let merged = round.and_then(|round| round.merged_output.as_ref());
    let structured = round.and_then(|round| round.structured.as_ref());
    let partial = if conclusion.is_unjudged() { unjudged(partial) } else { partial };
    let all_met = conclusion.directive == TerminalState::Accept || conclusion.unconfirmed().is_some();
    let structured = structured.filter(|_| all_met).cloned();
    let never_allowed = round.map(never_allowed).unwrap_or_default();
    let words = round.map_or("", |round| &round.words);
    let summary = summary(&conclusion, &partial, Remarks { words, advice, never_allowed: &never_allowed });
    let handed_over = if conclusion.is_unjudged() { OutcomeStatus::Unjudged } else { OutcomeStatus::Matched };
    let matched = partial.iter().filter(|output| output.status == handed_over);
    let (output, partial) = match conclusion.directive {
        _ if all_met => (merged.cloned().unwrap_or_else(|| combined_output(matched)), Vec::new()),
        TerminalState::Success => (merged.cloned().unwrap_or_else(|| combined_output(&partial)), partial),
        TerminalState::Accept | TerminalState::Abandon => (combined_output(matched), partial),
    };
    FinalResult {
        run_id,
        task_id,
        summary,
        output,
        basis: Basis::Evidence,
        structured,
        loss: conclusion.loss,
        grad_l: conclusion.grad_l,
        grad_goal: conclusion.grad_goal,
        replans: conclusion.replans,
        prev_directive: conclusion.prev_directive,
        directive: conclusion.directive,
        confidence: conclusion.confidence,
        unmet: conclusion.unmet,
        partial,
        gave_up: conclusion.gave_up,
        fault: conclusion.fault,
    }
}

/// What a person is told of an answer that nothing was looked at for.
const FROM_KNOWLEDGE: &str = "From the model's knowledge, not checked.";

/// The result of a request that was answered without work. Nothing was shown to be done, so its loss is that of a run in
/// which nothing was.
pub fn answered(
    run_id: RunId,
    task_id: TaskId,
    answer: &DirectAnswer,
    elapsed_ms: u64,
    parameters: &Parameters,
) -> FinalResult {
    FinalResult {
        task_id,
        summary: FROM_KNOWLEDGE.to_owned(),
        output: Value::String(answer.text.clone()),
        basis: Basis::Model,
        loss: loss(UnitInterval::ONE, UnitInterval::ZERO, omega(0, elapsed_ms, parameters), parameters),
        directive: TerminalState::Success,
        ..FinalResult::nothing(run_id, "")
    }
}

/// The matched outputs as not judged: that the steps matched does not say that the whole is what was asked for.
fn unjudged(partial: Vec<PartialOutput>) -> Vec<PartialOutput> {
    let matched = |output: &PartialOutput| output.status == OutcomeStatus::Matched;
    let relabelled = |output: PartialOutput| match matched(&output) {
        true => PartialOutput { status: OutcomeStatus::Unjudged, ..output },
        false => output,
    };
    partial.into_iter().map(relabelled).collect()
}
