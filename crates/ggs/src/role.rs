//! `GgsRole`: R7 without IO, envelopes in and messages out.

use artoo_ggs_core::State;
use artoo_types::{
    DirectAnswer, Envelope, FailureReport, Fault, FaultKind, MegramWrite, Message, PartialOutput,
    PlanDirective, Role, RunId, SubTaskOutcome, TaskId, TerminalState,
};
use chrono::{DateTime, FixedOffset};

use crate::{
    Conclusion, Draft, Lacks, Lessons, Round, Settings, Solver, answered, failure_report_request,
    final_result, observe, partial_outputs, plan_directive,
};

/// R7 of one run, as a state machine.
///
/// Exactly one `FinalResult` comes out, and nothing after it: the first of a terminal decision and a fault
/// ends the run. Megrams precede the message they belong to. Every message kind other than the ones below is
/// ignored.
///
/// | in | out |
/// |---|---|
/// | `TaskSpec`, `UserRequest` | nothing: they name the task |
/// | `SubTaskOutcome` | nothing: its output is delivered if a fault ends the run |
/// | `ReplanRequest`, `OutcomeSummary` | `MegramWrite`s, then `PlanDirective`, `FinalResult` or `FailureReportRequest` |
/// | `DirectAnswer` | `FinalResult`, whose basis is the model; memory learns nothing from it |
/// | `FailureReport`, the deadline | `FinalResult` |
/// | `Fault` | `FinalResult`, or first `FailureReportRequest` |
pub struct GgsRole {
    settings: Settings,
    solver: Box<dyn Solver>,
    lessons: Lessons,
    task_id: Option<TaskId>,
    intent: String,
    round: Option<Round>,
    /// Outcomes since the last report.
    since: Vec<SubTaskOutcome>,
    last: Option<PlanDirective>,
    lacks: Lacks,
    phase: Phase,
}

enum Phase {
    Running,
    /// The run is decided; the planner was asked what the person could do next.
    AwaitingReport {
        run_id: RunId,
        conclusion: Box<Conclusion>,
    },
    Ended,
}

impl GgsRole {
    /// R7 at the start of a run.
    pub fn new(solver: Box<dyn Solver>, settings: Settings) -> Self {
        Self {
            lessons: Lessons::new(settings.megrams)
                .on(settings.working_folder.clone(), settings.programs.clone()),
            settings,
            solver,
            task_id: None,
            intent: String::new(),
            round: None,
            since: Vec::new(),
            last: None,
            lacks: Lacks::default(),
            phase: Phase::Running,
        }
    }

    /// Takes over from a dead R7 of this run: `directive` was its last. The conclusion of this one counts
    /// that R7's replans and names what it found unmet.
    pub fn inherit(&mut self, directive: &PlanDirective) {
        self.last = Some(directive.clone());
    }

    /// Whether the final result is out.
    pub fn has_ended(&self) -> bool {
        matches!(self.phase, Phase::Ended)
    }

    /// Whether it waits for the planner's failure report, so that the deadline applies.
    pub fn awaits_report(&self) -> bool {
        matches!(self.phase, Phase::AwaitingReport { .. })
    }

    /// Takes a message and returns what to publish, in order.
    pub fn on(&mut self, envelope: &Envelope) -> Vec<Message> {
        if self.has_ended() {
            return Vec::new();
        }
        let message = envelope.message.as_ref();
        if let Message::UserRequest(request) = message {
            if self.task_id.is_none() {
                self.intent.clone_from(&request.text);
            }
        } else if let Message::TaskSpec(spec) = message {
            self.task_id = Some(spec.task_id.clone());
            spec.subject().clone_into(&mut self.intent);
        } else if let Message::SubTaskOutcome(outcome) = message {
            self.since.push(outcome.clone());
        } else if let Message::ReplanRequest(request) = message {
            return self.judge(Round::from(request), envelope);
        } else if let Message::OutcomeSummary(summary) = message {
            return self.judge(Round::from(summary), envelope);
        } else if let Message::DirectAnswer(answer) = message {
            return self.on_answer(answer, envelope);
        } else if let Message::FailureReport(report) = message {
            return self.on_report(report);
        } else if let Message::Fault(fault) = message {
            return self.on_fault(fault, envelope);
        }
        Vec::new()
    }

    /// The planner missed the deadline of its failure report: a template words the ending. Does nothing if no
    /// report is awaited.
    pub fn on_report_deadline(&mut self) -> Vec<Message> {
        match std::mem::replace(&mut self.phase, Phase::Running) {
            Phase::AwaitingReport { run_id, conclusion } => vec![self.end(run_id, *conclusion, None)],
            other @ (Phase::Running | Phase::Ended) => {
                self.phase = other;
                Vec::new()
            }
        }
    }

