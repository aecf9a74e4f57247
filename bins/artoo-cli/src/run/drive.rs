//! A run from its start to its end: messages are shown as they come, signals end it.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use artoo_bus::{Observed, Observer};
use artoo_mkct_memory::MemoryService;
use artoo_runtime::events::Fold;
use artoo_runtime::{Artoo, Canceller, Deadlines};
use artoo_types::{CallId, Message, Role};

use super::always::PolicyFile;
use super::ask::{Asking, Question, from_stdin};
use super::findings::Findings;
use super::prepare::Prepared;
use super::show::Show;
use crate::args::RunArgs;
use crate::error::{CommandError, Exit, Kind};
use crate::interrupt;
use crate::machine::installed_programs;
use crate::program::Context;
use crate::terminal::Terminal;
use crate::view::Outcome;

/// Messages that the view may lag behind. A whole long run fits.
const CAPACITY: usize = 1 << 16;
/// How often the status line is drawn.
const BEAT: Duration = Duration::from_millis(125);
/// The exit code of a run that lacked consent.
const WITHOUT_CONSENT: u8 = 5;
/// How long the audit log may take to reach the disk at the end.
const CLOSING: Duration = Duration::from_secs(3);

/// Runs it and shows it.
pub(super) async fn drive(
    context: &mut Context<'_>,
    args: &RunArgs,
    prepared: Prepared,
) -> Result<Exit, CommandError> {
    let caught = interrupt::catch()
        .map_err(|error| CommandError::failed("cannot listen for Ctrl+C").because(error))?;
    let memory = memory(context, args, &prepared);
    let artoo = build(context, args, &prepared, memory)?;
    context.log_secrets.are(artoo.redactor());
    let verbose = context.common.verbose > 0;
    let person_present = prepared.request.person_present;
    let findings = Findings::new(names(&prepared));
    let run = artoo.start(prepared.request).map_err(|error| {
        let hint = error.hint();
        let ours = matches!(error, artoo_runtime::StartError::Limits(_));
        let kind = if ours { Kind::Configuration } else { Kind::Failed };
        CommandError::new(kind, error.to_string()).hint(hint)
    })?;
    let observer = run.observe(CAPACITY);
    let canceller = run.canceller();
    let on_signal = canceller.clone();
    let interrupted = interrupt::watch(caught, move |reason| on_signal.interrupt(reason), run.recorded());

    let folder = run.folder().to_owned();
    let mut view = View {
        show: Show::new(args, verbose, context.streams.stdout, artoo.redactor()),
        fold: Fold::new(),
        outcome: None,
        trouble: None,
        findings,
        canceller,
    };
    let policy = prepared
        .policy
        .file()
        .map(|file| PolicyFile { path: file.to_owned(), home: context.folders.home.clone() });
    let mut asking = Asking::new(run.answerer(), from_stdin(), policy);
    let finished = watch(run.finished(), observer, &mut view, &mut asking, context.terminal).await;
    if asking.is_open() {
        // The run has ended while the person was asked; what follows begins on a line of its own.
        context.terminal.note("");
    }
    context.terminal.wipe();
    // Nothing is lost if the time is up: what is not on disk yet is an end of the log, and the log says so.
    let auditor = artoo.clone();
    let _ = tokio::time::timeout(CLOSING, artoo.close()).await;
    for found in auditor.audit_trouble().into_iter().chain(view.findings.sentences()) {
        context.terminal.warning(&format!("the auditor: {found}"));
    }

    // A record that could not be completed is a fault that the outcome, which is of the record, does not know.
    let exit = match &view.outcome {
        Some(outcome) if outcome.error.is_some() || finished.fault.is_none() => outcome.exit_code,
        Some(_) | None => artoo_runtime::exit_code(&finished),
    };
    let shown = match &view.outcome {
        Some(outcome) => view.show.end(context.terminal, outcome, &folder),
        None => Ok(()),
    };
    if let Some(fault) = &finished.fault {
        let hint = fault
            .hint
            .clone()
            .unwrap_or_else(|| format!("what happened: artoo runs show {}", finished.run_id));
        context.terminal.error(&CommandError::failed(fault.message.clone()).hint(hint));
    }
    if exit == WITHOUT_CONSENT && finished.fault.is_none() && !person_present {
        context.terminal.hint("at a terminal you are asked; `--yes KIND` grants a kind of effect in advance");
    }
    match (interrupted.exit(), view.trouble, shown) {
        // Whatever was wrong with the terminal: one that was closed takes no word more.
        (Some(exit), ..) => Ok(exit),
        // A reader that left has cancelled the run, which is not the run's fault.
        (None, Some(error), _) | (None, None, Err(error)) => Err(error),
        (None, None, Ok(())) => Ok(Exit::of_run(exit)),
    }
}

