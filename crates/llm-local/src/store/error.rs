//! What can go wrong with the model files.

use std::io;
use std::path::PathBuf;

use artoo_types::Remedy;

/// Why a model file could not be looked at, fetched or removed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The folder or a file in it could not be used.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is too little room.
    #[error("{} has {free} bytes free; {needed} are needed", folder.display())]
    DiskFull {
        /// The folder.
        folder: PathBuf,
        /// Bytes free.
        free: u64,
        /// Bytes needed.
        needed: u64,
    },
    /// Somebody else fetches the same model.
    #[error("another artoo is fetching this model (it holds {})", lock.display())]
    Busy {
        /// The file that is locked.
        lock: PathBuf,
    },
    /// The user stopped it. What was fetched stays and is used the next time.
    #[error("stopped after {bytes} bytes")]
    Cancelled {
        /// Bytes that are there.
        bytes: u64,
    },
    /// A server could not be reached, or fell silent.
    #[error("{url} cannot be reached: {source}")]
    Network {
        /// The address.
        url: String,
        /// What the network said.
        source: reqwest::Error,
    },
    /// A server kept dropping the connection.
    #[error("{url} dropped the connection {times} times without sending anything new")]
    Dropped {
        /// The address.
        url: String,
        /// How often in a row.
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
    /// What came is not the model.
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
        /// What it said.
        problem: String,
    },
    /// A package does not hold what it should.
    #[error("the package {package} does not hold part {part} of the model: {problem}")]
    BadPackage {
        /// The package.
        package: String,
        /// The part's number.
        part: u32,
        /// What is wrong.
        problem: String,
    },
    /// No source worked.
    #[error("no source has the model: {}", describe(tried))]
    NoSource {
        /// Each source and why it failed.
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
    let lines: Vec<String> = tried.iter().map(|(name, error)| format!("{name}: {error}")).collect();
    lines.join("; ")
}
