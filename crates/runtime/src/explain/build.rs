//! Builds the explanation page from a journal's envelopes.

use std::collections::{BTreeMap, BTreeSet};

use artoo_ggs_core::{Blocked, Decision, JudgedCriterion, Observation, Report, Standing, State};
use artoo_types::{
    AnswerOrigin, BlockedTarget, CallEnding, CriterionVerdict, Envelope, Fault, FaultKind, FinalResult,
    MemoryReply, Message, ModelCall, Plan, PlanDirective, Prices, StructuredOutput, SubTaskId,
    SubTaskOutcome, TaskId, TerminalState, ToolCall,
};

use super::replay::Replay;
use super::{Cost, Decided, End, Explanation, Follows, PlanChange, RefusedCall, Round, RoundMemory, Unmet};
use crate::exit_code::{denied, exit_code_after};
use crate::journal;

/// Explains a run from its journal.
///
/// The same journal gives the same page, except for [`Explanation::computed_by`]. A damaged journal, or one
/// of a run that has not ended, gives a partial page.
/// ```
/// use artoo_runtime::{explain::explain, journal::{Read, RunState}};
/// let page = explain(&Read { envelopes: Vec::new(), damage: None, state: RunState::Killed });
/// assert!(page.rounds.is_empty() && page.end.is_none());
/// ```
pub fn explain(read: &journal::Read) -> Explanation {
    let mut account = Account::new();
    for envelope in &read.envelopes {
        account.on(envelope);
    }
    Explanation { state: read.state, ..account.page(read.damage.as_ref()) }
}

struct Account {
    page: Explanation,
    replay: Replay,
    task_id: Option<TaskId>,
    prices: Prices,
    /// The intent of every subtask.
    intents: BTreeMap<SubTaskId, String>,
    open: Open,
    /// When the previous round ended, and the current time, in milliseconds of the run.
    since: u64,
    now: u64,
    /// How the outputs of several steps were merged into one answer.
    answer: Option<AnswerOrigin>,
    /// Whether consent was missing for anything.
    denied: bool,
    /// Whether a fault is ending the run, so that no further report is judged.
    faulted: bool,
    /// The exhausted budget, which the result does not call a fault.
    spent: Option<Fault>,
}

/// The undecided round.
#[derive(Default)]
struct Open {
    plan: Option<PlanChange>,
    /// Memory's answer before the plan.
    reply: Option<MemoryReply>,
    memory: RoundMemory,
    refused: Vec<RefusedCall>,
    outcomes: Vec<SubTaskOutcome>,
    task_verdicts: Vec<CriterionVerdict>,
    reported: Option<Reported>,
    /// Why the run is abandoned, as sent to the planner.
    reason: Option<String>,
    cost: Cost,
}

/// The report to the controller, and the decision that artoo's solver computes from it.
struct Reported {
    observation: Observation,
    decision: Option<Decision>,
    task_id: TaskId,
}

impl Account {
    fn new() -> Self {
        let page = Explanation {
            v: 1,
            run_id: None,
            started: None,
            request: None,
            settings: None,
            computed_by: env!("CARGO_PKG_VERSION").to_owned(),
            rounds: Vec::new(),
            end: None,
            state: journal::RunState::Unknown,
            cost: Cost::default(),
            currency: None,
            damage: None,
        };
        Self {
            page,
            replay: Replay::new(),
            task_id: None,
            prices: Prices::default(),
            intents: BTreeMap::new(),
            open: Open::default(),
            since: 0,
            now: 0,
            answer: None,
            denied: false,
            faulted: false,
            spent: None,
        }
    }

    fn on(&mut self, envelope: &Envelope) {
        if self.page.end.is_some() {
            return;
        }
        self.page.run_id.get_or_insert(envelope.run_id);
        self.page.started.get_or_insert(envelope.at);
        self.now = envelope.elapsed_ms;
        let message = envelope.message.as_ref();
        if let Message::ControlSettings(settings) = message {
            self.replay.settings(settings);
            self.page.settings = Some(settings.clone());
        } else if let Message::UserRequest(request) = message {
            self.page.request = Some(request.text.clone());
            let has_prices = !request.prices.is_empty();
            self.page.currency = has_prices.then(|| request.prices.currency.clone());
            self.prices.clone_from(&request.prices);
        } else if let Message::TaskSpec(spec) = message {
            self.task_id = Some(spec.task_id.clone());
        } else if let Message::MemoryReply(reply) = message {
            self.open.reply = Some(reply.clone());
        } else if let Message::Plan(plan) = message {
            self.planned(plan);
        } else if let Message::GuardReply(reply) = message {
            self.open.memory.guarded(reply);
        } else if let Message::ExecutionResult(result) = message {
            self.open.memory.told(result);
        } else if let Message::SubTask(task) = message {
            self.intents.insert(task.subtask_id, task.intent.clone());
        } else if let Message::ToolFinished(finished) = message {
            self.open.called(&finished.call);
        } else if let Message::ModelCall(call) = message {
            self.open.cost = self.open.cost + cost_of(call, &self.prices);
        } else {
            self.on_end(message, envelope.elapsed_ms);
        }
    }

