//! `artoo runs attach`: shows the run of another process and answers its questions.
//!
//! The run is shown from its journal; answers go over its socket.

use std::path::Path;
use std::time::Duration;

use artoo_bus::{Clock, SystemClock};
use artoo_runtime::control::{ControlError, Peer};
use artoo_runtime::events::EventFold;
use artoo_runtime::journal::{self, Follow, RunState};
use artoo_runtime::{Question as Open, Questions, UserQuestion, runs};
use artoo_types::{ActivityReport, Envelope};
use chrono::{DateTime, FixedOffset};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{mpsc, watch};

use super::always_rule::PolicyFile;
use super::ask::{Asking, from_stdin};
use super::output::Show;
use crate::commands::unreadable_run;
use crate::config;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::terminal::worded;
use crate::view::{Moment, Outcome, no_end};

/// Poll interval of the journal and redraw interval of the status line.
const BEAT: Duration = Duration::from_millis(100);

/// Shows a run until it ends or the user leaves.
pub(crate) async fn attach(context: &mut Context<'_>, folder: &Path) -> Result<Exit, CommandError> {
    let unreadable = |error| unreadable_run(runs::RunsError::Journal(error));
    // Before anything is shown: who reads it may press Ctrl+C at once, and that leaves.
    let mut leaving = signal(SignalKind::interrupt())
        .map_err(|error| CommandError::failed("cannot listen for Ctrl+C").because(error))?;
    let mut follow = Follow::open(&folder.join(journal::FILE_NAME)).map_err(unreadable)?;
    let verbose = context.common.verbose > 0;
    let mut watched = Watched {
        show: Show::for_person(verbose, context.streams.stdout),
        fold: EventFold::new(),
        outcome: None,
        began: None,
        open: Questions::default(),
        unput: Vec::new(),
    };
    let first = follow.read_on().map_err(unreadable)?;
    let mut way = if may_work(first.state) { way(context, folder).await } else { Way::none() };
    let activities = activities(folder).await;
    let mut beats = tokio::time::interval(BEAT);
    beats.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
    let (mut beat, mut read) = (0, Some(first));
    loop {
        let news = match read.take() {
            Some(news) => news,
            None => follow.read_on().map_err(unreadable)?,
        };
        for envelope in &news.envelopes {
            watched.on(context, envelope)?;
        }
        if let Some(damage) = news.damage {
            context.terminal.warning(&format!("the journal is damaged, and shown up to there: {damage}"));
            return Ok(Exit::FAILED);
        }
        if let Some(outcome) = &watched.outcome {
            way.asking.give_up(context.terminal);
            context.terminal.wipe();
            watched.show.end(context.terminal, outcome, folder)?;
            if let Some(fault) = &outcome.error {
                let hint = format!("what happened: artoo runs show {}", outcome.run_id);
                let hint = fault.hint.as_deref().map_or(hint, |hint| worded(hint, fault.remedy));
                context.terminal.error(&CommandError::failed(fault.message.clone()).hint(hint));
            }
            return Ok(Exit::of_run(outcome.exit_code));
        }
        if let Some(sentence) = no_end(news.state).filter(|_| !may_work(news.state)) {
            way.asking.give_up(context.terminal);
            return Err(CommandError::failed(sentence).hint("what it did: artoo runs show RUN"));
        }
        watched.ask(context, &mut way);
        tokio::select! {
            biased;
            Some(()) = leaving.recv() => {
                if way.asking.is_open() {
                    context.terminal.note("");
                }
                context.terminal.note("detached: the run goes on; `artoo runs attach` comes back to it, `artoo runs stop` ends it");
                return Ok(Exit::OK);
            }
            line = way.asking.answered() => way.asking.take(&line, context.terminal),
            Some(refused) = way.refusals.recv() => {
                context.terminal.warning(&format!("the answer was not taken: {refused}"));
            }
            _ = beats.tick() => {
                beat += 1;
                if !way.asking.is_open() {
                    let now = Moment { elapsed: watched.elapsed(), activities: &activities.borrow() };
                    watched.show.status(context.terminal, beat, now);
                }
            }
        }
    }
}

/// Whether the run may still be active. Assumed if the file system cannot tell whether its process lives.
fn may_work(state: RunState) -> bool {
    match state {
        RunState::Running | RunState::Unknown => true,
        RunState::Finished | RunState::Killed | RunState::Unrecorded => false,
    }
}

/// How the run's questions are answered.
struct Way {
    asking: Asking,
    refusals: mpsc::UnboundedReceiver<ControlError>,
}

impl Way {
    /// Questions are not answered from here.
    fn none() -> Self {
        Self { asking: Asking::elsewhere(), refusals: mpsc::unbounded_channel().1 }
    }
}

/// Connects to the run; if its questions are not answered from here, prints why.
async fn way(context: &mut Context<'_>, folder: &Path) -> Way {
    let said = match Peer::connect(folder).await {
        Ok(peer) if !peer.takes_answers() => {
            "the questions of this run are answered where it was started".to_owned()
        }
        Ok(_) if !(context.streams.stdin && context.streams.stderr) => {
            "questions are shown and not answered: this is no terminal".to_owned()
        }
        Ok(peer) => {
            let (answerer, refusals) = peer.into_answerer();
            let home = context.folders.home.clone();
            let path = config::policy_path(context.environment, &home);
            let policy = Some(PolicyFile { path, home });
            return Way { asking: Asking::new(answerer, from_stdin(), policy), refusals };
        }
        Err(error) => format!("the run cannot be answered from here: {error}"),
    };
    context.terminal.note(&said);
    Way::none()
}

/// What goes on in the run, over a connection of its own: an answer does not wait for it.
async fn activities(folder: &Path) -> watch::Receiver<Vec<ActivityReport>> {
    match Peer::connect(folder).await {
        Ok(peer) => peer.into_progress(),
        // The journal tells the rest.
        Err(_) => watch::channel(Vec::new()).1,
    }
}

/// State of the attached run.
struct Watched {
    show: Show,
    fold: EventFold,
    outcome: Option<Outcome>,
    began: Option<DateTime<FixedOffset>>,
    /// The open questions, and those that are not put to the user yet.
    open: Questions,
    unput: Vec<(Open, UserQuestion)>,
}

impl Watched {
    fn on(&mut self, context: &mut Context<'_>, envelope: &Envelope) -> Result<(), CommandError> {
        self.began.get_or_insert(envelope.at);
        for line in self.fold.on(envelope) {
            self.outcome = Outcome::of(&line).or(self.outcome.take());
            self.show.line(context.terminal, &line)?;
        }
        let message = envelope.message.as_ref();
        self.open.on(envelope);
        self.unput.extend(Open::of(message).zip(UserQuestion::of(message)));
        self.unput.retain(|(of, _)| self.open.has(*of));
        Ok(())
    }

    /// Puts the open questions, or withdraws one that was answered by another process.
    fn ask(&mut self, context: &mut Context<'_>, way: &mut Way) {
        if self.open.open().is_none() {
            way.asking.give_up(context.terminal);
        }
        for (_, question) in std::mem::take(&mut self.unput) {
            way.asking.begin(question, context.terminal);
        }
    }

    fn elapsed(&self) -> Duration {
        let since = |began: DateTime<FixedOffset>| (SystemClock::new().now() - began).to_std().ok();
        self.began.and_then(since).unwrap_or_default()
    }
}
