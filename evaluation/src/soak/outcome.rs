//! What is kept of a run.

use super::{
    finding,
    play::{self, Play},
    session::Observation,
};

/// A run in figures.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outcome {
    /// Its number.
    pub number: u64,
    /// The kind that was tried.
    pub kind: String,
    /// The group of that kind.
    pub group: String,
    /// Its exit code; 128 and the signal if one killed it.
    pub code: i32,
    /// Its fault, or its directive.
    pub ending: String,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// How often it called the model.
    pub calls: usize,
    /// The most memory, in MiB.
    pub memory: f64,
    /// The names of what may not happen, and did.
    pub names: Vec<String>,
    /// The same in full.
    pub findings: Vec<String>,
    /// The calls by role and kind.
    pub told: String,
}

impl Outcome {
    /// Of what was seen of a run.
    pub(super) fn of(play: &Play, observed: &Observation) -> Self {
        let found = finding::of(play, observed);
        Self {
            number: play.number,
            kind: play.kind.name.to_owned(),
            group: play.kind.group.name().to_owned(),
            code: observed.code.or(observed.signal.map(|signal| signal.saturating_add(128))).unwrap_or(-1),
            ending: finding::ending(&observed.stdout),
            seconds: observed.took.as_secs_f64(),
            calls: observed.seen.len(),
            memory: observed.memory,
            names: found.iter().map(|finding| finding.name().to_owned()).collect(),
            findings: found.iter().map(ToString::to_string).collect(),
            told: play::told(&observed.seen),
        }
    }
}
