//! Blocked sets: what the next plan may not use.

use std::collections::{BTreeMap, BTreeSet};

use artoo_types::{ActionState, BlockedApproach, BlockedProgram, BlockedTarget, FailureClass, ToolName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{FailedSubTask, Observation, Trend};

/// The blocked sets of one directive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Blocked {
    /// Tools.
    pub tools: BTreeSet<ToolName>,
    /// Programs of a tool that runs commands: the tool stays.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub programs: BTreeSet<BlockedProgram>,
    /// Programs that failed as well and stay, because no other is left.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub spared: BTreeSet<BlockedProgram>,
    /// Inputs of a tool.
    pub targets: BTreeSet<BlockedTarget>,
    /// Ways of using a tool, where the tool itself is the last one and stays.
    pub approaches: BTreeSet<BlockedApproach>,
}

/// What failed so far, over all rounds of a run. It only grows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tried {
    targets: BTreeSet<BlockedTarget>,
    denied: BTreeSet<BlockedTarget>,
    approaches: BTreeSet<BlockedApproach>,
    /// Programs with the intent at which they failed.
    #[serde(default)]
    programs: BTreeSet<(BlockedProgram, String)>,
}

impl Tried {
    /// The additions of one round.
    pub fn in_round(observation: &Observation) -> Self {
        let mut tried = Self::default();
        for failure in &observation.failures {
            for call in &failure.failed_calls {
                match call.class {
                    FailureClass::Logical | FailureClass::Environmental => {}
                    FailureClass::Denied | FailureClass::Forbidden => {
                        tried.denied.insert(call.target.clone());
                    }
                    // Nobody knows why: it may come right, as a test suite does once its program is mended.
                    FailureClass::Unknown => continue,
                }
                tried.targets.insert(call.target.clone());
            }
            let led = failure.programs.iter().map(|program| (program.clone(), failure.intent.clone()));
            tried.programs.extend(led);
            // A tool that started a program is represented by the program.
            let bare = |tool: &&ToolName| !failure.programs.iter().any(|program| program.tool == **tool);
            for tool in failure.tools.iter().filter(bare) {
                tried
                    .approaches
                    .insert(BlockedApproach { tool: tool.clone(), approach: failure.intent.clone() });
            }
        }
        tried
    }

    /// Adds what another round tried.
    pub fn extend(&mut self, other: &Self) {
        self.targets.extend(other.targets.iter().cloned());
        self.denied.extend(other.denied.iter().cloned());
        self.approaches.extend(other.approaches.iter().cloned());
        self.programs.extend(other.programs.iter().cloned());
    }

    /// Whether this subtask's intent failed with each of these programs, of which there is at least one.
    pub fn every_program(&self, failure: &FailedSubTask, programs: &BTreeSet<BlockedProgram>) -> bool {
        let failed =
            |program: &BlockedProgram| self.programs.contains(&(program.clone(), failure.intent.clone()));
        !programs.is_empty() && programs.iter().all(failed)
    }

    /// Every input that ever failed.
    pub fn targets(&self) -> &BTreeSet<BlockedTarget> {
        &self.targets
    }

    /// The blocked sets of a directive; `self` is the whole run, `latest` this round.
    ///
    /// - `break_symmetry` blocks the tools whose own calls failed in the failing subtasks of all rounds: stuck
    ///   means that the last change of tools did not help either. What worked in a failing subtask is not a cause
    ///   of the failure. Failed inputs of what stays usable are blocked too: the specification's reason for leaving
    ///   them out, that the tool changes anyway, does not hold for them.
    /// - `change_approach` does the same while the loss rises, and blocks only this round's while it falls.
    /// - `change_path` blocks every input that ever failed.
    /// - `refine` does the same while the loss rises, and blocks only this round's while it falls.
    /// - An input that a person refused, or that is never allowed, stays blocked under every directive.
    /// - Tools that run commands are blocked by program, never as a whole: `shell` alone says nothing of what
    ///   was tried. The last program is never blocked.
    /// - The last usable tool is never blocked: see [`Blocked::approaches`].
    /// - A call that failed for a cause that nobody knows blocks nothing.
    ///
    /// Source: specification v0.8, "Directive Semantics"; `docs/deviations.md`, "Urgency" and "Blocked sets".
    pub fn blocked(
        &self,
        latest: &Self,
        directive: ActionState,
        trend: Trend,
        observation: &Observation,
    ) -> Blocked {
        match (directive, trend) {
            (ActionState::BreakSymmetry, _) | (ActionState::ChangeApproach, Trend::Worsening) => {
                self.block_means(self, observation)
            }
            (ActionState::ChangeApproach, Trend::Improving | Trend::Plateau) => {
                self.block_means(latest, observation)
            }
            (ActionState::ChangePath, _) | (ActionState::Refine, Trend::Worsening) => {
                self.block_targets(&self.targets)
            }
            (ActionState::Refine, Trend::Improving | Trend::Plateau) => self.block_targets(&latest.targets),
        }
    }

    fn block_targets(&self, scope: &BTreeSet<BlockedTarget>) -> Blocked {
        Blocked { targets: scope | &self.denied, ..Blocked::default() }
    }

    fn block_means(&self, scope: &Self, observation: &Observation) -> Blocked {
        let mut blocked = Blocked { targets: self.denied.clone(), ..Blocked::default() };
        for program in by_failures(scope.programs.iter().map(|(program, _)| program)) {
            let others = observation.programs.iter();
            let leaves_another =
                others.into_iter().any(|other| other != program && !blocked.programs.contains(other));
            if leaves_another {
                blocked.programs.insert(program.clone());
            } else {
                blocked.spared.insert(program.clone());
            }
        }
        for tool in by_failures(scope.approaches.iter().map(|approach| &approach.tool)) {
            let runs_programs = observation.programs.iter().any(|program| program.tool == *tool);
            let leaves_another =
                observation.inventory.iter().any(|other| other != tool && !blocked.tools.contains(other));
            if runs_programs {
                continue;
            }
            if leaves_another {
                blocked.tools.insert(tool.clone());
            } else {
                let of_tool = scope.approaches.iter().filter(|approach| approach.tool == *tool);
                blocked.approaches.extend(of_tool.cloned());
            }
        }
        let usable = scope.targets.iter().filter(|target| !blocked.covers(target)).cloned();
        blocked.targets.extend(usable.collect::<Vec<_>>());
        blocked
    }
}

impl Blocked {
    /// Whether the tool of this input is blocked, or a program in it, so that the input is refused with it.
    pub fn covers(&self, target: &BlockedTarget) -> bool {
        self.tools.contains(&target.tool)
            || BlockedProgram::all_in(target).iter().any(|program| self.programs.contains(program))
    }
}

/// Deduplicated, sorted by descending number of failures, so that the one with the fewest failures is the one
/// spared.
fn by_failures<'a, T: Ord>(failed: impl Iterator<Item = &'a T>) -> Vec<&'a T> {
    let mut failures: BTreeMap<&T, usize> = BTreeMap::new();
    for one in failed {
        *failures.entry(one).or_default() += 1;
    }
    let mut candidates: Vec<_> = failures.into_iter().collect();
    candidates.sort_by_key(|(one, count)| (std::cmp::Reverse(*count), *one));
    candidates.into_iter().map(|(one, _)| one).collect()
}
