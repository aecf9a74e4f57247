//! The tasks, one per file: the home that it creates, and the grader that knows its content.

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

/// All tasks, in the order of the table.
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
