//! Tracks which role owes the run a message, and since when. Pure, so that every timeout can be tested
//! without waiting.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use artoo_types::{Envelope, Message, Role, SubTaskId};

use crate::Deadlines;

/// Open obligations of the roles of one run. Times are durations since any fixed moment.
///
/// A person has no obligations: while a question to one is open, no obligation falls due, and afterwards each
/// has the time that it had left.
///
/// A duplicate message counts once: the copy fulfils and creates no obligation, because its receivers ignore
/// it.
#[derive(Clone, Debug)]
pub struct Watch {
    deadlines: Deadlines,
    open: BTreeMap<(Role, Option<SubTaskId>), Obligation>,
    /// Subtasks of the plan without an outcome yet.
    awaited: BTreeSet<SubTaskId>,
    /// Whether there is a task; the newest plan and the newest manifest, by round; the subtasks handed out.
    has_task: bool,
    planned: u32,
    dispatched: u32,
    handed_out: BTreeSet<SubTaskId>,
    /// Number of open questions to the person, and since when there is one.
    questions: u32,
    asked_at: Duration,
}

#[derive(Clone, Debug)]
struct Obligation {
    what: &'static str,
    allowed: Duration,
    due: Duration,
}

/// A role that missed its deadline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overdue {
    /// The role.
    pub role: Role,
    /// The message it owes.
    pub what: &'static str,
    /// Its time limit.
    pub allowed: Duration,
}

impl Watch {
    /// No obligations.
    pub fn new(deadlines: Deadlines) -> Self {
        Self {
            deadlines,
            open: BTreeMap::new(),
            awaited: BTreeSet::new(),
            has_task: false,
            planned: 0,
            dispatched: 0,
            handed_out: BTreeSet::new(),
            questions: 0,
            asked_at: Duration::ZERO,
        }
    }

