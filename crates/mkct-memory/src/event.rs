//! What happens to a memory. Events are appended and never changed.

use std::sync::Arc;

use artoo_types::{Megram, MegramId};

/// One event in the life of a memory. The state of a memory is the fold of its events, in whatever order: see
/// [`crate::Fold`].
///
/// A recall is not an event: `last_recalled_at` is the one thing that is overwritten (specification v0.8, R5 "Storage").
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A Megram was written: an experience, or the words of a rule.
    Written(Arc<Megram>),
    /// Experiences became a rule.
    Consolidated {
        /// The rule.
        sop: MegramId,
        /// The experiences behind it: still there, never changed, counted no more.
        sources: Vec<MegramId>,
        /// Rules that it takes the place of; they count no more either.
        absorbed: Vec<MegramId>,
    },
    /// A rule went bankrupt.
    Demoted {
        /// Which.
        id: MegramId,
        /// Its decay rate per day from now on.
        k: f64,
    },
    /// An experience was forgotten. The event that wrote it is deleted with its words; this one stays.
    Forgotten {
        /// Which.
        id: MegramId,
    },
}
