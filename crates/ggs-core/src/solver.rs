//! `GoalGradientSolver`: the state machine, with one step per round.

use artoo_types::{FailureClass, PrevDirective, TerminalState, UnmetCriterion};
use serde::{Deserialize, Serialize};

use crate::distance::misses_the_wish;
use crate::rationale::{Grounds, rationale};
use crate::{
    Blocked, Budget, Cell, Decision, FailedSubTask, Gradients, Nearness, Observation, Parameters, Reading,
    Report, Rule, Standing, State, Tried, dominant_class, heaviest_failure, only_denied, unmet,
};

/// The Goal Gradient Solver: maps the trajectory of a run, not a single failure, to what should change.
///
/// A step is a function of the parameters, the state and the observation; the same three give the same
/// decision. A run takes at most `max_replans + 1` steps. After a terminal decision every further step
/// returns that decision again.
/// ```
/// use artoo_ggs_core::{GoalGradientSolver, Profile};
/// let solver = GoalGradientSolver::new(Profile::SpecV08.parameters());
/// assert_eq!(solver.state().replans_used(), 0);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GoalGradientSolver {
    parameters: Parameters,
    state: SolverState,
}

/// A solver's state between rounds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SolverState {
    replans_used: u32,
    prev_directive: PrevDirective,
    reading: Option<Reading>,
    worsening: u32,
    tried: Tried,
    ended: Option<Box<Decision>>,
}

impl SolverState {
    /// Replans so far. Only the solver counts them.
    pub fn replans_used(&self) -> u32 {
        self.replans_used
    }

    /// What failed so far.
    pub fn tried(&self) -> &Tried {
        &self.tried
    }
}

impl GoalGradientSolver {
    /// A solver at the start of a run.
    pub fn new(parameters: Parameters) -> Self {
        Self { parameters, state: SolverState::default() }
    }

    /// Its parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Its state.
    pub fn state(&self) -> &SolverState {
        &self.state
    }

    /// Judges one round.
    pub fn step(&mut self, observation: &Observation) -> Decision {
        if let Some(decision) = &self.state.ended {
            return Decision::clone(decision);
        }
        let parameters = &self.parameters;
        let reading = Reading::of(observation, self.state.replans_used, parameters);
        let gradients = Gradients::between(self.state.reading.as_ref(), &reading);
        let deciding = gradients.deciding(parameters);
        let cell = Cell::of(&reading.loss, deciding, parameters);
        let unmet = unmet(observation);
        // Law 2 says "greater than epsilon", whereas the table's signal includes epsilon itself.
        let worsening =
            if deciding > parameters.epsilon { self.state.worsening.saturating_add(1) } else { 0 };

        let latest = Tried::in_round(observation);
        self.state.tried.extend(&latest);
        let (mut state, mut rule) =
            route(observation, cell, &unmet, worsening, self.state.replans_used, parameters);
        let is_replan = self.state.replans_used > 0;
        let is_open = match rule {
            Rule::CloseEnough | Rule::NoReplansLeft | Rule::KeepsWorsening | Rule::ActionGrid => true,
            Rule::EveryCriterionMet
            | Rule::BudgetSpent
            | Rule::OnlyDenied
            | Rule::NoMeansLeft
            | Rule::FileMissing
            | Rule::GaveUp => false,
        };
        if is_open && observation.gave_up.is_some() {
            (state, rule) = (State::Terminal(TerminalState::Abandon), Rule::GaveUp);
        }
        if rule == Rule::ActionGrid && observation.missing_file.is_some() {
            (state, rule) = (State::Terminal(TerminalState::Abandon), Rule::FileMissing);
        }
        if rule == Rule::ActionGrid && no_means_left(observation, &self.state.tried, is_replan) {
            (state, rule) = (State::Terminal(TerminalState::Abandon), Rule::NoMeansLeft);
        }
        let blocked = match state {
            State::Terminal(_) => Blocked::default(),
            State::Action(action) => self.state.tried.blocked(&latest, action, cell.trend, observation),
        };
        let grounds = Grounds {
            state,
            rule,
            trend: cell.trend,
            nearness: cell.nearness,
            process: cell.process,
            prev: self.state.prev_directive,
            unmet: unmet.len(),
            criteria: observation.criteria.len(),
            worsening,
            blocked: &blocked,
            missing_file: observation.missing_file.as_deref(),
            gave_up: observation.gave_up.as_ref(),
        };
        let decision = Decision {
            state,
            rule,
            cell,
            loss: reading.loss,
            grad_l: gradients.loss,
            grad_goal: gradients.goal,
            prev_directive: self.state.prev_directive,
            replans_used: self.state.replans_used,
            failure_class: dominant_class(observation),
            failed_criterion: heaviest_failure(observation).map(|criterion| criterion.text.clone()),
            rationale: rationale(&grounds, parameters),
            blocked,
            unmet,
        };
        self.advance(&decision, reading, worsening);
        decision
    }

