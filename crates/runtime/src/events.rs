//! Views of a run: a fold from envelopes to the JSON Lines that programs read and people see.
//!
//! Live views, `--json`, `runs show` and cost tables all come from this fold, over the bus or over the
//! journal alike.

mod correction;
mod depth;
mod event;
mod fold;
mod instruction_file;
mod notes;
mod progress;
mod usage;

pub use correction::CorrectionWords;
pub use event::{Event, Line};
pub use fold::EventFold;
pub use instruction_file::InstructionFile;
pub use progress::{OutputLine, ProgressLine, ProgressTag, schema};
pub use usage::{Cost, Cumulative, RoleUsage};
