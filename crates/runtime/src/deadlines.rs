//! `Deadlines`: how long a role may be silent.

use std::sync::Arc;
use std::time::Duration;

use artoo_llm_client::{LlmClient, ModelProfile, RetryPolicy};

/// How long each kind of step may be silent before the supervisor turns it into a typed fault.
///
/// A deadline starts anew with each model call of the role, and a model's own time-outs are shorter: these deadlines
/// catch a role that hangs, and never a model that thinks. So they are derived from how long its server may be silent:
/// see [`Deadlines::after`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// R1, from the request to the task.
    pub perceive: Duration,
    /// R2, from memory's answer to the plan.
    pub plan: Duration,
    /// R3, within one attempt.
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
    /// Those of a model whose server may be silent for as long as most may.
    fn default() -> Self {
        Self::after(ModelProfile::DEFAULT_SILENCE)
    }
}

impl Deadlines {
    /// For these models: the server that may be silent longest decides. The default if there are none.
    pub fn for_models<'a>(models: impl IntoIterator<Item = &'a Arc<dyn LlmClient>>) -> Self {
        models.into_iter().map(|model| model.profile().silence()).max().map(Self::after).unwrap_or_default()
    }

    /// For models whose servers may be silent for this long: a step with a model may take as long as all requests of one
    /// call and the waits between, although a call ends after two silences. An answer that comes in pieces is no silence,
    /// and a call is heard of only when it ends. A step without a model has 30 s.
    pub fn after(silence: Duration) -> Self {
        let RetryPolicy { attempts, budget, .. } = RetryPolicy::default();
        let call = silence.saturating_mul(attempts.max(1)).saturating_add(budget);
        Self {
            perceive: call,
            plan: call,
            attempt: call.max(LONGEST_TOOL),
            judge: call,
            report: Duration::from_secs(10),
            step: Duration::from_secs(30),
        }
    }

    /// For a model on this machine's CPU, whose calls take minutes and send nothing meanwhile.
    pub fn patient() -> Self {
        Self {
            perceive: Duration::from_secs(900),
            plan: Duration::from_secs(1_500),
            attempt: Duration::from_secs(4_500),
            judge: Duration::from_secs(900),
            report: Duration::from_secs(40),
            step: Duration::from_secs(30),
        }
    }
}

/// Longer than any call of a tool may take.
const LONGEST_TOOL: Duration = Duration::from_secs(900);
