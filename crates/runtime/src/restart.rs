//! What somebody is told who takes a role over whose loop died, and the planner that makes that sound.
//!
//! Which roles can be taken over, and why the others cannot: `docs/design/runtime.md`, "A role that dies".

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
        // The executor knows whose words are in the run, R4a judges side by side, the dispatcher has minted
        // ids: none of that can be had again from messages. What they call of others is guarded where it is
        // called.
        Role::Executor | Role::AgentValidator | Role::Dispatcher => false,
        Role::Auditor | Role::Supervisor | Role::User => false,
    }
}

/// What of all that a role was handed is told to who takes it over. The last message is the one that it died
/// on: it is given once more.
pub(crate) fn takeover(role: Role, mut handed: Vec<Arc<Envelope>>) -> Takeover {
    let kind = |envelope: &Arc<Envelope>| envelope.message.kind();
    match role {
        // It has no state but the questions that it asked: it begins anew, and may ask again.
        Role::Perceiver => {
            handed.retain(|envelope| kind(envelope) == MessageKind::UserRequest);
            handed.truncate(1);
            Takeover { past: Vec::new(), again: handed }
        }
        // It has no state of its own.
        Role::SharedMemory => Takeover { past: Vec::new(), again: handed.pop().into_iter().collect() },
        // Of plans that it has reported only the outcomes are of use: with their manifests, too, it would ask
        // its judge again.
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

/// A planner that says of a round what it said before. In a run each round is planned once, but for an R2
/// that catches up: it must come to the plans that the run has, and ask no model for them.
pub(crate) struct IdempotentPlanner {
    planner: Arc<dyn Planner>,
    plans: Mutex<BTreeMap<u32, Plan>>,
}

impl IdempotentPlanner {
    /// Nothing was said yet.
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
