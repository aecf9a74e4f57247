//! Persistent MKCT memory: a journal as the truth, snapshots of it, a LevelDB index, and sharing between
//! processes.
//!
//! ```
//! use artoo_memory_store::{Options, Store};
//! use artoo_mkct_memory::{MemoryService, matrix};
//! use artoo_types::{Entity, MegramId, MegramState, Space};
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! # let folder = tempfile::tempdir()?;
//! let now = || chrono::DateTime::UNIX_EPOCH.fixed_offset();
//! let mint = || MegramId::new(uuid::Uuid::now_v7());
//! let store = Store::open(Options::new(folder.path().join("memory"), now, mint))?;
//! let (space, entity) = (Space::intent("count"), Entity::local());
//! let accepted =
//!     matrix::megram(mint(), MegramState::Accept, now(), space.clone(), entity.clone(), "used glob".to_owned());
//! store.write(accepted)?;
//! assert_eq!(store.query_mk(&space, &entity).await?.attention, 0.9);
//! store.close().await?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
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
