//! The engine's thread. It creates, uses and drops the engine; nothing of the engine leaves it, because it
//! must not be shared between threads.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use super::error::IndexError;
use super::guard::guarded;
use super::keyspace::Contents;
use crate::disk::Disk;

/// Maximum queued commands before a sender has to wait.
const QUEUE: usize = 64;

type Command = Box<dyn FnOnce(&mut Desk) + Send>;

/// The handle to the thread. When the last one is dropped, the thread ends.
pub(super) struct Worker {
    commands: mpsc::Sender<Command>,
}

impl Worker {
    /// Starts the thread and waits until it has opened the index.
    pub(super) async fn start(folder: &Path, disk: Arc<dyn Disk>) -> Result<Self, IndexError> {
        let (commands, mut inbox) = mpsc::channel::<Command>(QUEUE);
        let (ready, opened) = oneshot::channel();
        let place = folder.to_owned();
        let serve = move || match guarded(&place, "open", || Contents::open(&place, disk)) {
            Err(error) => drop(ready.send(Err(error))),
            Ok(contents) => {
                let mut desk = Desk { state: State::Open(Box::new(contents)), folder: place };
                drop(ready.send(Ok(())));
                while let Some(command) = inbox.blocking_recv() {
                    command(&mut desk);
                }
                desk.close();
            }
        };
        let thread = std::thread::Builder::new().name("memory-index".to_owned()).spawn(serve);
        thread.map_err(|source| IndexError::File { path: folder.to_owned(), doing: "served", source })?;
        opened.await.map_err(|_| IndexError::Closed)??;
        Ok(Self { commands })
    }

    /// Runs an operation on the index in the thread.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&mut Contents) -> Result<T, IndexError> + Send + 'static,
    ) -> Result<T, IndexError> {
        let (answer, answered) = oneshot::channel();
        // The receiver may be gone.
        let command = move |desk: &mut Desk| drop(answer.send(desk.run(doing, work)));
        self.commands.send(Box::new(command)).await.map_err(|_| IndexError::Closed)?;
        answered.await.map_err(|_| IndexError::Closed)?
    }

    /// Ends the thread; when this returns, the folder is unlocked.
    pub(super) async fn close(self) {
        let (answer, answered) = oneshot::channel();
        let close = move |desk: &mut Desk| {
            desk.close();
            let _ = answer.send(());
        };
        // If the thread is gone, so is everything it had open.
        if self.commands.send(Box::new(close)).await.is_ok() {
            let _ = answered.await;
        }
    }
}

/// The thread's state.
struct Desk {
    state: State,
    folder: PathBuf,
}

enum State {
    Open(Box<Contents>),
    Failed(Arc<IndexError>),
    Closed,
}

impl Desk {
    fn run<T>(
        &mut self,
        doing: &'static str,
        work: impl FnOnce(&mut Contents) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        let contents = match &mut self.state {
            State::Open(contents) => contents,
            State::Failed(because) => return Err(IndexError::Failed { because: Arc::clone(because) }),
            State::Closed => return Err(IndexError::Closed),
        };
        match guarded(&self.folder, doing, || work(contents)) {
            Err(error) if error.wants_rebuild() => {
                // Any further answer may rest on what went wrong.
                self.close();
                let because = Arc::new(error);
                self.state = State::Failed(Arc::clone(&because));
                Err(IndexError::Failed { because })
            }
            answer => answer,
        }
    }

    fn close(&mut self) {
        let state = std::mem::replace(&mut self.state, State::Closed);
        // A broken engine may panic again when it is dropped; everything acknowledged is on disk already.
        let _ = guarded(&self.folder, "close", || {
            drop(state);
            Ok(())
        });
    }
}
