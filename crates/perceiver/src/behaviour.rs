//! The [`Perceiver`] trait.

use std::sync::Arc;

use artoo_llm_client::LlmClient;
use artoo_types::UserRequest;
use async_trait::async_trait;

use crate::{Dialogue, PerceiveError, Perceived};

/// Turns a request into a [`TaskSpec`](artoo_types::TaskSpec).
///
/// *Contract.* The intent keeps every fact of the request: names, numbers, paths, and time words verbatim
/// ("yesterday" stays "yesterday"). References to earlier turns are resolved against `request.turns`.
/// `raw_input` is the request, byte for byte.
///
/// *Asking back.* [`Perceived::Unclear`] asks the person. It is only for references that the request leaves
/// open: not for confirmation, preferences, or anything that can be looked up on the machine. It has an
/// effect only while [`Dialogue::may_ask`]; otherwise the actor proceeds with the user's own words. Answers
/// become part of the task.
///
/// *Who calls.* The actor: once per run, and once more after each answer.
///
/// *Cancellation.* The future may be dropped at any await.
///
/// *An implementation must not* set criteria, choose tools, judge feasibility, or keep state between runs.
#[async_trait]
pub trait Perceiver: Send + Sync {
    /// Perceives one request. `model` is metered; an implementation may leave it unused.
    async fn perceive(
        &self,
        request: &UserRequest,
        dialogue: &Dialogue,
        model: &Arc<dyn LlmClient>,
    ) -> Result<Perceived, PerceiveError>;
}
