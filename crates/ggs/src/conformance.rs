//! Conformance suite for any [`Solver`].

use artoo_ggs_core::{
    Bearing, FailedCall, FailedSubTask, Hyperparameters, JudgedCriterion, Observation, Parameters, Report,
    Standing, State, omega,
};
use artoo_types::{
    BlockedProgram, BlockedTarget, FailureClass, Mode, PrevDirective, SubTaskId, TerminalState, ToolName,
};

use crate::Solver;

/// Number of rounds after which a run must have ended.
const PATIENCE: usize = 64;
/// Tolerance between Omega and the sum that defines it: a solver may add in another order.
const ROUNDING: f64 = 1e-9;

/// Tests a solver with every sequence of four rounds out of six kinds, the last of which repeats until the
/// run ends.
///
/// `make` returns a new solver each time, all with the same parameters.
/// ```
/// use artoo_ggs::conformance;
/// use artoo_ggs_core::{GoalGradientSolver, Profile};
/// let make = || Box::new(GoalGradientSolver::new(Profile::Default.parameters())) as _;
/// assert_eq!(conformance::check(make), Ok(()));
/// ```
///
/// # Errors
/// The first rule of the contract that it broke.
pub fn check(make: impl Fn() -> Box<dyn Solver>) -> Result<(), Breach> {
    let kinds = kinds();
    for a in &kinds {
        for b in &kinds {
            for c in &kinds {
                for d in &kinds {
                    check_run(&make, &[a, b, c, d])?;
                }
            }
        }
    }
    Ok(())
}

/// Tests a solver against the limits of a run: it requests no more replans than allowed, its Omega is the
/// used share of the budget, an exhausted budget ends the run, and a finished result is still accepted.
///
/// `make` is what the runtime's builder takes: it returns a new solver with these parameters.
/// ```
/// use artoo_ggs::conformance;
/// use artoo_ggs_core::GoalGradientSolver;
/// assert_eq!(conformance::check_limits(|parameters| Box::new(GoalGradientSolver::new(parameters))), Ok(()));
/// ```
///
/// # Errors
/// The first rule of the contract that it broke.
///
/// Source: `docs/deviations.md`, "Omega", "Order of decisions" and "Accept".
pub fn check_limits(make: impl Fn(Parameters) -> Box<dyn Solver>) -> Result<(), Breach> {
    let far = [
        observed(Report::Gap, 3, FailureClass::Logical),
        observed(Report::Gap, 4, FailureClass::Environmental),
    ];
    for max_replans in [0, 1, 3, 5] {
        let values = Hyperparameters { max_replans, ..Hyperparameters::default() };
        // The default's other numbers are within their ranges.
        let parameters = Parameters::new(values).unwrap_or_default();
        for far in &far {
            // Milliseconds per round, of a budget of 300,000: instantly, comfortably, and too slow for all
            // replans.
            for pace in [0, 10_000, 60_000, 90_000] {
                check_far(make(parameters), &parameters, far, pace)?;
            }
            check_finished(make(parameters), &parameters, far)?;
        }
    }
    Ok(())
}

/// A rule of the contract that a solver broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Breach {
    /// A run did not end within 64 rounds.
    #[error("the run did not end")]
    Endless,
    /// The same rounds gave different decisions.
    #[error("the same rounds gave different decisions")]
    NotRepeatable,
    /// The count of replans does not grow by one per action state.
    #[error("replans_used is not the number of action states before")]
    Count,
    /// `prev_directive` is not the previous action state.
    #[error("prev_directive is not the directive before")]
    Chain,
    /// `accept` with an unmet criterion, or without the report of all met.
    #[error("accept, though not everything is met")]
    Accept,
    /// Everything is met, but the decision is not `accept`.
    #[error("everything is met, and it is not accepted")]
    NotAccepted,
    /// Another plan, although no replan is left.
    #[error("another plan, though every replan that is allowed is used")]
    TooManyReplans,
    /// Omega is not the used share of the budget.
    #[error("omega is not the share of the replans and the time that is used")]
    Omega,
    /// The budget is exhausted, and the run continues, or ends well without everything being met.
    #[error("the budget is spent, and the run is not abandoned")]
    BudgetIgnored,
    /// `success` without an unmet criterion to name, or without anything to deliver.
    #[error("success without a named gap or without a deliverable")]
    Success,
    /// A decision does not name every unmet criterion.
    #[error("the decision does not name every unmet criterion")]
    Unnamed,
    /// A number of a decision is NaN or infinite.
    #[error("a number of the decision is none")]
    NotFinite,
    /// No usable tool was left.
    #[error("every usable tool is blocked")]
    NoToolLeft,
    /// A tool that runs commands was left without a program.
    #[error("every program that can find something out is blocked")]
    NoProgramLeft,
}

