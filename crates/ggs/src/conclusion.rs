//! Why and how a run ends: by a decision, or by a fault.

use artoo_ggs_core::{Decision, Parameters, Rule, loss, omega};
use artoo_types::{
    Fault, FaultKind, Loss, PlanDirective, PrevDirective, Role, TerminalState, UnitInterval, UnmetCriterion,
};

/// The end of a run before it is put into words.
#[derive(Clone, Debug, PartialEq)]
pub struct Conclusion {
    /// How it ends.
    pub directive: TerminalState,
    /// The rule that decided; `None` where a fault did.
    pub rule: Option<Rule>,
    /// Why, in words.
    pub reason: String,
    /// The last loss.
    pub loss: Loss,
    /// The last gradient of L.
    pub grad_l: f64,
    /// The last gradient of the goal.
    pub grad_goal: f64,
    /// Replans used.
    pub replans: u32,
    /// The directive before.
    pub prev_directive: PrevDirective,
    /// What is not met, as far as anybody knows.
    pub unmet: Vec<UnmetCriterion>,
    /// Whether any criterion was judged at all.
    pub judged: bool,
    /// The fault.
    pub fault: Option<Fault>,
    /// The next step for the person, where whatever ended the run names one.
    pub next: Option<String>,
}

impl Conclusion {
    /// The end by a terminal decision.
    pub fn of_decision(directive: TerminalState, decision: &Decision, judged: bool) -> Self {
        Self {
            directive,
            rule: Some(decision.rule),
            reason: decision.rationale.clone(),
            loss: decision.loss,
            grad_l: decision.grad_l,
            grad_goal: decision.grad_goal,
            replans: decision.replans_used,
            prev_directive: decision.prev_directive,
            unmet: decision.unmet.clone(),
            judged,
            fault: None,
            next: None,
        }
    }

    /// The end by a fault, `elapsed_ms` into the run. `last` is the last directive, which names what was
    /// unmet when it was given.
    ///
    /// Ω is of now. D and P are the last known; where no round was judged, D is 1, because nothing was shown
    /// to be done. The outcome is the typed `directive` and `fault`, never to be read from the numbers.
    ///
    /// A spent budget is no fault of anybody's: the run is an ordinary `abandon`, with the budget as its reason.
    pub fn of_fault(
        fault: &Fault,
        last: Option<&PlanDirective>,
        elapsed_ms: u64,
        parameters: &Parameters,
    ) -> Self {
        let replans = last.map_or(0, |directive| directive.round);
        let d = last.map_or(UnitInterval::ONE, |directive| directive.loss.d);
        let p = last.map_or(UnitInterval::ZERO, |directive| directive.loss.p);
        Self {
            directive: TerminalState::Abandon,
            rule: None,
            reason: sentence(&fault.message),
            loss: loss(d, p, omega(replans, elapsed_ms, parameters), parameters),
            grad_l: last.map_or(0.0, |directive| directive.grad_l),
            grad_goal: last.map_or(0.0, |directive| directive.grad_goal),
            replans,
            prev_directive: last
                .map_or(PrevDirective::Init, |directive| PrevDirective::Action(directive.directive)),
            unmet: last.map(|directive| directive.unmet.clone()).unwrap_or_default(),
            judged: last.is_some(),
            fault: (fault.kind != FaultKind::Budget).then(|| fault.clone()),
            next: fault.hint.clone(),
        }
    }

    /// Whether to ask the planner for the story of this end. Not where the planner itself failed, where a
    /// person is waiting to be let go, or where another model call would fail, cost or be lost like the one
    /// before.
    pub fn deserves_report(&self) -> bool {
        match &self.fault {
            // A spent budget ends a run without a rule of the solver.
            None => self.directive == TerminalState::Abandon && self.rule.is_some(),
            Some(fault) => fault.role != Role::Planner && leaves_a_planner(fault.kind),
        }
    }
}

fn leaves_a_planner(kind: FaultKind) -> bool {
    match kind {
        FaultKind::Answer | FaultKind::Deadline | FaultKind::Panic => true,
        FaultKind::Provider
        | FaultKind::Configuration
        | FaultKind::Request
        | FaultKind::Bus
        | FaultKind::Storage
        | FaultKind::Timeout
        | FaultKind::Cancelled
        | FaultKind::HungUp
        | FaultKind::Quit
        | FaultKind::Terminated
        | FaultKind::Refused
        | FaultKind::Budget => false,
    }
}

fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() || text.ends_with(['.', '!', '?', '。']) {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}