    fn judge(&mut self, round: Round, envelope: &Envelope) -> Vec<Message> {
        if self.awaits_report() {
            return Vec::new();
        }
        let observation =
            observe(&round, envelope.elapsed_ms, &self.settings.inventory, &self.settings.programs);
        let decision = self.solver.step(&observation);
        if let Some((name, value)) = decision.not_a_number() {
            let message = format!("the controller's solver broke its contract: {name} is {value}");
            self.round = Some(round);
            self.since.clear();
            return self.on_fault(
                &Fault { role: Role::Ggs, kind: FaultKind::Bus, message, hint: None, remedy: None },
                envelope,
            );
        }
        let conclusion = match decision.state {
            State::Action(_) => None,
            State::Terminal(state) => {
                let judged = !observation.criteria.is_empty();
                let of_decision =
                    Conclusion::of_decision(state, &decision, judged, observation.gave_up.clone());
                Some(of_decision.believed(round.confidence.clone()))
            }
        };
        let is_confirmed = conclusion.as_ref().is_none_or(|conclusion| conclusion.unconfirmed().is_none());
        let drafts = self.lessons.learn(&self.intent, &round, &observation, &decision, is_confirmed);
        let mut messages = self.write(drafts, envelope.at);
        let task_id = self.task_id.get_or_insert_with(|| round.task_id.clone()).clone();
        self.lacks.judged(&round, &decision);
        self.round = Some(round);
        self.since.clear();
        if let State::Action(action) = decision.state {
            let directive = plan_directive(task_id, action, &decision);
            messages.push(directive.clone().into());
            self.last = Some(directive);
        }
        if let Some(mut conclusion) = conclusion {
            conclusion.unmet = self.lacks.unmet(&decision);
            messages.push(self.conclude(envelope.run_id, conclusion));
        }
        messages
    }

    /// Ends the run with an answer from the model's knowledge. It stands in place of a plan: what came of a plan already is not set aside
    /// for words.
    fn on_answer(&mut self, answer: &DirectAnswer, envelope: &Envelope) -> Vec<Message> {
        let something_ran = self.round.is_some() || !self.since.is_empty() || self.last.is_some();
        if self.awaits_report() || something_ran {
            let message = "the planner answered without work after work was done".to_owned();
            let (role, kind) = (Role::Planner, FaultKind::Request);
            return self.on_fault(&Fault { role, kind, message, hint: None, remedy: None }, envelope);
        }
        self.phase = Phase::Ended;
        let elapsed_ms = envelope.elapsed_ms;
        vec![answered(envelope.run_id, self.task_id(), answer, elapsed_ms, &self.settings.parameters).into()]
    }

    fn on_report(&mut self, report: &FailureReport) -> Vec<Message> {
        match std::mem::replace(&mut self.phase, Phase::Running) {
            Phase::AwaitingReport { run_id, conclusion } => {
                vec![self.end(run_id, *conclusion, Some(&report.text))]
            }
            other @ (Phase::Running | Phase::Ended) => {
                self.phase = other;
                Vec::new()
            }
        }
    }

    fn on_fault(&mut self, fault: &Fault, envelope: &Envelope) -> Vec<Message> {
        if let Phase::AwaitingReport { run_id, conclusion } = &self.phase {
            let mut conclusion = conclusion.clone();
            let run_id = *run_id;
            // The run is decided already. An interruption by a person or by the run's clock is shown as such;
            // any other fault only loses the planner's advice.
            if conclusion.fault.is_none() && fault.kind.cuts_short() {
                conclusion.fault = Some(fault.clone());
            }
            return vec![self.end(run_id, *conclusion, None)];
        }
        let last = self.last.as_ref();
        let conclusion = Conclusion::of_fault(fault, last, envelope.elapsed_ms, &self.settings.parameters);
        // That nobody judged says nothing of the task, to no rule of memory.
        let is_lesson = fault.kind != FaultKind::Unjudged;
        let draft = is_lesson.then(|| self.lessons.learn_fault(&self.intent)).flatten();
        let mut messages = self.write(draft, envelope.at);
        messages.push(self.conclude(envelope.run_id, conclusion));
        messages
    }

    /// Ends the run, or first asks the planner what the person could do next, if something was tried.
    fn conclude(&mut self, run_id: RunId, conclusion: Conclusion) -> Message {
        let something_ran = self.round.is_some() || !self.since.is_empty();
        if conclusion.directive == TerminalState::Abandon && conclusion.deserves_report() && something_ran {
            let request = failure_report_request(self.task_id(), &conclusion, self.partial());
            self.phase = Phase::AwaitingReport { run_id, conclusion: Box::new(conclusion) };
            request.into()
        } else {
            self.end(run_id, conclusion, None)
        }
    }

    fn end(&mut self, run_id: RunId, conclusion: Conclusion, advice: Option<&str>) -> Message {
        self.phase = Phase::Ended;
        final_result(run_id, self.task_id(), conclusion, self.partial(), self.round.as_ref(), advice).into()
    }

    /// All known outputs: those of the last report, and those of outcomes since. The latest of a subtask
    /// counts.
    fn partial(&self) -> Vec<PartialOutput> {
        let reported = self.round.iter().flat_map(|round| &round.outcomes);
        let superseded =
            |outcome: &SubTaskOutcome| self.since.iter().any(|o| o.subtask_id == outcome.subtask_id);
        partial_outputs(reported.filter(|outcome| !superseded(outcome)).chain(&self.since))
    }

    fn task_id(&self) -> TaskId {
        self.task_id.clone().unwrap_or_else(|| TaskId::from_text(&self.intent))
    }

    fn write(&mut self, drafts: impl IntoIterator<Item = Draft>, at: DateTime<FixedOffset>) -> Vec<Message> {
        let mint = &mut self.settings.mint;
        drafts.into_iter().map(|draft| MegramWrite { megram: draft.mint(mint, at) }.into()).collect()
    }
}
