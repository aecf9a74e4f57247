//! What happened in a run besides the plan in question.

use artoo_types::{SubTaskOutcome, UserStatement};

/// What a role that works on one plan, or judges it, has to know of the run besides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Background {
    /// What the user said in this run.
    pub statements: Vec<UserStatement>,
    /// What earlier plans of this run did, oldest first, apart from the steps whose results the plan keeps. It is
    /// done, and need not be done again.
    pub before: Vec<SubTaskOutcome>,
}
