//! `artoo run`, and `artoo sandbox`, which is a run of one command.

mod always_rule;
mod answer;
mod ask;
mod attach;
mod attachments;
mod attend;
mod before_run;
mod detach;
mod details_pager;
mod embedded_notice;
mod execute;
mod findings;
mod first_model;
mod hosted;
mod missing_consent;
mod option_overrides;
mod output;
mod output_schema;
mod periodic;
mod prepare;
mod request;
mod sandbox;
mod session;
mod standing;

pub(crate) use always_rule::remember as remember_rule;
pub(crate) use answer::is_yes;
pub(crate) use ask::{Keyboard, from_stdin};
pub(crate) use attach::attach;
pub(crate) use before_run::{AtTerminal, BeforeRun};
pub(crate) use detach::{Begun, DETACHED, begin};
pub(crate) use execute::Done;
pub(crate) use first_model::choose_if_none;
pub(crate) use hosted::{HostedRuns, begin_hosted};
pub(crate) use option_overrides::given;
pub(crate) use periodic::Periodic;
pub(crate) use prepare::{Connected, Prepared};
pub(crate) use sandbox::{carried_out, sandbox};
pub(crate) use session::{Wanted, explained};
pub(crate) use standing::Standing;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use artoo_runtime::resume::{Dropped, Resumable};
use artoo_types::Constraints;
use tokio::runtime::Runtime;

use crate::args::{PermissionArgs, RunArgs};
use crate::commands::Loaded;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::machine::threads;
use crate::servers::RunningServers;
use crate::setup::FirstRun;
use crate::signals::{self, Signals};
use crate::terminal::neutral_line;
use prepare::FrontEndState;

/// Works on one request.
pub(crate) fn run(context: &mut Context<'_>, args: &RunArgs) -> Result<Exit, CommandError> {
    if args.detach {
        return detach::start(context, args);
    }
    if args.detached {
        detach::leave_session()?;
    }
    let text = request::read(args.request.as_deref(), context.streams, &mut std::io::stdin().lock())?;
    let wanted = Wanted::by(args);
    match alone(context, args, text.clone(), &wanted, |_| {}) {
        Err(error) if first_model::can_be_asked_for(context, args, &error) => {
            match crate::setup::first_run(context)? {
                FirstRun::Chosen => alone(context, args, text, &wanted, |_| {}),
                FirstRun::Declined | FirstRun::EndOfInput => Err(error),
                FirstRun::Interrupted(exit) => Ok(exit),
            }
        }
        done => done,
    }
}

/// Resumes an interrupted run: the same request, folders and limits, with the results that still hold.
pub(crate) fn resume(context: &mut Context<'_>, folder: &Path, run: Resumable) -> Result<Exit, CommandError> {
    let Resumable { request, kept, dropped } = run;
    let (place, limits) = (&request.surroundings, request.limits);
    let args = RunArgs {
        permissions: PermissionArgs {
            cwd: Some(place.working_folder.clone()),
            workspace: Some(place.workspace.clone()),
            ..PermissionArgs::default()
        },
        time_budget: limits.max_time_ms.map(Duration::from_millis),
        max_replans: Some(limits.max_replans),
        max_tokens: limits.max_tokens,
        max_cost: limits.max_cost,
        ask_after_turns: Some(limits.checkpoints.turns.map_or(0, u64::from)),
        ask_after_tokens: Some(limits.checkpoints.tokens.map_or(0, u64::from)),
        ..RunArgs::default()
    };
    for outcome in &kept {
        context.terminal.note(&format!("kept: {}", neutral_line(&outcome.intent)));
    }
    for Dropped { intent, why } in &dropped {
        context.terminal.note(&format!("done again: {} ({})", neutral_line(intent), neutral_line(why)));
    }
    if kept.is_empty() && dropped.is_empty() {
        context.terminal.note("nothing of it was done: it begins anew");
    }
    let session = session::of_run(context, folder)?;
    alone(context, &args, request.text, &session.map_or(Wanted::New, Wanted::Known), |prepared| {
        prepared.request.turns = request.turns;
        prepared.request.limits.time_budget_ms = limits.time_budget_ms;
        // A deadline that has passed was that of the run before.
        let now = prepared.request.surroundings.now;
        let deadline = request.constraints.deadline.filter(|deadline| *deadline > now);
        prepared.request.constraints = Constraints { deadline, ..request.constraints };
        prepared.kept = Some(kept);
    })
}

/// Works on a request in a program of its own.
fn alone(
    context: &mut Context<'_>,
    args: &RunArgs,
    text: String,
    wanted: &Wanted,
    more: impl FnOnce(&mut Prepared),
) -> Result<Exit, CommandError> {
    let threads = threads::for_runs()?;
    let signals = once(&threads)?;
    let mut servers = RunningServers::default();
    let front = Front {
        signals,
        keyboard: from_stdin(),
        connected: &mut None,
        standing: None,
        servers: &mut servers,
    };
    let done = work(context, args, (text, wanted), &threads, front, more);
    threads.block_on(servers.close());
    // Does not wait: a model that computes or a stalled server must not delay the exit.
    threads.shutdown_background();
    done.map(|done| done.exit)
}

/// The run's connection to the user, and the clients kept from the previous run.
pub(crate) struct Front<'a> {
    /// Handling of the signals that end the run.
    pub(crate) signals: Signals,
    /// Source of answers.
    pub(crate) keyboard: Arc<dyn Keyboard>,
    /// The clients of the previous run, if any: an embedded model is loaded only once.
    pub(crate) connected: &'a mut Option<Connected>,
    /// The artoo of the conversation; `None` for a single run.
    pub(crate) standing: Option<&'a mut Standing>,
    /// The servers of tools that run; they end with the program at the latest.
    pub(crate) servers: &'a mut RunningServers,
}

/// Works on a request of a session; `more` adjusts the prepared run.
pub(crate) fn work(
    context: &mut Context<'_>,
    args: &RunArgs,
    (text, wanted): (String, &Wanted),
    threads: &Runtime,
    front: Front<'_>,
    more: impl FnOnce(&mut Prepared),
) -> Result<Done, CommandError> {
    threads::room_for_a_run()?;
    let mut loaded = Loaded::load(context, given(args)?)?;
    let is_there = ask::person_present(context.streams, args.json, args.quiet);
    let asked = AtTerminal::new(&*front.keyboard, is_there);
    let kept = FrontEndState {
        connected: front.connected,
        servers: front.servers,
        of_client: &[],
        attachments: Vec::new(),
        threads,
    };
    let mut prepared = prepare::prepare(context, args, &mut loaded, text, wanted, &asked, kept)?;
    more(&mut prepared);
    embedded_notice::tell_once(context.terminal, args, &prepared);
    let Front { signals, keyboard, standing, .. } = front;
    threads.block_on(execute::drive(context, args, prepared, (signals, keyboard), standing))
}

/// Catches the signals for a program with a single run.
fn once(threads: &Runtime) -> Result<Signals, CommandError> {
    let _inside = threads.enter();
    signals::catch().map(Signals::Once).map_err(deaf)
}

/// The error if signal handlers cannot be installed.
pub(crate) fn deaf(error: std::io::Error) -> CommandError {
    CommandError::failed("cannot listen for Ctrl+C").because(error)
}