/// The names of models and tools that the auditor may say.
fn names(prepared: &Prepared) -> Vec<String> {
    let models = prepared.clients.values().map(|client| client.model().to_owned());
    models.chain(prepared.toolbox.tools().map(|tool| tool.name().to_string())).collect()
}

/// The memory of the run. One that cannot be opened is no reason not to work. A session that is recorded or replayed has none: it is
/// whole in its folder.
fn memory(context: &mut Context<'_>, args: &RunArgs, prepared: &Prepared) -> Option<Arc<dyn MemoryService>> {
    // What is wrong with the data folder is said when artoo is built.
    let is_there = || artoo_runtime::private::data_folder(&prepared.settings.data_dir).is_ok();
    if args.record.is_some() || args.replay.is_some() || !is_there() {
        return None;
    }
    let folder = &prepared.request.surroundings.working_folder;
    match crate::memory::for_run(&prepared.settings, folder) {
        Ok(memory) => memory,
        Err(error) => {
            context.terminal.warning(&format!("the run goes on without memory: {error}"));
            error.next_step().into_iter().for_each(|hint| context.terminal.hint(hint));
            None
        }
    }
}

/// Without a memory, what a run learns ends with it.
fn build(
    context: &Context<'_>,
    args: &RunArgs,
    prepared: &Prepared,
    memory: Option<Arc<dyn MemoryService>>,
) -> Result<Artoo, CommandError> {
    let mut builder = Artoo::builder()
        .data_folder(prepared.settings.data_dir.clone())
        .toolbox(prepared.toolbox.clone())
        .policy(prepared.policy.clone())
        .protect(prepared.configuration.clone())
        .programs(installed_programs(&context.environment.search_path()))
        .environment(context.environment.all())
        .profile(prepared.settings.rules)
        .strict(prepared.settings.strict)
        .ask_before_plans(args.plan)
        .prices(prepared.prices.clone())
        .acceptance(prepared.settings.acceptance)
        .snapshot_limits(prepared.settings.snapshot)
        .retention(prepared.settings.retention)
        .deadlines(if prepared.embedded { Deadlines::patient() } else { Deadlines::default() });
    if let Some(memory) = memory {
        builder = builder.memory(memory);
    }
    for place in [&prepared.settings.memory_folder].into_iter().chain(&prepared.settings.protected) {
        builder = builder.protect(place.clone());
    }
    // What is recorded of a session is no part of the work, and a replay finds it in place of nothing.
    let session = [&args.record, &args.replay].into_iter().flatten();
    for place in session.filter_map(|folder| std::path::absolute(folder).ok()) {
        builder = builder.protect(place);
    }
    for (role, client) in &prepared.clients {
        let role: Role = *role;
        builder = builder.role_model(role, Arc::clone(client));
    }
    for secret in &prepared.secrets {
        builder = builder.secret(secret.clone());
    }
    builder.build().map_err(|error| CommandError::configuration(error.to_string()).hint(error.hint()))
}

/// What is shown, and what came of it.
struct View {
    show: Show,
    fold: Fold,
    outcome: Option<Outcome>,
    /// Why nothing more can be shown.
    trouble: Option<CommandError>,
    findings: Findings,
    canceller: Canceller,
}

