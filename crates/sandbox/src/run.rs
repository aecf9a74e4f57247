//! The two ways to run a command.

use tokio_util::sync::CancellationToken;

use crate::{Capture, Confinement, Invocation, Outcome, SandboxError};

/// Runs a command under the rules of `confinement` and waits until its whole tree is gone.
///
/// The command gets its own session (no terminal), `/dev/null` as standard input, the variables that
/// [`scrub`](crate::scrub) lets through, and `TMPDIR`. It cannot gain privileges (`no_new_privs`) except in
/// [`SandboxMode::FullAccess`](crate::SandboxMode::FullAccess). When its first process ends, whatever it left in
/// the background is ended too: a command that must outlive its run does not belong here.
///
/// # Cancellation
///
/// `cancel` ends the tree: SIGTERM, half a second, SIGKILL. Dropping the future kills it without delay, in the
/// background. If artoo itself dies, in whatever way, the first process of the command ends the whole tree.
///
/// # Errors
///
/// Only when the command did not run: see [`SandboxError`]. In particular
/// [`Unsupported`](SandboxError::Unsupported) when the kernel cannot enforce the mode; a command is never run with
/// less confinement than was asked for.
pub async fn run(
    invocation: &Invocation,
    confinement: &Confinement,
    capture: Capture<'_>,
    cancel: &CancellationToken,
) -> Result<Outcome, SandboxError> {
    platform::run(invocation, Some(confinement), capture, cancel).await
}

/// Runs a program that artoo trusts (its own downloads, for instance) without rules and with the environment
/// exactly as given. Its tree is ended in the same way as by [`run`].
///
/// Outside Linux, the processes of the tree are recognised by their group alone, and one that leaves it is missed.
///
/// # Errors
///
/// As for [`run`].
pub async fn run_unconfined(
    invocation: &Invocation,
    capture: Capture<'_>,
    cancel: &CancellationToken,
) -> Result<Outcome, SandboxError> {
    platform::run(invocation, None, capture, cancel).await
}

#[cfg(target_os = "linux")]
mod platform {
    pub(super) use crate::driver::run;
}

#[cfg(not(target_os = "linux"))]
mod platform {
    pub(super) use crate::group::run;
}
