//! Constructors for the ways an attempt can end, shared by the tool loop and the guided loop.

use artoo_types::{
    CallEnding, ExecutionFailure, ExecutionStatus, FailureClass, GaveUp, GiveUpKind, ToolCall,
};

use crate::{Attempt, CallStopped};

pub(crate) fn completed(output: String, verbatim: bool) -> Attempt {
    Attempt {
        status: ExecutionStatus::Completed,
        output,
        verbatim,
        failure: None,
        samples: None,
        conversation: None,
    }
}

/// An attempt that the fast loop may still correct. What went wrong is what the last call failed of, where the
/// machine knows it; otherwise the turns were spent in vain, which is logical.
pub(crate) fn unfinished(reason: String, last: Option<&ToolCall>) -> Attempt {
    Attempt { status: ExecutionStatus::Uncertain, ..failed(FailureClass::Logical, reason, last) }
}

/// The model gave up, which is a valid result.
pub(crate) fn gave_up(gave_up: GaveUp, last: Option<&ToolCall>) -> Attempt {
    let class = match gave_up.kind {
        GiveUpKind::NeedsConsent => FailureClass::Denied,
        GiveUpKind::Impossible | GiveUpKind::NeedsPerson => FailureClass::Logical,
    };
    let mut attempt = failed(class, gave_up.reason.clone(), last);
    if let Some(failure) = &mut attempt.failure {
        failure.gave_up = Some(gave_up);
    }
    attempt
}

/// Whether a call has shown anything to answer from: it succeeded, it produced output, or it found nothing
/// and reported no error (a search without a hit exits with status 1).
pub(crate) fn shows(call: &ToolCall) -> bool {
    call.showed()
        && (call.succeeded() || !call.output.shown.trim().is_empty() || call.stderr.shown.trim().is_empty())
}

/// Whether the call was started: a refused one was not.
pub(crate) fn was_started(call: &ToolCall) -> bool {
    call.ending != CallEnding::Refused
}

/// A failed attempt. If the last call failed and the machine knows the class, that class wins over the
/// model's.
pub(crate) fn failed(class: FailureClass, reason: String, last: Option<&ToolCall>) -> Attempt {
    Attempt {
        status: ExecutionStatus::Failed,
        output: shown(last),
        verbatim: false,
        failure: Some(ExecutionFailure::of(known_class(last).unwrap_or(class), reason)),
        samples: None,
        conversation: None,
    }
}

/// The class of the last call's failure, if it failed and the machine knows the class.
pub(crate) fn known_class(last: Option<&ToolCall>) -> Option<FailureClass> {
    let class = last?.failure.as_ref()?.class;
    (class != FailureClass::Unknown).then_some(class)
}

/// An attempt that the actor ended.
pub(crate) fn ended(stopped: &CallStopped, last: Option<&ToolCall>) -> Attempt {
    let failed_as = |failure| Attempt {
        status: ExecutionStatus::Failed,
        output: shown(last),
        verbatim: false,
        failure: Some(failure),
        samples: None,
        conversation: None,
    };
    match stopped {
        // The fast loop may still correct this: the attempt is unfinished, not impossible.
        CallStopped::Repeated { .. } => Attempt {
            status: ExecutionStatus::Uncertain,
            ..failed(FailureClass::Logical, repeated(stopped, last), last)
        },
        CallStopped::Denied { reason } => {
            failed_as(ExecutionFailure::of(FailureClass::Denied, reason.clone()))
        }
        CallStopped::Cancelled => failed_as(ExecutionFailure {
            infrastructure: true,
            ..ExecutionFailure::of(FailureClass::Unknown, stopped.to_string())
        }),
    }
}

/// The failure of the call that was requested again or, without one, the fact that it was requested again.
fn repeated(stopped: &CallStopped, last: Option<&ToolCall>) -> String {
    let wrong = last.filter(|call| was_started(call)).and_then(|call| call.failure.as_ref());
    wrong.map_or_else(
        || stopped.to_string(),
        |failure| format!("{}, and the same was tried again", failure.reason),
    )
}

fn shown(last: Option<&ToolCall>) -> String {
    last.map(|call| call.output.shown.trim().to_owned()).unwrap_or_default()
}
