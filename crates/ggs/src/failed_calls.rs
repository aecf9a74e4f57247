//! Which calls of a subtask count as failed.

use artoo_types::{BlockedTarget, CallEnding, CallFailure, SubTaskOutcome, ToolCall};

/// A failed call and its failure.
pub(crate) struct Failing<'a> {
    pub(crate) target: BlockedTarget,
    pub(crate) failure: &'a CallFailure,
    pub(crate) call: &'a ToolCall,
}

/// The failed calls of a subtask, one per tool and target, in the order in which they were first made. A call
/// that a later identical one repeated successfully does not count, and neither does a cancelled one.
pub(crate) fn failing_calls(outcome: &SubTaskOutcome) -> Vec<Failing<'_>> {
    let mut failing: Vec<Failing<'_>> = Vec::new();
    for call in &outcome.tool_calls {
        let target = target_of(call);
        let before = failing.iter_mut().find(|earlier| earlier.target == target);
        match (&call.failure, before) {
            _ if call.ending == CallEnding::Cancelled => {}
            (None, None) => {}
            (None, Some(_)) => failing.retain(|earlier| earlier.target != target),
            (Some(failure), Some(earlier)) => (earlier.failure, earlier.call) = (failure, call),
            (Some(failure), None) => failing.push(Failing { target, failure, call }),
        }
    }
    failing
}

/// The tool and its normalised arguments.
pub(crate) fn target_of(call: &ToolCall) -> BlockedTarget {
    BlockedTarget::of(&call.tool, &call.arguments)
}

/// Whether the call was actually started.
pub(crate) fn was_started(call: &ToolCall) -> bool {
    call.ending != CallEnding::Refused
}
