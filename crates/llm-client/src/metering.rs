//! Model calls as the messages that account for them.

use std::sync::Arc;

use artoo_types::{ModelCall, Role, SubTaskId};

use crate::{LlmClient, Metered};

/// Wraps `inner` so that every finished call of `role`, failed ones included, is published as a [`ModelCall`].
///
/// Each role's actor wraps the model it was given before it hands it to the behaviour, so that a behaviour cannot make
/// a call that nobody counts.
pub fn metered(
    inner: Arc<dyn LlmClient>,
    role: Role,
    subtask_id: Option<SubTaskId>,
    publish: impl Fn(ModelCall) + Send + Sync + 'static,
) -> Arc<dyn LlmClient> {
    let model = inner.model().to_owned();
    Arc::new(Metered::new(inner, move |_, result| {
        let (usage, model, error) = match result {
            Ok(completion) => (completion.usage, completion.model.clone(), None),
            Err(error) => (crate::Usage::default(), model.clone(), Some(error.to_string())),
        };
        publish(ModelCall {
            role,
            subtask_id,
            model,
            prompt_tokens: usage.prompt_tokens,
            cached_tokens: usage.cached_tokens,
            completion_tokens: usage.completion_tokens,
            estimated: usage.estimated,
            elapsed_ms: usage.elapsed_ms,
            requests: usage.requests,
            error,
        });
    }))
}
