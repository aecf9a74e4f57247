//! The run's end of the control socket.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use artoo_bus::Activities;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{UnixListener, UnixStream, unix::OwnedWriteHalf},
    sync::watch,
    task::{AbortHandle, JoinSet},
};

use super::{ControlError, MAX_LINE, Order, Said, peer_auth::speaks_for_the_person, socket_path};
use crate::{Answerer, Canceller, Noter, Run, question::Asked, run::Reply};

/// Maximum number of concurrent connections.
const MOST: usize = 16;

/// How many activities are told: they fit into one message.
const MOST_ACTIVITIES: usize = 16;

/// Where the questions of a run are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnsweredAt {
    /// Over the socket, first come first served.
    Socket,
    /// In the process that started the run.
    Elsewhere,
}

/// A listening run. Dropping it stops listening and removes the socket.
#[derive(Debug)]
pub struct Listening {
    path: PathBuf,
    task: AbortHandle,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.task.abort();
        // If the file stays, nothing listens on it.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Listens for orders until the returned value is dropped. Must be called inside a tokio runtime.
///
/// # Errors
/// [`ControlError::Listen`].
pub fn listen(run: &Run, answered_at: AnsweredAt) -> Result<Listening, ControlError> {
    let path = socket_path::path(run.folder());
    let listener = socket_path::bind(run.folder()).and_then(UnixListener::from_std);
    let listener = listener.map_err(|source| ControlError::Listen { path: path.clone(), source })?;
    let ear = Ear {
        answered_at,
        question: run.question.clone(),
        answered: Mutex::default(),
        answerer: run.answerer(),
        noter: run.noter(),
        canceller: run.canceller(),
        activities: run.activities(),
    };
    let task = tokio::spawn(accept(listener, Arc::new(ear))).abort_handle();
    Ok(Listening { path, task })
}

async fn accept(listener: UnixListener, ear: Arc<Ear>) {
    let mut peers = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let is_full = peers.len() >= MOST;
                    peers.spawn(serve(stream, is_full, Arc::clone(&ear)));
                }
                Err(error) => {
                    // Too many open files, for example: a later attempt may succeed.
                    tracing::debug!(%error, "somebody could not be heard");
                    tokio::task::yield_now().await;
                }
            },
            Some(_) = peers.join_next() => {}
        }
    }
}

/// Serves one peer until it disconnects. Its errors are reported to it and end only its connection.
async fn serve(stream: UnixStream, is_full: bool, ear: Arc<Ear>) {
    let refused = match speaks_for_the_person(&stream) {
        Err(stranger) => Some(stranger.to_string()),
        Ok(()) if is_full => Some(format!("{MOST} others speak to this run already")),
        Ok(()) => None,
    };
    let (read, mut write) = stream.into_split();
    if let Some(reason) = refused {
        return say(&mut write, &Said::Refused { reason }).await;
    }
    say(&mut write, &Said::Ready { answers: ear.answered_at == AnsweredAt::Socket }).await;
    let mut reader = BufReader::new(read);
    let mut line = Vec::new();
    let most = u64::try_from(MAX_LINE).unwrap_or(u64::MAX);
    loop {
        line.clear();
        let read = (&mut reader).take(most).read_until(b'\n', &mut line).await;
        if read.is_err() || line.is_empty() {
            return;
        }
        if line.last() != Some(&b'\n') {
            if line.len() >= MAX_LINE {
                let reason = format!("a message has at most {MAX_LINE} bytes");
                say(&mut write, &Said::Refused { reason }).await;
            }
            return;
        }
        let said = match serde_json::from_slice(&line) {
            Ok(order) => ear.on(order),
            Err(error) => Said::Refused { reason: format!("this is no message to a run: {error}") },
        };
        say(&mut write, &said).await;
    }
}

/// A peer that has disconnected misses the reply.
async fn say(write: &mut OwnedWriteHalf, said: &Said) {
    let Ok(mut line) = serde_json::to_vec(said) else { return };
    line.push(b'\n');
    let _ = write.write_all(&line).await;
}

/// Handles the orders to a run.
struct Ear {
    answered_at: AnsweredAt,
    question: watch::Receiver<Option<Asked>>,
    /// The last question that was answered.
    answered: Mutex<Option<Asked>>,
    answerer: Answerer,
    noter: Noter,
    canceller: Canceller,
    activities: Activities,
}

impl Ear {
    fn on(&self, order: Order) -> Said {
        let done = match order {
            Order::Answer { round, answer } => self.reply(Reply::Clarification(round, answer)),
            Order::Plan { decision } => self.reply(Reply::Plan(decision)),
            Order::Continuation { decision } => self.reply(Reply::Continuation(decision)),
            Order::Effect { decision } => self.reply(Reply::Effect(decision)),
            Order::Decline {} => self.reply(Reply::Declined),
            Order::Note { text } => self.noter.note(&text).map_err(|error| error.to_string()),
            Order::Progress {} => {
                let mut activities = self.activities.now();
                activities.truncate(MOST_ACTIVITIES);
                return Said::Progress { activities };
            }
            Order::Stop {} => {
                self.canceller.cancel();
                Ok(())
            }
        };
        match done {
            Ok(()) => Said::Taken {},
            Err(reason) => Said::Refused { reason },
        }
    }

    /// Passes an answer on, if it is the first to the open question.
    fn reply(&self, reply: Reply) -> Result<(), String> {
        if self.answered_at == AnsweredAt::Elsewhere {
            return Err("this run's questions are answered where it was started".to_owned());
        }
        let Some(open) = *self.question.borrow() else {
            return Err("the run asks nothing now".to_owned());
        };
        let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        if *answered == Some(open) {
            return Err("somebody has answered this question already".to_owned());
        }
        let ends_the_run = matches!(reply, Reply::Declined);
        if !ends_the_run && open.question.answered(Some(reply.clone())).is_none() {
            return Err("this answers another question than the one that is open".to_owned());
        }
        *answered = Some(open);
        self.answerer.reply(reply);
        Ok(())
    }
}
