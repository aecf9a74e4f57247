//! A model that is asked nothing any more once its run is being stopped.

use std::sync::Arc;

use artoo_llm_client::{Completion, LlmClient, LlmError, ModelProfile, Request};
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

/// The model of a role in one run. A call that has begun goes on, so that its cost is on record; a call after
/// the stop never begins and never returns: the role is dismissed with its run.
pub(crate) struct UntilStopped {
    model: Arc<dyn LlmClient>,
    stop: CancellationToken,
}

impl UntilStopped {
    pub(crate) fn wrap(model: &Arc<dyn LlmClient>, stop: &CancellationToken) -> Arc<dyn LlmClient> {
        Arc::new(Self { model: Arc::clone(model), stop: stop.clone() })
    }

    async fn may_go_on(&self) {
        if self.stop.is_cancelled() {
            std::future::pending().await
        }
    }
}

#[async_trait]
impl LlmClient for UntilStopped {
    fn model(&self) -> &str {
        self.model.model()
    }

    fn structured(&self) -> bool {
        self.model.structured()
    }

    fn profile(&self) -> ModelProfile {
        self.model.profile()
    }

    async fn complete(&self, request: &Request) -> Result<Completion, LlmError> {
        self.may_go_on().await;
        self.model.complete(request).await
    }

    async fn complete_several(&self, requests: &[Request]) -> Vec<Result<Completion, LlmError>> {
        self.may_go_on().await;
        self.model.complete_several(requests).await
    }
}
