//! Reads one output stream of a command to its end.

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::{Channel, OnChunk, StreamReport};

/// The default capacity of a pipe.
const CHUNK: usize = 64 * 1024;

/// The destination of one stream.
pub(crate) struct Drain<'a> {
    pub(crate) channel: Channel,
    pub(crate) writer: &'a mut (dyn std::io::Write + Send),
    pub(crate) on_chunk: Option<&'a OnChunk<'a>>,
    pub(crate) keep: u64,
    /// Updated continuously, so that it is right even if the pump is abandoned.
    pub(crate) report: &'a mut StreamReport,
}

/// Passes on the first `keep` bytes and counts the rest, until the stream ends. A full pipe never blocks the
/// command, and memory does not grow with its output.
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
