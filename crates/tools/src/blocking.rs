//! Runs blocking work off the async runtime's threads.

use artoo_types::ToolName;
use tokio_util::sync::CancellationToken;

use crate::ToolError;

/// Does the work of a tool to its end. A panic in it is the tool's error.
///
/// # Errors
///
/// The work's own, or [`ToolError::Panicked`].
pub async fn blocking<T: Send + 'static>(
    tool: ToolName,
    work: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|panic| Err(ToolError::Panicked { tool, message: panic.to_string() }))
}

/// Like [`blocking`], but returns when the call is cancelled and leaves the work behind. The work may watch
/// the token as well, but a folder on a dead network mount can hold it up.
pub(crate) async fn blocking_until<T: Send + 'static>(
    cancel: CancellationToken,
    tool: ToolName,
    work: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    tokio::select! {
        done = blocking(tool, work) => done,
        () = cancel.cancelled() => Err(ToolError::Cancelled),
    }
}
