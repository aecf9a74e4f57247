//! The run journal: every envelope of a run, in order, as one JSON object per line.
//!
//! One thread writes the journals of all runs, so that no role ever waits for a disk. Secrets are redacted
//! before a line is written. A line is written whole: a file that ends in half a line was cut by a crash, and
//! the reader reports that. After a line that could not be written nothing follows: a journal may end early,
//! but has no holes. A journal is locked while its process lives, so that the next artoo knows which runs
//! were killed.

mod failure;
mod read;
mod state;
mod sync_thread;
mod write_thread;
mod writer;

pub(crate) use failure::RecordFailure;
pub use read::{Damage, Follow, JournalError, Read, read};
pub use state::RunState;
pub(crate) use state::note_unrecorded;
pub(crate) use writer::{Journal, RunJournal};

/// The journal's file name in its run's folder.
pub const FILE_NAME: &str = "events.jsonl";

#[cfg(test)]
mod tests;
