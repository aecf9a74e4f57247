//! Explains a run: one value, computed only from its journal.
//!
//! Nothing is remembered or guessed. Every directive is recomputed from the recorded reports and settings, by
//! this version's solver; if the record differs, the page says so.

mod build;
mod memory;
mod page;
mod plan_change;
mod replay;
mod what_if;

pub use build::explain;
pub use memory::{HeldCall, Remembered, RememberedKind, RoundMemory};
pub use page::{
    Cost, Decided, Difference, End, Explanation, Follows, Grounds, PlanChange, Reach, RefusedCall, Round,
    Unmet,
};
pub use what_if::{ReplayedRound, Score, WhatIf, control_settings, what_if};

/// The JSON Schema of a page.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Explanation).to_value()
}

#[cfg(test)]
mod tests;
