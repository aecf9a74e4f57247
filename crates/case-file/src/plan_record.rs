//! One plan of a run, with what came of it.

use artoo_types::{CriterionVerdict, DispatchManifest, Plan, PlanDirective, SubTaskId, SubTaskOutcome};

/// A plan, the outcomes of its subtasks, the verdicts on the whole, and the directive that followed.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanRecord {
    /// The plan.
    pub plan: Plan,
    /// How many notes of the user it was made with.
    pub notes: usize,
    /// The ids of its subtasks by position: first the kept ones, then its own. Empty before it is dispatched.
    pub subtask_ids: Vec<SubTaskId>,
    /// The outcomes of its own subtasks that have ended, in the order in which they ended. The first one of a
    /// subtask counts.
    pub outcomes: Vec<SubTaskOutcome>,
    /// The verdicts on the results together.
    pub task_verdicts: Vec<CriterionVerdict>,
    /// What the controller demanded of the next plan.
    pub directive: Option<PlanDirective>,
}

impl PlanRecord {
    pub(crate) fn new(plan: Plan, notes: usize) -> Self {
        Self {
            plan,
            notes,
            subtask_ids: Vec::new(),
            outcomes: Vec::new(),
            task_verdicts: Vec::new(),
            directive: None,
        }
    }

    pub(crate) fn dispatched(&mut self, manifest: &DispatchManifest) {
        self.subtask_ids = manifest.kept.iter().chain(&manifest.subtask_ids).copied().collect();
    }
}
