//! Why there is no artoo, or no run.

use std::path::PathBuf;

use artoo_runtime::{BuildError, StartError};

/// Why [`Builder::build`](crate::Builder::build) or [`Artoo::run`](crate::Artoo::run) failed: nothing was begun then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Something is missing, or the folder of the records cannot be used.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The run cannot be recorded, or its limits make no sense.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The user has no home folder, and none was named with [`Builder::home`](crate::Builder::home).
    #[error("there is no home folder")]
    NoHome,
    /// The folder that the request is about cannot be used, for this reason.
    #[error("the folder {} cannot be used: {}", .0.display(), .1)]
    Folder(PathBuf, #[source] std::io::Error),
}
