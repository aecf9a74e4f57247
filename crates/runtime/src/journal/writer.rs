//! The thread that writes journals.

use std::{
    collections::HashMap,
    fs::{DirBuilder, File, OpenOptions},
    io::{self, BufWriter, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread::JoinHandle,
};

use artoo_llm_client::doubles::Redaction;
use artoo_types::{Envelope, RunId};
use tokio::sync::oneshot;

use super::FILE_NAME;

/// The thread and the way to it. Dropping it writes what is queued and ends the thread.
pub(crate) struct Journal {
    orders: mpsc::Sender<Order>,
    thread: Option<JoinHandle<()>>,
}

/// The way of one run to its journal.
pub(crate) struct RunJournal {
    run_id: RunId,
    folder: PathBuf,
    orders: mpsc::Sender<Order>,
}

enum Order {
    Open { run_id: RunId, file: File, failed: Box<dyn FnOnce(io::Error) + Send> },
    Write(Arc<Envelope>),
    /// Everything before is written when the answer comes; on disk when `Journal` is dropped.
    Close { run_id: RunId, written: oneshot::Sender<()> },
    End,
}

impl Journal {
    /// Starts the thread.
    pub(crate) fn start(redaction: Redaction) -> io::Result<Self> {
        let (orders, queue) = mpsc::channel();
        let thread = std::thread::Builder::new().name("artoo-journal".to_owned()).spawn(move || write(&queue, &redaction))?;
        Ok(Self { orders, thread: Some(thread) })
    }

    /// Makes the run's folder and its empty journal. `failed` is called at most once, from the thread, when a line cannot
    /// be written.
    pub(crate) fn open(
        &self,
        runs: &Path,
        run_id: RunId,
        failed: impl FnOnce(io::Error) + Send + 'static,
    ) -> io::Result<RunJournal> {
        let folder = runs.join(run_id.to_string());
        private_folder(&folder)?;
        let mut options = OpenOptions::new();
        options.create_new(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(folder.join(FILE_NAME))?;
        let order = Order::Open { run_id, file, failed: Box::new(failed) };
        self.orders.send(order).map_err(|_| io::Error::other("the journal's thread has ended"))?;
        Ok(RunJournal { run_id, folder, orders: self.orders.clone() })
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        let _ = self.orders.send(Order::End);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported by the runs that could not close.
            let _ = thread.join();
        }
    }
}

impl RunJournal {
    /// The run's folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The function that the bus calls with each envelope, in order: it only queues.
    pub(crate) fn recorder(&self) -> impl FnMut(&Arc<Envelope>) + Send + 'static {
        let orders = self.orders.clone();
        move |envelope| {
            // The thread outlives every run; without it there is nothing left to tell.
            let _ = orders.send(Order::Write(Arc::clone(envelope)));
        }
    }

    /// Waits until everything so far is written.
    pub(crate) async fn close(self) {
        let (written, done) = oneshot::channel();
        if self.orders.send(Order::Close { run_id: self.run_id, written }).is_ok() {
            let _ = done.await;
        }
    }
}

/// Makes a folder, and those above it, that only the user may enter.
pub(crate) fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

struct OpenJournal {
    file: BufWriter<File>,
    failed: Option<Box<dyn FnOnce(io::Error) + Send>>,
}

fn write(queue: &mpsc::Receiver<Order>, redaction: &Redaction) {
    let mut open: HashMap<RunId, OpenJournal> = HashMap::new();
    let mut to_sync: Vec<File> = Vec::new();
    loop {
        // Lines reach the system whenever the queue is empty, so that a crash of the process loses nothing that matters.
        let order = match queue.try_recv() {
            Ok(order) => order,
            Err(mpsc::TryRecvError::Disconnected) => break,
            Err(mpsc::TryRecvError::Empty) => {
                for journal in open.values_mut() {
                    let flushed = journal.file.flush();
                    journal.report(flushed);
                }
                for file in to_sync.drain(..) {
                    // After a power cut the tail may be missing; the reader says so.
                    let _ = file.sync_data();
                }
                match queue.recv() {
                    Ok(order) => order,
                    Err(_) => break,
                }
            }
        };
        match order {
            Order::Open { run_id, file, failed } => {
                open.insert(run_id, OpenJournal { file: BufWriter::new(file), failed: Some(failed) });
            }
            Order::Write(envelope) => {
                if let Some(journal) = open.get_mut(&envelope.run_id) {
                    let result = line(&envelope, redaction).and_then(|line| journal.file.write_all(&line));
                    journal.report(result);
                }
            }
            Order::Close { run_id, written } => {
                if let Some(mut journal) = open.remove(&run_id) {
                    let flushed = journal.file.flush();
                    journal.report(flushed);
                    if let Ok(file) = journal.file.into_inner() {
                        to_sync.push(file);
                    }
                }
                let _ = written.send(());
            }
            Order::End => break,
        }
    }
    for (_, mut journal) in open {
        let flushed = journal.file.flush();
        journal.report(flushed);
    }
    for file in to_sync {
        let _ = file.sync_data();
    }
}

impl OpenJournal {
    /// Tells the run of its first write error; the journal then holds what came before.
    fn report(&mut self, result: io::Result<()>) {
        if let Err(error) = result
            && let Some(failed) = self.failed.take()
        {
            failed(error);
        }
    }
}

fn line(envelope: &Envelope, redaction: &Redaction) -> io::Result<Vec<u8>> {
    let mut value = serde_json::to_value(envelope)?;
    redaction.apply_to(&mut value);
    let mut line = serde_json::to_vec(&value)?;
    line.push(b'\n');
    Ok(line)
}