    /// The same for the messages that say how something ended: a step, a round, the run.
    fn on_end(&mut self, message: &Message, elapsed_ms: u64) {
        if let Message::SubTaskOutcome(outcome) = message {
            self.denied |= denied(outcome);
            self.open.outcomes.push(outcome.clone());
        } else if let Message::VerdictReached(reached) = message {
            let of_the_task = reached.subtask_id.is_none().then(|| reached.verdict.clone());
            self.open.task_verdicts.extend(of_the_task);
        } else if let Message::ReplanRequest(request) = message {
            self.reported(&request.into(), elapsed_ms);
        } else if let Message::OutcomeSummary(summary) = message {
            self.answer = summary.answer.as_ref().map(|answer| answer.origin);
            self.reported(&summary.into(), elapsed_ms);
        } else if let Message::PlanDirective(directive) = message {
            self.directed(directive);
        } else if let Message::FailureReportRequest(request) = message {
            self.open.reason = Some(request.reason.clone());
        } else if let Message::Fault(fault) = message {
            self.faulted = true;
            self.spent = self.spent.take().or_else(|| is_budget(fault).then(|| fault.clone()));
        } else if let Message::FinalResult(result) = message {
            self.ended(result);
        }
    }

    fn planned(&mut self, plan: &Plan) {
        let before = self.page.rounds.last().and_then(|round| round.plan.as_ref());
        let before = before.map(PlanChange::intents).unwrap_or_default();
        self.open.plan = Some(PlanChange::of(plan, &before, &self.intents));
        if let Some(reply) = &self.open.reply {
            self.open.memory = RoundMemory::of(reply, plan);
        }
    }

    /// R7 judges the first report of a round, and none after a fault or its last decision.
    fn reported(&mut self, round: &artoo_ggs::Round, elapsed_ms: u64) {
        if self.faulted || self.open.reported.is_some() {
            return;
        }
        let observation = self.replay.observe(round, elapsed_ms);
        let decision = self.replay.step(round, &observation);
        let task_id = self.task_id.get_or_insert_with(|| round.task_id.clone()).clone();
        self.open.reported = Some(Reported { observation, decision, task_id });
    }

    fn directed(&mut self, directive: &PlanDirective) {
        let reported = self.open.reported.take();
        let follows = match &reported {
            Some(Reported { decision, task_id, .. }) => {
                self.replay.directive(directive, decision.as_ref(), task_id)
            }
            None => unreported(),
        };
        let decided = Decided {
            recorded: true,
            prev: directive.prev_directive,
            current: directive.directive.into(),
            loss: directive.loss,
            grad_l: directive.grad_l,
            grad_goal: directive.grad_goal,
            blocked: Blocked {
                tools: directive.blocked_tools.iter().cloned().collect(),
                targets: directive.blocked_targets.iter().cloned().collect(),
                approaches: directive.blocked_approaches.iter().cloned().collect(),
                programs: directive.blocked_programs.iter().cloned().collect(),
                // No directive contains what is spared.
                spared: BTreeSet::new(),
            },
            rationale: directive.rationale.clone(),
            follows,
        };
        self.close(reported, Some(decided));
    }

    fn ended(&mut self, result: &FinalResult) {
        let reported = self.open.reported.take();
        let decided = match (self.cut_short(result), &reported) {
            // The controller decided nothing about an answer without work.
            _ if !result.basis.is_evidence() => None,
            (None, _) => Some(self.last_decision(result, reported.as_ref())),
            // Decided, but interrupted before the decision was published.
            (Some(fault), Some(reported)) => unrecorded(reported, fault),
            (Some(_), None) => None,
        };
        self.close(reported, decided);
        self.page.end = Some(End {
            directive: result.fault.is_none().then_some(result.directive),
            fault: result.fault.clone(),
            summary: result.summary.clone(),
            basis: result.basis,
            answer: self
                .answer
                .filter(|_| result.directive == TerminalState::Accept || result.unconfirmed().is_some()),
            confidence: result.confidence.clone(),
            structured_error: match &result.structured {
                Some(StructuredOutput::Missing(why)) => Some(why.clone()),
                Some(StructuredOutput::Value(_)) | None => None,
            },
            replans: result.replans,
            exit_code: exit_code_after(result, self.denied),
        });
    }

    /// What ended the run in place of a decision. Before R7 abandons a run by a rule it asks the planner for
    /// the story, so an abandonment without a story, after a budget was exhausted, is due to that budget.
    fn cut_short<'a>(&'a self, result: &'a FinalResult) -> Option<&'a Fault> {
        let undecided = result.directive == TerminalState::Abandon && self.open.reason.is_none();
        result.fault.as_ref().or_else(|| self.spent.as_ref().filter(|_| undecided))
    }

