//! What has to be so before a run is accepted.

/// The parts of it that can be left out, to measure what each buys. Whoever relies on results leaves all of
/// them in.
///
/// Design: `docs/design/acceptance.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acceptance {
    /// Whether calls are run again without what they are about.
    pub dependence: bool,
    /// Whether a guided model's commands are sampled.
    pub sampling: bool,
    /// Whether a judge sees the whole before it is accepted.
    pub last_judge: bool,
}

impl Default for Acceptance {
    /// All of it.
    fn default() -> Self {
        Self { dependence: true, sampling: true, last_judge: true }
    }
}