    /// Applies a message: it fulfils its sender's obligation, and may create others. Any message shows that
    /// its role is alive, so the role's other obligations restart: queued subtasks are not overdue while
    /// others run.
    pub fn on(&mut self, envelope: &Envelope, now: Duration) {
        for ((role, _), obligation) in &mut self.open {
            if *role == envelope.from {
                obligation.due = now + obligation.allowed;
            }
        }
        if !self.is_new(envelope.message.as_ref()) {
            return;
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
                self.awaited = manifest.subtask_ids.iter().copied().collect();
                self.next_step(now);
            }
            Message::SubTask(task) => {
                self.settle(Role::Dispatcher, None);
                self.oblige(Role::Executor, Some(task.subtask_id), "a result", self.attempt(), now);
            }
            Message::ExecutionResult(result) => {
                self.settle(Role::Executor, Some(result.subtask_id));
                let allowed = limits.judge * 4;
                self.oblige(
                    Role::AgentValidator,
                    Some(result.subtask_id),
                    "an outcome or a correction",
                    allowed,
                    now,
                );
            }
            Message::CorrectionSignal(correction) => {
                self.settle(Role::AgentValidator, Some(correction.subtask_id));
                self.oblige(Role::Executor, Some(correction.subtask_id), "a result", self.attempt(), now);
            }
            Message::SubTaskOutcome(outcome) => {
                self.settle(Role::AgentValidator, Some(outcome.subtask_id));
                // An outcome of an earlier plan, or a duplicate, creates no obligation.
                if self.awaited.remove(&outcome.subtask_id) {
                    self.next_step(now);
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
            // R7 keeps its own deadline for the planner's report.
            Message::FailureReportRequest(_) => {
                self.oblige(Role::Ggs, None, "a result", limits.report + limits.step, now);
            }
            Message::Fault(fault) => {
                self.settle(fault.role, None);
                self.oblige(Role::Ggs, None, "a result", limits.step, now);
            }
            Message::ApprovalRequested(_)
            | Message::ClarificationRequested(_)
            | Message::PlanApprovalRequested(_) => self.ask(now),
            Message::ApprovalDecided(_)
            | Message::ClarificationAnswered(_)
            | Message::PlanApprovalDecided(_) => self.answered(now),
            Message::FinalResult(_) => self.open.clear(),
            Message::ControlSettings(_)
            | Message::PersonNote(_)
            | Message::ToolStarted(_)
            | Message::ToolOutput(_)
            | Message::ToolFinished(_)
            | Message::VerdictReached(_)
            | Message::FailureReport(_)
            | Message::MegramWrite(_)
            | Message::DreamReport(_)
            | Message::Warning(_)
            | Message::ModelCall(_)
            | Message::AuditQuery(_)
            | Message::AuditReport(_) => {}
        }
    }

    /// Whether a message is the first of its kind for its subject, as far as it shows.
    fn is_new(&mut self, message: &Message) -> bool {
        let owes = |role, of| self.open.contains_key(&(role, of));
        match message {
            Message::TaskSpec(_) => !std::mem::replace(&mut self.has_task, true),
            Message::MemoryReply(_) => owes(Role::SharedMemory, None),
            Message::Plan(plan) => raises(&mut self.planned, plan.round),
            Message::DispatchManifest(manifest) => raises(&mut self.dispatched, manifest.round),
            Message::SubTask(task) => self.handed_out.insert(task.subtask_id),
            Message::ExecutionResult(result) => owes(Role::Executor, Some(result.subtask_id)),
            Message::CorrectionSignal(correction) => owes(Role::AgentValidator, Some(correction.subtask_id)),
            Message::ControlSettings(_)
            | Message::UserRequest(_)
            | Message::ClarificationRequested(_)
            | Message::ClarificationAnswered(_)
            | Message::PersonNote(_)
            | Message::MemoryQuery(_)
            | Message::PlanApprovalRequested(_)
            | Message::PlanApprovalDecided(_)
            | Message::ToolStarted(_)
            | Message::ToolOutput(_)
            | Message::ToolFinished(_)
            | Message::ApprovalRequested(_)
            | Message::ApprovalDecided(_)
            | Message::VerdictReached(_)
            | Message::SubTaskOutcome(_)
            // The bus accepts one report per plan.
            | Message::OutcomeSummary(_)
            | Message::ReplanRequest(_)
            | Message::PlanDirective(_)
            | Message::FailureReportRequest(_)
            | Message::FailureReport(_)
            | Message::MegramWrite(_)
            | Message::DreamReport(_)
            | Message::FinalResult(_)
            | Message::Fault(_)
            | Message::Warning(_)
            | Message::ModelCall(_)
            | Message::AuditQuery(_)
            | Message::AuditReport(_) => true,
        }
    }

    /// When the next obligation falls due; `None` without obligations, or while a person is asked.
    pub fn next_due(&self) -> Option<Duration> {
        if self.questions > 0 {
            return None;
        }
        self.open.values().map(|obligation| obligation.due).min()
    }

    /// Removes the longest overdue obligation.
    pub fn overdue(&mut self, now: Duration) -> Option<Overdue> {
        if self.questions > 0 {
            return None;
        }
        let longest = self.open.iter().min_by_key(|(_, obligation)| obligation.due);
        let key = longest.filter(|(_, obligation)| obligation.due <= now).map(|(key, _)| *key)?;
        let obligation = self.open.remove(&key)?;
        Some(Overdue { role: key.0, what: obligation.what, allowed: obligation.allowed })
    }

    /// While outcomes are awaited and no subtask runs, the dispatcher owes the next group; after the last
    /// outcome, the gate owes its decision.
    fn next_step(&mut self, now: Duration) {
        let busy = |(role, _): &(Role, _)| matches!(role, Role::Executor | Role::AgentValidator);
        if self.awaited.is_empty() {
            self.settle(Role::Dispatcher, None);
            self.oblige(Role::MetaValidator, None, "a merged result", self.deadlines.judge * 4, now);
        } else if !self.open.keys().any(busy) {
            self.oblige(Role::Dispatcher, None, "the next subtasks", self.deadlines.step, now);
        }
    }

    fn ask(&mut self, now: Duration) {
        if self.questions == 0 {
            self.asked_at = now;
        }
        self.questions += 1;
    }

    fn answered(&mut self, now: Duration) {
        if self.questions == 1 {
            let waited = now.saturating_sub(self.asked_at);
            self.open.values_mut().for_each(|obligation| obligation.due += waited);
        }
        self.questions = self.questions.saturating_sub(1);
    }

    /// An attempt has its own deadline inside the executor; this one catches an executor that is gone.
    fn attempt(&self) -> Duration {
        self.deadlines.attempt + self.deadlines.step
    }

    fn oblige(
        &mut self,
        role: Role,
        of: Option<SubTaskId>,
        what: &'static str,
        allowed: Duration,
        now: Duration,
    ) {
        self.open.insert((role, of), Obligation { what, allowed, due: now + allowed });
    }

    fn settle(&mut self, role: Role, of: Option<SubTaskId>) {
        self.open.remove(&(role, of));
    }
}

/// Raises the newest round if this one is newer; returns whether it did.
fn raises(newest: &mut u32, round: u32) -> bool {
    let is_newer = round > *newest;
    *newest = round.max(*newest);
    is_newer
}
