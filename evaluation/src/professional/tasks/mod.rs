//! The tasks, one a file: the home that it makes, and the grader that knows what it made.

mod ambiguous;
mod archaeology;
mod bug;
mod bug_across;
mod impossible;
mod merge;
mod migration;
mod outage;
mod question;
mod refactoring;
mod renames;
mod report;
mod wiki;

#[cfg(test)]
mod tests;

use super::task::Task;

/// All of them, in the order of the table.
pub(super) fn all() -> Vec<Task> {
    vec![
        bug::task(),
        bug_across::task(),
        merge::task(),
        renames::task(),
        outage::task(),
        wiki::task(),
        refactoring::task(),
        archaeology::task(),
        migration::task(),
        report::task(),
        impossible::task(),
        ambiguous::task(),
        question::task(),
    ]
}
