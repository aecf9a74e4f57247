//! Tracks which role owes the run a message, and since when. Pure, so that every timeout can be tested
//! without waiting.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use artoo_types::{Envelope, Message, MessageKind as Kind, Role, SubTaskId};

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

/// Whose obligation a message settles, and who owes the run which message then.
struct Step {
    after: Kind,
    settles: Option<Role>,
    obliges: Role,
    what: &'static str,
    within: fn(&Deadlines) -> Duration,
}

/// The steps of the plan loop. Those of a single subtask depend on its id, see [`Watch::on_subtask`].
const STEPS: [Step; 10] = [
    step(Kind::UserRequest, None, Role::Perceiver, "a task", |limits| limits.perceive),
    step(Kind::TaskSpec, Some(Role::Perceiver), Role::Planner, "a question to memory", |limits| limits.step),
    step(Kind::MemoryQuery, Some(Role::Planner), Role::SharedMemory, "an answer", |limits| limits.step),
    step(Kind::MemoryReply, Some(Role::SharedMemory), Role::Planner, "a plan", |limits| limits.plan),
    step(Kind::Plan, Some(Role::Planner), Role::Dispatcher, "a manifest", |limits| limits.step),
    step(Kind::DirectAnswer, Some(Role::Planner), Role::Ggs, "a result", |limits| limits.step),
    step(Kind::OutcomeSummary, Some(Role::MetaValidator), Role::Ggs, DECISION, |limits| limits.step),
    step(Kind::ReplanRequest, Some(Role::MetaValidator), Role::Ggs, DECISION, |limits| limits.step),
    step(Kind::PlanDirective, Some(Role::Ggs), Role::Planner, "a question to memory", |limits| limits.step),
    // R7 keeps its own deadline for the planner's report.
    step(Kind::FailureReportRequest, None, Role::Ggs, "a result", |limits| limits.report + limits.step),
];

/// What R7 owes after a report.
const DECISION: &str = "a directive or a result";

const fn step(
    after: Kind,
    settles: Option<Role>,
    obliges: Role,
    what: &'static str,
    within: fn(&Deadlines) -> Duration,
) -> Step {
    Step { after, settles, obliges, what, within }
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
        let (message, kind) = (envelope.message.as_ref(), envelope.message.kind());
        if let Some(step) = STEPS.iter().find(|step| step.after == kind) {
            if let Some(role) = step.settles {
                self.settle(role, None);
            }
            self.oblige(step.obliges, None, step.what, (step.within)(&self.deadlines), now);
        } else if let Message::DispatchManifest(manifest) = message {
            self.settle(Role::Dispatcher, None);
            self.awaited = manifest.subtask_ids.iter().copied().collect();
            self.next_step(now);
        } else if let Message::Fault(fault) = message {
            self.settle(fault.role, None);
            self.oblige(Role::Ggs, None, "a result", self.deadlines.step, now);
        } else if let Message::FinalResult(_) = message {
            self.open.clear();
        } else if kind.is_question() {
            self.ask(now);
        } else if kind.is_answer() {
            self.answered(now);
        } else {
            self.on_subtask(message, now);
        }
    }

    /// The same for the messages about a single subtask.
    fn on_subtask(&mut self, message: &Message, now: Duration) {
        if let Message::SubTask(task) = message {
            self.settle(Role::Dispatcher, None);
            self.oblige(Role::Executor, Some(task.subtask_id), "a result", self.attempt(), now);
        } else if let Message::ExecutionResult(result) = message {
            let subtask = Some(result.subtask_id);
            self.settle(Role::Executor, subtask);
            let allowed = self.deadlines.judge * 4;
            self.oblige(Role::AgentValidator, subtask, "an outcome or a correction", allowed, now);
        } else if let Message::CorrectionSignal(correction) = message {
            self.settle(Role::AgentValidator, Some(correction.subtask_id));
            self.oblige(Role::Executor, Some(correction.subtask_id), "a result", self.attempt(), now);
        } else if let Message::SubTaskOutcome(outcome) = message {
            self.settle(Role::AgentValidator, Some(outcome.subtask_id));
            // An outcome of an earlier plan, or a duplicate, creates no obligation.
            if self.awaited.remove(&outcome.subtask_id) {
                self.next_step(now);
            }
        }
    }

    /// Whether a message is the first of its kind for its subject, as far as it shows. The bus accepts one report
    /// per plan.
    fn is_new(&mut self, message: &Message) -> bool {
        let owes = |role, of| self.open.contains_key(&(role, of));
        if let Message::TaskSpec(_) = message {
            !std::mem::replace(&mut self.has_task, true)
        } else if let Message::MemoryReply(_) = message {
            owes(Role::SharedMemory, None)
        } else if let Message::Plan(plan) = message {
            raises(&mut self.planned, plan.round)
        } else if let Message::DispatchManifest(manifest) = message {
            raises(&mut self.dispatched, manifest.round)
        } else if let Message::SubTask(task) = message {
            self.handed_out.insert(task.subtask_id)
        } else if let Message::ExecutionResult(result) = message {
            owes(Role::Executor, Some(result.subtask_id))
        } else if let Message::CorrectionSignal(correction) = message {
            owes(Role::AgentValidator, Some(correction.subtask_id))
        } else {
            true
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
