//! Why a call failed.

use std::error::Error as _;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use artoo_sandbox::SandboxError;
use artoo_types::{CallEnding, CallFailure, FailureClass, ToolName};

/// A call that did not do what it should. Its class is decided here and nowhere else.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// No tool has this name.
    #[error("there is no tool `{name}`; the tools are {known}")]
    UnknownTool {
        /// The name.
        name: ToolName,
        /// The names there are.
        known: String,
    },
    /// An argument is missing, superfluous, or has a wrong type or value.
    #[error("argument `{name}` {problem}")]
    Argument {
        /// Its name.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The path belongs to what no tool may touch.
    #[error("{path} is protected")]
    Protected {
        /// The path.
        path: String,
    },
    /// The path is outside the folders where files may be created.
    #[error("{path} is outside the working folder and the workspace")]
    Outside {
        /// The path.
        path: String,
    },
    /// The workspace is too wide to let commands write in it.
    #[error("commands may write in the workspace, {}, but {} lies in it", workspace.display(), protected.display())]
    WideWorkspace {
        /// The workspace.
        workspace: PathBuf,
        /// The first protected place in it.
        protected: PathBuf,
    },
    /// The path existed before the run.
    #[error("{path} exists already, and this run did not create it")]
    Exists {
        /// The path.
        path: String,
    },
    /// The user allows no changes.
    #[error("{path} was not written: the sandbox mode is read-only")]
    ReadOnly {
        /// The path.
        path: String,
    },
    /// The path is a folder, and a file is needed.
    #[error("{path} is a folder")]
    Folder {
        /// The path.
        path: String,
    },
    /// The path is neither a file nor a folder.
    #[error("{path} is {kind}, not a file")]
    NotAFile {
        /// The path.
        path: String,
        /// What it is.
        kind: &'static str,
    },
    /// The content is not text.
    #[error("{path} is a binary file of {bytes} bytes")]
    Binary {
        /// The path.
        path: String,
        /// Its size.
        bytes: u64,
    },
    /// The system refused.
    #[error("cannot {action} {path}")]
    Io {
        /// What was tried, for example `read`.
        action: &'static str,
        /// On what.
        path: String,
        /// The reason.
        source: io::Error,
    },
    /// The command could not be run.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// It took too long.
    #[error("`{tool}` was stopped after {} seconds", after.as_secs())]
    TimedOut {
        /// The tool.
        tool: ToolName,
        /// The limit.
        after: Duration,
    },
    /// The run was cancelled.
    #[error("the run was cancelled")]
    Cancelled,
    /// The tool has a defect.
    #[error("`{tool}` broke down: {message}")]
    Panicked {
        /// The tool.
        tool: ToolName,
        /// The panic's message.
        message: String,
    },
    /// The output could not be kept, so nothing can be proved by it.
    #[error("the output could not be kept in {}", folder.display())]
    Evidence {
        /// The evidence folder.
        folder: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

impl ToolError {
    /// Whose fault it is: the approach's, the world's, or a missing consent.
    pub fn class(&self) -> FailureClass {
        match self {
            Self::UnknownTool { .. }
            | Self::Argument { .. }
            | Self::Folder { .. }
            | Self::NotAFile { .. }
            | Self::Binary { .. } => FailureClass::Logical,
            Self::Protected { .. }
            | Self::Outside { .. }
            | Self::WideWorkspace { .. }
            | Self::Exists { .. }
            | Self::ReadOnly { .. } => FailureClass::Denied,
            Self::Io { source, .. } => class_of(source),
            Self::TimedOut { .. } | Self::Evidence { .. } => FailureClass::Environmental,
            // The kernel lacks confinement, and the user has not consented to go without.
            Self::Sandbox(SandboxError::Unsupported { .. }) => FailureClass::Denied,
            Self::Sandbox(
                SandboxError::Grant { .. }
                | SandboxError::Rules { .. }
                | SandboxError::Start { .. }
                | SandboxError::Watch { .. },
            ) => FailureClass::Environmental,
            Self::Cancelled | Self::Panicked { .. } => FailureClass::Unknown,
        }
    }

    /// How the call ended.
    pub fn ending(&self) -> CallEnding {
        match self {
            Self::UnknownTool { .. }
            | Self::Argument { .. }
            | Self::Protected { .. }
            | Self::Outside { .. }
            | Self::WideWorkspace { .. }
            | Self::Exists { .. }
            | Self::ReadOnly { .. }
            | Self::Sandbox(_) => CallEnding::Refused,
            Self::TimedOut { .. } => CallEnding::TimedOut,
            Self::Cancelled => CallEnding::Cancelled,
            Self::Folder { .. }
            | Self::NotAFile { .. }
            | Self::Binary { .. }
            | Self::Io { .. }
            | Self::Panicked { .. }
            | Self::Evidence { .. } => CallEnding::Returned,
        }
    }

    /// The next step, where there is one that helps.
    pub fn hint(&self) -> Option<String> {
        let text = match self {
            Self::UnknownTool { .. } | Self::Argument { .. } | Self::Cancelled | Self::Panicked { .. } => {
                return None;
            }
            Self::Protected { .. } => "only the user can open it; go on without it",
            Self::Outside { .. } => "give a bare file name to write in the workspace",
            Self::WideWorkspace { .. } => "give the run a workspace of its own with `--workspace`",
            Self::Exists { .. } => "choose another name",
            Self::ReadOnly { .. } => "the user can allow it with `--sandbox workspace-write`",
            Self::Folder { path } => return Some(format!("list it with glob, pattern `{path}/*`")),
            Self::NotAFile { .. } => "read a regular file instead",
            Self::Binary { .. } => "look at it with a program that knows its format, through shell",
            Self::Io { source, .. } => hint_of(source)?,
            Self::Sandbox(error) => error.hint(),
            Self::TimedOut { .. } => "narrow the search or split the work",
            Self::Evidence { .. } => "make room on the disk, or check the rights of the folder",
        };
        Some(text.to_owned())
    }

    /// The record of this error: the message with all its causes, the class and the hint.
    ///
    /// ```
    /// use artoo_tools::ToolError;
    ///
    /// let source = std::io::Error::from(std::io::ErrorKind::NotFound);
    /// let error = ToolError::Io { action: "read", path: "notes.txt".into(), source };
    /// assert_eq!(error.failure().reason, "cannot read notes.txt: entity not found");
    /// ```
    pub fn failure(&self) -> CallFailure {
        let mut reason = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            let text = error.to_string();
            // A transparent wrapper says the same again.
            if !reason.ends_with(&text) {
                reason = format!("{reason}: {text}");
            }
            cause = error.source();
        }
        CallFailure { class: self.class(), reason, hint: self.hint() }
    }

    pub(crate) fn argument(name: &str, problem: impl Into<String>) -> Self {
        Self::Argument { name: name.to_owned(), problem: problem.into() }
    }
}

fn class_of(error: &io::Error) -> FailureClass {
    // The path itself is nonsense; no change of the world would help.
    let nonsense = [io::ErrorKind::InvalidInput, io::ErrorKind::InvalidFilename, io::ErrorKind::IsADirectory];
    if nonsense.contains(&error.kind()) { FailureClass::Logical } else { FailureClass::Environmental }
}

fn hint_of(error: &io::Error) -> Option<&'static str> {
    let hints = [
        (io::ErrorKind::NotFound, "look for it with glob"),
        (io::ErrorKind::PermissionDenied, "the user may not touch it"),
        (io::ErrorKind::StorageFull, "make room on the disk"),
    ];
    hints.iter().find(|(kind, _)| *kind == error.kind()).map(|(_, hint)| *hint)
}
