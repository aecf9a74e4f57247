//! Replays the controller over a recorded run.

use std::collections::BTreeSet;

use artoo_ggs::{Lacks, observe, plan_directive};
use artoo_ggs_core::{Decision, GoalGradientSolver, Observation, Parameters, State, Trend};
use artoo_types::{
    ActionState, BlockedProgram, ControlSettings, FinalResult, MacroState, PlanDirective, TaskId,
    TerminalState, ToolName,
};
use serde_json::{Value, json};

use super::{Difference, Follows, Grounds, Reach};

/// artoo's solver, run alongside a recorded run until the two diverge.
pub(super) struct Replay {
    /// `None` if the settings are missing or invalid, and after a divergence.
    solver: Option<GoalGradientSolver>,
    tools: BTreeSet<ToolName>,
    programs: BTreeSet<BlockedProgram>,
    lacks: Lacks,
    /// Why nothing can be computed.
    why_not: String,
}

impl Replay {
    /// Before the settings are known.
    pub(super) fn new() -> Self {
        Self {
            solver: None,
            tools: BTreeSet::new(),
            programs: BTreeSet::new(),
            lacks: Lacks::default(),
            why_not: "the journal does not tell what the controller went by".to_owned(),
        }
    }

    /// Takes the settings.
    pub(super) fn settings(&mut self, settings: &ControlSettings) {
        self.tools.clone_from(&settings.tools);
        self.programs.clone_from(&settings.programs);
        match Parameters::new(settings.hyperparameters) {
            Ok(parameters) => self.solver = Some(GoalGradientSolver::new(parameters)),
            Err(error) => self.why_not = format!("the recorded settings cannot be used: {error}"),
        }
    }

    /// The controller's observation of a round.
    pub(super) fn observe(&self, round: &artoo_ggs::Round, elapsed_ms: u64) -> Observation {
        observe(round, elapsed_ms, &self.tools, &self.programs)
    }

    /// The decision of artoo's solver; `None` if it cannot be computed.
    pub(super) fn step(&mut self, round: &artoo_ggs::Round, observation: &Observation) -> Option<Decision> {
        let decision = self.solver.as_mut()?.step(observation);
        self.lacks.judged(round, &decision);
        Some(decision)
    }

    /// Compares a whole directive with the decision.
    pub(super) fn directive(
        &mut self,
        recorded: &PlanDirective,
        decision: Option<&Decision>,
        task_id: &TaskId,
    ) -> Follows {
        let Some(decision) = decision else { return self.unknown() };
        let State::Action(action) = decision.state else {
            let current = MacroState::from(recorded.directive);
            return self.parted(decision, vec![directive_differs(current, decision.state.into())]);
        };
        let computed = plan_directive(task_id.clone(), action, decision);
        let found = differences(&directive_value(recorded), &directive_value(&computed));
        if recorded.directive == action && found.is_empty() {
            return Follows::Yes { grounds: grounds(decision) };
        }
        if recorded.directive != action {
            return self.parted(decision, found);
        }
        // The same next step: later rounds can still be computed.
        Follows::No { computed: action.into(), grounds: grounds(decision), differences: found }
    }

    /// Compares a result that was not caused by a fault with the decision: everything in it that the
    /// controller decides.
    pub(super) fn result(&mut self, recorded: &FinalResult, decision: Option<&Decision>) -> Follows {
        let Some(decision) = decision else { return self.unknown() };
        let computed = json!({
            "directive": MacroState::from(decision.state), "loss": decision.loss, "grad_l": decision.grad_l,
            "grad_goal": decision.grad_goal, "replans": decision.replans_used,
            "prev_directive": decision.prev_directive, "unmet": self.lacks.unmet(decision),
        });
        // The decision is what it would have been if the result had been confirmed.
        let directive = recorded.unconfirmed().map_or(recorded.directive, |_| TerminalState::Accept);
        let recorded = json!({
            "directive": directive, "loss": recorded.loss, "grad_l": recorded.grad_l,
            "grad_goal": recorded.grad_goal, "replans": recorded.replans,
            "prev_directive": recorded.prev_directive, "unmet": recorded.unmet,
        });
        let found = differences(&recorded, &computed);
        if found.is_empty() {
            Follows::Yes { grounds: grounds(decision) }
        } else {
            self.parted(decision, found)
        }
    }

    fn unknown(&self) -> Follows {
        Follows::Unknown { reason: self.why_not.clone() }
    }

    /// From here on the run took a course that artoo's solver would not have chosen.
    fn parted(&mut self, decision: &Decision, differences: Vec<Difference>) -> Follows {
        self.solver = None;
        self.why_not = format!("from round {} on the run went another way", decision.round());
        Follows::No { computed: decision.state.into(), grounds: grounds(decision), differences }
    }
}

/// The grounds of a decision.
fn grounds(decision: &Decision) -> Grounds {
    Grounds {
        rule: decision.rule,
        cell: decision.cell,
        number: decision.cell.number(),
        cell_says: decision.cell.state().into(),
        urgency: match decision.state {
            State::Terminal(_) => None,
            State::Action(action) => reach(action, decision.cell.trend),
        },
    }
}

/// How many rounds back blocking reaches, for the two directives where the sign of the gradient decides it.
pub(super) fn reach(action: ActionState, trend: Trend) -> Option<Reach> {
    match (action, trend) {
        (ActionState::BreakSymmetry | ActionState::ChangePath, _) => None,
        (ActionState::ChangeApproach | ActionState::Refine, Trend::Worsening) => Some(Reach::EveryRound),
        (ActionState::ChangeApproach | ActionState::Refine, Trend::Improving | Trend::Plateau) => {
            Some(Reach::ThisRound)
        }
    }
}

fn directive_differs(recorded: MacroState, computed: MacroState) -> Difference {
    Difference { field: "directive".to_owned(), recorded: json!(recorded), computed: json!(computed) }
}

/// A directive as a value. The blocked calls are a set: redaction in the journal can change its order and
/// make two members equal.
fn directive_value(directive: &PlanDirective) -> Value {
    let mut value = serde_json::to_value(directive).unwrap_or_default();
    for (name, member) in value.as_object_mut().into_iter().flatten() {
        if let (true, Some(list)) = (name.starts_with("blocked_"), member.as_array_mut()) {
            list.sort_by_cached_key(Value::to_string);
            list.dedup();
        }
    }
    value
}

/// The fields in which two objects differ.
fn differences(recorded: &Value, computed: &Value) -> Vec<Difference> {
    let names = |value: &Value| -> Vec<String> {
        value.as_object().into_iter().flat_map(|object| object.keys().cloned()).collect()
    };
    let mut fields = names(recorded);
    fields.extend(names(computed));
    let mut seen = BTreeSet::new();
    fields.retain(|field| seen.insert(field.clone()));
    let of = |value: &Value, field: &str| value.get(field).cloned().unwrap_or_default();
    fields
        .into_iter()
        .map(|field| Difference { recorded: of(recorded, &field), computed: of(computed, &field), field })
        .filter(|difference| difference.recorded != difference.computed)
        .collect()
}
