//! Which calls of a subtask count as failed.

use artoo_types::{
    BlockedTarget, CallEnding, CallFailure, FailureClass, OutcomeStatus, SubTaskOutcome, ToolCall,
};

use crate::Round;

/// A failed call and its failure.
pub(crate) struct Failing<'a> {
    pub(crate) target: BlockedTarget,
    pub(crate) failure: &'a CallFailure,
    pub(crate) call: &'a ToolCall,
}

/// The failed calls of a subtask, one per tool and target, in the order in which they were first made, each with
/// the failure of its last try. A call that a later identical one repeated successfully does not count, and
/// neither does a cancelled one, nor one that a rule of the executor refused: its result was known, or it was
/// blocked. What a person or the machine refused does.
pub(crate) fn failing_calls(outcome: &SubTaskOutcome) -> Vec<Failing<'_>> {
    let mut failing: Vec<Failing<'_>> = Vec::new();
    for call in &outcome.tool_calls {
        let target = target_of(call);
        let before = failing.iter_mut().find(|earlier| earlier.target == target);
        match (&call.failure, before) {
            _ if call.ending == CallEnding::Cancelled || is_refused_by_rule(call) => {}
            (None, None) => {}
            (None, Some(_)) => failing.retain(|earlier| earlier.target != target),
            (Some(failure), Some(earlier)) => (earlier.failure, earlier.call) = (failure, call),
            (Some(failure), None) => failing.push(Failing { target, failure, call }),
        }
    }
    failing
}

/// Why calls of the steps that failed are never allowed, each reason once, in the order of the calls. The person is told,
/// so that they do not look for a consent to give. Of a round whose steps all matched, the calls of all steps count.
pub(crate) fn never_allowed(round: &Round) -> Vec<String> {
    let all_matched = round.outcomes.iter().all(|outcome| outcome.status == OutcomeStatus::Matched);
    let fell_short =
        round.outcomes.iter().filter(|outcome| all_matched || outcome.status == OutcomeStatus::Failed);
    let failures =
        fell_short.flat_map(|outcome| outcome.tool_calls.iter().filter_map(|call| call.failure.as_ref()));
    let mut reasons: Vec<String> = Vec::new();
    for failure in failures.filter(|failure| failure.class == FailureClass::Forbidden) {
        if !reasons.contains(&failure.reason) {
            reasons.push(failure.reason.clone());
        }
    }
    reasons
}

/// Whether a failure of this class has a known reason, which says something about the means. A person's refusal says
/// nothing about them.
pub(crate) fn tells(class: FailureClass) -> bool {
    match class {
        FailureClass::Logical | FailureClass::Environmental | FailureClass::Forbidden => true,
        FailureClass::Denied | FailureClass::Unknown => false,
    }
}

/// The tool and its normalised arguments.
pub(crate) fn target_of(call: &ToolCall) -> BlockedTarget {
    BlockedTarget::of(&call.tool, &call.arguments)
}

fn is_refused_by_rule(call: &ToolCall) -> bool {
    let is_logical = call.failure.as_ref().is_some_and(|failure| failure.class == FailureClass::Logical);
    !was_started(call) && is_logical
}

/// Whether the call was actually started.
pub(crate) fn was_started(call: &ToolCall) -> bool {
    call.ending != CallEnding::Refused
}
