//! The story of a failure without a model.

use std::fmt::Write as _;

use artoo_types::{FailureReportRequest, OutcomeStatus};

/// What was done, what is missing and what to try next, composed from the facts alone.
pub fn report_template(request: &FailureReportRequest) -> String {
    let mut text = request.reason.clone();
    let done: Vec<_> =
        request.partial.iter().filter(|partial| partial.status == OutcomeStatus::Matched).collect();
    // Writing to a string cannot fail.
    if !done.is_empty() {
        text.push_str("\nDone and checked:");
        for partial in done {
            let _ = write!(text, "\n- {}", partial.intent);
        }
    }
    if !request.unmet.is_empty() {
        text.push_str("\nMissing:");
        for unmet in &request.unmet {
            let _ = write!(text, "\n- {} ({})", unmet.criterion, unmet.reason);
        }
    }
    text.push_str("\nTo go on: say more exactly what you want or where it is, allow more time, or use a stronger model.");
    text
}
