//! The MKCT memory on disk: a journal that is the truth, a snapshot of it, a LevelDB index, and several
//! processes that share them.
//!
//! Design: `docs/design/memory.md`.
//!
//! *Architecture invariant*: what was acknowledged is not lost, and what cannot be read is told; the index
//! answers nothing that the journal does not bear out. This crate knows no role and no model.

pub mod disk;
mod error;
pub mod exchange;
mod in_memory;
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
