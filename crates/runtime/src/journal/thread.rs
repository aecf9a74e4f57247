//! The thread that writes the journals of all runs.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, BufWriter, Write as _},
    sync::{Arc, mpsc},
};

use artoo_redaction::{JsonWriter, Redactor};
use artoo_types::{Envelope, RunId};
use tokio::sync::oneshot;

use super::durable::{Settled, settle};

/// Called with the first error of a run's journal.
pub(super) type Failed = Box<dyn FnOnce(io::Error) + Send>;

/// What the thread is told.
pub(super) enum Order {
    Open {
        run_id: RunId,
        file: File,
        failed: Failed,
    },
    Write(Arc<Envelope>),
    /// Everything before is handed to the system when the answer comes, or was not and never will be.
    Close {
        run_id: RunId,
        written: Option<oneshot::Sender<io::Result<()>>>,
    },
    /// Every closed journal is on the disk when the answer comes.
    Sync(oneshot::Sender<()>),
    End,
}

/// Follows orders until the end. Lines reach the system whenever the queue is empty, so that a crash of the process loses
/// nothing that matters.
pub(super) fn write(queue: &mpsc::Receiver<Order>, redactor: Redactor, settled: &mpsc::SyncSender<Settled>) {
    let mut open: HashMap<RunId, OpenJournal> = HashMap::new();
    let mut lines = Lines { json: JsonWriter::new(redactor), line: Vec::new() };
    loop {
        let order = match queue.try_recv() {
            Ok(order) => order,
            Err(mpsc::TryRecvError::Disconnected) => break,
            Err(mpsc::TryRecvError::Empty) => {
                open.values_mut().for_each(OpenJournal::flush);
                match queue.recv() {
                    Ok(order) => order,
                    Err(_) => break,
                }
            }
        };
        match order {
            Order::Open { run_id, file, failed } => {
                open.insert(run_id, OpenJournal::Good { file: BufWriter::new(file), dirty: false, failed });
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
                    // Nobody waits any more: the file is as it is.
                    let _ = written.send(result);
                }
                if let Some(file) = file {
                    settle(settled, file);
                }
            }
            Order::Sync(done) => {
                // Where that thread is gone, the answer's sender is dropped, which is an answer too.
                let _ = settled.send(Settled::All(done));
            }
            Order::End => break,
        }
    }
    for file in open.into_values().filter_map(|journal| journal.close().ok().flatten()) {
        settle(settled, file);
    }
}

/// Makes a line of an envelope, without secrets.
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
        dirty: bool,
        failed: Failed,
    },
    /// A line could not be written. Nothing is written after it: a journal may end early, but may not have holes.
    Broken(io::Error),
}

impl OpenJournal {
    fn write(&mut self, envelope: &Envelope, lines: &mut Lines) {
        if let Self::Good { file, dirty, .. } = self {
            *dirty = true;
            let written = lines.line(envelope).and_then(|line| file.write_all(line));
            self.note(written);
        }
    }

    fn flush(&mut self) {
        if let Self::Good { file, dirty, .. } = self
            && std::mem::take(dirty)
        {
            let flushed = file.flush();
            self.note(flushed);
        }
    }

    /// The first error breaks the journal, and the run is told.
    fn note(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            let told = copy(&error);
            if let Self::Good { file, failed, .. } = std::mem::replace(self, Self::Broken(error)) {
                // Not dropped as it is: that would try to write the rest once more.
                drop(file.into_parts());
                failed(told);
            }
        }
    }

    /// The file, when everything is in it.
    fn close(mut self) -> io::Result<Option<File>> {
        self.flush();
        match self {
            Self::Good { file, .. } => file.into_inner().map(Some).map_err(io::IntoInnerError::into_error),
            Self::Broken(error) => Err(error),
        }
    }
}

fn copy(error: &io::Error) -> io::Error {
    error
        .raw_os_error()
        .map_or_else(|| io::Error::new(error.kind(), error.to_string()), io::Error::from_raw_os_error)
}
