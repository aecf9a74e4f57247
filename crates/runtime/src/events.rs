//! Views of a run: a fold from envelopes to the JSON Lines that programs read and people see.
//!
//! Live views, `--json`, `runs show` and tables of costs all come from this fold, over the bus or over the journal alike.

mod event;
mod fold;

pub use event::{CorrectionWords, Cost, Cumulative, Event, Line, RoleUsage, schema};
pub use fold::Fold;
