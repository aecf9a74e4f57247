//! Derives Megrams from the rounds of a run.

mod breakthrough;
mod content;
mod story;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use artoo_ggs_core::{Decision, Observation, Profile, Standing, State};
use artoo_mkct_memory::matrix;
use artoo_types::{
    ActionState, BlockedProgram, BlockedTarget, Entity, FailureClass, Finding, HeldEnd, Level, Megram,
    MegramState, OutcomeStatus, Space, SubTaskOutcome, TerminalState, ToolCall, UnitInterval,
};
use chrono::{DateTime, FixedOffset};
use story::Story;

use crate::failed_calls::{failing_calls, target_of, was_started};
use crate::{Mint, Round};

/// Which rule decides what is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MegramRule {
    /// Action states write one per failed pair of tool and target; `break_symmetry` is negative for the pair
    /// that failed and positive, one round later, for the pair that succeeded. Refused and cancelled calls,
    /// unknown causes, and calls led by foreign words write nothing. A pair that a person allowed against
    /// memory's advice is positive if it worked. A good ending writes a second one, of level K, for the
    /// working folder. Source: `docs/deviations.md`, "Which Megrams".
    #[default]
    FailedCalls,
    /// As the specification says: one per entry of `blocked_targets` with the row of the directive, and one
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
    /// Its level.
    pub level: Level,
    /// First half of its tag pair.
    pub space: Space,
    /// Second half.
    pub entity: Entity,
    /// The lesson in words.
    pub content: String,
    /// The state that produced it, which determines its weights.
    pub state: MegramState,
}

impl Draft {
    fn of_pair(pair: &BlockedTarget, state: MegramState, content: String) -> Self {
        let (space, entity) = (Space::tool(&pair.tool), Entity::path(&pair.target));
        Self { level: Level::M, space, entity, content, state }
    }

    fn of_task(intent: &str, state: MegramState, content: String) -> Self {
        let (space, entity) = (Space::intent(intent), Entity::local());
        Self { level: Level::M, space, entity, content, state }
    }

    fn of_folder(intent: &str, folder: &Path, state: MegramState, content: String) -> Self {
        let (space, entity) = (Space::intent(intent), Entity::folder(folder));
        Self { level: Level::K, space, entity, content, state }
    }

    /// The Megram.
    pub fn mint(self, mint: &mut Mint, at: DateTime<FixedOffset>) -> Megram {
        let megram = matrix::megram(mint.id(), self.state, at, self.space, self.entity, self.content);
        Megram { level: self.level, ..megram }
    }
}

/// Derives the lessons of a run, round by round.
#[derive(Debug, Default)]
pub struct Lessons {
    rule: MegramRule,
    folder: Option<PathBuf>,
    programs: BTreeSet<BlockedProgram>,
    story: Story,
    before: Option<Before>,
}

/// What is kept of the previous round.
#[derive(Debug)]
struct Before {
    state: ActionState,
    d: UnitInterval,
    met: BTreeSet<String>,
}

impl Lessons {
    /// No lesson yet.
    pub fn new(rule: MegramRule) -> Self {
        Self { rule, ..Self::default() }
    }

    /// For a run in this working folder, on a machine with these programs.
    #[must_use]
    pub fn on(self, folder: Option<PathBuf>, programs: BTreeSet<BlockedProgram>) -> Self {
        Self { folder, programs, ..self }
    }

