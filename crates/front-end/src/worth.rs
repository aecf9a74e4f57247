//! What the result of a run is worth, as every front end has to tell it.

use artoo_runtime::events::Event;
use artoo_types::{Basis, Confidence, Errand, TerminalState};

/// What a result is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Worth<'a> {
    /// A command of the user's own: no role judged it.
    Command,
    /// All criteria are met, and it is believed.
    Accepted,
    /// All criteria are met, and it may still be wrong.
    Unconfirmed(&'a Confidence),
    /// An answer from the model's knowledge: nothing was looked at, and nothing was checked.
    Knowledge,
    /// Nearly all of it is done.
    Incomplete,
    /// It was given up.
    Unfinished,
    /// A fault ended it.
    Fault,
}

/// The facts of a run's end that decide what its result is worth.
#[derive(Clone, Copy, Debug)]
pub struct EndFacts<'a> {
    /// How it ended; `None` where a fault ended it.
    pub directive: Option<TerminalState>,
    /// Whether a fault is on record.
    pub has_fault: bool,
    /// What was asked for.
    pub errand: Errand,
    /// What the answer rests on.
    pub basis: Basis,
    /// How far it is to be believed.
    pub confidence: Option<&'a Confidence>,
}

impl<'a> Worth<'a> {
    /// What a result with these facts is worth.
    ///
    /// ```
    /// use artoo_front_end::{EndFacts, Worth};
    /// use artoo_types::{Basis, Errand, TerminalState};
    ///
    /// let accepted = EndFacts {
    ///     directive: Some(TerminalState::Accept),
    ///     has_fault: false,
    ///     errand: Errand::Task,
    ///     basis: Basis::Evidence,
    ///     confidence: None,
    /// };
    /// assert_eq!(Worth::from_facts(accepted), Worth::Accepted);
    /// assert_eq!(Worth::from_facts(EndFacts { has_fault: true, ..accepted }), Worth::Fault);
    /// ```
    pub fn from_facts(facts: EndFacts<'a>) -> Self {
        match (facts.directive, facts.has_fault) {
            (_, true) | (None, false) => Self::Fault,
            (Some(TerminalState::Accept), false) if !facts.errand.is_task() => Self::Command,
            (Some(TerminalState::Accept), false) => Self::Accepted,
            (Some(TerminalState::Success), false) if !facts.basis.is_evidence() => Self::Knowledge,
            (Some(TerminalState::Success), false) => {
                let doubtful = facts.confidence.filter(|confidence| !confidence.confirms());
                doubtful.map_or(Self::Incomplete, Self::Unconfirmed)
            }
            (Some(TerminalState::Abandon), false) => Self::Unfinished,
        }
    }

    /// What the result of a run's last event is worth; `None` for every other event.
    pub fn of(event: &'a Event) -> Option<Self> {
        let Event::RunFinished { errand, directive, confidence, error, basis, .. } = event else {
            return None;
        };
        Some(Self::from_facts(EndFacts {
            directive: *directive,
            has_fault: error.is_some(),
            errand: *errand,
            basis: *basis,
            confidence: confidence.as_deref(),
        }))
    }

    /// The word that protocols use for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Accepted => "confirmed",
            Self::Unconfirmed(_) => "not_confirmed",
            Self::Knowledge => "not_checked",
            Self::Incomplete => "incomplete",
            Self::Unfinished => "unfinished",
            Self::Fault => "fault",
        }
    }
}
