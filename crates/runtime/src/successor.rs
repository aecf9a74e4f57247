//! `Successor`: ends a run whose own R7 is gone.

use std::sync::Arc;

use artoo_bus::{Clock, RunBus};
use artoo_ggs::GgsRole;
use artoo_types::{Envelope, Fault, FaultKind, FinalResult, Message, Role, RunId};

use crate::supervisor::fault;

/// Creates a fresh R7 with the default solver.
pub(crate) type MakeGgs = Box<dyn Fn() -> GgsRole + Send>;

/// Feeds a fresh R7 with the run's history and lets it end the run. It waits for nothing, so it cannot hang.
pub(crate) struct Successor {
    make: MakeGgs,
    clock: Arc<dyn Clock>,
    /// The messages with the task, and the outputs of its subtasks.
    history: Vec<Arc<Envelope>>,
    /// R7's last directive.
    directed: Option<Arc<Envelope>>,
    /// Why the run ends: the first reason counts.
    fault: Option<Fault>,
}

impl Successor {
    /// Without history.
    pub(crate) fn new(make: MakeGgs, clock: Arc<dyn Clock>) -> Self {
        Self { make, clock, history: Vec::new(), directed: None, fault: None }
    }

    /// Keeps the messages that a successor needs, so that partial outputs and the count of replans survive
    /// R7.
    pub(crate) fn remember(&mut self, envelope: &Arc<Envelope>) {
        let message = envelope.message.as_ref();
        if matches!(message, Message::UserRequest(_) | Message::TaskSpec(_) | Message::SubTaskOutcome(_)) {
            self.history.push(Arc::clone(envelope));
        } else if let Message::PlanDirective(_) = message {
            self.directed = Some(Arc::clone(envelope));
        } else if let Message::Fault(fault) = message {
            self.blame(fault);
        }
    }

    /// Records why the run ends.
    pub(crate) fn blame(&mut self, fault: &Fault) {
        self.fault.get_or_insert_with(|| fault.clone());
    }

    /// Ends the run in R7's name. Does nothing if R7 still holds its port, or if the bus refuses.
    pub(crate) fn conclude(&self, bus: &RunBus) {
        let Ok(port) = bus.port(Role::Ggs) else { return };
        let mut role = (self.make)();
        for envelope in &self.history {
            role.on(envelope);
        }
        if let Some(Message::PlanDirective(directive)) =
            self.directed.as_ref().map(|directed| directed.message.as_ref())
        {
            role.inherit(directive);
        }
        let reason = || fault(Role::Ggs, FaultKind::Panic, "the controller is gone".to_owned());
        let end = Envelope {
            seq: 0,
            run_id: bus.run_id(),
            at: self.clock.now(),
            elapsed_ms: u64::try_from(bus.elapsed().as_millis()).unwrap_or(u64::MAX),
            from: Role::Supervisor,
            message: Arc::new(self.fault.clone().unwrap_or_else(reason).into()),
        };
        let mut messages = role.on(&end);
        // It would ask the planner for the story and wait; here a template answers at once.
        messages.retain(|message| !matches!(message, Message::FailureReportRequest(_)));
        messages.extend(role.on_report_deadline());
        for message in messages {
            if let Err(error) = port.publish(message) {
                tracing::warn!(run = %bus.run_id(), %error, "the bus refused a message of R7's successor");
            }
        }
    }
}

/// A result for a run that could not be ended over the bus: its supervisor died, or the bus accepts no more
/// messages.
pub(crate) fn lost(run_id: RunId) -> FinalResult {
    FinalResult {
        summary: "The run was lost: it ended without a recorded result.".to_owned(),
        fault: Some(fault(Role::Supervisor, FaultKind::Panic, "the run ended without a result".to_owned())),
        ..FinalResult::nothing(run_id, "task")
    }
}
