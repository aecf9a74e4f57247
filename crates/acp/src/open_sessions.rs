//! The sessions that a client has open, and what each of them does.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use agent_client_protocol::Error;
use artoo_front_end::{ClientServer, HostedRun, RunMode};
use artoo_runtime::UserQuestion;
use artoo_types::{RunId, SessionId};
use tokio_util::sync::CancellationToken;

use crate::error::invalid;
use crate::updates::Updates;

/// The open sessions.
#[derive(Default)]
pub(crate) struct OpenSessions {
    open: Mutex<HashMap<SessionId, OpenSession>>,
    /// The number of turns so far, of all sessions.
    turns: AtomicU64,
}

/// One open session.
struct OpenSession {
    folder: PathBuf,
    mode: RunMode,
    last_run: Option<RunId>,
    /// The servers of tools that the client passes.
    servers: Vec<ClientServer>,
    state: State,
}

enum State {
    Idle,
    /// A prompt is worked on, in the turn of this number; the token cancels it.
    Busy(u64, CancellationToken),
    /// The run waits for an answer in words, which the next prompt is.
    Waiting(Box<WaitingRun>),
}

/// A run whose question was asked as the end of a turn.
pub(crate) struct WaitingRun {
    pub(crate) run: HostedRun,
    pub(crate) updates: Updates,
    pub(crate) question: UserQuestion,
}

/// A prompt that may begin.
pub(crate) struct Turn {
    /// It tells this turn from a later one of a session that was closed and opened again meanwhile.
    pub(crate) number: u64,
    pub(crate) folder: PathBuf,
    pub(crate) mode: RunMode,
    pub(crate) last_run: Option<RunId>,
    pub(crate) servers: Vec<ClientServer>,
    pub(crate) cancel: CancellationToken,
    /// The run that waits for this prompt as its answer.
    pub(crate) waiting: Option<Box<WaitingRun>>,
}

impl OpenSessions {
    /// Opens a session. One that is open already keeps its mode.
    ///
    /// # Errors
    /// A prompt of it is being worked on.
    pub(crate) fn open(
        &self,
        id: SessionId,
        folder: PathBuf,
        servers: Vec<ClientServer>,
        last_run: Option<RunId>,
    ) -> Result<RunMode, Error> {
        let mut sessions = self.lock();
        let mode = match sessions.get(&id) {
            Some(OpenSession { state: State::Busy(..), .. }) => return Err(busy()),
            Some(open) => open.mode,
            None => RunMode::default(),
        };
        sessions.insert(id, OpenSession { folder, mode, last_run, servers, state: State::Idle });
        Ok(mode)
    }

    /// Begins a turn.
    ///
    /// # Errors
    /// The session is not open, or another prompt of it is being worked on.
    pub(crate) fn begin(&self, id: SessionId) -> Result<Turn, Error> {
        let mut sessions = self.lock();
        let open = sessions.get_mut(&id).ok_or_else(|| not_open(id))?;
        if let State::Busy(..) = open.state {
            return Err(busy());
        }
        let cancel = CancellationToken::new();
        let number = self.turns.fetch_add(1, Ordering::Relaxed);
        let waiting = match std::mem::replace(&mut open.state, State::Busy(number, cancel.clone())) {
            State::Waiting(waiting) => Some(waiting),
            State::Idle | State::Busy(..) => None,
        };
        let (folder, servers) = (open.folder.clone(), open.servers.clone());
        Ok(Turn { number, folder, mode: open.mode, last_run: open.last_run, servers, cancel, waiting })
    }

    /// Takes note that a run of the session has begun.
    pub(crate) fn began(&self, id: SessionId, run: &HostedRun) {
        if let Some(open) = self.lock().get_mut(&id) {
            open.last_run = Some(run.id());
        }
    }

    /// Ends a turn. A run that waits for an answer is dropped if its session was closed meanwhile.
    pub(crate) fn end(&self, id: SessionId, turn: u64, waiting: Option<Box<WaitingRun>>) {
        let mut sessions = self.lock();
        let Some(open) = sessions.get_mut(&id) else { return };
        if let State::Busy(number, _) = open.state
            && number == turn
        {
            open.state = waiting.map_or(State::Idle, State::Waiting);
        }
    }

    /// Cancels what a session does. Nothing to cancel is no error.
    pub(crate) fn cancel(&self, id: SessionId) {
        let mut sessions = self.lock();
        let Some(open) = sessions.get_mut(&id) else { return };
        if let State::Busy(_, cancel) = &open.state {
            cancel.cancel();
        } else {
            // Dropping a run that waits cancels it.
            open.state = State::Idle;
        }
    }

    /// Closes a session, and cancels what it does.
    ///
    /// # Errors
    /// It is not open.
    pub(crate) fn close(&self, id: SessionId) -> Result<(), Error> {
        let closed = self.lock().remove(&id).ok_or_else(|| not_open(id))?;
        if let State::Busy(_, cancel) = closed.state {
            cancel.cancel();
        }
        Ok(())
    }

    /// Sets the mode of the next runs of a session.
    ///
    /// # Errors
    /// It is not open.
    pub(crate) fn set_mode(&self, id: SessionId, mode: RunMode) -> Result<(), Error> {
        self.lock().get_mut(&id).ok_or_else(|| not_open(id))?.mode = mode;
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, OpenSession>> {
        // Every change is one assignment, so a panic elsewhere leaves it whole.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn not_open(id: SessionId) -> Error {
    invalid(format!("the session {id} is not open"))
}

fn busy() -> Error {
    invalid("a prompt of this session is being worked on: wait for its end, or cancel it")
}
