//! The owner's socket server: one thread accepts processes, and one thread serves each.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::protocol::{Request, Response, receive, send};
use super::queue::{Answer, Queue, Task, owner_said};
use super::socket;
use crate::journal::{Encoded, JournalError, is_line};

/// Maximum number of connected processes. Others try again.
const MOST_CALLERS: usize = 128;
/// A client that does not accept a response within this time counts as gone.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// The listening server. Closed on drop.
#[derive(Debug)]
pub(super) struct Server {
    memory: PathBuf,
    listener: Arc<UnixListener>,
    callers: Arc<Callers>,
    acceptor: Option<JoinHandle<()>>,
}

/// The connected processes; `None` once no more are accepted.
#[derive(Debug)]
struct Callers(Mutex<Option<HashMap<u64, UnixStream>>>);

impl Server {
    pub(super) fn start(memory: &Path, queue: &Arc<Queue>) -> io::Result<Self> {
        let listener = Arc::new(socket::listen(memory)?);
        let callers = Arc::new(Callers(Mutex::new(Some(HashMap::new()))));
        let acceptor = {
            let (listener, callers, queue) = (Arc::clone(&listener), Arc::clone(&callers), Arc::clone(queue));
            let thread = std::thread::Builder::new().name("memory-door".to_owned());
            thread.spawn(move || accept(&listener, &callers, &queue))?
        };
        Ok(Self { memory: memory.to_owned(), listener, callers, acceptor: Some(acceptor) })
    }

    /// Stops accepting. Connected processes still get the results of their requests, and nothing else.
    pub(super) fn stop(&mut self) {
        // It may be shut down already.
        let _ = rustix::net::shutdown(self.listener.as_ref(), rustix::net::Shutdown::Both);
        for stream in self.callers.lock().take().into_iter().flat_map(HashMap::into_values) {
            drop(stream.shutdown(Shutdown::Read)); // it may be gone
        }
        if let Some(acceptor) = self.acceptor.take() {
            drop(acceptor.join()); // it leaves nothing behind, however it ended
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
        // The next owner removes what is left.
        drop(socket::remove(&self.memory));
    }
}

impl Callers {
    fn lock(&self) -> MutexGuard<'_, Option<HashMap<u64, UnixStream>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn accept(listener: &UnixListener, callers: &Arc<Callers>, queue: &Arc<Queue>) {
    for number in 0.. {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            Err(_) if callers.lock().is_none() => return,
            // Too many open files, or a client that disconnected at once.
            Err(_) => {
                queue.pause(Duration::from_millis(50));
                continue;
            }
        };
        let Ok(kept) = stream.try_clone() else { continue };
        if socket::check_peer(&stream).is_err() || !queue.caller_came(MOST_CALLERS) {
            continue;
        }
        let visit = Visit { number, callers: Arc::clone(callers), queue: Arc::clone(queue) };
        match callers.lock().as_mut() {
            Some(open) => drop(open.insert(number, kept)),
            None => return,
        }
        let thread = std::thread::Builder::new().name("memory-caller".to_owned());
        // Without a thread the connection is dropped, and the client tries again.
        drop(thread.spawn(move || visit.serve(stream)));
    }
}

/// One process's connection, which ends when this is dropped.
struct Visit {
    number: u64,
    callers: Arc<Callers>,
    queue: Arc<Queue>,
}

impl Drop for Visit {
    fn drop(&mut self) {
        if let Some(open) = self.callers.lock().as_mut() {
            open.remove(&self.number);
        }
        self.queue.caller_left();
    }
}

impl Visit {
    fn serve(&self, mut stream: UnixStream) {
        let able = stream.set_write_timeout(Some(ANSWER_WITHIN));
        while able.is_ok() {
            // An unintelligible request is not answered, and neither is any request after the committer
            // ended.
            let Ok(Some(request)) = receive(&mut stream, || false) else { return };
            let response = match self.answer(request) {
                Some(Ok(count)) => Response::Done(count),
                Some(Err(error)) => Response::Refused(error.to_string()),
                None => return,
            };
            if send(&mut stream, &response).is_err() {
                return;
            }
        }
    }

    fn answer(&self, request: Request) -> Option<Result<u64, JournalError>> {
        match request {
            Request::Commit(lines) if lines.is_empty() => self.ask(|answer| Task::Settle { answer }),
            Request::Commit(lines) => {
                if !lines.iter().all(|(_, line)| is_line(line)) {
                    return Some(Err(owner_said("one of the events means nothing to it")));
                }
                let count = lines.len() as u64;
                let (answer, answers) = channel();
                for (written_at_ms, line) in lines {
                    self.queue.put(Encoded { written_at_ms, line }, answer.clone()).ok()?;
                }
                drop(answer);
                for _ in 0..count {
                    if let Err(error) = answers.recv().ok()? {
                        return Some(Err(error));
                    }
                }
                Some(Ok(count))
            }
            Request::Erase(seqs) => {
                let seqs: BTreeSet<u64> = seqs.into_iter().collect();
                self.ask(|answer| Task::Erase { seqs, answer })
            }
        }
    }

    fn ask(&self, task: impl FnOnce(Answer<u64>) -> Task) -> Option<Result<u64, JournalError>> {
        let (answer, answers) = channel();
        self.queue.ask(task(answer)).ok()?;
        answers.recv().ok()
    }
}
