//! Calls that memory advises against: the question to the person and the effect of the answer. Pure.
//!
//! Source: `docs/deviations.md`, "Caution" and "Memory's part of the blocked sets".

use artoo_types::{ApprovalDecided, GuardAction, Held, HeldEnd, MemoryGuard};

/// The decision about a call that memory holds back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    /// The call is refused, with this reason.
    Refused(Held, String),
    /// The call is made normally.
    Agreed(Held),
    /// The call is tried in a sandbox in which nothing persists.
    Tried(Held),
}

impl Hold {
    /// The entry for the call's record.
    pub(crate) fn held(&self) -> &Held {
        match self {
            Self::Refused(held, _) | Self::Agreed(held) | Self::Tried(held) => held,
        }
    }
}

/// Decides. `answer` is the person's; `None` if no person is present.
pub(crate) fn hold(guard: &MemoryGuard, answer: Option<&ApprovalDecided>) -> Hold {
    let held = |came| Held { action: guard.action, because: guard.because.clone(), came };
    let refused = |more: &str| {
        let reason = format!("{}{more}; do it in another way", against(guard));
        Hold::Refused(held(HeldEnd::Refused), reason)
    };
    match (answer, guard.action) {
        (Some(ApprovalDecided { granted: true, .. }), _) => Hold::Agreed(held(HeldEnd::Agreed)),
        (Some(ApprovalDecided { instead: Some(words), .. }), _) => {
            refused(&format!("; the user says: {words}"))
        }
        (Some(ApprovalDecided { reason, .. }), _) => refused(&format!("; {reason}")),
        (None, GuardAction::Refuse) => refused(""),
        (None, GuardAction::Confirm) => Hold::Tried(held(HeldEnd::Tried)),
    }
}

/// The question to the person.
pub(crate) fn question(guard: &MemoryGuard) -> String {
    match guard.action {
        GuardAction::Refuse => format!("{}; override it once?", against(guard)),
        GuardAction::Confirm => format!("{}; go on with this one call?", against(guard)),
    }
}

/// What memory holds against the call, with the evidence behind it.
fn against(guard: &MemoryGuard) -> String {
    let advises = match guard.action {
        GuardAction::Refuse => "memory advises against this call",
        GuardAction::Confirm => "memory advises caution about this call",
    };
    let because = guard.because.first().map(|id| format!(" ({id})")).unwrap_or_default();
    let lesson = guard.lesson.trim().trim_end_matches('.');
    if lesson.is_empty() { format!("{advises}{because}") } else { format!("{advises}{because}: {lesson}") }
}