impl View {
    fn on(&mut self, observed: &Observed, terminal: &mut Terminal) {
        self.findings.on(observed);
        let envelope = match observed {
            Observed::Message(envelope) => envelope,
            Observed::Lagged(lag) => {
                terminal.warning(&format!("{} messages were not shown; the record has them", lag.count()));
                return;
            }
        };
        for line in self.fold.on(envelope) {
            self.outcome = Outcome::of(&line).or(self.outcome.take());
            if self.trouble.is_some() {
                continue;
            }
            if let Err(error) = self.show.line(terminal, &line) {
                // Nobody reads any more: the run ends, and is recorded as interrupted.
                self.canceller.cancel();
                self.trouble = Some(error);
            }
        }
    }
}

/// Shows messages until the run has ended and all were shown.
async fn watch<F: Future>(
    finished: F,
    mut observer: Observer,
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
                    if let Some(question) = asked(&observed) {
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
                    view.show.status(terminal, beat, started.elapsed());
                }
            }
        }
    };
    while let Some(observed) = observer.try_recv() {
        view.on(&observed, terminal);
    }
    result
}

/// What a message asks the person.
fn asked(observed: &Observed) -> Option<Question> {
    let Observed::Message(envelope) = observed else { return None };
    if let Message::ClarificationRequested(asked) = envelope.message.as_ref() {
        Some(Question::Clarification(asked.round))
    } else if let Message::PlanApprovalRequested(asked) = envelope.message.as_ref() {
        Some(Question::Plan(asked.round))
    } else if let Message::ApprovalRequested(asked) = envelope.message.as_ref() {
        asked.person.then(|| Question::Effect(Box::new(asked.clone())))
    } else {
        None
    }
}

/// The call that needs no answer any more: the run has decided for itself.
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
    use std::collections::BTreeSet;
    use std::io;

    use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
    use artoo_runtime::RunRequest;
    use artoo_sandbox::{Network, SandboxMode};
    use artoo_types::{Approval, Limits, Surroundings, Turn};
    use serde_json::json;

    use super::super::ask::Keyboard;
    use super::*;
    use crate::terminal::{Look, Seen};

    /// Somebody who answers every question like this.
    fn typing(text: &'static str) -> Keyboard {
        Keyboard { forget: || {}, line: Arc::new(|| text.to_owned()) }
    }

    fn request(folder: &std::path::Path) -> RunRequest {
        RunRequest {
            text: "count it".to_owned(),
            turns: vec![Turn { input: "What is there?".to_owned(), result: "docs and logs".to_owned() }],
            surroundings: Surroundings {
                now: "2026-03-01T12:00:00+01:00".parse().unwrap(),
                zone: "Europe/Berlin".to_owned(),
                working_folder: folder.to_owned(),
                workspace: folder.join("workspace"),
                home: folder.to_owned(),
                platform: "linux".to_owned(),
            },
            limits: Limits::default(),
            sandbox: SandboxMode::ReadOnly,
            network: Network::Denied,
            approval: Approval::Auto,
            granted: BTreeSet::new(),
            timeout: None,
            person_present: true,
            output_schema: None,
        }
    }

    /// A follow-up that leaves open what it means: asked on standard error, answered by a line, and gone on with.
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
        let look = Look { columns: 80, colour: false, live: true };
        let mut terminal = Terminal::new(Box::new(io::sink()), Box::new(seen.clone()), look, look, || None);
        let show = Show::for_person();
        let mut view = View {
            show,
            fold: Fold::new(),
            outcome: None,
            trouble: None,
            findings: Findings::new([]),
            canceller: run.canceller(),
        };
        let mut asking = Asking::new(run.answerer(), typing("logs"), None);
        let observer = run.observe(CAPACITY);
        watch(run.finished(), observer, &mut view, &mut asking, &mut terminal).await;
        drop(terminal);
        assert!(!asking.is_open());
        let planned = |sent: &artoo_llm_client::Request| {
            sent.purpose == "planner" && sent.messages[0].content.contains("Count logs")
        };
        assert!(model.requests().iter().any(planned));
        let text = String::from_utf8(seen.0.lock().unwrap().clone()).unwrap();
        let (question, prompt) = (text.find("? docs␛[2J or logs?"), text.find("answer (empty: go ahead) > "));
        assert!(question.is_some() && question < prompt, "{text}");
        assert!(text.contains("answered: logs"), "{text}");
        artoo.close().await;
    }
}
