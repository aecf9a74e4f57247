//! Background runs of the REPL: a thread follows their journals and prints state changes above the prompt.

use std::path::Path;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use artoo_runtime::Questions;
use artoo_runtime::events::EventFold;
use artoo_runtime::journal::{self, Follow, RunState};
use reedline::ExternalPrinter;

use crate::view::{Outcome, ending, no_end};

/// Poll interval of the journals.
const LOOK: Duration = Duration::from_millis(500);
/// Capacity of the channel to the prompt, in lines; further lines stay in `Runs::unsaid`.
const WAITING: usize = 100;

/// The background runs of this conversation, shared with the polling thread.
#[derive(Clone, Default)]
pub(super) struct Background(Arc<Mutex<Runs>>);

#[derive(Default)]
struct Runs {
    watched: Vec<Watched>,
    /// Lines that are not printed yet.
    unsaid: Vec<String>,
    /// Channel to the prompt's external printer.
    lines: Option<SyncSender<String>>,
    has_thread: bool,
}

/// One background run: the short form of its id, and the state read from its journal.
struct Watched {
    id: String,
    follow: Follow,
    fold: EventFold,
    open: Questions,
}

/// State change of a run since the last poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum News {
    Nothing,
    /// The run waits for an answer.
    Asks,
    Over(&'static str),
}

impl Background {
    /// Creates the printer through which lines reach the prompt from now on.
    pub(super) fn printer(&self) -> ExternalPrinter<String> {
        let printer = ExternalPrinter::new(WAITING);
        self.lock().lines = Some(printer.sender());
        printer
    }

    /// Starts following a run.
    pub(super) fn add(&self, id: String, folder: &Path) {
        // An unreadable journal is reported by the commands that read it, such as `/runs`.
        let Ok(follow) = Follow::open(&folder.join(journal::FILE_NAME)) else { return };
        let mut runs = self.lock();
        runs.watched.push(Watched { id, follow, fold: EventFold::new(), open: Questions::default() });
        if !std::mem::replace(&mut runs.has_thread, true) {
            let watched = self.clone();
            let watch = move || {
                loop {
                    std::thread::sleep(LOOK);
                    watched.lock().look();
                }
            };
            // If no thread can be started, `/runs` still lists the runs.
            let _ = std::thread::Builder::new().name("artoo-background".to_owned()).spawn(watch);
        }
    }

    /// Id of the run that has waited longest for an answer; otherwise of the
    /// most recently started unfinished run.
    pub(super) fn in_need(&self) -> Option<String> {
        let runs = self.lock();
        runs.watched
            .iter()
            .find(|run| run.open.open().is_some())
            .or(runs.watched.last())
            .map(|run| run.id.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Runs> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Runs {
    /// Polls each run and sends the news, as far as the channel has room.
    fn look(&mut self) {
        let unsaid = &mut self.unsaid;
        self.watched.retain_mut(|run| {
            let id = &run.id;
            match run.follow.read_on().map_or(News::Over("its record cannot be read"), |read| {
                news(&read, &mut run.fold, &mut run.open)
            }) {
                News::Nothing => true,
                News::Asks => {
                    unsaid.push(format!("run {id} asks you something; answer it: /attach {id}"));
                    true
                }
                News::Over(how) => {
                    unsaid.push(format!("run {id} in the background: {how}; see it: /show {id}"));
                    false
                }
            }
        });
        while let (Some(line), Some(lines)) = (self.unsaid.first(), &self.lines) {
            if lines.try_send(line.clone()).is_err() {
                return;
            }
            self.unsaid.remove(0);
        }
    }
}

/// State change described by newly read journal lines.
fn news(read: &journal::Read, fold: &mut EventFold, open: &mut Questions) -> News {
    let before = open.open();
    for envelope in &read.envelopes {
        if let Some(outcome) = fold.on(envelope).iter().find_map(Outcome::of) {
            return News::Over(ending(&outcome));
        }
        open.on(envelope);
    }
    match read.state {
        RunState::Killed | RunState::Unrecorded => News::Over(no_end(read.state).unwrap_or_default()),
        RunState::Running | RunState::Unknown | RunState::Finished
            if open.open().is_some() && open.open() != before =>
        {
            News::Asks
        }
        RunState::Running | RunState::Unknown | RunState::Finished => News::Nothing,
    }
}
