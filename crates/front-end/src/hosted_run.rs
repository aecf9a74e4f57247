//! One run as a stream of events and questions.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::time::Duration;

use artoo_auditor::RunFindings;
use artoo_bus::{Activities, Observed, Observer};
use artoo_runtime::Question;
use artoo_runtime::events::{EventFold, Line};
use artoo_runtime::sessions::{Sessions, TurnEnd};
use artoo_runtime::{Answerer, Artoo, Canceller, Noter, Questions, Run, UserQuestion, rejected};
use artoo_types::{ActivityReport, FinalResult, RunId, SessionId, Turn};
use tokio::time::{Instant, Interval, interval_at};

/// How many messages a front end may lag behind. A whole long run fits.
const CAPACITY: usize = 1 << 16;

/// How often what goes on is told.
const PACE: Duration = Duration::from_secs(1);

/// How long the record of a run may take to be on disk.
const SETTLING: Duration = Duration::from_secs(3);

/// What happens in a run, in order.
#[derive(Clone, Debug)]
pub enum Step {
    /// An event of the run: a line of `--json`.
    Line(Box<Line>),
    /// A question to the user. Several may be open; each is answered by [`Answerer::give`].
    Asked(UserQuestion),
    /// A question needs no answer any more: it was settled elsewhere.
    Settled(Question),
    /// What goes on at this moment, at most once a second: it is in no record, and replaces what was told before.
    GoesOn(Vec<ActivityReport>),
    /// Something that a user should know of: what the auditor found, or that events were lost.
    Notice(String),
    /// The run has ended, and its record is on disk. Nothing follows.
    Ended(Box<FinalResult>),
}

/// What a host does beside a run, for as long as it lasts.
pub struct WhileRunning {
    /// The artoo that it runs in.
    pub artoo: Artoo,
    /// What the auditor looks for in it.
    pub findings: RunFindings,
    /// The session that it belongs to, with the turns that the run was told of.
    pub session: Option<(Sessions, SessionId, Vec<Turn>)>,
    /// Sees each event before the front end does.
    pub watch: Box<dyn FnMut(&Line) + Send>,
    /// Kept until the run has ended, for example the socket that other processes reach it by.
    pub kept: Vec<Box<dyn Send>>,
}

/// A run that a host has begun. Dropping it cancels the run, which still ends with a recorded result.
pub struct HostedRun {
    run_id: RunId,
    folder: PathBuf,
    observer: Observer,
    activities: Activities,
    beats: Option<Interval>,
    finished: Pin<Box<dyn Future<Output = FinalResult> + Send>>,
    answerer: Answerer,
    canceller: Canceller,
    noter: Noter,
    fold: EventFold,
    questions: Questions,
    /// The questions that were told and are open.
    open: Vec<Question>,
    ready: VecDeque<Step>,
    result: Option<FinalResult>,
    has_ended: bool,
    beside: WhileRunning,
}

impl HostedRun {
    /// A run that has just begun, before anybody observes it.
    pub fn new(run: Run, beside: WhileRunning) -> Self {
        Self {
            run_id: run.id(),
            folder: run.folder().to_owned(),
            observer: run.observe(CAPACITY),
            activities: run.activities(),
            beats: None,
            answerer: run.answerer(),
            canceller: run.canceller(),
            noter: run.noter(),
            finished: Box::pin(run.finished()),
            fold: EventFold::new(),
            questions: Questions::default(),
            open: Vec::new(),
            ready: VecDeque::new(),
            result: None,
            has_ended: false,
            beside,
        }
    }

    /// Its id.
    pub fn id(&self) -> RunId {
        self.run_id
    }

    /// The folder of its record.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The session that it belongs to.
    pub fn session(&self) -> Option<SessionId> {
        self.beside.session.as_ref().map(|(_, id, _)| *id)
    }

    /// Answers its questions.
    pub fn answerer(&self) -> Answerer {
        self.answerer.clone()
    }

