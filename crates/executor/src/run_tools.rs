//! What carries out the calls.

use std::{sync::Arc, time::Duration};

use artoo_consent::{Consent, PauseClock, Rules};
use artoo_types::{Arguments, CallId, EvidenceId, NotRehearsed, Perturbation, Rehearsed, ToolCall, ToolName};
use async_trait::async_trait;
use chrono::{DateTime, FixedOffset};
use tokio_util::sync::CancellationToken;

use crate::ToolSpec;

/// The tools of a run, and the place where they work. The runtime puts those of `artoo-tools` behind it.
///
/// *Contract.* A call becomes one record, whatever happens: an unknown tool, wrong arguments, a refusal, a time-out, a panic. It asks for consent
/// through its [`CallTerms`] alone.
///
/// *Who calls.* The actor, after its own rules; several calls may run at once.
///
/// *Cancellation.* A call ends soon after its token is cancelled, or its future is dropped, with its process tree.
#[async_trait]
pub trait RunTools: Send + Sync {
    /// The tools, in the order in which they are offered.
    fn specs(&self) -> Vec<ToolSpec>;

    /// The arguments of a call as the tool wants them, where they can mean only that: what is recorded and compared.
    fn coerced(&self, _tool: &ToolName, arguments: Arguments) -> Arguments {
        arguments
    }

    /// Makes one call.
    async fn call(
        &self,
        call_id: CallId,
        tool: &ToolName,
        arguments: Arguments,
        terms: CallTerms,
    ) -> ToolCall;

    /// What a command would put out in this world, where nothing of it lasts and these rules alone answer.
    ///
    /// # Errors
    /// Why it was not run, or did not end.
    async fn rehearse(
        &self,
        command: &str,
        world: &Perturbation,
        rules: Rules,
        within: Duration,
    ) -> Result<Rehearsed, NotRehearsed>;

    /// Whether the record of a call names all that it changed.
    fn watches_changes(&self) -> bool;

    /// Whether this call, or what others left running, may have changed something besides, or somebody else did.
    fn goes_on(&self, call: &ToolCall) -> bool;

    /// An output in full, where it is kept.
    fn kept(&self, evidence: &EvidenceId) -> Option<Vec<u8>>;

    /// The date and time, with the local offset.
    fn now(&self) -> DateTime<FixedOffset>;
}

/// What one call is given besides its arguments.
#[derive(Clone)]
pub struct CallTerms {
    /// Who is asked.
    pub consent: Arc<dyn Consent>,
    /// How long the calls of this subtask have waited for people: their limits of time rest meanwhile.
    pub pauses: PauseClock,
    /// Whether the model that calls sees pictures.
    pub images: bool,
    /// Whether nothing of the call may last.
    pub trial_only: bool,
    /// Shown the output while a command runs. It must not block.
    pub on_output: Arc<dyn Fn(&str) + Send + Sync>,
    /// Ends the call.
    pub cancel: CancellationToken,
}
