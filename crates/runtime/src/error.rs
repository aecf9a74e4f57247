//! `BuildError` and `StartError`: why artoo or a run cannot be created.

use std::path::PathBuf;

use artoo_bus::BusError;
use artoo_ggs_core::ParameterError;
use artoo_types::Remedy;

use crate::folder_hint;

/// Why [`crate::Builder::build`] failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// No model was given for a role that has none of its own.
    #[error("there is no model for the role {role}")]
    NoModel {
        /// The role.
        role: artoo_types::Role,
    },
    /// The judge of the whole (R4b) is known to be weaker than the planner (R2), whose plans it judges.
    #[error(
        "the judge of the whole may not work with a weaker model than the planner: {judge} against {planner}, and {reason}"
    )]
    WeakerJudge {
        /// The model of R4b.
        judge: String,
        /// The model of R2.
        planner: String,
        /// What shows it.
        reason: &'static str,
    },
    /// No data folder was given.
    #[error("there is no data folder for journals and the audit log")]
    NoDataFolder,
    /// The audit log cannot be opened.
    #[error("the audit log cannot be opened: {0}")]
    Audit(#[from] artoo_auditor::AuditError),
    /// The auditor's port cannot be opened.
    #[error("the auditor cannot listen: {0}")]
    Bus(#[from] BusError),
    /// The data folder cannot be used.
    #[error("the data folder {} cannot be used: {source}", path.display())]
    DataFolder {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
}

impl BuildError {
    /// What a front end has for it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::NoModel { .. } | Self::WeakerJudge { .. } => Some(Remedy::ChooseModel),
            Self::Audit(_) => Some(Remedy::CheckAuditLog),
            Self::NoDataFolder => Some(Remedy::ChooseDataFolder),
            Self::DataFolder { source, .. } => folder_hint::remedy(source),
            Self::Bus(_) => None,
        }
    }

    /// The next step.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoModel { .. } => "choose a model",
            Self::WeakerJudge { .. } => "give the judge of the whole a model that is at least as strong",
            Self::Audit(_) => "check the log, or choose another data folder",
            Self::Bus(_) => "this is a fault of artoo; please report it",
            Self::NoDataFolder => "name one",
            Self::DataFolder { source, .. } => folder_hint::hint(source),
        }
    }
}

/// Why [`crate::Artoo::start`] failed; nothing was started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The run's folder is not writable.
    #[error("the run cannot be recorded in {}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The bus refused the run.
    #[error("the run cannot be opened: {0}")]
    Bus(#[from] BusError),
    /// The limits are invalid.
    #[error("the limits cannot be used: {0}")]
    Limits(#[from] ParameterError),
    /// There is a money budget, but a role's model has no price.
    #[error("what a run may cost is limited, and the model of the role {role} has no price")]
    NoPrice {
        /// The role.
        role: artoo_types::Role,
    },
    /// The deadline has passed before the run began.
    #[error("the deadline has passed: {deadline}")]
    DeadlinePassed {
        /// The deadline.
        deadline: chrono::DateTime<chrono::FixedOffset>,
    },
    /// The folder that the request applies to cannot be used.
    #[error("the folder {scope} that the request applies to cannot be used: {source}")]
    Scope {
        /// The folder, as the user named it.
        scope: String,
        /// The cause.
        source: std::io::Error,
    },
    /// Artoo was closed.
    #[error("artoo is closed and starts no more runs")]
    Closed,
}

impl StartError {
    /// What a front end has for it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Folder { source, .. } => folder_hint::remedy(source),
            Self::Bus(_)
            | Self::Limits(_)
            | Self::NoPrice { .. }
            | Self::DeadlinePassed { .. }
            | Self::Scope { .. }
            | Self::Closed => None,
        }
    }

    /// The next step.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Folder { source, .. } => folder_hint::hint(source),
            Self::Bus(_) => "this is a fault of artoo; please report it",
            Self::Limits(_) => "give a time budget above 0",
            Self::NoPrice { .. } => "say what the model costs, or set no limit",
            Self::DeadlinePassed { .. } => "give a deadline that lies in the future",
            Self::Scope { .. } => "name a folder that exists",
            Self::Closed => "start it again",
        }
    }
}
