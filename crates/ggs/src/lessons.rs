//! Which experiences of a run become Megrams.

mod breakthrough;
mod content;

use std::collections::BTreeSet;

use artoo_ggs_core::{Decision, Observation, Profile, Standing, State};
use artoo_mkct_memory::matrix;
use artoo_types::{
    ActionState, BlockedTarget, Entity, FailureClass, Finding, Megram, MegramState, OutcomeStatus, Space,
    SubTaskOutcome, TerminalState, UnitInterval,
};
use chrono::{DateTime, FixedOffset};

use crate::calls::{failing_calls, was_started};
use crate::{Mint, Round};

/// Which rule decides what is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MegramRule {
    /// Action states write one per failed pair of tool and target; `break_symmetry` is negative for the pair
    /// that failed and positive, one round later, for the pair that broke through. What was refused,
    /// cancelled or of unknown cause writes nothing. Source: `docs/deviations.md`, "Which Megrams".
    #[default]
    FailedCalls,
    /// The specification's letter: one per entry of `blocked_targets` with the row of the directive, and one
    /// per ending.
    Literal,
}

impl MegramRule {
    /// The rule of a profile.
    pub fn of(profile: Profile) -> Self {
        match profile {
            Profile::Default => Self::FailedCalls,
            Profile::SpecV08 => Self::Literal,
        }
    }
}

/// A Megram before it has an id and a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// First half of its tag pair.
    pub space: Space,
    /// Second half.
    pub entity: Entity,
    /// The lesson in words.
    pub content: String,
    /// What made it, and so its weights.
    pub state: MegramState,
}

impl Draft {
    fn of_pair(pair: &BlockedTarget, state: MegramState, content: String) -> Self {
        Self { space: Space::tool(&pair.tool), entity: Entity::path(&pair.target), content, state }
    }

    fn of_task(intent: &str, state: MegramState, content: String) -> Self {
        Self { space: Space::intent(intent), entity: Entity::local(), content, state }
    }

    /// The Megram.
    pub fn mint(self, mint: &mut Mint, at: DateTime<FixedOffset>) -> Megram {
        matrix::megram(mint.id(), self.state, at, self.space, self.entity, self.content)
    }
}

/// Draws the lessons of a run, round by round.
#[derive(Debug, Default)]
pub struct Lessons {
    rule: MegramRule,
    before: Option<Before>,
}

/// What is kept of the round before.
#[derive(Debug)]
struct Before {
    state: ActionState,
    d: UnitInterval,
    met: BTreeSet<String>,
}

impl Lessons {
    /// No lesson yet.
    pub fn new(rule: MegramRule) -> Self {
        Self { rule, before: None }
    }

    /// The lessons of one decision about one round of the task with this intent.
    pub fn learn(
        &mut self,
        intent: &str,
        round: &Round,
        observation: &Observation,
        decision: &Decision,
    ) -> Vec<Draft> {
        let mut drafts = self.breakthroughs(round, observation, decision);
        match decision.state {
            State::Action(action) => drafts.extend(match self.rule {
                MegramRule::FailedCalls => failed_pairs(round, action),
                MegramRule::Literal => literal(round, decision, action),
            }),
            State::Terminal(terminal) => {
                if self.rule == MegramRule::Literal || teaches(terminal, observation) {
                    let content = content::ending(intent, round, decision, terminal);
                    drafts.push(Draft::of_task(intent, ending_row(terminal), content));
                }
            }
        }
        self.before = match decision.state {
            State::Action(state) => Some(Before { state, d: decision.loss.d, met: met(observation) }),
            State::Terminal(_) => None,
        };
        drafts
    }

    /// The lesson of an ending by a fault. A fault says nothing about the task, so only the literal rule
    /// draws one.
    pub fn learn_fault(&self, intent: &str, reason: &str) -> Option<Draft> {
        match self.rule {
            MegramRule::FailedCalls => None,
            MegramRule::Literal => {
                Some(Draft::of_task(intent, MegramState::Abandon, content::fault(intent, reason)))
            }
        }
    }

