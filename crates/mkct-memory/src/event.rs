//! Events of a memory. They are appended and never changed.

use std::sync::Arc;

use artoo_types::{Megram, MegramId};
use chrono::{DateTime, FixedOffset};

/// One event of a memory. The state of a memory is the fold of its events, in any order: see
/// [`crate::MemoryFold`].
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A Megram was written: an experience, or the text of a rule.
    Written(Arc<Megram>),
    /// A Megram was recalled. Of several recalls the latest counts: `last_recalled_at` is the one thing that
    /// is overwritten (specification v0.8, R5 "Storage").
    Recalled {
        /// The Megram.
        id: MegramId,
        /// The time.
        at: DateTime<FixedOffset>,
    },
    /// Experiences became a rule.
    Consolidated {
        /// The rule.
        sop: MegramId,
        /// Its source experiences: still there and unchanged, but no longer live.
        sources: Vec<MegramId>,
        /// Rules that it replaces; they are no longer live either.
        absorbed: Vec<MegramId>,
    },
    /// A rule was demoted.
    Demoted {
        /// The rule.
        id: MegramId,
        /// Its decay rate per day from now on.
        k: f64,
    },
    /// A Megram was forgotten, by the Dreamer or on the person's request. The event that wrote it is deleted
    /// with its words; this one stays.
    Forgotten {
        /// The Megram.
        id: MegramId,
    },
}
