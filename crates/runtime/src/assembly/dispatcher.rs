//! The dispatcher's loop, between its port and its pure parts.

use artoo_bus::Port;
use artoo_types::{Message, SubTaskId};
use uuid::Uuid;

use crate::{Dispatch, plan_gate::PlanGate};

pub(super) async fn dispatcher(mut port: Port, mut gate: PlanGate, mut dispatch: Dispatch) {
    let mint = || SubTaskId::new(Uuid::now_v7());
    while let Some(envelope) = port.recv().await {
        let messages = if let Message::Plan(plan) = envelope.message.as_ref() {
            match gate.on_plan(plan) {
                Some(instead) => vec![instead],
                None => dispatch.on_plan(plan, mint),
            }
        } else if let Message::PlanApprovalDecided(decision) = envelope.message.as_ref() {
            match gate.on_decision(decision) {
                Some(Ok(plan)) => dispatch.on_plan(&plan, mint),
                Some(Err(refused)) => vec![refused.into()],
                None => Vec::new(),
            }
        } else if let Message::TaskSpec(task) = envelope.message.as_ref() {
            dispatch.on_task(task);
            Vec::new()
        } else if let Message::SubTaskOutcome(outcome) = envelope.message.as_ref() {
            dispatch.on_outcome(outcome)
        } else {
            Vec::new()
        };
        for message in messages {
            if let Err(error) = port.publish(message) {
                tracing::debug!(%error, "the dispatcher could not publish");
            }
        }
    }
}
