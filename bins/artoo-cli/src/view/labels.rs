//! Wording of enums.

use artoo_runtime::journal::RunState;
use artoo_snapshot::{UndoAction, Undoable};
use artoo_types::{
    AnswerOrigin, CallEnding, EffectKind, Errand, FailureClass, FaultKind, Judge, MacroState, MegramState,
    MemoryAction, OutcomeStatus, Role, TerminalState,
};
use serde_json::Value;

/// A value as text: a string as it is, anything else as JSON, `None` for null.
pub(super) fn value_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.trim_end().to_owned()).filter(|text| !text.is_empty()),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Some(serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string()))
        }
    }
}

/// How the answer was made from the outputs of several steps.
pub(super) fn answer(origin: AnswerOrigin) -> &'static str {
    match origin {
        AnswerOrigin::LastStep => "the output of the last step, which sums up the others",
        AnswerOrigin::Composed => {
            "written by a model from the outputs of all steps, its figures and names checked by code"
        }
        AnswerOrigin::Listed => "the outputs of all steps as they are, as a list",
    }
}

/// The arguments of a call: a single one as its value, several with their names.
pub(super) fn arguments(arguments: &Value) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let Some(map) = arguments.as_object() else { return text(arguments) };
    let given: Vec<(&String, &Value)> = map.iter().filter(|(_, value)| !value.is_null()).collect();
    match given.as_slice() {
        [(_, only)] => text(only),
        several => several
            .iter()
            .map(|(name, value)| format!("{name}={}", text(value)))
            .collect::<Vec<_>>()
            .join(" "),
    }
}

/// How a call ended, if that is worth mentioning.
pub(super) fn ending(ending: &CallEnding) -> Option<String> {
    match ending {
        CallEnding::Exited { status: 0 } | CallEnding::Returned => None,
        CallEnding::Exited { status } => Some(format!("exit status {status}")),
        CallEnding::Signalled { signal } => Some(format!("signal {signal}")),
        CallEnding::TimedOut => Some("timed out".to_owned()),
        CallEnding::Cancelled => Some("cancelled".to_owned()),
        CallEnding::Refused => Some("refused".to_owned()),
    }
}

/// How a program ended, if it did not end well. That a call was refused is its reason already.
pub(super) fn ending_of_program(ending: &CallEnding) -> Option<String> {
    match ending {
        CallEnding::Exited { .. } | CallEnding::Signalled { .. } | CallEnding::TimedOut => {
            self::ending(ending)
        }
        CallEnding::Returned | CallEnding::Cancelled | CallEnding::Refused => None,
    }
}

/// An effect kind as a verb before its object.
pub(super) fn effect(kind: EffectKind) -> &'static str {
    match kind {
        EffectKind::Creates => "makes",
        EffectKind::Overwrites => "changes",
        EffectKind::Deletes => "deletes",
        EffectKind::Commits => "commits to",
        EffectKind::Network => "asks other machines",
        EffectKind::OutsideMachine => "acts on other machines",
        EffectKind::Privilege => "uses the rights of somebody else",
        EffectKind::Unknown => "it cannot be known what this does",
    }
}

pub(super) fn class(class: FailureClass) -> &'static str {
    match class {
        FailureClass::Logical => "wrong approach",
        FailureClass::Environmental => "the world is in the way",
        FailureClass::Denied => "no consent",
        FailureClass::Forbidden => "never allowed",
        FailureClass::Unknown => "cause unknown",
    }
}

pub(super) fn judge(judge: Judge) -> &'static str {
    match judge {
        Judge::Check => "checked by code",
        Judge::Model => "judged by a model",
        Judge::Rule => "by rule",
    }
}

pub(super) fn status(status: OutcomeStatus) -> &'static str {
    match status {
        OutcomeStatus::Matched => "matched",
        OutcomeStatus::Failed => "failed",
        OutcomeStatus::Skipped => "skipped",
        OutcomeStatus::Unjudged => "not judged",
    }
}

/// How far a partial output can be trusted.
pub(super) fn trust(status: OutcomeStatus) -> &'static str {
    match status {
        OutcomeStatus::Matched => "checked",
        OutcomeStatus::Failed => "NOT checked: a claim of a failed subtask",
        OutcomeStatus::Skipped => "not worked on",
        OutcomeStatus::Unjudged => "NOT judged",
    }
}

