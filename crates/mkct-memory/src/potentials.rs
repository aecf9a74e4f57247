//! Potentials of a tag pair: the two convolution channels and the action that they advise.
//!
//! Source: specification v0.8, R5 "Dual-Channel Convolution Potentials".

use artoo_types::{Level, Megram, MemoryAction, Potentials};
use chrono::{DateTime, FixedOffset};

use crate::decay;

/// Below this attention there is too little history to guide a plan.
pub const ATTENTION_MIN: f64 = 0.5;
/// Beyond this decision, in either direction, the history has a clear sign.
pub const DECISION_MIN: f64 = 0.2;

/// Whether entries of a level count in the sums of their pair. Laws (T) do not: they are in every prompt
/// anyway.
///
/// Consolidated entries do not count either, at any level; the caller leaves them out, because a Megram does
/// not know that it was consolidated. Source: `docs/deviations.md`, "Membership of the sums".
pub fn counts(level: Level) -> bool {
    match level {
        Level::M | Level::K | Level::C => true,
        Level::T => false,
    }
}

/// The potentials of a tag pair, term by term: the definition, and the reference for [`crate::sums`].
///
/// `members` are the pair's entries that are neither forgotten nor consolidated; those whose level does not
/// [count](counts) are skipped.
/// ```
/// use artoo_mkct_memory::potentials;
/// use artoo_types::MemoryAction;
/// # let now = chrono::DateTime::parse_from_rfc3339("2026-03-09T09:00:00+01:00").unwrap_or_default();
/// assert_eq!(potentials::direct([], now).action, MemoryAction::Ignore);
/// ```
pub fn direct<'a>(members: impl IntoIterator<Item = &'a Megram>, now: DateTime<FixedOffset>) -> Potentials {
    let (mut attention, mut decision) = (0.0, 0.0);
    for megram in members.into_iter().filter(|megram| counts(megram.level)) {
        let live = megram.f * decay::weight(megram.k, decay::age_days(megram, now));
        attention += live.abs();
        decision += megram.sigma * live;
    }
    advise(attention, decision)
}

/// Combines the two channels with their advice.
pub fn advise(attention: f64, decision: f64) -> Potentials {
    Potentials { attention, decision, action: action(attention, decision) }
}

/// The action that the two channels advise.
/// ```
/// use artoo_mkct_memory::potentials::action;
/// use artoo_types::MemoryAction;
/// assert_eq!(action(0.49, 0.49), MemoryAction::Ignore);
/// assert_eq!(action(0.5, 0.21), MemoryAction::Exploit);
/// assert_eq!(action(0.5, -0.21), MemoryAction::Avoid);
/// assert_eq!(action(0.5, 0.2), MemoryAction::Caution);
/// ```
pub fn action(attention: f64, decision: f64) -> MemoryAction {
    if attention < ATTENTION_MIN {
        MemoryAction::Ignore
    } else if decision > DECISION_MIN {
        MemoryAction::Exploit
    } else if decision < -DECISION_MIN {
        MemoryAction::Avoid
    } else {
        MemoryAction::Caution
    }
}
