//! A rejected result of the whole: the outcomes that it rests on are not kept for the next plan.

use artoo_types::{CriterionVerdict, Evidence, Finding, OutcomeStatus, SubTaskOutcome};

/// Fails the outcome at which an unmet verdict on the whole points: a rejected result is not kept for the
/// next plan. If there is only one outcome, it is that one.
pub(crate) fn refuse(outcomes: &mut [SubTaskOutcome], whole: &CriterionVerdict) {
    let Finding::Fail { failure_class: _, reason, evidence } = &whole.finding else { return };
    let is_alone = outcomes.len() == 1;
    let pointed = match evidence {
        Some(Evidence::ToolCall { call_id, .. }) => Some(*call_id),
        Some(Evidence::Observation { .. }) | None => None,
    };
    let is_meant = |outcome: &&mut SubTaskOutcome| {
        is_alone || outcome.tool_calls.iter().any(|call| Some(call.call_id) == pointed)
    };
    for outcome in outcomes.iter_mut().filter(is_meant) {
        // Its check verdicts stay as they are: the next plan is told what the whole lacks.
        outcome.status = OutcomeStatus::Failed;
        outcome.failure_reason = Some(reason.clone());
    }
}
