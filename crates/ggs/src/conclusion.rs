//! `Conclusion`: how and why a run ends, by a decision or by a fault.

use artoo_ggs_core::{Decision, Parameters, Rule, loss, omega};
use artoo_types::{
    Confidence, Fault, FaultKind, GaveUp, GiveUpKind, Loss, PlanDirective, PrevDirective, Role,
    TerminalState, UnitInterval, UnmetCriterion,
};

/// The end of a run, before it is put into words.
#[derive(Clone, Debug, PartialEq)]
pub struct Conclusion {
    /// The final state.
    pub directive: TerminalState,
    /// The deciding rule; `None` if a fault ended the run.
    pub rule: Option<Rule>,
    /// Why, in words.
    pub reason: String,
    /// The last loss.
    pub loss: Loss,
    /// The last gradient of L.
    pub grad_l: f64,
    /// The last gradient of the goal.
    pub grad_goal: f64,
    /// Number of replans used.
    pub replans: u32,
    /// The previous directive.
    pub prev_directive: PrevDirective,
    /// The unmet criterion with the greatest weight.
    pub decisive: Option<String>,
    /// The unmet criteria, as far as known.
    pub unmet: Vec<UnmetCriterion>,
    /// The confidence in a result that meets everything.
    pub confidence: Option<Confidence>,
    /// Whether any criterion was judged at all.
    pub judged: bool,
    /// The fault.
    pub fault: Option<Fault>,
    /// What would be needed, if the run was given up for lack of it.
    pub gave_up: Option<GaveUp>,
    /// The next step for the person, if the cause of the end names one.
    pub next: Option<String>,
}

impl Conclusion {
    /// The end by a terminal decision.
    pub fn of_decision(
        directive: TerminalState,
        decision: &Decision,
        judged: bool,
        gave_up: Option<GaveUp>,
    ) -> Self {
        let gave_up = gave_up.filter(|_| decision.rule == Rule::GaveUp);
        Self {
            directive,
            rule: Some(decision.rule),
            reason: decision.rationale.clone(),
            loss: decision.loss,
            grad_l: decision.grad_l,
            grad_goal: decision.grad_goal,
            replans: decision.replans_used,
            prev_directive: decision.prev_directive,
            decisive: decision.failed_criterion.clone(),
            unmet: decision.unmet.clone(),
            confidence: None,
            judged,
            fault: None,
            next: gave_up.as_ref().and_then(to_go_on),
            gave_up,
        }
    }

    /// Sets the confidence in a result that meets everything: below the threshold it is not accepted. It is
    /// not retried either: the result of another plan would have no more confidence.
    #[must_use]
    pub fn believed(mut self, confidence: Option<Confidence>) -> Self {
        if self.directive == TerminalState::Accept {
            if confidence.as_ref().is_some_and(|confidence| !confidence.confirms()) {
                self.directive = TerminalState::Success;
            }
            self.confidence = confidence;
        }
        self
    }

    /// The confidence in a result that meets everything but is not accepted.
    pub fn unconfirmed(&self) -> Option<&Confidence> {
        self.confidence.as_ref().filter(|_| self.directive == TerminalState::Success)
    }

    /// The end by a fault, `elapsed_ms` into the run. `last` is the last directive, which names what was
    /// unmet when it was given.
    ///
    /// Ω is current. D and P are the last known; if no round was judged, D is 1, because nothing was shown to
    /// be done. The outcome is the typed `directive` and `fault`, never to be read from the numbers.
    ///
    /// An exhausted budget is not a failure: the run is an ordinary `abandon`, with the budget as its reason.
    pub fn of_fault(
        fault: &Fault,
        last: Option<&PlanDirective>,
        elapsed_ms: u64,
        parameters: &Parameters,
    ) -> Self {
        let replans = last.map_or(0, |directive| directive.round);
        let d = last.map_or(UnitInterval::ONE, |directive| directive.loss.d);
        let p = last.map_or(UnitInterval::ZERO, |directive| directive.loss.p);
        let gave_up = given_up(fault);
        // The last plan made good what was unmet before it.
        let missed = last.filter(|_| !fault.leaves_it_done());
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
            decisive: missed.map(|directive| directive.failed_criterion.clone()),
            unmet: missed.map(|directive| directive.unmet.clone()).unwrap_or_default(),
            confidence: None,
            judged: last.is_some(),
            fault: (!is_ordinary(fault.kind)).then(|| fault.clone()),
            next: match &gave_up {
                Some(gave_up) => to_go_on(gave_up),
                None => fault.hint.clone(),
            },
            gave_up,
        }
    }

    /// Whether every step matched, and no judge has looked at the whole.
    pub fn is_unjudged(&self) -> bool {
        self.fault.as_ref().is_some_and(Fault::leaves_it_done)
    }

    /// Whether to ask the planner for the story of this end. Not if the planner itself failed, if a person is
    /// waiting for the run to end, or if another model call would fail, cost or be lost like the one before.
    pub fn deserves_report(&self) -> bool {
        match &self.fault {
            // An exhausted budget ends a run without a rule of the solver.
            None => {
                let is_decided = self.directive == TerminalState::Abandon && self.rule.is_some();
                // Its reason is the whole story.
                is_decided && self.gave_up.is_none()
            }
            Some(fault) => fault.role != Role::Planner && leaves_a_planner(fault.kind),
        }
    }
}

fn leaves_a_planner(kind: FaultKind) -> bool {
    match kind {
        FaultKind::Answer | FaultKind::Deadline | FaultKind::Panic => true,
        // The judge's model did not answer twice, and it is often the planner's.
        FaultKind::Unjudged
        | FaultKind::Provider
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
        | FaultKind::Declined
        | FaultKind::Impossible
        | FaultKind::NeedsPerson
        | FaultKind::Budget => false,
    }
}

/// Whether a fault of this kind ends the run as an ordinary `abandon`.
fn is_ordinary(kind: FaultKind) -> bool {
    matches!(kind, FaultKind::Budget | FaultKind::Impossible | FaultKind::NeedsPerson)
}

/// What R2 gave up for.
fn given_up(fault: &Fault) -> Option<GaveUp> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "two of many kinds")]
    let kind = match fault.kind {
        FaultKind::Impossible => GiveUpKind::Impossible,
        FaultKind::NeedsPerson => GiveUpKind::NeedsPerson,
        _ => return None,
    };
    Some(GaveUp { kind, reason: fault.message.clone(), question: fault.hint.clone() })
}

/// What the person can do about it.
fn to_go_on(gave_up: &GaveUp) -> Option<String> {
    match gave_up.kind {
        GiveUpKind::NeedsPerson => {
            let question = gave_up.question.as_deref().map(str::trim);
            Some(match question.filter(|question| !gave_up.reason.contains(question)) {
                Some(question) => format!("ask again, with the answer to this: {question}"),
                None => "ask again, with the answer to that".to_owned(),
            })
        }
        GiveUpKind::NeedsConsent => {
            Some("consent to it, or ask for something that does not need it".to_owned())
        }
        GiveUpKind::Impossible => None,
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