    /// Cancels it.
    pub fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }

    /// Passes on what its user says unasked.
    pub fn noter(&self) -> Noter {
        self.noter.clone()
    }

    /// What happens next; `None` after its end. Cancel-safe: a dropped future has taken nothing.
    pub async fn next(&mut self) -> Option<Step> {
        loop {
            if let Some(step) = self.ready.pop_front() {
                return Some(step);
            }
            if self.has_ended {
                return None;
            }
            if self.result.is_some() {
                self.end().await;
                continue;
            }
            // Made here, since a run may be begun outside of the runtime that follows it.
            let beats = self.beats.get_or_insert_with(|| interval_at(Instant::now() + PACE, PACE));
            tokio::select! {
                biased;
                observed = self.observer.recv() => match observed {
                    Some(observed) => self.on(&observed),
                    None => self.result = Some((&mut self.finished).await),
                },
                result = &mut self.finished => self.result = Some(result),
                _ = beats.tick() => {
                    let now = self.activities.now();
                    if !now.is_empty() {
                        return Some(Step::GoesOn(now));
                    }
                }
            }
            if self.result.is_some() {
                while let Some(observed) = self.observer.try_recv() {
                    self.on(&observed);
                }
            }
        }
    }

    fn on(&mut self, observed: &Observed) {
        let notices = self.beside.findings.on(observed);
        let envelope = match observed {
            Observed::Message(envelope) => envelope,
            Observed::Lagged(lag) => {
                let lost = format!("{} events were not shown; the record of the run has them", lag.count());
                self.ready.push_back(Step::Notice(lost));
                return;
            }
        };
        self.remember(observed);
        for line in self.fold.on(envelope) {
            self.keep(&line);
            (self.beside.watch)(&line);
            self.ready.push_back(Step::Line(Box::new(line)));
        }
        self.questions.on(envelope);
        let questions = &self.questions;
        let (open, settled) = std::mem::take(&mut self.open).into_iter().partition(|one| questions.has(*one));
        self.open = open;
        self.ready.extend(Vec::from_iter::<Vec<Question>>(settled).into_iter().map(Step::Settled));
        let message = envelope.message.as_ref();
        if let Some((question, asked)) = Question::of(message).zip(UserQuestion::of(message)) {
            self.open.push(question);
            self.ready.push_back(Step::Asked(asked));
        }
        self.ready.extend(notices.into_iter().map(Step::Notice));
    }

    /// Keeps in the session what the user rejected of earlier turns.
    fn remember(&self, observed: &Observed) {
        let Some((sessions, session, turns)) = &self.beside.session else { return };
        let Some((run, how)) = observed.envelope().and_then(|one| rejected(&one.message, turns)) else {
            return;
        };
        if let Err(error) = sessions.reject(*session, run, how) {
            tracing::warn!(%error, "the session does not know that a result was rejected");
        }
    }

    /// Keeps the end of the run in its session.
    fn keep(&self, line: &Line) {
        let Some((sessions, session, _)) = &self.beside.session else { return };
        let Some(end) = TurnEnd::of(&line.event) else { return };
        if let Err(error) = sessions.end(*session, self.run_id, end) {
            tracing::warn!(%error, "the next request will not know of this one");
        }
    }

    /// Waits until the record is on disk, and tells what the auditor found. Cancel-safe: it begins again.
    async fn end(&mut self) {
        // A timeout loses nothing: the journal says itself where it ends.
        let _ = tokio::time::timeout(SETTLING, self.beside.artoo.settle()).await;
        let found = self.beside.artoo.audit_trouble().into_iter().chain(self.beside.findings.sentences());
        self.ready.extend(found.map(|found| Step::Notice(format!("the auditor: {found}"))));
        self.ready.extend(self.result.take().map(|result| Step::Ended(Box::new(result))));
        self.has_ended = true;
        self.beside.kept.clear();
    }
}

impl std::fmt::Debug for HostedRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostedRun").field("run_id", &self.run_id).finish_non_exhaustive()
    }
}
