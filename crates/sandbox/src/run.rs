//! Entry points: run a command confined or unconfined.

use tokio_util::sync::CancellationToken;

use crate::{Capture, Confinement, Invocation, Outcome, Piped, SandboxError};

/// Runs a command under the rules of `confinement` and waits until its whole process tree is gone.
///
/// The command gets its own session (no terminal), `/dev/null` as standard input, the variables that
/// [`scrub`](crate::scrub) keeps, and `TMPDIR`. It cannot gain privileges (`no_new_privs`) except in
/// [`SandboxMode::FullAccess`](crate::SandboxMode::FullAccess). When its main program ends, its background
/// processes are killed, too: do not use this for a command that must outlive its run.
///
/// # Cancellation
///
/// `cancel` ends the tree: SIGTERM, half a second, SIGKILL. Dropping the future kills it immediately, in the
/// background. If artoo itself dies, for whatever reason, the first process of the command kills the whole
/// tree.
///
/// # Errors
///
/// Only if the command did not run: see [`SandboxError`]. In particular
/// [`Unsupported`](SandboxError::Unsupported) if the kernel cannot enforce the mode; a command is never run
/// with less confinement than requested.
///
/// # Panics
///
/// Outside of a Tokio runtime, or in one without IO and time (`Builder::enable_all`).
pub async fn run(
    invocation: &Invocation,
    confinement: &Confinement,
    capture: Capture<'_>,
    cancel: &CancellationToken,
) -> Result<Outcome, SandboxError> {
    platform::run(invocation, Some(confinement), capture, cancel).await
}

/// Runs a program that artoo trusts (its own downloads, for instance) without rules and with the environment
/// exactly as given. Its process tree is ended as by [`run`].
///
/// Outside Linux, the tree is identified by its process group only, and a process that leaves it is missed.
///
/// # Errors
///
/// As for [`run`].
///
/// # Panics
///
/// As for [`run`].
pub async fn run_unconfined(
    invocation: &Invocation,
    capture: Capture<'_>,
    cancel: &CancellationToken,
) -> Result<Outcome, SandboxError> {
    platform::run(invocation, None, capture, cancel).await
}

/// Starts a command under the rules of `confinement` and hands over its streams: a program that is talked to
/// while it runs. Everything else is as for [`run`], but standard input is a pipe, and the caller reads both
/// output streams: a program whose pipes are full waits. [`Invocation::keep`] is not looked at.
///
/// ```
/// # async fn example(
/// #     invocation: artoo_sandbox::Invocation,
/// #     confinement: artoo_sandbox::Confinement,
/// # ) -> Result<(), Box<dyn std::error::Error>> {
/// use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
/// use tokio_util::sync::CancellationToken;
///
/// let mut cat = artoo_sandbox::start(&invocation, &confinement, &CancellationToken::new()).await?;
/// cat.stdin.write_all(b"hello\n").await?;
/// let mut line = String::new();
/// BufReader::new(cat.stdout).read_line(&mut line).await?;
/// assert_eq!(line, "hello\n");
/// # Ok(())
/// # }
/// ```
///
/// # Cancellation
///
/// `cancel` ends the tree as for [`run`]. So does dropping the [`Process`](crate::Process), immediately and in
/// the background, and the death of artoo. Closing standard input ends only a program that ends by itself then.
///
/// # Errors
///
/// As for [`run`]. Outside of Linux always [`Unsupported`](SandboxError::Unsupported): nothing there ends a
/// process that left its group.
///
/// # Panics
///
/// As for [`run`].
pub async fn start(
    invocation: &Invocation,
    confinement: &Confinement,
    cancel: &CancellationToken,
) -> Result<Piped, SandboxError> {
    platform::start(invocation, confinement, cancel).await
}

#[cfg(target_os = "linux")]
mod platform {
    pub(super) use crate::driver::{run, start};
}

#[cfg(not(target_os = "linux"))]
mod platform {
    use tokio_util::sync::CancellationToken;

    pub(super) use crate::process_group::run;
    use crate::{Confinement, Invocation, NoConfinement, Piped, SandboxError};

    pub(super) async fn start(
        invocation: &Invocation,
        confinement: &Confinement,
        _: &CancellationToken,
    ) -> Result<Piped, SandboxError> {
        let program = invocation.program.to_string_lossy().into_owned();
        Err(SandboxError::Unsupported { program, mode: confinement.mode, reason: NoConfinement::NotLinux })
    }
}