    /// The lessons of one decision about one round of the task with this intent. An unconfirmed result is no
    /// lesson of how it is done.
    pub fn learn(
        &mut self,
        intent: &str,
        round: &Round,
        observation: &Observation,
        decision: &Decision,
        is_confirmed: bool,
    ) -> Vec<Draft> {
        self.story.go_on(intent, round, &self.programs);
        let mut drafts = self.breakthroughs(round, observation, decision);
        if self.rule == MegramRule::FailedCalls {
            drafts.extend(let_through(round));
        }
        match decision.state {
            State::Action(action) => drafts.extend(match self.rule {
                MegramRule::FailedCalls => failed_pairs(round, action, &self.story),
                MegramRule::Literal => literal(decision, action),
            }),
            State::Terminal(_) if !is_confirmed => {}
            State::Terminal(terminal) => {
                if self.rule == MegramRule::Literal || teaches(terminal, observation) {
                    let not_met =
                        decision.failed_criterion.as_deref().and_then(|text| self.story.plain(text));
                    let content = content::ending(intent, &self.story, not_met, terminal);
                    drafts.push(Draft::of_task(intent, ending_row(terminal), content));
                    drafts.extend(self.of_the_folder(intent, terminal));
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
    /// derives one.
    pub fn learn_fault(&self, intent: &str) -> Option<Draft> {
        match self.rule {
            MegramRule::FailedCalls => None,
            MegramRule::Literal => Some(Draft::of_task(intent, MegramState::Abandon, content::fault(intent))),
        }
    }

    /// The task's local context: how it was done in its folder.
    fn of_the_folder(&self, intent: &str, terminal: TerminalState) -> Option<Draft> {
        let is_done = match terminal {
            TerminalState::Accept | TerminalState::Success => true,
            TerminalState::Abandon => false,
        };
        let folder = self.folder.as_deref().filter(|_| self.rule == MegramRule::FailedCalls && is_done)?;
        let content = (!self.story.worked.is_empty()).then(|| content::local(intent, &self.story))?;
        Some(Draft::of_folder(intent, folder, ending_row(terminal), content))
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
                        let content = content::breakthrough(&pair, self.story.plain(&criterion));
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

/// One draft per failed pair of this round, for any action state.
fn failed_pairs(round: &Round, action: ActionState, story: &Story) -> Vec<Draft> {
    let state = match action {
        // The failed pair is no breakthrough: under break_symmetry it gets the row of change_approach.
        ActionState::BreakSymmetry | ActionState::ChangeApproach => MegramState::ChangeApproach,
        ActionState::ChangePath => MegramState::ChangePath,
        ActionState::Refine => MegramState::Refine,
    };
    let mut seen = BTreeSet::new();
    let mut drafts = Vec::new();
    for outcome in round.outcomes.iter().filter(|outcome| failed_for_a_known_reason(outcome)) {
        for failing in failing_calls(outcome) {
            // A call that was never started taught nothing about its target, and neither did a trial-only
            // call. Foreign words are never remembered, not even as the name of what failed.
            if tells(failing.failure.class)
                && was_started(failing.call)
                && !story::is_tried_only(failing.call)
                && failing.call.trust.tainted.is_none()
                && seen.insert(failing.target.clone())
            {
                let reason = story::reason(failing.call, failing.failure);
                let content = content::failed_call(&failing.target, &reason, story.plain(&outcome.intent));
                drafts.push(Draft::of_pair(&failing.target, state, content));
            }
        }
    }
    drafts
}

fn literal(decision: &Decision, action: ActionState) -> Vec<Draft> {
    let state = match action {
        ActionState::BreakSymmetry => MegramState::BreakSymmetry,
        ActionState::ChangeApproach => MegramState::ChangeApproach,
        ActionState::ChangePath => MegramState::ChangePath,
        ActionState::Refine => MegramState::Refine,
    };
    let targets = decision.blocked.targets.iter();
    let reason = "it is blocked for the rest of the run";
    targets.map(|pair| Draft::of_pair(pair, state, content::failed_call(pair, reason, None))).collect()
}

/// One draft per pair that memory held back, that a person allowed, and that worked: it counts against that
/// advice.
fn let_through(round: &Round) -> Vec<Draft> {
    let is_agreed = |call: &&ToolCall| {
        let agreed = call.held.as_ref().is_some_and(|held| held.came == HeldEnd::Agreed);
        agreed && call.succeeded() && call.trust.tainted.is_none()
    };
    let matched = round.outcomes.iter().filter(|outcome| outcome.status == OutcomeStatus::Matched);
    let pairs: BTreeSet<BlockedTarget> =
        matched.flat_map(|outcome| outcome.tool_calls.iter().filter(is_agreed).map(target_of)).collect();
    let draft = |pair: BlockedTarget| {
        let content = content::agreed(&pair);
        Draft::of_pair(&pair, MegramState::BreakSymmetry, content)
    };
    pairs.into_iter().map(draft).collect()
}

fn failed_for_a_known_reason(outcome: &SubTaskOutcome) -> bool {
    outcome.status == OutcomeStatus::Failed
        && outcome.criteria_verdicts.iter().any(|verdict| match &verdict.finding {
            Finding::Pass { .. } => false,
            Finding::Fail { failure_class, .. } => tells(*failure_class),
        })
}

/// An abandon teaches only if something failed for a known reason that is not a refusal.
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
