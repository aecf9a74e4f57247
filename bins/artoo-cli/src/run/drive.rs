//! A run from its start to its end: messages are shown as they come, signals end it.

use std::pin::pin;
use std::time::{Duration, Instant};

use artoo_bus::{Observed, Observer};
use artoo_runtime::events::Fold;
use artoo_runtime::{Artoo, Canceller, Deadlines};
use artoo_types::Role;

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
/// How long the audit log may take to reach the disk at the end.
const CLOSING: Duration = Duration::from_secs(3);

/// Runs it and shows it.
pub(super) async fn drive(
    context: &mut Context<'_>,
    args: &RunArgs,
    prepared: Prepared,
) -> Result<Exit, CommandError> {
    let artoo = build(context, &prepared)?;
    let run = artoo.start(prepared.request).map_err(|error| {
        let hint = error.hint();
        let ours = matches!(error, artoo_runtime::StartError::Limits(_));
        let kind = if ours { Kind::Configuration } else { Kind::Failed };
        CommandError::new(kind, error.to_string()).hint(hint)
    })?;
    let observer = run.observe(CAPACITY);
    let canceller = run.canceller();
    let on_signal = canceller.clone();
    let interrupted = interrupt::watch(move || on_signal.cancel())
        .map_err(|error| CommandError::failed("cannot listen for Ctrl+C").because(error))?;

    let folder = run.folder().to_owned();
    let mut view = View {
        show: Show::new(args, context.streams.stdout),
        fold: Fold::new(),
        outcome: None,
        trouble: None,
        canceller,
    };
    let finished = watch(run.finished(), observer, &mut view, context.terminal).await;
    context.terminal.wipe();
    // Nothing is lost if the time is up: what is not on disk yet is an end of the log, and the log says so.
    let _ = tokio::time::timeout(CLOSING, artoo.close()).await;

    for problem in prepared.recorders.iter().flat_map(|recorder| recorder.problems()) {
        context.terminal.warning(&format!("a model call could not be recorded: {problem}"));
    }
    let exit = view
        .outcome
        .as_ref()
        .map_or_else(|| artoo_runtime::exit_code(&finished), |outcome| outcome.exit_code);
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
    match (view.trouble, shown) {
        // A reader that left has cancelled the run, which is not the run's fault.
        (Some(error), _) | (None, Err(error)) => Err(error),
        (None, Ok(())) if interrupted.happened() => Ok(Exit::INTERRUPTED),
        (None, Ok(())) => Ok(Exit::of_run(exit)),
    }
}

fn build(context: &Context<'_>, prepared: &Prepared) -> Result<Artoo, CommandError> {
    let mut builder = Artoo::builder()
        .data_folder(prepared.settings.data_dir.clone())
        .programs(installed_programs(&context.environment.search_path()))
        .environment(context.environment.all())
        .profile(prepared.settings.rules)
        .strict(prepared.settings.strict)
        .second_derivation(prepared.embedded)
        .prices(prepared.prices.clone())
        .deadlines(if prepared.embedded { Deadlines::patient() } else { Deadlines::default() });
    for (role, client) in &prepared.clients {
        let role: Role = *role;
        builder = builder.role_model(role, std::sync::Arc::clone(client));
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
    canceller: Canceller,
}

impl View {
    fn on(&mut self, observed: &Observed, terminal: &mut Terminal) {
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
                Some(observed) => view.on(&observed, terminal),
                None => break finished.await,
            },
            result = &mut finished => break result,
            _ = beats.tick() => {
                beat += 1;
                view.show.status(terminal, beat, started.elapsed());
            }
        }
    };
    while let Some(observed) = observer.try_recv() {
        view.on(&observed, terminal);
    }
    result
}
