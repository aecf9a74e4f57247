//! Why a run went as it did: one value, computed from its journal alone.
//!
//! Nothing here is remembered or guessed. Every directive is computed again from the reports and the settings on record,
//! by the solver of this version; where the record says something else, the page says so.

mod account;
mod page;
mod plan_change;
mod replay;

pub use account::explain;
pub use page::{
    Cost, Decided, Difference, End, Explanation, Follows, Grounds, PlanChange, Reach, RefusedCall, Round,
    Unmet,
};

#[cfg(test)]
mod tests;
