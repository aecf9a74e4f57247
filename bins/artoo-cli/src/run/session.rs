//! Selects and updates the session that a run belongs to.

use std::path::{Path, PathBuf};

use artoo_front_end::Confirmation;
use artoo_redaction::Redactor;
use artoo_runtime::owner_only;
use artoo_runtime::sessions::{Session, SessionError, Sessions, TurnEnd};
use artoo_tools::EarlierRun;
use artoo_types::{Rejection, RunId, SessionId, Turn};
use chrono::{DateTime, FixedOffset};

use super::before_run::BeforeRun;
use crate::args::RunArgs;
use crate::commands::Loaded;
use crate::config::Given;
use crate::dispatch::Context;
use crate::error::{CommandError, Kind};
use crate::terminal::{Terminal, worded};

/// The session to use for a request.
#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    /// None, as for recordings, which are self-contained.
    None,
    /// A new session.
    New,
    /// The most recent session of the folder.
    Newest,
    /// A session by the user's name for it.
    Named(String),
    /// The current session of the program.
    Known(SessionId),
}

impl Wanted {
    /// The session that the options ask for.
    pub(crate) fn by(args: &RunArgs) -> Self {
        match &args.session {
            _ if args.record.is_some() || args.replay.is_some() => Self::None,
            Some(part) => Self::Named(part.clone()),
            None if args.go_on => Self::Newest,
            None => Self::New,
        }
    }
}

/// The session of a run.
pub(crate) struct Conversation {
    sessions: Sessions,
    session: Session,
}

/// Finds the wanted session. Called before the secrets are known, so the
/// redactor is empty and the store is only read.
pub(super) fn find(data_dir: &Path, wanted: &Wanted, folder: &Path) -> Result<Option<Session>, CommandError> {
    let sessions = Sessions::new(data_dir, Redactor::new());
    match wanted {
        Wanted::None | Wanted::New => Ok(None),
        Wanted::Known(id) => sessions.newest_turns(*id).map(Some).map_err(explained),
        Wanted::Named(part) => {
            sessions.find_id(part).and_then(|id| sessions.newest_turns(id)).map(Some).map_err(explained)
        }
        Wanted::Newest => match sessions.newest_in(folder).map_err(explained)? {
            Some(session) => Ok(Some(session)),
            None => Err(CommandError::usage(format!("no session belongs to {}", folder.display()))
                .hint("begin one: artoo run \"REQUEST\"; others: artoo sessions list")),
        },
    }
}

/// The session of the run, if any.
pub(super) fn of_run(
    context: &mut Context<'_>,
    run_folder: &Path,
) -> Result<Option<SessionId>, CommandError> {
    let Some(run) = run_folder.file_name().and_then(|name| name.to_str()?.parse().ok()) else {
        return Ok(None);
    };
    let data_dir = Loaded::load(context, Given::default())?.settings.data_dir;
    Sessions::new(&data_dir, Redactor::new()).of_run(run).map_err(explained)
}

/// The working folder of a request in this session. If the session belongs to another folder, the user is
/// asked, because the meaning of "it" and "here" depends on that.
pub(super) fn folder(
    context: &mut Context<'_>,
    args: &RunArgs,
    asked: &dyn BeforeRun,
    session: Option<&Session>,
    here: PathBuf,
) -> Result<PathBuf, CommandError> {
    let elsewhere = session.filter(|session| session.folder != here && args.permissions.cwd.is_none());
    let Some(session) = elsewhere else { return Ok(here) };
    let there = session.folder.display();
    let refused = || {
        CommandError::usage(format!("the session belongs to {there}, and this is {}", here.display()))
            .hint(format!("say where to work: --cwd {there}, or --cwd ."))
    };
    if !session.folder.is_dir() || !asked.is_there() {
        return Err(refused());
    }
    let question = format!("the session belongs to {there}: work there?");
    let confirmation = Confirmation { about: String::new(), lines: Vec::new(), question };
    if asked.confirm(context.terminal, confirmation) { Ok(session.folder.clone()) } else { Err(refused()) }
}

impl Conversation {
    /// Continues or begins a session. `None` if none is wanted, or if it
    /// cannot be stored: that is only a warning.
    pub(super) fn open(
        terminal: &mut Terminal,
        data_dir: &Path,
        redactor: Redactor,
        (wanted, found): (&Wanted, Option<Session>),
        (folder, now): (&Path, DateTime<FixedOffset>),
    ) -> Option<Self> {
        if matches!(wanted, Wanted::None) {
            return None;
        }
        let sessions = Sessions::new(data_dir, redactor);
        let begun = match found {
            Some(session) => Ok(session),
            // An unusable data folder is reported when artoo is built.
            None => owner_only::data_folder(data_dir).ok().map(|()| sessions.begin(folder, now))?,
        };
        match begun {
            Ok(session) => Some(Self { sessions, session }),
            Err(error) => {
                lost(terminal, &error);
                None
            }
        }
    }

    /// The store, the session, and the turns that a run was told of, for who follows the run.
    pub(super) fn into_parts(self, turns: Vec<Turn>) -> (Sessions, SessionId, Vec<Turn>) {
        (self.sessions, self.session.id, turns)
    }

    /// Id of the session.
    pub(crate) fn id(&self) -> SessionId {
        self.session.id
    }

    /// Runs of the session that the next run can undo.
    pub(super) fn undoable(&self, data_dir: &Path) -> Vec<EarlierRun> {
        self.session.undoable(data_dir)
    }

    /// The earlier turns for the next request.
    pub(super) fn recent(&self, undoable: &[EarlierRun]) -> Vec<Turn> {
        self.session.recent(undoable)
    }

    /// Stores the request; returns whether that succeeded.
    pub(super) fn ask(
        &self,
        terminal: &mut Terminal,
        run_id: RunId,
        at: DateTime<FixedOffset>,
        request: &str,
    ) -> bool {
        let asked = self.sessions.ask(self.session.id, run_id, at, request);
        if let Err(error) = &asked {
            lost(terminal, error);
        }
        asked.is_ok()
    }

    /// Stores the outcome.
    pub(super) fn end(&self, terminal: &mut Terminal, run_id: RunId, end: TurnEnd) {
        if let Err(error) = self.sessions.end(self.session.id, run_id, end) {
            lost(terminal, &error);
        }
    }
}

impl Conversation {
    /// Stores that the user rejected the results of these runs of the session.
    pub(super) fn reject(&self, terminal: &mut Terminal, rejected: &[(RunId, Rejection)]) {
        for (run_id, how) in rejected {
            if let Err(error) = self.sessions.reject(self.session.id, *run_id, *how) {
                lost(terminal, &error);
            }
        }
    }
}

fn lost(terminal: &mut Terminal, error: &SessionError) {
    terminal.warning(&format!("the next request will not know of this one: {error}"));
}

/// A session error for the user: usage, or failure of the disk.
pub(crate) fn explained(error: SessionError) -> CommandError {
    let mistaken = matches!(
        error,
        SessionError::Unknown { .. } | SessionError::Ambiguous { .. } | SessionError::Name { .. }
    );
    let kind = if mistaken { Kind::Usage } else { Kind::Failed };
    CommandError::new(kind, error.to_string()).hint(worded(error.hint(), error.remedy()))
}
