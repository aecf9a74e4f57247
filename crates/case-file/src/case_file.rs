//! The fold over the messages of a run.

use std::sync::Arc;

use artoo_types::{Message, Role, SubTaskId, SubTaskOutcome, TaskSpec, UserRequest, UserStatement};

use crate::questions::OpenQuestions;
use crate::{Background, PlanRecord, Unmet};

/// The facts of one run so far. A copy is cheap: plans are shared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CaseFile {
    request: Option<Arc<UserRequest>>,
    task: Option<Arc<TaskSpec>>,
    notes: Vec<String>,
    plans: Vec<Arc<PlanRecord>>,
    /// Outcomes that belong to no plan of this run: the work of an interrupted one.
    resumed: Vec<Arc<SubTaskOutcome>>,
    statements: Vec<UserStatement>,
    questions: OpenQuestions,
    /// How many rounds of questions the perceiver and the planner have asked.
    rounds_asked: u32,
}

impl CaseFile {
    /// Takes a message of the run. Messages come in the run's order.
    pub fn on(&mut self, message: &Message, from: Role) {
        if let Message::UserRequest(request) = message {
            self.request = Some(Arc::new(request.clone()));
        } else if let Message::TaskSpec(task) = message {
            self.task = Some(Arc::new(task.clone()));
        } else if let Message::PersonNote(note) = message {
            self.notes.push(note.text.clone());
            self.statements.push(UserStatement::Note(note.text.clone()));
        } else if let Message::ClarificationRequested(asked) = message {
            if asked.subtask_id.is_none() {
                self.rounds_asked = self.rounds_asked.max(asked.round);
            }
            self.questions.asked(asked, from);
        } else if let Message::ClarificationAnswered(answered) = message {
            self.statements.extend(self.questions.answered(answered));
        } else if let Message::ApprovalRequested(request) = message {
            self.questions.requested(request);
        } else if let Message::ApprovalDecided(decision) = message {
            self.statements.extend(self.questions.decided(decision));
        } else if let Message::PlanApprovalDecided(decision) = message {
            let (round, granted) = (decision.round, decision.granted);
            self.statements.push(UserStatement::PlanConsent { round, granted });
        } else {
            self.on_plan(message);
        }
    }

    fn on_plan(&mut self, message: &Message) {
        if let Message::Plan(plan) = message {
            // A plan that comes again is not run again.
            if self.plans.iter().all(|record| record.plan.round < plan.round) {
                self.plans.push(Arc::new(PlanRecord::new(plan.clone(), self.notes.len())));
            }
        } else if let Message::DispatchManifest(manifest) = message {
            if let Some(record) = self.of_round(manifest.round) {
                record.dispatched(manifest);
            }
        } else if let Message::SubTaskOutcome(outcome) = message {
            self.on_outcome(outcome);
        } else if let Message::VerdictReached(reached) = message {
            if let (None, Some(record)) = (reached.subtask_id, self.plans.last_mut()) {
                Arc::make_mut(record).task_verdicts.push(reached.verdict.clone());
            }
        } else if let Message::PlanDirective(directive) = message
            && let Some(record) = self.plans.last_mut()
        {
            Arc::make_mut(record).directive = Some(directive.clone());
        }
    }

    fn on_outcome(&mut self, outcome: &SubTaskOutcome) {
        if self.outcome(outcome.subtask_id).is_some() {
            return;
        }
        let owner = self.plans.iter().rposition(|record| {
            let own = record.subtask_ids.iter().skip(record.plan.kept.len());
            own.copied().any(|id| id == outcome.subtask_id)
        });
        match owner.and_then(|at| self.plans.get_mut(at)) {
            Some(record) => Arc::make_mut(record).outcomes.push(outcome.clone()),
            None => self.resumed.push(Arc::new(outcome.clone())),
        }
    }

    fn of_round(&mut self, round: u32) -> Option<&mut PlanRecord> {
        let record = self.plans.iter_mut().rev().find(|record| record.plan.round == round)?;
        Some(Arc::make_mut(record))
    }

    /// The request as it came in.
    pub fn request(&self) -> Option<&UserRequest> {
        self.request.as_deref()
    }

    /// The task, with the user's notes at its end.
    pub fn task(&self) -> Option<TaskSpec> {
        self.task.as_ref().map(|task| task.with_notes(&self.notes))
    }

    /// The user's notes, oldest first.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Everything that the user said after the request, oldest first.
    pub fn statements(&self) -> &[UserStatement] {
        &self.statements
    }

    /// The plans, oldest first.
    pub fn plans(&self) -> &[Arc<PlanRecord>] {
        &self.plans
    }

    /// The plans before that of a round, oldest first.
    pub fn plans_before(&self, round: u32) -> impl DoubleEndedIterator<Item = &PlanRecord> {
        self.plans.iter().map(Arc::as_ref).filter(move |record| record.plan.round < round)
    }

    /// The outcome of a subtask of any plan, or of the interrupted run that this one resumes.
    pub fn outcome(&self, subtask_id: SubTaskId) -> Option<&SubTaskOutcome> {
        let of_plans = self.plans.iter().flat_map(|record| &record.outcomes);
        of_plans.chain(self.resumed.iter().map(Arc::as_ref)).find(|outcome| outcome.subtask_id == subtask_id)
    }

    /// The outcomes that count for a plan, by position: kept ones first. A subtask that has not ended is
    /// missing.
    pub fn outcomes_of(&self, record: &PlanRecord) -> Vec<SubTaskOutcome> {
        record.subtask_ids.iter().filter_map(|id| self.outcome(*id).cloned()).collect()
    }

    /// The outcomes of the plans before that of a round, oldest first, without those that its manifest keeps:
    /// work that was done and that no outcome of the plan accounts for.
    pub fn outcomes_before(&self, round: u32) -> Vec<SubTaskOutcome> {
        let current = self.plans.iter().rev().find(|record| record.plan.round == round);
        let is_kept = |outcome: &&SubTaskOutcome| {
            current.is_some_and(|record| record.plan.kept.contains(&outcome.subtask_id))
        };
        self.plans_before(round)
            .flat_map(|record| &record.outcomes)
            .filter(|outcome| !is_kept(outcome))
            .cloned()
            .collect()
    }

    /// What happened besides the plan of a round.
    pub fn background(&self, round: u32) -> Background {
        Background {
            statements: self.statements.clone(),
            before: self.outcomes_before(round),
            fell_short: self.plans_before(round).next_back().map(unmet_after).unwrap_or_default(),
        }
    }

    /// How many rounds of questions the perceiver and the planner have asked.
    pub fn rounds_asked(&self) -> u32 {
        self.rounds_asked
    }
}

/// What the judges of the steps and of the whole found unmet after a plan, each finding once.
fn unmet_after(record: &PlanRecord) -> Vec<Unmet> {
    let steps = record.outcomes.iter().flat_map(|outcome| &outcome.criteria_verdicts);
    let mut unmet: Vec<Unmet> = Vec::new();
    for found in steps.chain(&record.task_verdicts).filter_map(Unmet::of) {
        if !unmet.contains(&found) {
            unmet.push(found);
        }
    }
    unmet
}
