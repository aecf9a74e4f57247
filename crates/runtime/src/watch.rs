//! Who owes the run a message, and since when: pure, so that every silence can be tested without waiting.

use std::{collections::HashMap, time::Duration};

use artoo_types::{Envelope, Message, Role, SubTaskId};

use crate::Deadlines;

/// Open obligations of the roles of one run. Times are durations since any fixed moment.
#[derive(Clone, Debug)]
pub struct Watch {
    deadlines: Deadlines,
    open: HashMap<(Role, Option<SubTaskId>), Obligation>,
}

#[derive(Clone, Debug)]
struct Obligation {
    what: &'static str,
    allowed: Duration,
    due: Duration,
}

/// A role that did not answer in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overdue {
    /// Who.
    pub role: Role,
    /// What it owes.
    pub what: &'static str,
    /// How long it had.
    pub allowed: Duration,
}

impl Watch {
    /// Nobody owes anything.
    pub fn new(deadlines: Deadlines) -> Self {
        Self { deadlines, open: HashMap::new() }
    }

    /// Takes a message: it settles what its sender owed, and may oblige others. Anything that a role says shows that it is
    /// alive, so its other obligations begin anew: subtasks that queue for a place are not overdue while others run.
    pub fn on(&mut self, envelope: &Envelope, now: Duration) {
        for ((role, _), obligation) in &mut self.open {
            if *role == envelope.from {
                obligation.due = now + obligation.allowed;
            }
        }
        let limits = self.deadlines;
        match envelope.message.as_ref() {
            Message::UserRequest(_) => self.oblige(Role::Perceiver, None, "a task", limits.perceive, now),
            Message::TaskSpec(_) => {
                self.settle(Role::Perceiver, None);
                self.oblige(Role::Planner, None, "a question to memory", limits.step, now);
            }
            Message::MemoryQuery(_) => {
                self.settle(Role::Planner, None);
                self.oblige(Role::SharedMemory, None, "an answer", limits.step, now);
            }
            Message::MemoryReply(_) => {
                self.settle(Role::SharedMemory, None);
                self.oblige(Role::Planner, None, "a plan", limits.plan, now);
            }
            Message::Plan(_) => {
                self.settle(Role::Planner, None);
                self.oblige(Role::Dispatcher, None, "a manifest", limits.step, now);
            }
            Message::DispatchManifest(manifest) => {
                self.settle(Role::Dispatcher, None);
                if manifest.subtask_ids.is_empty() {
                    self.oblige(Role::MetaValidator, None, "a merged result", limits.judge * 4, now);
                }
            }
            Message::SubTask(task) => {
                self.oblige(Role::Executor, Some(task.subtask_id), "a result", self.attempt(), now);
            }
            Message::ExecutionResult(result) => {
                self.settle(Role::Executor, Some(result.subtask_id));
                let allowed = limits.judge * 4;
                self.oblige(Role::AgentValidator, Some(result.subtask_id), "an outcome or a correction", allowed, now);
            }
            Message::CorrectionSignal(correction) => {
                self.settle(Role::AgentValidator, Some(correction.subtask_id));
                self.oblige(Role::Executor, Some(correction.subtask_id), "a result", self.attempt(), now);
            }
            Message::SubTaskOutcome(outcome) => {
                self.settle(Role::AgentValidator, Some(outcome.subtask_id));
                // Renewed with every outcome: the gate owes a decision only after the last one.
                let busy = |(role, _): &(Role, _)| matches!(role, Role::Executor | Role::AgentValidator);
                if !self.open.keys().any(busy) {
                    self.oblige(Role::MetaValidator, None, "a merged result", limits.judge * 4, now);
                }
            }
            Message::OutcomeSummary(_) | Message::ReplanRequest(_) => {
                self.settle(Role::MetaValidator, None);
                self.oblige(Role::Ggs, None, "a directive or a result", limits.step, now);
            }
            Message::PlanDirective(_) => {
                self.settle(Role::Ggs, None);
                self.oblige(Role::Planner, None, "a question to memory", limits.step, now);
            }
            Message::FailureReportRequest(_) => {
                self.settle(Role::Ggs, None);
                // R7 keeps its own deadline for the planner's report.
                self.oblige(Role::Ggs, None, "a result", limits.report + limits.step, now);
            }
            Message::Fault(fault) => {
                self.settle(fault.role, None);
                self.oblige(Role::Ggs, None, "a result", limits.step, now);
            }
            Message::FinalResult(_) => self.open.clear(),
            Message::ToolStarted(_)
            | Message::ToolOutput(_)
            | Message::ToolFinished(_)
            | Message::ApprovalRequested(_)
            | Message::ApprovalDecided(_)
            | Message::VerdictReached(_)
            | Message::FailureReport(_)
            | Message::MegramWrite(_)
            | Message::Warning(_)
            | Message::ModelCall(_)
            | Message::AuditQuery(_)
            | Message::AuditReport(_) => {}
        }
    }

    /// When the next obligation falls due.
    pub fn next_due(&self) -> Option<Duration> {
        self.open.values().map(|obligation| obligation.due).min()
    }

    /// Takes out an obligation that is overdue.
    pub fn overdue(&mut self, now: Duration) -> Option<Overdue> {
        let key = self.open.iter().find(|(_, obligation)| obligation.due <= now).map(|(key, _)| *key)?;
        let obligation = self.open.remove(&key)?;
        Some(Overdue { role: key.0, what: obligation.what, allowed: obligation.allowed })
    }

    /// An attempt has its own deadline inside the executor; this one catches an executor that is gone.
    fn attempt(&self) -> Duration {
        self.deadlines.attempt + self.deadlines.step
    }

    fn oblige(&mut self, role: Role, of: Option<SubTaskId>, what: &'static str, allowed: Duration, now: Duration) {
        self.open.insert((role, of), Obligation { what, allowed, due: now + allowed });
    }

    fn settle(&mut self, role: Role, of: Option<SubTaskId>) {
        self.open.remove(&(role, of));
    }
}
