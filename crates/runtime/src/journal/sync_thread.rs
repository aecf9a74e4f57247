//! The thread that syncs closed journals to disk, so that the writing thread never waits for that.

use std::{fs::File, io, sync::mpsc, thread::JoinHandle};

use tokio::sync::oneshot;

/// Maximum number of queued journals. A disk slower than the runs must not exhaust the process's file
/// descriptors.
const WAITING: usize = 64;

/// An order to the thread.
pub(super) enum Settled {
    /// Sync this file.
    File(File),
    /// Replies when everything queued before is on disk.
    All(oneshot::Sender<()>),
}

/// Starts the thread. It ends when the sender is dropped, after finishing the queue.
pub(super) fn start() -> io::Result<(mpsc::SyncSender<Settled>, JoinHandle<()>)> {
    let (settle, waiting) = mpsc::sync_channel(WAITING);
    let work = move || {
        for settled in waiting {
            match settled {
                // After a failed sync a power failure may lose the tail; the reader reports that.
                Settled::File(file) => drop(file.sync_data()),
                // The receiver may be gone.
                Settled::All(done) => drop(done.send(())),
            }
        }
    };
    let thread = std::thread::Builder::new().name("artoo-durable".to_owned()).spawn(work)?;
    Ok((settle, thread))
}

/// Queues a closed journal. If the queue is full, the kernel writes it back in its own time.
pub(super) fn settle(settle: &mpsc::SyncSender<Settled>, file: File) {
    let _ = settle.try_send(Settled::File(file));
}
