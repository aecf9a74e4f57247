//! Fan-in gate: collects the outcomes of a plan, and releases the plan when all have arrived.

use std::collections::HashMap;

use artoo_types::{Criterion, DispatchManifest, Law, OutcomeStatus, SubTaskId, SubTaskOutcome};

/// The outcomes of a run by subtask, and the plan being collected. Pure.
#[derive(Clone, Debug, Default)]
pub struct FanIn {
    manifest: Option<DispatchManifest>,
    outcomes: HashMap<SubTaskId, SubTaskOutcome>,
    released: bool,
}

/// A plan with all its outcomes.
#[derive(Clone, Debug, PartialEq)]
pub struct Gathered {
    /// The number of the plan in the run.
    pub round: u32,
    /// All outcomes that count: first the kept ones, then the plan's own, in its order.
    pub outcomes: Vec<SubTaskOutcome>,
    /// The plan's task criteria.
    pub task_criteria: Vec<Criterion>,
    /// The person's laws, which are part of the request.
    pub laws: Vec<Law>,
}

impl Gathered {
    /// Whether there is at least one subtask and every one matched; task criteria are judged only then. A
    /// plan without a subtask has done nothing, so there is nothing to accept.
    pub fn all_matched(&self) -> bool {
        !self.outcomes.is_empty()
            && self.outcomes.iter().all(|outcome| outcome.status == OutcomeStatus::Matched)
    }

    /// Whether the judge of a subtask gave no verdict. The fault that R4a published with it ends the run, so nothing is
    /// concluded.
    pub fn is_unjudged(&self) -> bool {
        self.outcomes.iter().any(|outcome| outcome.status == OutcomeStatus::Unjudged)
    }
}

impl FanIn {
    /// Starts collecting a plan. A plan that runs nothing new is complete at once. A manifest of this round
    /// or of an earlier one is ignored, so that a duplicate cannot release a plan twice.
    pub fn on_manifest(&mut self, manifest: &DispatchManifest) -> Option<Gathered> {
        if self.manifest.as_ref().is_some_and(|current| manifest.round <= current.round) {
            return None;
        }
        self.manifest = Some(manifest.clone());
        self.released = false;
        self.release()
    }

    /// Adds an outcome; a second one for the same subtask is ignored, so that a duplicate can neither
    /// complete nor change a plan. Returns the plan when it is complete, exactly once.
    pub fn on_outcome(&mut self, outcome: &SubTaskOutcome) -> Option<Gathered> {
        self.outcomes.entry(outcome.subtask_id).or_insert_with(|| outcome.clone());
        self.release()
    }

    fn release(&mut self) -> Option<Gathered> {
        let manifest = self.manifest.as_ref().filter(|_| !self.released)?;
        let counted = manifest.kept.iter().chain(&manifest.subtask_ids);
        // Outcomes are cloned once, when all have arrived, not on every arrival.
        if !counted.clone().all(|id| self.outcomes.contains_key(id)) {
            return None;
        }
        let outcomes: Vec<SubTaskOutcome> =
            counted.map(|id| self.outcomes.get(id).cloned()).collect::<Option<_>>()?;
        self.released = true;
        Some(Gathered {
            round: manifest.round,
            outcomes,
            task_criteria: manifest.task_criteria.clone(),
            laws: manifest.laws.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use artoo_types::{RunId, TaskId};
    use proptest::prelude::*;

    use super::*;

    fn id(number: u128) -> SubTaskId {
        SubTaskId::new(uuid::Uuid::from_u128(number))
    }

    fn outcome(number: u128, status: OutcomeStatus) -> SubTaskOutcome {
        SubTaskOutcome::new(id(number), RunId::OPERATOR, format!("step {number}"), status)
    }

    fn manifest(round: u32, kept: &[u128], own: &[u128]) -> DispatchManifest {
        DispatchManifest {
            kept: kept.iter().copied().map(id).collect(),
            ..DispatchManifest::new(
                TaskId::from_text("count files"),
                round,
                own.iter().copied().map(id).collect(),
            )
        }
    }

    #[test]
    fn a_replan_counts_kept_outcomes_again() {
        let mut gate = FanIn::default();
        assert_eq!(gate.on_manifest(&manifest(1, &[], &[1, 2])), None);
        assert_eq!(gate.on_outcome(&outcome(1, OutcomeStatus::Matched)), None);
        assert!(gate.on_outcome(&outcome(2, OutcomeStatus::Failed)).is_some_and(|plan| !plan.all_matched()));
        assert_eq!(gate.on_manifest(&manifest(2, &[1], &[3])), None);
        let plan = gate.on_outcome(&outcome(3, OutcomeStatus::Matched)).unwrap();
        assert!(plan.all_matched());
        assert_eq!(plan.outcomes.iter().map(|o| o.subtask_id).collect::<Vec<_>>(), vec![id(1), id(3)]);
    }

    /// Lesson N2 and its neighbours: a plan without a subtask is complete at once, and nothing is accepted.
    #[test]
    fn an_empty_plan_is_complete_and_not_matched() {
        let plan = FanIn::default().on_manifest(&manifest(1, &[], &[])).unwrap();
        assert!(!plan.all_matched());
    }

    #[test]
    fn an_outcome_may_come_before_its_manifest_and_a_manifest_twice() {
        let mut gate = FanIn::default();
        assert_eq!(gate.on_outcome(&outcome(1, OutcomeStatus::Matched)), None);
        assert!(gate.on_manifest(&manifest(1, &[], &[1])).is_some());
        assert_eq!(gate.on_manifest(&manifest(1, &[], &[1])), None);
        assert_eq!(gate.on_outcome(&outcome(1, OutcomeStatus::Matched)), None);
    }

    /// The first outcome counts: a second one cannot turn a failure into a match.
    #[test]
    fn a_second_outcome_changes_nothing() {
        let mut gate = FanIn::default();
        gate.on_manifest(&manifest(1, &[], &[1, 2]));
        gate.on_outcome(&outcome(1, OutcomeStatus::Failed));
        assert_eq!(gate.on_outcome(&outcome(1, OutcomeStatus::Matched)), None);
        assert!(!gate.on_outcome(&outcome(2, OutcomeStatus::Matched)).unwrap().all_matched());
    }

    proptest! {
        /// For any order and number of duplicates, a plan is released exactly once and only when complete.
        #[test]
        fn released_exactly_once(order in prop::collection::vec(1u128..=4, 0..20)) {
            let mut gate = FanIn::default();
            gate.on_manifest(&manifest(1, &[], &[1, 2, 3, 4]));
            let mut seen = std::collections::BTreeSet::new();
            let mut released = 0;
            for number in order {
                let complete_before = seen.len() == 4;
                seen.insert(number);
                let plan = gate.on_outcome(&outcome(number, OutcomeStatus::Matched));
                prop_assert_eq!(plan.is_some(), seen.len() == 4 && !complete_before);
                released += u32::from(plan.is_some());
            }
            prop_assert_eq!(released, u32::from(seen.len() == 4));
        }
    }
}
