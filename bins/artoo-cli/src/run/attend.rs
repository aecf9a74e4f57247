//! Drives the terminal during a run: shows messages, asks questions, handles signals.

use std::path::PathBuf;
use std::pin::pin;
use std::time::{Duration, Instant};

use artoo_auditor::RunFindings;
use artoo_bus::{Activities, Clock as _, Observed, Observer, SystemClock};
use artoo_runtime::events::{Event, EventFold, ProgressLine};
use artoo_runtime::sessions::TurnEnd;
use artoo_runtime::{Artoo, Canceller, Run, UserQuestion, rejected};
use artoo_types::{CallId, Fault, FaultKind, FinalResult, Message, Rejection, Role, RunId, ToolCall, Turn};

use super::ask::Asking;
use super::findings::told;
use super::missing_consent::MissingConsent;
use super::output::Show;
use super::standing::{closed, settled};
use crate::error::CommandError;
use crate::instructions;
use crate::signals::{Interrupted, Signals};
use crate::terminal::Terminal;
use crate::view::{Moment, Outcome};

/// How many messages the view may lag behind. A whole long run fits.
const CAPACITY: usize = 1 << 16;
/// Redraw interval of the status line.
const BEAT: Duration = Duration::from_millis(125);

/// How often a program is told what goes on.
const PROGRESS_PACE: Duration = Duration::from_secs(1);

/// A finished run with the final state of the view.
pub(super) struct Attended {
    pub(super) finished: FinalResult,
    pub(super) view: View,
    pub(super) interrupted: Interrupted,
    /// Folder of the run's record.
    pub(super) folder: PathBuf,
}

/// What becomes of artoo after a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// It is closed: it was built for this run.
    Close,
    /// It stays open: it belongs to a conversation.
    Keep,
}

/// Shows a run that has just started, asks its questions, and cancels it on a signal. What is recorded is on disk when
/// this returns.
pub(super) async fn attend(
    terminal: &mut Terminal,
    (artoo, run, after): (Artoo, Run, After),
    signals: Signals,
    mut view: View,
    mut asking: Asking,
) -> Attended {
    let observer = run.observe(CAPACITY);
    let goes_on = GoesOn::of(&run);
    let interrupted = signals.end(run.canceller(), run.recorded());
    let folder = run.folder().to_owned();
    let finished = watch(run.finished(), (observer, goes_on), &mut view, &mut asking, terminal).await;
    asking.give_up(terminal);
    terminal.wipe();
    let auditor = artoo.clone();
    match after {
        After::Close => closed(artoo).await,
        After::Keep => settled(&artoo).await,
    }
    for found in auditor.audit_trouble().into_iter().chain(told(&mut view.findings)) {
        terminal.warning(&format!("the auditor: {found}"));
    }
    Attended { finished, view, interrupted, folder }
}

/// The view of a run, with what is needed after its end.
pub(super) struct View {
    pub(super) show: Show,
    fold: EventFold,
    pub(super) outcome: Option<Outcome>,
    /// What the session stores about the run.
    pub(super) end: Option<TurnEnd>,
    /// The last finished call.
    pub(super) call: Option<ToolCall>,
    /// The exhausted budget, if any, and its remedy. The result words it for any front end.
    pub(super) spent: Option<Fault>,
    /// The error that stopped the output.
    pub(super) trouble: Option<CommandError>,
    findings: RunFindings,
    /// What consent was missing for.
    pub(super) missing_consent: MissingConsent,
    canceller: Canceller,
    /// The turns of the session that the run was told of.
    turns: Vec<Turn>,
    /// Their runs whose results the person rejected in this one.
    pub(super) rejected: Vec<(RunId, Rejection)>,
    /// Data folder, where files written by runs are marked.
    data_dir: PathBuf,
}

impl View {
    /// A view without messages yet.
    pub(super) fn new(show: Show, findings: RunFindings, canceller: Canceller, data_dir: PathBuf) -> Self {
        Self {
            show,
            fold: EventFold::new(),
            outcome: None,
            end: None,
            call: None,
            spent: None,
            trouble: None,
            findings,
            canceller,
            missing_consent: MissingConsent::default(),
            turns: Vec::new(),
            rejected: Vec::new(),
            data_dir,
        }
    }

    /// A view that knows the turns of the session.
    pub(super) fn after(self, turns: Vec<Turn>) -> Self {
        Self { turns, ..self }
    }

