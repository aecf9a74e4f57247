//! What a perceiver is.

use std::sync::Arc;

use artoo_llm_client::LlmClient;
use artoo_types::{TaskSpec, UserRequest};
use async_trait::async_trait;

use crate::PerceiveError;

/// Turns a request into a [`TaskSpec`].
///
/// *Contract.* The intent keeps every fact of the request: names, numbers, paths, and time words verbatim ("yesterday"
/// stays "yesterday"). References to earlier turns are resolved against `request.turns`. `raw_input` is the request,
/// byte for byte.
///
/// *Who calls.* The actor, once per run.
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
        model: &Arc<dyn LlmClient>,
    ) -> Result<TaskSpec, PerceiveError>;
}