/// Whether a run can be undone, if there is something to say about it.
pub(super) fn undo(state: Undoable) -> Option<&'static str> {
    Some(match state {
        Undoable::Nothing => return None,
        Undoable::Yes => "can be undone",
        Undoable::Unfinished => "undo with --as-it-is",
        Undoable::Halfway => "undo was cut off",
        Undoable::Undone => "undone",
        Undoable::Unkept => "cannot be undone: too large to keep",
        Undoable::Expired => "undo is not kept any more",
        Undoable::Damaged => "undo is damaged",
    })
}

/// The same in a word or two, for a list; empty if there is nothing to say.
pub(super) fn undo_word(state: Undoable) -> &'static str {
    match state {
        Undoable::Nothing => "",
        Undoable::Yes => "possible",
        Undoable::Unfinished => "as it is",
        Undoable::Halfway => "cut off",
        Undoable::Undone => "undone",
        Undoable::Unkept => "too large",
        Undoable::Expired => "not kept",
        Undoable::Damaged => "damaged",
    }
}

/// What undo did to a path, or would do.
pub(super) fn undo_action(action: UndoAction, dry_run: bool) -> &'static str {
    match (action, dry_run) {
        (UndoAction::Remove, false) => "removed",
        (UndoAction::Restore, false) => "restored",
        (UndoAction::Recreate, false) => "recreated",
        (UndoAction::Remove, true) => "would remove",
        (UndoAction::Restore, true) => "would restore",
        (UndoAction::Recreate, true) => "would recreate",
    }
}

/// Prefix of a request.
pub(super) fn errand(errand: Errand) -> &'static str {
    match errand {
        Errand::Task => "»",
        Errand::Command => "$",
    }
}

pub(super) fn terminal(state: TerminalState) -> &'static str {
    match state {
        TerminalState::Accept => "accept",
        TerminalState::Success => "partial",
        TerminalState::Abandon => "abandon",
    }
}

/// State of a run whose end is not recorded, as a word and a sentence; `None` if it is.
pub(super) fn unfinished(state: RunState) -> Option<(&'static str, &'static str)> {
    match state {
        RunState::Finished => None,
        RunState::Running => Some(("running", "this run is at work")),
        RunState::Killed => {
            Some(("killed", "this run was killed: its process ended without recording an end"))
        }
        RunState::Unrecorded => Some(("unrecorded", "the end of this run could not be recorded")),
        RunState::Unknown => Some(("no end", "this run has no end: it is at work, or was killed")),
    }
}

/// The fault that ended a run.
pub(super) fn fault(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Cancelled => "interrupted",
        FaultKind::HungUp => "terminal closed",
        FaultKind::Quit => "ended by SIGQUIT",
        FaultKind::Terminated => "ended by SIGTERM",
        FaultKind::Timeout => "out of time",
        FaultKind::Budget => "out of budget",
        FaultKind::Refused => "not agreed to",
        FaultKind::Declined => "ended at a question",
        FaultKind::Impossible => "cannot be done",
        FaultKind::NeedsPerson => "needs an answer",
        FaultKind::Unjudged => "not judged",
        FaultKind::Provider
        | FaultKind::Answer
        | FaultKind::Configuration
        | FaultKind::Request
        | FaultKind::Deadline
        | FaultKind::Panic
        | FaultKind::Bus
        | FaultKind::Storage => "ended by a fault",
    }
}

/// A state of the controller, with the words of [`terminal`] for the ends.
pub(super) fn state(state: MacroState) -> &'static str {
    match state {
        MacroState::Success => terminal(TerminalState::Success),
        MacroState::Abandon
        | MacroState::Accept
        | MacroState::ChangeApproach
        | MacroState::BreakSymmetry
        | MacroState::ChangePath
        | MacroState::Refine => state.name(),
    }
}

pub(crate) fn advice(action: MemoryAction) -> &'static str {
    match action {
        MemoryAction::Exploit => "exploit",
        MemoryAction::Avoid => "avoid",
        MemoryAction::Caution => "caution",
        MemoryAction::Ignore => "ignore",
    }
}

pub(crate) fn megram(state: MegramState) -> &'static str {
    match state {
        MegramState::Abandon => "abandon",
        MegramState::Accept => "accept",
        MegramState::ChangeApproach => "change_approach",
        MegramState::Success => "success",
        MegramState::BreakSymmetry => "break_symmetry",
        MegramState::ChangePath => "change_path",
        MegramState::Refine => "refine",
    }
}

/// The role's short code from the specification; a dot for parties without one.
pub(super) fn code(role: Option<Role>) -> &'static str {
    match role.map(Role::code) {
        None | Some("-") => "·",
        Some(code) => code,
    }
}
