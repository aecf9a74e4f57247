//! Model store: the catalogue of models, their local state, and downloads.
//! ```no_run
//! # async fn demo(run: &dyn artoo_llm_local::store::RunCommand) -> Result<(), artoo_llm_local::store::StoreError> {
//! use artoo_llm_local::store::{CATALOGUE, ModelStore, PullOptions};
//! let store = ModelStore::new("/home/me/.artoo/models");
//! let cancel = tokio_util::sync::CancellationToken::new();
//! for entry in CATALOGUE {
//!     let pulled = store.pull(entry, &PullOptions::default(), run, &mut |_| {}, &cancel).await?;
//!     assert!(pulled.path.exists());
//! }
//! # Ok(())
//! # }
//! ```

mod catalogue;
mod error;
mod folder;
mod http;
mod packages;
mod partial_file;
mod pull;

pub use catalogue::{CATALOGUE, CatalogueEntry, Packages, find};
pub use error::StoreError;
pub use folder::{ModelState, ModelStore};
pub use packages::{CommandFailure, RunCommand};
pub use pull::{Phase, Progress, PullOptions, Pulled, Source};
