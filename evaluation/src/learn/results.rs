//! Results of the learning suite, as data.

use serde::{Deserialize, Serialize};

use crate::eval::{results::Conditions, session::Graded};

/// A run's use of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Memory {
    /// None.
    Off,
    /// The lessons of the earlier requests.
    On,
    /// As much as with memory on, in the same pairs, with the words of other sequences.
    Shuffled,
}

impl Memory {
    /// All of them, in the order of the tables.
    pub(super) const ALL: [Self; 3] = [Self::Off, Self::On, Self::Shuffled];

    /// Its name in the tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::On => "on",
            Self::Shuffled => "shuffled",
        }
    }
}

/// The results of the suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Learning {
    /// The conditions of the measurement.
    pub conditions: Conditions,
    /// The sequences, in their order.
    pub sequences: Vec<Taught>,
    /// The runs.
    pub runs: Vec<Run>,
}

/// A sequence, for the tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Taught {
    /// Its name.
    pub id: String,
    /// The lesson.
    pub teaches: String,
    /// The language of the requests.
    pub language: String,
}

/// One run of one request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Run {
    /// The sequence.
    pub sequence: String,
    /// The number of the request, from 1.
    pub number: usize,
    /// Its use of memory.
    pub memory: Memory,
    /// The number of Megrams before it; 0 with memory off.
    pub megrams: usize,
    /// How it ended.
    pub directive: String,
    /// Whether it was accepted, and the grader agrees.
    pub solved: bool,
    /// Whether it was accepted, and the grader disagrees.
    pub wrong: bool,
    /// Model calls.
    pub calls: u64,
    /// Tokens, input plus output.
    pub tokens: u64,
    /// Number of replans.
    pub replans: u64,
}

impl Run {
    /// A graded run as a row.
    pub(super) fn of(graded: &Graded, number: usize, memory: Memory, megrams: usize) -> Self {
        let outcome = &graded.outcome;
        Self {
            sequence: graded.id.clone(),
            number,
            memory,
            megrams,
            directive: outcome.directive.clone(),
            solved: graded.solved(),
            wrong: graded.claimed_but_wrong(),
            calls: outcome.calls,
            tokens: outcome.prompt_tokens.saturating_add(outcome.completion_tokens),
            replans: outcome.replans,
        }
    }

    /// Whether an earlier request could have taught it something.
    pub(super) fn is_later(&self) -> bool {
        self.number > 1
    }
}
