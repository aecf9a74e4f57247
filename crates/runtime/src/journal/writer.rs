//! Handles through which runs send to the journal thread.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread::JoinHandle,
};

use artoo_redaction::Redactor;
use artoo_types::{Envelope, RunId};
use tokio::sync::oneshot;

use super::{
    FILE_NAME, RecordFailure, sync_thread,
    write_thread::{Failed, Order, write},
};
use crate::owner_only;

/// Bytes written and removed before a run starts: a full disk is better noticed before a model call than
/// after.
const ROOM: [u8; 4096] = [b' '; 4096];

/// The threads and their channel. Dropping it writes what is queued and ends them.
pub(crate) struct Journal {
    orders: mpsc::Sender<Order>,
    /// In the order in which they end.
    threads: Vec<JoinHandle<()>>,
}

/// One run's handle to its journal. Dropping it closes the journal without waiting.
pub(crate) struct RunJournal {
    run_id: RunId,
    folder: PathBuf,
    orders: mpsc::Sender<Order>,
}

impl Journal {
    /// Starts the threads.
    pub(crate) fn start(redactor: Redactor) -> io::Result<Self> {
        let (orders, queue) = mpsc::channel();
        let (settled, durable) = sync_thread::start()?;
        let writer = std::thread::Builder::new()
            .name("artoo-journal".to_owned())
            .spawn(move || write(&queue, redactor, &settled))?;
        Ok(Self { orders, threads: vec![writer, durable] })
    }

    /// Creates the run's folder and its empty journal. `failed` is called at most once, from the thread, if a
    /// line cannot be written; it is dropped without a call only when the journal is closed or the thread is
    /// gone.
    pub(crate) fn open(
        &self,
        runs: &Path,
        run_id: RunId,
        failed: impl FnOnce(RecordFailure) + Send + 'static,
    ) -> io::Result<RunJournal> {
        let folder = runs.join(run_id.to_string());
        owner_only::folder(runs)?;
        owner_only::new_folder(&folder)?;
        let opened =
            empty_file(&folder.join(FILE_NAME)).and_then(|file| self.adopt(run_id, &folder, file, failed));
        if opened.is_err() {
            // Nothing was started, so nothing should be listed as a run; an empty folder is left if it cannot
            // be removed.
            let _ = std::fs::remove_dir_all(&folder);
        }
        opened
    }

    /// Writes the run's journal to this file.
    pub(super) fn adopt(
        &self,
        run_id: RunId,
        folder: &Path,
        file: File,
        failed: impl FnOnce(RecordFailure) + Send + 'static,
    ) -> io::Result<RunJournal> {
        let failed: Failed = Box::new(failed);
        let path = folder.join(FILE_NAME);
        let no_thread = |_| io::Error::other(RecordFailure::NoThread);
        self.orders.send(Order::Open { run_id, file, path, failed }).map_err(no_thread)?;
        Ok(RunJournal { run_id, folder: folder.to_owned(), orders: self.orders.clone() })
    }

    /// Waits until all closed journals are on disk.
    pub(crate) async fn sync(&self) {
        let (synced, done) = oneshot::channel();
        if self.orders.send(Order::Sync(synced)).is_ok() {
            let _ = done.await;
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        let _ = self.orders.send(Order::End);
        for thread in self.threads.drain(..) {
            // A panic of the thread was already reported by the runs that could not close.
            let _ = thread.join();
        }
    }
}

impl RunJournal {
    /// The run.
    pub(crate) fn run_id(&self) -> RunId {
        self.run_id
    }

    /// The run's folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The function that the bus calls with each envelope, in order; it only queues.
    pub(crate) fn recorder(&self) -> impl FnMut(&Arc<Envelope>) + Send + 'static {
        let orders = self.orders.clone();
        move |envelope| {
            // If the thread is gone, `failed` was dropped and the supervisor knows.
            let _ = orders.send(Order::Write(Arc::clone(envelope)));
        }
    }

    /// Waits until everything so far is written.
    ///
    /// # Errors
    /// The first line that could not be written, or the loss of the thread.
    pub(crate) async fn close(self) -> Result<(), RecordFailure> {
        let (written, done) = oneshot::channel();
        self.orders
            .send(Order::Close { run_id: self.run_id, written: Some(written) })
            .map_err(|_| RecordFailure::NoThread)?;
        done.await.unwrap_or(Err(RecordFailure::NoThread))
    }
}

impl Drop for RunJournal {
    fn drop(&mut self) {
        // After `close` the thread ignores this.
        let _ = self.orders.send(Order::Close { run_id: self.run_id, written: None });
    }
}

/// Creates a file that only the user can read. An existing entry of that name, including a link, is an error.
pub(super) fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create_new(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// The journal, locked: the lock ends with the process, see [`super::RunState`].
fn empty_file(path: &Path) -> io::Result<File> {
    let mut file = private_file(path)?;
    // A file system without locks cannot answer readers either.
    let _ = file.lock();
    file.write_all(&ROOM)?;
    file.set_len(0)?;
    Ok(file)
}
