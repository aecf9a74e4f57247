//! What happened in a run besides the plan in question.

use artoo_types::{CriterionVerdict, Finding, SubTaskOutcome, UserStatement};

/// What a role that works on one plan, or judges it, has to know of the run besides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Background {
    /// What the user said in this run.
    pub statements: Vec<UserStatement>,
    /// What earlier plans of this run did, oldest first, apart from the steps whose results the plan keeps. It is
    /// done, and need not be done again.
    pub before: Vec<SubTaskOutcome>,
    /// What the judges found unmet after the plan before this one.
    pub fell_short: Vec<Unmet>,
}

/// A criterion that a judge found unmet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmet {
    /// The criterion.
    pub criterion: String,
    /// Why it is unmet.
    pub reason: String,
}

impl Unmet {
    /// What a verdict found; `None` of a pass.
    pub(crate) fn of(verdict: &CriterionVerdict) -> Option<Self> {
        match &verdict.finding {
            Finding::Pass { .. } => None,
            Finding::Fail { reason, .. } => {
                Some(Self { criterion: verdict.criterion.clone(), reason: reason.clone() })
            }
        }
    }
}
