//! Persistent MKCT memory: a journal as the truth, snapshots of it, a LevelDB index, and sharing between
//! processes.
//!
//! Design: `docs/design/memory.md`.
//!
//! *Architecture invariant*: what was acknowledged is not lost, and what cannot be read is reported; the
//! index answers nothing that the journal does not confirm. This crate knows no role and no model.

pub mod disk;
mod error;
pub mod import_export;
mod in_memory_operator;
pub mod index;
pub mod journal;
pub mod operator;
pub mod processes;
mod read_only;
pub mod state;
mod store;
pub mod table;
mod wire;

pub use error::StoreError;
pub use operator::Operator;
pub use processes::{Claim, Counts, Log, Opened, Role};
pub use read_only::ReadOnly;
pub use store::{Options, Store};