    /// Shows what goes on.
    fn beat(&mut self, (beat, elapsed): (usize, Duration), goes_on: &mut GoesOn, terminal: &mut Terminal) {
        let activities = goes_on.activities.now();
        self.show.status(terminal, beat, Moment { elapsed, activities: &activities });
        // Nothing follows the last line of a run.
        let is_over = self.trouble.is_some() || self.outcome.is_some();
        if !is_over && elapsed.saturating_sub(goes_on.told) >= PROGRESS_PACE {
            goes_on.told = elapsed;
            let line = ProgressLine::new(goes_on.run_id, goes_on.clock.now(), activities);
            let told = self.show.progress(terminal, line.as_ref());
            self.hold(told);
        }
    }

    /// Ends the run if its reader is gone.
    fn hold(&mut self, told: Result<(), CommandError>) {
        if let Err(error) = told {
            // The reader of standard output is gone: the run is cancelled and recorded as interrupted.
            self.canceller.cancel();
            self.trouble = Some(error);
        }
    }

    fn on(&mut self, observed: &Observed, terminal: &mut Terminal) {
        let notices = self.findings.on(observed);
        let envelope = match observed {
            Observed::Message(envelope) => envelope,
            Observed::Lagged(lag) => {
                terminal.warning(&format!("{} messages were not shown; the record has them", lag.count()));
                return;
            }
        };
        self.missing_consent.on(&envelope.message);
        if let Message::ToolFinished(finished) = envelope.message.as_ref() {
            self.call = Some(finished.call.clone());
        } else if let Message::Fault(fault) = envelope.message.as_ref()
            && fault.kind == FaultKind::Budget
        {
            self.spent = Some(fault.clone());
        }
        self.rejected.extend(rejected(&envelope.message, &self.turns));
        for line in self.fold.on(envelope) {
            self.outcome = Outcome::of(&line).or(self.outcome.take());
            self.end = TurnEnd::of(&line.event).or(self.end.take());
            if let Event::ToolFinished { files, .. } = &line.event {
                instructions::written(&self.data_dir, files);
            }
            if self.trouble.is_some() {
                continue;
            }
            let told = self.show.line(terminal, &line);
            self.hold(told);
        }
        for notice in notices {
            self.show.notice(terminal, &notice);
        }
    }
}

/// What goes on in a run, and when a program was told of it.
struct GoesOn {
    run_id: RunId,
    activities: Activities,
    clock: SystemClock,
    told: Duration,
}

impl GoesOn {
    fn of(run: &Run) -> Self {
        let (run_id, activities) = (run.id(), run.activities());
        Self { run_id, activities, clock: SystemClock::new(), told: Duration::ZERO }
    }
}

/// Shows messages until the run has ended and all of them were shown.
async fn watch<F: Future>(
    finished: F,
    (mut observer, mut goes_on): (Observer, GoesOn),
    view: &mut View,
    asking: &mut Asking,
    terminal: &mut Terminal,
) -> F::Output {
    let started = Instant::now();
    let mut finished = pin!(finished);
    let mut beats = tokio::time::interval(BEAT);
    beats.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
    let mut beat = 0;
    let result = loop {
        tokio::select! {
            biased;
            observed = observer.recv() => match observed {
                Some(observed) => {
                    view.on(&observed, terminal);
                    if let Some(question) = observed.envelope().and_then(|envelope| UserQuestion::of(&envelope.message)) {
                        asking.begin(question, terminal);
                    } else if let Some(call_id) = withdrawn(&observed) {
                        asking.withdraw(call_id, terminal);
                    }
                }
                None => break finished.await,
            },
            line = asking.answered() => asking.take(&line, terminal),
            result = &mut finished => break result,
            _ = beats.tick() => {
                beat += 1;
                if !asking.is_open() {
                    view.beat((beat, started.elapsed()), &mut goes_on, terminal);
                }
            }
        }
    };
    while let Some(observed) = observer.try_recv() {
        view.on(&observed, terminal);
    }
    result
}

