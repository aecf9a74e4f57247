//! `Deadlines`: how long a role may be silent.

use std::time::Duration;

/// How long each kind of step may take before the supervisor turns it into a typed fault.
///
/// A model's own timeouts are shorter: these deadlines catch a role that hangs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// R1, from the request to the task.
    pub perceive: Duration,
    /// R2, from memory's answer to the plan.
    pub plan: Duration,
    /// R3, one attempt.
    pub attempt: Duration,
    /// R4a and R4b, one criterion by a judge.
    pub judge: Duration,
    /// R2, for the story of a failure; a template follows. R7 waits a second longer, so that the template
    /// arrives, too.
    pub report: Duration,
    /// Steps without a model: memory, dispatch, control.
    pub step: Duration,
}

impl Default for Deadlines {
    /// For a remote model: minutes for steps with a model, 30 s for steps without.
    fn default() -> Self {
        Self {
            perceive: Duration::from_secs(180),
            plan: Duration::from_secs(300),
            attempt: Duration::from_secs(900),
            judge: Duration::from_secs(180),
            report: Duration::from_secs(10),
            step: Duration::from_secs(30),
        }
    }
}

impl Deadlines {
    /// For a model on this machine's CPU: steps with a model may take five times as long.
    pub fn patient() -> Self {
        let remote = Self::default();
        Self {
            perceive: remote.perceive * 5,
            plan: remote.plan * 5,
            attempt: remote.attempt * 5,
            judge: remote.judge * 5,
            report: remote.report * 4,
            step: remote.step,
        }
    }
}