    fn breakthroughs(&self, round: &Round, observation: &Observation, decision: &Decision) -> Vec<Draft> {
        match (self.rule, &self.before) {
            (MegramRule::FailedCalls, Some(before))
                if before.state == ActionState::BreakSymmetry && decision.loss.d < before.d =>
            {
                let newly: BTreeSet<_> = met(observation).difference(&before.met).cloned().collect();
                breakthrough::pairs(round, &newly)
                    .into_iter()
                    .map(|(pair, criterion)| {
                        let content = content::breakthrough(&pair, &criterion);
                        Draft::of_pair(&pair, MegramState::BreakSymmetry, content)
                    })
                    .collect()
            }
            (MegramRule::FailedCalls | MegramRule::Literal, _) => Vec::new(),
        }
    }
}

fn met(observation: &Observation) -> BTreeSet<String> {
    let met = observation.criteria.iter().filter(|criterion| criterion.standing == Standing::Met);
    met.map(|criterion| criterion.text.clone()).collect()
}

/// One draft per failed pair of this round, whichever the action state is.
fn failed_pairs(round: &Round, action: ActionState) -> Vec<Draft> {
    let state = match action {
        // The pair that failed is no breakthrough: under break_symmetry it gets the row of change_approach.
        ActionState::BreakSymmetry | ActionState::ChangeApproach => MegramState::ChangeApproach,
        ActionState::ChangePath => MegramState::ChangePath,
        ActionState::Refine => MegramState::Refine,
    };
    let mut seen = BTreeSet::new();
    let mut drafts = Vec::new();
    for outcome in round.outcomes.iter().filter(|outcome| failed_for_a_known_reason(outcome)) {
        for failing in failing_calls(outcome) {
            // A call that was never started taught nothing about its target.
            if tells(failing.failure.class)
                && was_started(failing.call)
                && seen.insert(failing.target.clone())
            {
                let content = content::failed_call(&failing.target, &failing.failure.reason, &outcome.intent);
                drafts.push(Draft::of_pair(&failing.target, state, content));
            }
        }
    }
    drafts
}

fn literal(round: &Round, decision: &Decision, action: ActionState) -> Vec<Draft> {
    let state = match action {
        ActionState::BreakSymmetry => MegramState::BreakSymmetry,
        ActionState::ChangeApproach => MegramState::ChangeApproach,
        ActionState::ChangePath => MegramState::ChangePath,
        ActionState::Refine => MegramState::Refine,
    };
    let targets = decision.blocked.targets.iter();
    targets.map(|pair| Draft::of_pair(pair, state, content::failed_call(pair, &round.words, ""))).collect()
}

fn failed_for_a_known_reason(outcome: &SubTaskOutcome) -> bool {
    outcome.status == OutcomeStatus::Failed
        && outcome.criteria_verdicts.iter().any(|verdict| match &verdict.finding {
            Finding::Pass { .. } => false,
            Finding::Fail { failure_class, .. } => tells(*failure_class),
        })
}

/// An abandon teaches only where something failed for a reason that is known and is not a refusal.
fn teaches(terminal: TerminalState, observation: &Observation) -> bool {
    match terminal {
        TerminalState::Accept | TerminalState::Success => true,
        TerminalState::Abandon => observation.criteria.iter().any(|criterion| match &criterion.standing {
            Standing::Unmet { class, .. } => tells(*class),
            Standing::Met | Standing::Skipped { .. } => false,
        }),
    }
}

fn tells(class: FailureClass) -> bool {
    match class {
        FailureClass::Logical | FailureClass::Environmental => true,
        FailureClass::Denied | FailureClass::Unknown => false,
    }
}

fn ending_row(terminal: TerminalState) -> MegramState {
    match terminal {
        TerminalState::Accept => MegramState::Accept,
        TerminalState::Success => MegramState::Success,
        TerminalState::Abandon => MegramState::Abandon,
    }
}
