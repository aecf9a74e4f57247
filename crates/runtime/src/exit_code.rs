//! The one table from results to exit codes.

use artoo_types::{
    CallEnding, FailureClass, FaultKind, FinalResult, Finding, GiveUpKind, StructuredOutput, SubTaskOutcome,
    TerminalState, ToolCall,
};

/// The exit code of a finished run.
///
/// | code | meaning |
/// |---|---|
/// | 0 | `accept` |
/// | 1 | internal or provider failure |
/// | 2 | usage or configuration |
/// | 3 | `success`, some criteria unmet; or an answer from the model's knowledge, which nobody checked; or `accept` without the value that a schema asks for; or everything done, and not judged as a whole |
/// | 4 | `abandon`, or a budget is spent, or nobody is there to say that a long run goes on |
/// | 5 | the plan was not agreed to, or the user ended the run at a question |
/// | 6 | the person has to answer something first |
/// | 124 | `--timeout` |
/// | 129 | the terminal was closed (SIGHUP) |
/// | 130 | interrupted (Ctrl+C, SIGINT) |
/// | 131 | SIGQUIT |
/// | 143 | SIGTERM |
///
/// Code 5 for consent to a single effect needs the outcomes: see [`exit_code_with`].
pub fn exit_code(result: &FinalResult) -> u8 {
    if let Some(fault) = &result.fault {
        return match fault.kind {
            FaultKind::Unjudged if fault.leaves_it_done() => 3,
            FaultKind::Unjudged
            | FaultKind::Provider
            | FaultKind::Answer
            | FaultKind::Deadline
            | FaultKind::Panic
            | FaultKind::Bus
            | FaultKind::Storage => 1,
            FaultKind::Configuration | FaultKind::Request => 2,
            FaultKind::Budget | FaultKind::Impossible => 4,
            FaultKind::NeedsPerson => 6,
            FaultKind::Refused | FaultKind::Declined => 5,
            FaultKind::Timeout => 124,
            FaultKind::HungUp => 129,
            FaultKind::Cancelled => 130,
            FaultKind::Quit => 131,
            FaultKind::Terminated => 143,
        };
    }
    if let Some(gave_up) = &result.gave_up {
        return match gave_up.kind {
            GiveUpKind::Impossible => 4,
            GiveUpKind::NeedsConsent => 5,
            GiveUpKind::NeedsPerson => 6,
        };
    }
    match result.directive {
        // The run fell short of the request.
        TerminalState::Accept if matches!(result.structured, Some(StructuredOutput::Missing(_))) => 3,
        TerminalState::Accept => 0,
        TerminalState::Success => 3,
        TerminalState::Abandon => 4,
    }
}

/// [`exit_code`], or 5 if the run was not accepted and consent was refused or could not be asked for. What is never allowed
/// changes no code: no consent is missing there.
pub fn exit_code_with(result: &FinalResult, outcomes: &[SubTaskOutcome]) -> u8 {
    exit_code_after(result, outcomes.iter().any(denied))
}

/// Like [`exit_code_with`], if it is known whether consent was missing.
pub(crate) fn exit_code_after(result: &FinalResult, denied: bool) -> u8 {
    match exit_code(result) {
        3 | 4 if denied && result.fault.is_none() => 5,
        code => code,
    }
}

/// The exit code of a command run, by its call: the command's own as shells report it, 5 if it was refused for lack of consent, or 1
/// if it is never allowed.
pub(crate) fn exit_code_of_call(call: &ToolCall) -> u8 {
    let misses_consent = call.failure.as_ref().is_none_or(|failure| match failure.class {
        FailureClass::Environmental | FailureClass::Forbidden => false,
        FailureClass::Denied | FailureClass::Logical | FailureClass::Unknown => true,
    });
    match call.ending {
        // A status has eight bits.
        CallEnding::Exited { status } => u8::try_from(status & 0xff).unwrap_or(u8::MAX),
        CallEnding::Signalled { signal } => u8::try_from(signal).unwrap_or(u8::MAX).saturating_add(128),
        CallEnding::TimedOut => 124,
        CallEnding::Cancelled => 130,
        CallEnding::Refused if misses_consent => 5,
        CallEnding::Refused => 1,
        CallEnding::Returned if call.succeeded() => 0,
        CallEnding::Returned => 1,
    }
}

/// Whether a subtask ended because consent was missing.
pub(crate) fn denied(outcome: &SubTaskOutcome) -> bool {
    outcome.criteria_verdicts.iter().any(|verdict| match &verdict.finding {
        Finding::Pass { .. } => false,
        Finding::Fail { failure_class, .. } => *failure_class == FailureClass::Denied,
    })
}
