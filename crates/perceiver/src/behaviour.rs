//! What a perceiver is.

use std::sync::Arc;

use artoo_llm_client::LlmClient;
use artoo_types::UserRequest;
use async_trait::async_trait;

use crate::{Dialogue, PerceiveError, Perceived};

/// Turns a request into a [`TaskSpec`](artoo_types::TaskSpec).
///
/// *Contract.* The intent keeps every fact of the request: names, numbers, paths, and time words verbatim ("yesterday"
/// stays "yesterday"). References to earlier turns are resolved against `request.turns`. `raw_input` is the request,
/// byte for byte.
///
/// *Asking back.* [`Perceived::Unclear`] asks the person, and is for references that the request leaves open alone: no
/// confirmation, no preference, nothing that a look at the machine would tell. It is worth an answer only while
/// [`Dialogue::may_ask`]; otherwise the actor goes on with the user's own words. What was answered is part of the task.
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