    fn last_decision(&mut self, result: &FinalResult, reported: Option<&Reported>) -> Decided {
        let decision = reported.and_then(|reported| reported.decision.as_ref());
        let follows = if reported.is_some() { self.replay.result(result, decision) } else { unreported() };
        // A result carries no reason of its own.
        let computed = match &follows {
            Follows::Yes { .. } => decision.map(|decision| decision.rationale.clone()),
            Follows::No { .. } | Follows::Unknown { .. } => None,
        };
        let rationale = self.open.reason.take().or(computed).unwrap_or_default();
        Decided {
            recorded: true,
            prev: result.prev_directive,
            current: result.directive.into(),
            loss: result.loss,
            grad_l: result.grad_l,
            grad_goal: result.grad_goal,
            blocked: Blocked::default(),
            rationale,
            follows,
        }
    }

    /// Closes the open round, unless it is empty.
    fn close(&mut self, reported: Option<Reported>, decided: Option<Decided>) {
        let open = std::mem::take(&mut self.open);
        let cost = Cost { elapsed_ms: self.now.saturating_sub(self.since), ..open.cost };
        self.since = self.now;
        self.page.cost = self.page.cost + cost;
        if open.plan.is_none() && decided.is_none() && cost == Cost::default() {
            return;
        }
        let (criteria, unmet) = match &reported {
            Some(Reported { observation, .. }) => {
                (Some(observation.criteria.len()), self.unmet(&observation.criteria))
            }
            None => (None, self.unmet(&self.replay.observe(&open.so_far(), 0).criteria)),
        };
        let round = u32::try_from(self.page.rounds.len()).unwrap_or(u32::MAX).saturating_add(1);
        let Open { plan, memory, refused, .. } = open;
        self.page.rounds.push(Round { round, plan, memory, refused, criteria, unmet, decided, cost });
    }

    fn unmet(&self, criteria: &[JudgedCriterion]) -> Vec<Unmet> {
        let unmet = criteria.iter().filter(|criterion| criterion.standing != Standing::Met);
        unmet
            .map(|criterion| Unmet {
                criterion: criterion.text.clone(),
                mode: criterion.mode,
                subtask: criterion.subtask_id.and_then(|id| self.intents.get(&id).cloned()),
                standing: criterion.standing.clone(),
                weight: criterion.weight(),
            })
            .collect()
    }

    fn page(mut self, damage: Option<&journal::Damage>) -> Explanation {
        if self.page.end.is_none() {
            let reported = self.open.reported.take();
            self.close(reported, None);
        }
        self.page.damage = damage.map(ToString::to_string);
        self.page
    }
}

impl Open {
    /// The round's state when the run ended. Nothing has been reported missing yet.
    fn so_far(&self) -> artoo_ggs::Round {
        artoo_ggs::Round {
            task_id: TaskId::from_text(""),
            report: Report::AllMet,
            outcomes: self.outcomes.clone(),
            task_verdicts: self.task_verdicts.clone(),
            missing_file: None,
            gave_up: None,
            merged_output: None,
            structured: None,
            confidence: None,
            words: String::new(),
        }
    }

    fn called(&mut self, call: &ToolCall) {
        self.memory.called(call);
        match (&call.ending, &call.failure) {
            (CallEnding::Refused, failure) => self.refused.push(RefusedCall {
                call: BlockedTarget::of(&call.tool, &call.arguments),
                reason: failure.as_ref().map(|failure| failure.reason.clone()).unwrap_or_default(),
            }),
            (
                CallEnding::Exited { .. }
                | CallEnding::Signalled { .. }
                | CallEnding::Returned
                | CallEnding::TimedOut
                | CallEnding::Cancelled,
                _,
            ) => self.cost.tool_calls = self.cost.tool_calls.saturating_add(1),
        }
    }
}

/// A decision of which the journal holds only the inputs.
fn unrecorded(reported: &Reported, fault: &Fault) -> Option<Decided> {
    let decision = reported.decision.as_ref()?;
    // A directive is published at once; if none is recorded, R7 did not get that far.
    let State::Terminal(state) = decision.state else { return None };
    Some(Decided {
        recorded: false,
        prev: decision.prev_directive,
        current: state.into(),
        loss: decision.loss,
        grad_l: decision.grad_l,
        grad_goal: decision.grad_goal,
        blocked: decision.blocked.clone(),
        rationale: decision.rationale.clone(),
        follows: Follows::Unknown {
            reason: format!("the run was cut short before its result: {}", fault.message),
        },
    })
}

fn is_budget(fault: &Fault) -> bool {
    fault.kind == FaultKind::Budget
}

fn unreported() -> Follows {
    Follows::Unknown { reason: "no report to the controller is on record for it".to_owned() }
}

fn cost_of(call: &ModelCall, prices: &Prices) -> Cost {
    Cost {
        model_calls: 1,
        prompt_tokens: call.prompt_tokens,
        completion_tokens: call.completion_tokens,
        amount: prices.of(call),
        ..Cost::default()
    }
}
