//! What the next plan may not use.

use std::collections::{BTreeMap, BTreeSet};

use artoo_types::{ActionState, BlockedApproach, BlockedTarget, FailureClass, ToolName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Observation, Trend};

/// The blocked sets of one directive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Blocked {
    /// Tools.
    pub tools: BTreeSet<ToolName>,
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
}

impl Tried {
    /// What one round adds.
    pub fn in_round(observation: &Observation) -> Self {
        let mut tried = Self::default();
        for failure in &observation.failures {
            for call in &failure.failed_calls {
                tried.targets.insert(call.target.clone());
                if call.class == FailureClass::Denied {
                    tried.denied.insert(call.target.clone());
                }
            }
            for tool in &failure.tools {
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
    }

    /// Every input that ever failed.
    pub fn targets(&self) -> &BTreeSet<BlockedTarget> {
        &self.targets
    }

    /// The blocked sets of a directive; `self` is the whole run, `latest` this round.
    ///
    /// - `break_symmetry` blocks the tools of the failing subtasks of all rounds: stuck means that the last
    ///   change of tools did not help either.
    /// - `change_approach` does the same while the loss rises, and blocks only this round's while it falls.
    /// - `change_path` blocks every input that ever failed.
    /// - `refine` does the same while the loss rises, and blocks only this round's while it falls.
    /// - An input that a person refused stays blocked under every directive.
    /// - The last usable tool is never blocked: see [`Blocked::approaches`]. Its failed inputs stay blocked,
    ///   because the specification's reason for dropping them, that the tool changes anyway, does not hold
    ///   for it.
    ///
    /// Source: specification v0.8, "Directive Semantics"; `docs/deviations.md`, "Urgency" and "Blocked sets".
    pub fn blocked(
        &self,
        latest: &Self,
        directive: ActionState,
        trend: Trend,
        inventory: &BTreeSet<ToolName>,
    ) -> Blocked {
        match (directive, trend) {
            (ActionState::BreakSymmetry, _) | (ActionState::ChangeApproach, Trend::Worsening) => {
                self.block_tools(&self.approaches, inventory)
            }
            (ActionState::ChangeApproach, Trend::Improving | Trend::Plateau) => {
                self.block_tools(&latest.approaches, inventory)
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

    fn block_tools(&self, scope: &BTreeSet<BlockedApproach>, inventory: &BTreeSet<ToolName>) -> Blocked {
        let mut failures: BTreeMap<&ToolName, usize> = BTreeMap::new();
        for approach in scope {
            *failures.entry(&approach.tool).or_default() += 1;
        }
        // The tool with the most failures goes first, so that the one with the least against it is the one
        // spared.
        let mut candidates: Vec<_> = failures.into_iter().collect();
        candidates.sort_by_key(|(tool, count)| (std::cmp::Reverse(*count), *tool));

        let mut blocked = Blocked { targets: self.denied.clone(), ..Blocked::default() };
        for (tool, _) in candidates {
            let leaves_another =
                inventory.iter().any(|other| other != tool && !blocked.tools.contains(other));
            if leaves_another {
                blocked.tools.insert(tool.clone());
            } else {
                blocked.approaches.extend(scope.iter().filter(|approach| approach.tool == *tool).cloned());
                blocked.targets.extend(self.targets.iter().filter(|target| target.tool == *tool).cloned());
            }
        }
        blocked
    }
}
