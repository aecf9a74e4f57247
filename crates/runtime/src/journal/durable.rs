//! The thread that gets closed journals onto the disk, so that the one that writes never waits for that.

use std::{fs::File, io, sync::mpsc, thread::JoinHandle};

use tokio::sync::oneshot;

/// Closed journals that may wait. A disk that is slower than the runs must not use up the process's open
/// files.
const WAITING: usize = 64;

/// What the thread is told.
pub(super) enum Settled {
    /// Get this onto the disk.
    File(File),
    /// Everything before is on the disk when the answer comes.
    All(oneshot::Sender<()>),
}

/// Starts the thread. It ends when the sender is dropped, after everything that waits.
pub(super) fn start() -> io::Result<(mpsc::SyncSender<Settled>, JoinHandle<()>)> {
    let (settle, waiting) = mpsc::sync_channel(WAITING);
    let work = move || {
        for settled in waiting {
            match settled {
                // After a failed sync a power cut may cost the tail; the reader says so.
                Settled::File(file) => drop(file.sync_data()),
                // Nobody waits any more.
                Settled::All(done) => drop(done.send(())),
            }
        }
    };
    let thread = std::thread::Builder::new().name("artoo-durable".to_owned()).spawn(work)?;
    Ok((settle, thread))
}

/// Hands over a closed journal. Where too many wait, the system writes it back in its own time.
pub(super) fn settle(settle: &mpsc::SyncSender<Settled>, file: File) {
    let _ = settle.try_send(Settled::File(file));
}
