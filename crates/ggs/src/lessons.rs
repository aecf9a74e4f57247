//! Derives Megrams from the rounds of a run.

mod breakthrough;
mod content;
mod story;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use artoo_ggs_core::{Decision, Observation, Profile, Standing, State};
use artoo_mkct_memory::matrix;
use artoo_types::{
    ActionState, BlockedProgram, BlockedTarget, CriterionVerdict, Entity, FailureClass, Finding, HeldEnd,
    Level, Megram, MegramState, OutcomeStatus, Space, SubTaskOutcome, TagPair, TerminalState, ToolCall,
    UnitInterval,
};
use chrono::{DateTime, FixedOffset};
use story::Story;

use crate::failed_calls::{failing_calls, target_of, tells, was_started};
use crate::{Mint, Round};

/// Which rule decides what is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MegramRule {
    /// Action states write one per failed pair of tool and target, in the row of the call's own failure class,
    /// and one for a call whose output was the refused answer; `break_symmetry` is positive, one round later,
    /// for the pair that succeeded. Refused and cancelled calls, unknown causes, and calls led by foreign words
    /// write nothing. A pair that a person allowed against memory's advice is positive if it worked. An ending
    /// writes a second one, of level K, for the working folder. Source: `docs/deviations.md`, "Which Megrams".
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
    fn of(TagPair { space, entity }: TagPair, state: MegramState, content: String) -> Self {
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
            drafts.extend(self.let_through(round));
        }
        match decision.state {
            State::Action(action) => drafts.extend(match self.rule {
                MegramRule::FailedCalls => self.failed_pairs(intent, round),
                MegramRule::Literal => literal(decision, action),
            }),
            State::Terminal(_) if !is_confirmed => {}
            State::Terminal(terminal) => {
                if self.rule == MegramRule::Literal || teaches(terminal, observation) {
                    let not_met =
                        decision.failed_criterion.as_deref().and_then(|text| self.story.plain(text));
                    let content = content::ending(intent, &self.story, not_met, terminal);
                    drafts.push(Draft::of_task(intent, ending_row(terminal), content.clone()));
                    drafts.extend(self.of_the_folder(intent, terminal, content));
                    // What the last plan did is a lesson as well; a good one has nothing to say here.
                    if self.rule == MegramRule::FailedCalls && terminal == TerminalState::Abandon {
                        drafts.extend(self.failed_pairs(intent, round));
                    }
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

    /// The task's local context: how it went in its folder. A failure is counted there as well, or a practice
    /// of the folder could never fall.
    fn of_the_folder(&self, intent: &str, terminal: TerminalState, content: String) -> Option<Draft> {
        let folder = self.folder.as_deref().filter(|_| self.rule == MegramRule::FailedCalls)?;
        Some(Draft::of_folder(intent, folder, ending_row(terminal), content))
    }

    /// Where experience of a call is filed: in the working folder, where that is known.
    fn pair(&self, call: &BlockedTarget) -> TagPair {
        match &self.folder {
            Some(folder) => TagPair::of_call_in(call, folder),
            None => TagPair::of_call(call),
        }
    }

    /// One draft per failed call of this round, in the row of the call's own class, and one per call whose
    /// output was the refused answer.
    fn failed_pairs(&self, intent: &str, round: &Round) -> Vec<Draft> {
        let mut seen = BTreeSet::new();
        let mut drafts = Vec::new();
        for outcome in round.outcomes.iter().filter(|outcome| failed_for_a_known_reason(outcome)) {
            for failing in failing_calls(outcome) {
                // A call that was never started taught nothing about its target, and neither did a trial-only
                // call. Foreign words are never remembered, not even as the name of what failed.
                if let Some(state) = row_of(failing.failure.class)
                    && was_started(failing.call)
                    && !story::is_tried_only(failing.call)
                    && failing.call.trust.tainted.is_none()
                    && seen.insert(failing.target.clone())
                {
                    let reason = story::reason(failing.call, failing.failure);
                    let content = content::failed_call(&failing.target, &reason, intent);
                    drafts.push(Draft::of(self.pair(&failing.target), state, content));
                }
            }
        }
        for (call, criterion) in wrong_answers(round) {
            if let Some(folder) = &self.folder
                && seen.insert(call.clone())
            {
                let content = content::wrong_answer(&call, self.story.plain(criterion), intent);
                let pair = TagPair::of_answer(intent, &call, folder);
                drafts.push(Draft::of(pair, MegramState::ChangeApproach, content));
            }
        }
        drafts
    }

    /// One draft per call that memory held back, that a person allowed, and that worked: it counts against that
    /// advice.
    fn let_through(&self, round: &Round) -> Vec<Draft> {
        let is_agreed = |call: &&ToolCall| {
            let agreed = call.held.as_ref().is_some_and(|held| held.came == HeldEnd::Agreed);
            agreed && call.succeeded() && call.trust.tainted.is_none()
        };
        let matched = round.outcomes.iter().filter(|outcome| outcome.status == OutcomeStatus::Matched);
        let calls: BTreeSet<BlockedTarget> =
            matched.flat_map(|outcome| outcome.tool_calls.iter().filter(is_agreed).map(target_of)).collect();
        let draft = |call: BlockedTarget| {
            Draft::of(self.pair(&call), MegramState::BreakSymmetry, content::agreed(&call))
        };
        calls.into_iter().map(draft).collect()
    }

    fn breakthroughs(&self, round: &Round, observation: &Observation, decision: &Decision) -> Vec<Draft> {
        match (self.rule, &self.before) {
            (MegramRule::FailedCalls, Some(before))
                if before.state == ActionState::BreakSymmetry && decision.loss.d < before.d =>
            {
                let newly: BTreeSet<_> = met(observation).difference(&before.met).cloned().collect();
                breakthrough::pairs(round, &newly)
                    .into_iter()
                    .map(|(call, criterion)| {
                        let content = content::breakthrough(&call, self.story.plain(&criterion));
                        Draft::of(self.pair(&call), MegramState::BreakSymmetry, content)
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

/// The row of a failed call, by the class of its own failure: a call that the world stopped is a dead end for
/// now, one that was wrong in itself is not to be made again. `None` where the class says nothing about the
/// call.
fn row_of(class: FailureClass) -> Option<MegramState> {
    match class {
        FailureClass::Logical => Some(MegramState::ChangeApproach),
        FailureClass::Environmental | FailureClass::Forbidden => Some(MegramState::ChangePath),
        FailureClass::Denied | FailureClass::Unknown => None,
    }
}

/// The calls whose output was, word for word, an answer that a judge refused as wrong, each with a criterion
/// that it missed. A call that changed something is a deed and no answer.
fn wrong_answers(round: &Round) -> impl Iterator<Item = (BlockedTarget, &str)> {
    round.outcomes.iter().filter_map(|outcome| {
        let missed = match outcome.status {
            OutcomeStatus::Failed => missed(&outcome.criteria_verdicts)?,
            // Of several steps nobody knows by whose answer the whole fell short.
            OutcomeStatus::Matched if round.outcomes.len() == 1 => missed(&round.task_verdicts)?,
            OutcomeStatus::Matched | OutcomeStatus::Skipped | OutcomeStatus::Unjudged => return None,
        };
        Some((target_of(answer_of(outcome)?), missed))
    })
}

/// The call whose whole output is the answer of a question.
fn answer_of(outcome: &SubTaskOutcome) -> Option<&ToolCall> {
    let said = outcome.output.as_str()?.trim();
    let last = outcome.tool_calls.iter().rev().find(|call| was_started(call))?;
    let is_answer = last.succeeded()
        && last.output.dropped_bytes == 0
        && last.output.shown.trim() == said
        && !said.is_empty()
        && !last.changed_files()
        && last.trust.tainted.is_none()
        && !story::is_tried_only(last)
        && !outcome.is_about_a_deed();
    is_answer.then_some(last)
}

/// A criterion that a judge found missed because of what was done.
fn missed(verdicts: &[CriterionVerdict]) -> Option<&str> {
    let missed = verdicts.iter().find(|verdict| match &verdict.finding {
        Finding::Pass { .. } => false,
        Finding::Fail { failure_class, .. } => *failure_class == FailureClass::Logical,
    });
    missed.map(|verdict| verdict.criterion.as_str())
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
    let draft = |call| Draft::of(TagPair::of_call(call), state, content::blocked_call(call, reason));
    targets.map(draft).collect()
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

fn ending_row(terminal: TerminalState) -> MegramState {
    match terminal {
        TerminalState::Accept => MegramState::Accept,
        TerminalState::Success => MegramState::Success,
        TerminalState::Abandon => MegramState::Abandon,
    }
}
