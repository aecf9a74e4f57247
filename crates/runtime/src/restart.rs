//! Restarts a role whose loop died: the messages it is replayed, and the planner wrapper that makes this
//! sound.
//!
//! Which roles can be restarted, and why the others cannot: `docs/design/runtime.md`, "A role that dies".

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use artoo_bus::Takeover;
use artoo_llm_client::LlmClient;
use artoo_planner::{FailureContext, PlanContext, PlanError, Planner};
use artoo_types::{Envelope, MessageKind, Plan, Role};
use async_trait::async_trait;

/// Whether a role's loop can be started a second time in its run.
pub(crate) fn is_possible(role: Role) -> bool {
    match role {
        Role::Perceiver | Role::Planner | Role::MetaValidator | Role::SharedMemory | Role::Ggs => true,
        // The executor tracks whose words are in the run, R4a judges concurrently, the dispatcher has minted
        // ids: none of that can be rebuilt from messages. The foreign code that they call is guarded at the
        // call.
        Role::Executor | Role::AgentValidator | Role::Dispatcher => false,
        Role::Auditor | Role::Supervisor | Role::User => false,
    }
}

/// The messages, of all that a role received, that its successor gets. The last message is the one that the
/// loop died on: it is delivered again.
pub(crate) fn takeover(role: Role, mut handed: Vec<Arc<Envelope>>) -> Takeover {
    let kind = |envelope: &Arc<Envelope>| envelope.message.kind();
    match role {
        // Its only state are its questions: it starts over, and may ask again.
        Role::Perceiver => {
            handed.retain(|envelope| kind(envelope) == MessageKind::UserRequest);
            handed.truncate(1);
            Takeover { past: Vec::new(), again: handed }
        }
        // Stateless.
        Role::SharedMemory => Takeover { past: Vec::new(), again: handed.pop().into_iter().collect() },
        // Of reported plans only the outcomes matter: with their manifests it would ask its judge again.
        Role::MetaValidator => {
            let manifest =
                handed.iter().rposition(|envelope| kind(envelope) == MessageKind::DispatchManifest);
            let mut position = 0;
            handed.retain(|envelope| {
                let is_latest = manifest == Some(position);
                position += 1;
                is_latest || kind(envelope) != MessageKind::DispatchManifest
            });
            but_for_the_last(handed)
        }
        Role::Planner
        | Role::Ggs
        | Role::Executor
        | Role::AgentValidator
        | Role::Dispatcher
        | Role::Auditor
        | Role::Supervisor
        | Role::User => but_for_the_last(handed),
    }
}

fn but_for_the_last(mut past: Vec<Arc<Envelope>>) -> Takeover {
    let again = past.pop().into_iter().collect();
    Takeover { past, again }
}

/// A planner that repeats its earlier answer to a round. A round is planned only once in a run, except by a
/// restarted R2: it must arrive at the run's existing plans without asking a model.
pub(crate) struct IdempotentPlanner {
    planner: Arc<dyn Planner>,
    plans: Mutex<BTreeMap<u32, Plan>>,
}

impl IdempotentPlanner {
    /// Nothing planned yet.
    pub(crate) fn new(planner: Arc<dyn Planner>) -> Self {
        Self { planner, plans: Mutex::default() }
    }
}

#[async_trait]
impl Planner for IdempotentPlanner {
    async fn plan(&self, cx: &PlanContext, model: &Arc<dyn LlmClient>) -> Result<Plan, PlanError> {
        let said = self.plans.lock().unwrap_or_else(PoisonError::into_inner).get(&cx.round).cloned();
        if let Some(plan) = said {
            return Ok(plan);
        }
        let plan = self.planner.plan(cx, model).await?;
        self.plans.lock().unwrap_or_else(PoisonError::into_inner).insert(cx.round, plan.clone());
        Ok(plan)
    }

    async fn failure_report(
        &self,
        cx: &FailureContext,
        model: &Arc<dyn LlmClient>,
    ) -> Result<String, PlanError> {
        self.planner.failure_report(cx, model).await
    }
}
