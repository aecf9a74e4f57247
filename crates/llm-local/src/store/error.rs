//! `StoreError`: failures of the model store.

use std::io;
use std::path::PathBuf;

use artoo_types::Remedy;

/// Why a model file could not be inspected, downloaded or removed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The folder or a file in it could not be used.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The operation, as a verb.
        action: &'static str,
        /// Its path.
        path: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// The disk has too little space.
    #[error("{} has {free} bytes free; {needed} are needed", folder.display())]
    DiskFull {
        /// The folder.
        folder: PathBuf,
        /// Bytes free.
        free: u64,
        /// Bytes needed.
        needed: u64,
    },
    /// Another process is downloading the same model.
    #[error("another artoo is fetching this model (it holds {})", lock.display())]
    Busy {
        /// The file that is locked.
        lock: PathBuf,
    },
    /// The user stopped the download. The received part is kept and used the next time.
    #[error("stopped after {bytes} bytes")]
    Cancelled {
        /// Bytes received.
        bytes: u64,
    },
    /// A server could not be reached, or stopped sending.
    #[error("{url} cannot be reached: {source}")]
    Network {
        /// The address.
        url: String,
        /// The network error.
        source: reqwest::Error,
    },
    /// A server kept closing the connection.
    #[error("{url} dropped the connection {times} times without sending anything new")]
    Dropped {
        /// The address.
        url: String,
        /// The number of times in a row.
        times: u32,
    },
    /// A server does not have the file.
    #[error("{url} answered {status}")]
    Status {
        /// The address.
        url: String,
        /// The HTTP status.
        status: u16,
    },
    /// The received bytes are not the model.
    #[error("what came from {origin} is not the model: {problem}")]
    WrongBytes {
        /// The source.
        origin: String,
        /// Length or hash, expected and found.
        problem: String,
    },
    /// The package tool failed.
    #[error("{command} failed: {problem}")]
    Packages {
        /// The command line.
        command: String,
        /// Its message.
        problem: String,
    },
    /// A package has the wrong content.
    #[error("the package {package} does not hold part {part} of the model: {problem}")]
    BadPackage {
        /// The package.
        package: String,
        /// The part's number.
        part: u32,
        /// The problem.
        problem: String,
    },
    /// No source worked.
    #[error("no source has the model: {}", describe(tried))]
    NoSource {
        /// Each source with its error.
        tried: Vec<(String, StoreError)>,
    },
}

impl StoreError {
    /// What a front end has for it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::DiskFull { .. } => Some(Remedy::ChooseDataFolder),
            Self::Cancelled { .. } => Some(Remedy::FetchModel),
            Self::NoSource { .. } => Some(Remedy::FetchModelElsewhere),
            Self::Io { .. }
            | Self::Busy { .. }
            | Self::Network { .. }
            | Self::Dropped { .. }
            | Self::Status { .. }
            | Self::WrongBytes { .. }
            | Self::Packages { .. }
            | Self::BadPackage { .. } => None,
        }
    }

    /// The next step for the person at the terminal.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Io { .. } => Some("check that the folder exists and can be written"),
            Self::DiskFull { .. } => Some("free some space, or choose another data folder"),
            Self::Busy { .. } => Some("wait for it, or stop it; what it fetched is not lost"),
            Self::Cancelled { .. } => Some("go on with it"),
            Self::NoSource { .. } => Some("give a URL or a file, or choose a remote model"),
            Self::Network { .. }
            | Self::Dropped { .. }
            | Self::Status { .. }
            | Self::WrongBytes { .. }
            | Self::Packages { .. }
            | Self::BadPackage { .. } => None,
        }
    }

    /// Whether another source may still work.
    pub(crate) fn is_of_source(&self) -> bool {
        match self {
            Self::Network { .. }
            | Self::Dropped { .. }
            | Self::Status { .. }
            | Self::WrongBytes { .. }
            | Self::Packages { .. }
            | Self::BadPackage { .. } => true,
            Self::Io { .. }
            | Self::DiskFull { .. }
            | Self::Busy { .. }
            | Self::Cancelled { .. }
            | Self::NoSource { .. } => false,
        }
    }

    /// Turns an I/O error into a store error.
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }
}

fn describe(tried: &[(String, StoreError)]) -> String {
    // Each error names its source.
    let lines: Vec<String> = tried.iter().map(|(_, error)| error.to_string()).collect();
    lines.join("; ")
}
