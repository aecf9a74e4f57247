//! Reads one stream to its end.

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::{Channel, OnChunk, StreamReport};

/// As much as a pipe holds by default.
const CHUNK: usize = 64 * 1024;

/// Where one stream goes.
pub(crate) struct Drain<'a> {
    pub(crate) channel: Channel,
    pub(crate) writer: &'a mut (dyn std::io::Write + Send),
    pub(crate) on_chunk: Option<&'a OnChunk<'a>>,
    pub(crate) keep: u64,
    /// Kept up to date, so that it is right even when the pump is abandoned.
    pub(crate) report: &'a mut StreamReport,
}

/// Passes on the first `keep` bytes and counts the rest, until the stream ends. The command is never held up by a
/// full pipe, and memory does not grow with what it writes.
pub(crate) async fn pump(mut from: impl AsyncRead + Unpin, drain: Drain<'_>) {
    let mut buffer = vec![0; CHUNK];
    // A read error on a pipe means that there is nothing more to read.
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        let chunk = buffer.get(..read).unwrap_or_default();
        drain.report.total += chunk.len() as u64;
        if drain.report.write_error.is_some() {
            continue;
        }
        let room = usize::try_from(drain.keep - drain.report.kept).unwrap_or(usize::MAX);
        let kept = chunk.get(..room.min(chunk.len())).unwrap_or_default();
        if kept.is_empty() {
            continue;
        }
        match drain.writer.write_all(kept) {
            Ok(()) => {
                drain.report.kept += kept.len() as u64;
                if let Some(show) = drain.on_chunk {
                    show(drain.channel, kept);
                }
            }
            Err(error) => drain.report.write_error = Some(error),
        }
    }
}
