//! A model that is asked nothing any more once its run is being stopped, and nothing while the run waits for the user's
//! word whether it shall go on. Each of its calls is an activity of the run.

use std::sync::Arc;

use artoo_bus::Activities;
use artoo_llm_client::{
    Completion, LlmClient, LlmError, ModelProfile, Progress, Reporter, Request, Rest, Silence,
    subtask_of_call,
};
use artoo_types::Role;
use async_trait::async_trait;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// What the model calls of one run pass through. Clones are the same gate.
#[derive(Clone)]
pub(crate) struct Gate {
    /// The limits of all roles rest while it is shut.
    silence: Silence,
    /// That rest; none while the gate is open.
    rest: watch::Sender<Option<Rest>>,
    /// Those of the run.
    activities: Activities,
}

impl Gate {
    /// The gate of the run with these activities. It is open.
    pub(crate) fn of(activities: Activities) -> Self {
        Self { silence: Silence::default(), rest: watch::Sender::new(None), activities }
    }

    /// What the silence of each role in the run rests with.
    pub(crate) fn silence(&self) -> &Silence {
        &self.silence
    }

    /// No call begins from now on.
    pub(crate) fn shut(&self) {
        self.rest.send_modify(|rest| {
            rest.get_or_insert_with(|| self.silence.rest());
        });
    }

    /// Calls begin again.
    pub(crate) fn open(&self) {
        self.rest.send_replace(None);
    }

    async fn pass(&self) {
        // This fails only without a sender, and `self` is one.
        let _ = self.rest.subscribe().wait_for(Option::is_none).await;
    }

    /// Makes a call of this role, which tells how far it is while it runs.
    async fn told<F: Future>(&self, role: Role, call: F) -> F::Output {
        let activity = self.activities.begin(role, subtask_of_call(), Progress::WaitingForModel);
        let activity = Arc::new(activity);
        // A client may keep the reporter longer than its caller waits; the activity ends with the call.
        let weak = Arc::downgrade(&activity);
        let reporter = Reporter::new(move |progress| {
            if let Some(activity) = weak.upgrade() {
                activity.report(progress);
            }
        });
        reporter.during(call).await
    }
}

/// The model of a role in one run. A call that has begun goes on, so that its cost is on record; a call after
/// the stop never begins and never returns: the role is dismissed with its run.
pub(crate) struct UntilStopped {
    role: Role,
    model: Arc<dyn LlmClient>,
    stop: Option<CancellationToken>,
    gate: Gate,
}

impl UntilStopped {
    pub(crate) fn wrap(
        (role, model): (Role, &Arc<dyn LlmClient>),
        stop: &CancellationToken,
        gate: &Gate,
    ) -> Arc<dyn LlmClient> {
        Arc::new(Self { role, model: Arc::clone(model), stop: Some(stop.clone()), gate: gate.clone() })
    }

    /// A model that is asked after the stop as well.
    pub(crate) fn gated((role, model): (Role, &Arc<dyn LlmClient>), gate: &Gate) -> Arc<dyn LlmClient> {
        Arc::new(Self { role, model: Arc::clone(model), stop: None, gate: gate.clone() })
    }

    async fn may_go_on(&self) {
        self.gate.pass().await;
        if self.stop.as_ref().is_some_and(CancellationToken::is_cancelled) {
            std::future::pending().await
        }
    }
}

#[async_trait]
impl LlmClient for UntilStopped {
    fn model(&self) -> &str {
        self.model.model()
    }

    fn server(&self) -> Option<&str> {
        self.model.server()
    }

    fn structured(&self) -> bool {
        self.model.structured()
    }

    fn profile(&self) -> ModelProfile {
        self.model.profile()
    }

    async fn complete(&self, request: &Request) -> Result<Completion, LlmError> {
        self.may_go_on().await;
        self.gate.told(self.role, self.model.complete(request)).await
    }

    async fn complete_several(&self, requests: &[Request]) -> Vec<Result<Completion, LlmError>> {
        self.may_go_on().await;
        self.gate.told(self.role, self.model.complete_several(requests)).await
    }
}