/// The call whose question no longer needs an answer, because the run has decided.
fn withdrawn(observed: &Observed) -> Option<CallId> {
    let Observed::Message(envelope) = observed else { return None };
    if let Message::ApprovalDecided(decided) = envelope.message.as_ref()
        && envelope.from != Role::User
    {
        Some(decided.call_id)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;

    use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
    use artoo_runtime::RunRequest;
    use artoo_sandbox::SandboxMode;
    use artoo_types::Surroundings;
    use serde_json::json;

    use super::super::ask::Keyboard;
    use super::*;
    use crate::terminal::{Look, Seen};

    /// A keyboard that answers every question with this text.
    struct Typing(&'static str);

    impl Keyboard for Typing {
        fn begin(&self) {}
        fn line(&self) -> String {
            self.0.to_owned()
        }
        fn give_up(&self) {}
    }

    fn request(folder: &std::path::Path) -> RunRequest {
        RunRequest {
            turns: vec![Turn::new("What is there?", "docs and logs")],
            sandbox: SandboxMode::ReadOnly,
            person_present: true,
            ..RunRequest::new(
                "count it",
                Surroundings {
                    now: "2026-03-01T12:00:00+01:00".parse().unwrap(),
                    zone: "Europe/Berlin".to_owned(),
                    working_folder: folder.to_owned(),
                    workspace: folder.join("workspace"),
                    home: folder.to_owned(),
                    platform: "linux".to_owned(),
                },
            )
        }
    }

    /// An ambiguous follow-up: the question is put on standard error and
    /// answered by a line, and the run continues.
    #[tokio::test]
    async fn a_question_is_asked_and_its_answer_reaches_the_perceiver() {
        let folder = tempfile::tempdir().unwrap();
        let model = Arc::new(
            ScriptedModel::new()
                .expect(
                    Expect::purpose("perceiver"),
                    Answer::json(json!({"questions": ["docs\u{1b}[2J or logs?"], "intent": ""})),
                )
                .expect(
                    Expect::purpose("perceiver").user_contains("The user answered: logs"),
                    Answer::json(json!({"questions": [], "intent": "Count logs"})),
                )
                .always(Expect::any(), Answer::text("no plan")),
        );
        let artoo = Artoo::builder()
            .model(Arc::clone(&model) as _)
            .data_folder(folder.path().join("data"))
            .build()
            .unwrap();
        let run = artoo.start(request(folder.path())).unwrap();
        let seen = Seen::default();
        let look = Look { columns: 80, colour: false, live: true, words: false };
        let mut terminal = Terminal::new(Box::new(io::sink()), Box::new(seen.clone()), look, look, || None);
        let show = Show::for_person(false, true);
        let data_dir = folder.path().join("data");
        let mut view =
            View::new(show, RunFindings::new([], SystemClock::new().now()), run.canceller(), data_dir);
        let mut asking = Asking::new(run.answerer(), Arc::new(Typing("logs")), None);
        let seen_by = (run.observe(CAPACITY), GoesOn::of(&run));
        watch(run.finished(), seen_by, &mut view, &mut asking, &mut terminal).await;
        drop(terminal);
        assert!(!asking.is_open());
        let planned = |sent: &artoo_llm_client::Request| {
            sent.purpose == "planner" && sent.messages[0].content.contains("Count logs")
        };
        assert!(model.requests().iter().any(planned));
        let text = String::from_utf8(seen.0.lock().unwrap().clone()).unwrap();
        let (question, prompt) =
            (text.find("? docs␛[2J or logs?"), text.find("answer (empty: go ahead, /stop: stop the run) > "));
        assert!(question.is_some() && question < prompt, "{text}");
        assert!(text.contains("understood: Count logs"), "{text}");
        artoo.close().await;
    }

    /// Whether a run goes on is asked like everything else, in words that say what it has taken; only a yes goes on.
    #[tokio::test]
    async fn whether_a_run_goes_on_is_asked() {
        for (typed, said) in [("no", Some("ends here: the person did not agree")), ("/stop", None)] {
            let folder = tempfile::tempdir().unwrap();
            let model = Arc::new(
                ScriptedModel::new()
                    .expect(
                        Expect::purpose("perceiver"),
                        Answer::json(json!({"questions": [], "intent": "Count logs"})),
                    )
                    .always(Expect::any(), Answer::hang()),
            );
            let artoo =
                Artoo::builder().model(model as _).data_folder(folder.path().join("data")).build().unwrap();
            let mut asked = request(folder.path());
            asked.limits.checkpoints.turns = std::num::NonZeroU64::new(1);
            let run = artoo.start(asked).unwrap();
            let seen = Seen::default();
            let look = Look { columns: 80, colour: false, live: true, words: false };
            let mut terminal =
                Terminal::new(Box::new(io::sink()), Box::new(seen.clone()), look, look, || None);
            let data_dir = folder.path().join("data");
            let findings = RunFindings::new([], SystemClock::new().now());
            let mut view = View::new(Show::for_person(false, true), findings, run.canceller(), data_dir);
            let mut asking = Asking::new(run.answerer(), Arc::new(Typing(typed)), None);
            let seen_by = (run.observe(CAPACITY), GoesOn::of(&run));
            let result = watch(run.finished(), seen_by, &mut view, &mut asking, &mut terminal).await;
            drop(terminal);
            let text = String::from_utf8(seen.0.lock().unwrap().clone()).unwrap();
            assert!(text.contains("? this has taken 1 model call, "), "{text}");
            assert!(text.contains("go on? [y/N] > "), "{text}");
            // `/stop` ends the run before the answer is told; the fault says who ended it.
            assert!(said.is_none_or(|said| text.contains(said)), "{text}");
            assert_eq!(result.fault.map(|fault| fault.kind), Some(FaultKind::Declined), "{text}");
            artoo.close().await;
        }
    }
}