    fn advance(&mut self, decision: &Decision, reading: Reading, worsening: u32) {
        self.state.reading = Some(reading);
        self.state.worsening = worsening;
        match decision.state {
            State::Terminal(_) => self.state.ended = Some(Box::new(decision.clone())),
            State::Action(action) => {
                self.state.prev_directive = PrevDirective::Action(action);
                self.state.replans_used = self.state.replans_used.saturating_add(1);
            }
        }
    }
}

/// Whether another plan could make no new call: a step failed with every available program, or a directed
/// plan ended without a single call, because everything it requested was refused. A model that did not answer
/// does not count, since it may the next time; its failures have no class.
fn no_means_left(observation: &Observation, tried: &Tried, is_replan: bool) -> bool {
    // A matched step is no dead end: something else is missing.
    let failures: Vec<&FailedSubTask> =
        observation.failures.iter().filter(|failure| !has_matched(failure, observation)).collect();
    let used_up = failures.iter().any(|failure| tried.every_program(failure, &observation.programs));
    let made_none = |failure: &&FailedSubTask| failure.tools.is_empty() && failure.worked.is_empty();
    let without_calls = !failures.is_empty() && failures.iter().all(made_none);
    let refused = observation
        .criteria
        .iter()
        .any(|criterion| matches!(criterion.standing, Standing::Unmet { class: FailureClass::Logical, .. }));
    used_up || (is_replan && without_calls && refused)
}

/// Whether the subtask has criteria and all are met: only the whole falls short.
fn has_matched(subtask: &FailedSubTask, observation: &Observation) -> bool {
    let mut own = observation
        .criteria
        .iter()
        .filter(|criterion| criterion.subtask_id == Some(subtask.subtask_id))
        .peekable();
    own.peek().is_some() && own.all(|criterion| criterion.standing == Standing::Met)
}

/// The order of decisions. Source: `docs/deviations.md`, "Order of decisions".
fn route(
    observation: &Observation,
    cell: Cell,
    unmet: &[UnmetCriterion],
    worsening: u32,
    replans_used: u32,
    parameters: &Parameters,
) -> (State, Rule) {
    let abandon = State::Terminal(TerminalState::Abandon);
    if observation.report == Report::AllMet && unmet.is_empty() {
        return (State::Terminal(TerminalState::Accept), Rule::EveryCriterionMet);
    }
    if cell.budget == Budget::Spent {
        return (abandon, Rule::BudgetSpent);
    }
    // A gap that no verdict shows cannot be named, so it cannot be passed off as close enough. The same
    // condition makes delta = 0 mean "never".
    let is_close = cell.nearness == Nearness::Near && !misses_the_wish(observation, parameters.weighing);
    if is_close && observation.deliverable && !unmet.is_empty() {
        return (State::Terminal(TerminalState::Success), Rule::CloseEnough);
    }
    if only_denied(observation) {
        return (abandon, Rule::OnlyDenied);
    }
    if worsening >= parameters.law2_rounds {
        return (abandon, Rule::KeepsWorsening);
    }
    if replans_used >= parameters.max_replans {
        return (abandon, Rule::NoReplansLeft);
    }
    (State::Action(cell.action()), Rule::ActionGrid)
}