fn check_run(make: &impl Fn() -> Box<dyn Solver>, rounds: &[&Observation; 4]) -> Result<(), Breach> {
    let (mut solver, mut again) = (make(), make());
    let mut prev = PrevDirective::Init;
    let mut replans = 0;
    let [.., last] = rounds;
    for (index, observed) in rounds.iter().chain(std::iter::repeat(last)).take(PATIENCE).enumerate() {
        let elapsed_ms = 1_000 * index as u64;
        let observation = Observation { elapsed_ms, ..Observation::clone(observed) };
        let decision = solver.step(&observation);
        let unmet = artoo_ggs_core::unmet(&observation);
        let is_finished = observation.report == Report::AllMet && unmet.is_empty();
        keep(decision.not_a_number().is_none(), Breach::NotFinite)?;
        keep(decision == again.step(&observation), Breach::NotRepeatable)?;
        keep(decision.replans_used == replans, Breach::Count)?;
        keep(decision.prev_directive == prev, Breach::Chain)?;
        keep(unmet.iter().all(|criterion| decision.unmet.contains(criterion)), Breach::Unnamed)?;
        match decision.state {
            State::Terminal(state) => {
                return match state {
                    TerminalState::Accept => keep(is_finished, Breach::Accept),
                    TerminalState::Success => {
                        keep(observation.deliverable && !unmet.is_empty(), Breach::Success)
                    }
                    TerminalState::Abandon => keep(!is_finished, Breach::NotAccepted),
                };
            }
            State::Action(action) => {
                keep(!is_finished, Breach::NotAccepted)?;
                keep(!observation.inventory.is_subset(&decision.blocked.tools), Breach::NoToolLeft)?;
                keep(!observation.programs.is_subset(&decision.blocked.programs), Breach::NoProgramLeft)?;
                prev = PrevDirective::Action(action);
                replans += 1;
            }
        }
    }
    Err(Breach::Endless)
}

/// The same round far from the goal again and again, until the run ends.
fn check_far(
    mut solver: Box<dyn Solver>,
    parameters: &Parameters,
    far: &Observation,
    pace: u64,
) -> Result<(), Breach> {
    for replans in 0..=parameters.max_replans {
        let elapsed_ms = pace * u64::from(replans + 1);
        let decision = solver.step(&Observation { elapsed_ms, ..far.clone() });
        let used = omega(replans, elapsed_ms, parameters).get();
        keep((decision.loss.omega.get() - used).abs() <= ROUNDING, Breach::Omega)?;
        let is_spent = used >= parameters.theta;
        match decision.state {
            State::Terminal(state) => {
                return keep(!is_spent || state == TerminalState::Abandon, Breach::BudgetIgnored);
            }
            State::Action(_) => {
                keep(!is_spent, Breach::BudgetIgnored)?;
                keep(replans < parameters.max_replans, Breach::TooManyReplans)?;
            }
        }
    }
    Ok(())
}

/// Every replan that the solver requests, and then a round in which all is met, long after the time is up.
fn check_finished(
    mut solver: Box<dyn Solver>,
    parameters: &Parameters,
    far: &Observation,
) -> Result<(), Breach> {
    for _ in 0..parameters.max_replans {
        match solver.step(far).state {
            State::Action(_) => {}
            State::Terminal(_) => return Ok(()),
        }
    }
    let late = parameters.time_budget_ms.saturating_mul(3);
    let finished = Observation { elapsed_ms: late, ..observed(Report::AllMet, 0, FailureClass::Logical) };
    let accepts = solver.step(&finished).state == State::Terminal(TerminalState::Accept);
    keep(accepts, Breach::NotAccepted)
}

fn keep(kept: bool, breach: Breach) -> Result<(), Breach> {
    kept.then_some(()).ok_or(breach)
}

/// All met, nearly met, nearly met with nothing to deliver, and far from met for logical, environmental and
/// refused reasons.
fn kinds() -> [Observation; 6] {
    use FailureClass::{Denied, Environmental, Logical};
    let near = observed(Report::Gap, 1, Environmental);
    [
        observed(Report::AllMet, 0, Logical),
        near.clone(),
        Observation { deliverable: false, ..near },
        observed(Report::Gap, 3, Logical),
        observed(Report::Gap, 4, Environmental),
        observed(Report::Gap, 4, Denied),
    ]
}

fn observed(report: Report, failed: usize, class: FailureClass) -> Observation {
    let tool = ToolName::new("shell");
    let program = |name: &str| BlockedProgram { tool: ToolName::new("shell"), program: name.to_owned() };
    let subtask_id = SubTaskId::new(artoo_types::RunId::OPERATOR.uuid());
    let criterion = |index: usize| JudgedCriterion {
        text: format!("criterion {index}"),
        mode: Mode::Verifiable,
        subtask_id: Some(subtask_id),
        bearing: Bearing::Part,
        standing: if index < failed {
            Standing::Unmet { class, reason: "it is not so".to_owned(), failures: 1, attempts: 1 }
        } else {
            Standing::Met
        },
    };
    let failure = FailedSubTask {
        subtask_id,
        intent: "list the files".to_owned(),
        tools: [tool.clone()].into(),
        worked: Default::default(),
        programs: [program("find")].into(),
        failed_calls: vec![FailedCall {
            target: BlockedTarget { tool: tool.clone(), target: "ls".to_owned() },
            class,
        }],
    };
    Observation {
        report,
        elapsed_ms: 0,
        criteria: (0..4).map(criterion).collect(),
        failures: if failed == 0 { Vec::new() } else { vec![failure] },
        deliverable: true,
        missing_file: None,
        gave_up: None,
        inventory: [tool].into(),
        programs: [program("find"), program("python3")].into(),
    }
}
