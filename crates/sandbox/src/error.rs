//! Errors of starting or watching a command.

use std::io;
use std::path::PathBuf;

use crate::{NoConfinement, SandboxMode};

/// A command that was not started, or could no longer be watched. A command that ran and failed is an
/// [`Outcome`](crate::Outcome), not an error.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The kernel cannot enforce the mode, so the command was refused.
    #[error("`{program}` was not run: this machine cannot enforce the sandbox mode {mode}: {reason}")]
    Unsupported {
        /// The program that was refused.
        program: String,
        /// The mode that was asked for.
        mode: SandboxMode,
        /// What is missing.
        reason: NoConfinement,
    },
    /// A folder that the command should be allowed to write to cannot be granted.
    #[error("`{program}` was not run: writing in {} cannot be granted", path.display())]
    Grant {
        /// The program that was to be run.
        program: String,
        /// The folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A part of a granted folder cannot be sealed.
    #[error("`{program}` was not run: {} cannot be kept as it is", path.display())]
    Seal {
        /// The program that was to be run.
        program: String,
        /// The part.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The command may use a socket of another process, and the kernel cannot keep it from the others.
    #[error("`{program}` was not run: it may use the socket {}, and this machine cannot keep it from others", path.display())]
    Sockets {
        /// The program that was to be run.
        program: String,
        /// The socket.
        path: PathBuf,
    },
    /// The kernel rejected the rules although it claims to support them.
    #[error("`{program}` was not run: the kernel rejected its rules")]
    Rules {
        /// The program that was to be run.
        program: String,
        /// The kernel's answer.
        source: io::Error,
    },
    /// The command could not get its own view of the file system.
    #[error("`{program}` was not run: {step} failed")]
    Namespace {
        /// The program that was to be run.
        program: String,
        /// The step that failed, in words.
        step: &'static str,
        /// The kernel's answer.
        source: io::Error,
    },
    /// The program does not exist, may not be executed, or its working folder is missing.
    #[error("`{program}` could not be started in {}", folder.display())]
    Start {
        /// The program that was to be run.
        program: String,
        /// Its working folder.
        folder: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// This process has no thread or file descriptor left to watch the command.
    #[error("`{program}` cannot be watched")]
    Watch {
        /// The program that was to be run, or that was killed immediately.
        program: String,
        /// The reason.
        source: io::Error,
    },
}

impl SandboxError {
    /// What the user can do about it, as the text after `hint:`.
    ///
    /// ```
    /// use artoo_sandbox::{NoConfinement, SandboxError, SandboxMode};
    ///
    /// let error = SandboxError::Unsupported {
    ///     program: "sh".into(),
    ///     mode: SandboxMode::WorkspaceWrite,
    ///     reason: NoConfinement::NotLinux,
    /// };
    /// assert!(error.hint().contains("without confinement"));
    /// ```
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Unsupported { .. } => "see what the kernel lacks, or let commands run without confinement",
            Self::Grant { .. } => "check that the folder exists and that you own it",
            Self::Seal { .. } => {
                "see why this machine cannot seal a part of a folder, or grant another folder"
            }
            Self::Sockets { .. } => {
                "use a kernel with Landlock 9, or let this user make user namespaces with Landlock 6"
            }
            Self::Rules { .. } => "a container or an outer sandbox may forbid Landlock",
            Self::Namespace { .. } => {
                "a container or the distribution may forbid user namespaces or overlays"
            }
            Self::Start { .. } => "check that the program is installed and that the working folder exists",
            Self::Watch { .. } => {
                "the machine is out of threads or file descriptors; close something and retry"
            }
        }
    }
}
