//! The thread that writes the journals of all runs.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, BufWriter, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    time::Duration,
};

use artoo_redaction::{JsonWriter, Redactor};
use artoo_types::{Envelope, RunId};
use tokio::sync::oneshot;

use super::{
    failure::{RecordFailure, reaches},
    sync_thread::{Settled, settle},
};

/// Interval of the check that the journals still exist, while nothing is written: a run that waits for a
/// model must not learn only at its end that its folder is gone.
const LOOK: Duration = Duration::from_secs(1);

/// Called with the first error of a run's journal.
pub(super) type Failed = Box<dyn FnOnce(RecordFailure) + Send>;

/// An order to the thread.
pub(super) enum Order {
    Open {
        run_id: RunId,
        file: File,
        path: PathBuf,
        failed: Failed,
    },
    Write(Arc<Envelope>),
    /// Replies when everything before was handed to the kernel, or failed for good.
    Close {
        run_id: RunId,
        written: Option<oneshot::Sender<Result<(), RecordFailure>>>,
    },
    /// Replies when every closed journal is on disk.
    Sync(oneshot::Sender<()>),
    End,
}

/// Processes orders until the end. Lines are flushed whenever the queue is empty, so that a crash of the
/// process loses nothing that matters.
pub(super) fn write(queue: &mpsc::Receiver<Order>, redactor: Redactor, settled: &mpsc::SyncSender<Settled>) {
    let mut open: HashMap<RunId, OpenJournal> = HashMap::new();
    let mut lines = Lines { json: JsonWriter::new(redactor), line: Vec::new() };
    loop {
        let order = match queue.try_recv() {
            Ok(order) => order,
            Err(mpsc::TryRecvError::Disconnected) => break,
            Err(mpsc::TryRecvError::Empty) => {
                open.values_mut().for_each(OpenJournal::flush);
                match wait(queue, &mut open) {
                    Some(order) => order,
                    None => break,
                }
            }
        };
        match order {
            Order::Open { run_id, file, path, failed } => {
                let file = BufWriter::new(file);
                open.insert(run_id, OpenJournal::Good { file, path, dirty: false, failed: Some(failed) });
            }
            Order::Write(envelope) => {
                if let Some(journal) = open.get_mut(&envelope.run_id) {
                    journal.write(&envelope, &mut lines);
                }
            }
            Order::Close { run_id, written } => {
                let closed = open.remove(&run_id).map_or(Ok(None), OpenJournal::close);
                let (file, result) = match closed {
                    Ok(file) => (file, Ok(())),
                    Err(error) => (None, Err(error)),
                };
                if let Some(written) = written {
                    // The receiver may be gone; the file stays as it is.
                    let _ = written.send(result);
                }
                if let Some(file) = file {
                    settle(settled, file);
                }
            }
            Order::Sync(done) => {
                // If that thread is gone, the reply's sender is dropped, which is a reply as well.
                let _ = settled.send(Settled::All(done));
            }
            Order::End => break,
        }
    }
    for file in open.into_values().filter_map(|journal| journal.close().ok().flatten()) {
        settle(settled, file);
    }
}

/// Waits for the next order; `None` if no more will come. Checks the open journals meanwhile.
fn wait(queue: &mpsc::Receiver<Order>, open: &mut HashMap<RunId, OpenJournal>) -> Option<Order> {
    loop {
        if !open.values().any(OpenJournal::is_good) {
            return queue.recv().ok();
        }
        match queue.recv_timeout(LOOK) {
            Ok(order) => return Some(order),
            Err(mpsc::RecvTimeoutError::Timeout) => open.values_mut().for_each(OpenJournal::look),
            Err(mpsc::RecvTimeoutError::Disconnected) => return None,
        }
    }
}

/// Formats an envelope as a redacted line.
struct Lines {
    json: JsonWriter,
    line: Vec<u8>,
}

impl Lines {
    fn line(&mut self, envelope: &Envelope) -> io::Result<&[u8]> {
        self.line.clear();
        self.json.write(envelope, &mut self.line)?;
        self.line.push(b'\n');
        Ok(&self.line)
    }
}

/// The journal of an open run.
enum OpenJournal {
    Good {
        file: BufWriter<File>,
        path: PathBuf,
        dirty: bool,
        /// `None` once called.
        failed: Option<Failed>,
    },
    /// A line could not be written. Nothing is written after it: a journal may end early, but must not have
    /// holes.
    Broken(RecordFailure),
}

impl OpenJournal {
    fn write(&mut self, envelope: &Envelope, lines: &mut Lines) {
        self.attempt(|file, path, dirty| {
            *dirty = true;
            let written = lines.line(envelope).and_then(|line| file.write_all(line));
            written.map_err(|error| RecordFailure::of(error, path))
        });
    }

    fn flush(&mut self) {
        self.attempt(|file, path, dirty| {
            if !std::mem::take(dirty) {
                return Ok(());
            }
            file.flush().map_err(|error| RecordFailure::of(error, path))?;
            reaches(file.get_ref(), path)
        });
    }

    fn look(&mut self) {
        self.attempt(|file, path, _| reaches(file.get_ref(), path));
    }

    /// Reports the first error to the run. It breaks the journal, unless only the folder is no longer
    /// writable: the open file still takes the run's end.
    fn attempt(
        &mut self,
        work: impl FnOnce(&mut BufWriter<File>, &Path, &mut bool) -> Result<(), RecordFailure>,
    ) {
        let Self::Good { file, path, dirty, failed } = self else { return };
        let Err(failure) = work(file, path, dirty) else { return };
        let tell = failed.take();
        if !matches!(failure, RecordFailure::ReadOnly { .. })
            && let Self::Good { file, .. } = std::mem::replace(self, Self::Broken(failure.clone()))
        {
            // Not dropped, because that would try to write the rest again.
            drop(file.into_parts());
        }
        if let Some(tell) = tell {
            tell(failure);
        }
    }

    fn is_good(&self) -> bool {
        match self {
            Self::Good { .. } => true,
            Self::Broken(_) => false,
        }
    }

    /// The file, once everything is written.
    fn close(mut self) -> Result<Option<File>, RecordFailure> {
        self.flush();
        match self {
            Self::Good { file, path, .. } => {
                let closed = file.into_inner().map_err(io::IntoInnerError::into_error);
                closed.map(Some).map_err(|error| RecordFailure::of(error, &path))
            }
            Self::Broken(failure) => Err(failure),
        }
    }
}
