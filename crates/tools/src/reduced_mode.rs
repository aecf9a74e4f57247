//! What reduced mode means for the commands of a run. Design: `docs/design/reduced-mode.md`.

use artoo_sandbox::{ReducedMode, SandboxError, SandboxMode, reduced_mode};

use crate::{ToolContext, ToolError};

impl ToolContext {
    /// The mode in which a command runs that somebody agreed to: without rules where the kernel has none.
    pub(crate) fn mode_after_a_yes(&self) -> SandboxMode {
        match (self.mode, reduced_mode()) {
            (SandboxMode::WorkspaceWrite, Some(ReducedMode::Unconfined(_))) => SandboxMode::FullAccess,
            (mode, Some(ReducedMode::Unconfined(_) | ReducedMode::WithoutNamespaces) | None) => mode,
        }
    }

    /// Whether the kernel can hold a command.
    ///
    /// # Errors
    ///
    /// [`ToolError::Sandbox`] if it cannot, and the user allows no changes.
    pub(crate) fn can_be_confined(&self) -> Result<bool, ToolError> {
        match (self.mode, reduced_mode()) {
            (mode @ SandboxMode::ReadOnly, Some(ReducedMode::Unconfined(reason))) => {
                let program = "the command".to_owned();
                Err(SandboxError::Unsupported { program, mode, reason }.into())
            }
            (_, Some(ReducedMode::Unconfined(_))) => Ok(false),
            (_, Some(ReducedMode::WithoutNamespaces) | None) => Ok(true),
        }
    }

    /// Why nothing shows what a command would do, and what it may do after a yes.
    pub(crate) fn why_untried(&self) -> &'static str {
        match (self.mode, reduced_mode()) {
            (_, Some(reduced @ ReducedMode::Unconfined(_)))
            | (SandboxMode::WorkspaceWrite, Some(reduced @ ReducedMode::WithoutNamespaces)) => {
                reduced.after_a_yes()
            }
            (SandboxMode::ReadOnly | SandboxMode::FullAccess, Some(ReducedMode::WithoutNamespaces))
            | (_, None) => "nothing can be tried on this machine",
        }
    }
}
