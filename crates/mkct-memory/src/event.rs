//! What happens to a memory. Events are appended and never changed.

use std::sync::Arc;

use artoo_types::{Megram, MegramId};
use chrono::{DateTime, FixedOffset};

/// One event in the life of a memory. The state of a memory is the fold of its events, in whatever order: see
/// [`crate::MemoryFold`].
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A Megram was written: an experience, or the words of a rule.
    Written(Arc<Megram>),
    /// A Megram was recalled. Of several recalls the latest counts: `last_recalled_at` is the one thing that
    /// is overwritten (specification v0.8, R5 "Storage").
    Recalled {
        /// Which.
        id: MegramId,
        /// When.
        at: DateTime<FixedOffset>,
    },
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
    /// A Megram was forgotten, by the Dreamer or because the person said so. The event that wrote it is
    /// deleted with its words; this one stays.
    Forgotten {
        /// Which.
        id: MegramId,
    },
}
