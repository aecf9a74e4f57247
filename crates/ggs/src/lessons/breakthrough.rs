//! Finds the calls that made newly passing criteria pass.

use std::collections::{BTreeMap, BTreeSet};

use artoo_types::{BlockedTarget, CallId, CriterionVerdict, Evidence, Finding, SubTaskOutcome, ToolCall};

use crate::Round;
use crate::failed_calls::target_of;

/// The pairs behind newly passing criteria, each with the first criterion that it made pass. The pair is that
/// of the call that the verdict refers to; if it refers to none, that of the subtask's last successful one.
pub(super) fn pairs(round: &Round, newly: &BTreeSet<String>) -> Vec<(BlockedTarget, String)> {
    let mut pairs: BTreeMap<BlockedTarget, String> = BTreeMap::new();
    let mut add = |call: Option<&ToolCall>, verdict: &CriterionVerdict| {
        if let Some(call) = call.filter(|call| call.succeeded() && call.trust.tainted.is_none()) {
            pairs.entry(target_of(call)).or_insert_with(|| verdict.criterion.clone());
        }
    };
    for outcome in &round.outcomes {
        for verdict in newly_passing(&outcome.criteria_verdicts, newly) {
            let last_good = || outcome.tool_calls.iter().rev().find(|call| call.succeeded());
            add(evidence_call(verdict).and_then(|id| call(outcome, id)).or_else(last_good), verdict);
        }
    }
    for verdict in newly_passing(&round.task_verdicts, newly) {
        let found =
            evidence_call(verdict).and_then(|id| round.outcomes.iter().find_map(|outcome| call(outcome, id)));
        add(found, verdict);
    }
    pairs.into_iter().collect()
}

fn newly_passing<'a>(
    verdicts: &'a [CriterionVerdict],
    newly: &'a BTreeSet<String>,
) -> impl Iterator<Item = &'a CriterionVerdict> {
    verdicts.iter().filter(|verdict| verdict.passed() && newly.contains(&verdict.criterion))
}

fn evidence_call(verdict: &CriterionVerdict) -> Option<CallId> {
    match &verdict.finding {
        Finding::Pass { evidence: Evidence::ToolCall { call_id, .. } } => Some(*call_id),
        Finding::Pass { evidence: Evidence::Observation { .. } } | Finding::Fail { .. } => None,
    }
}

fn call(outcome: &SubTaskOutcome, id: CallId) -> Option<&ToolCall> {
    outcome.tool_calls.iter().find(|call| call.call_id == id)
}
