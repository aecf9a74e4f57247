//! The tasks, one per file: the home that it creates, and the grader that knows its content.

mod ambiguous;
mod archaeology;
mod bug;
mod bug_across;
mod definition;
mod feature;
mod impossible;
mod join;
mod merge;
mod migration;
mod outage;
mod question;
mod rebase;
mod refactoring;
mod renames;
mod report;
mod server;
mod translate;
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
        server::task(),
        feature::task(),
        join::task(),
        rebase::task(),
        translate::task(),
        definition::task(),
        impossible::task(),
        ambiguous::task(),
        question::task(),
    ]
}
