//! A run from its start to its end.

use std::sync::Arc;

use artoo_mkct_memory::MemoryService;
use artoo_runtime::control::{AnsweredAt, Listening, listen};
use artoo_runtime::{Artoo, Builder, Deadlines, StartError};
use artoo_tools::Rules;
use artoo_types::{FinalResult, Role, RunId, SessionId};

use super::always::PolicyFile;
use super::ask::{Asking, Keyboard};
use super::conversation::Conversation;
use super::detach;
use super::findings::Findings;
use super::prepare::Prepared;
use super::show::Show;
use super::watch::{Attended, View, attend};
use crate::args::RunArgs;
use crate::config::Notify;
use crate::error::{CommandError, Exit, Kind};
use crate::instructions;
use crate::interrupt::Signals;
use crate::machine::installed_programs;
use crate::program::Context;
use crate::terminal::{Terminal, worded};
use crate::view::call;

/// The exit code of a run that lacked consent.
const WITHOUT_CONSENT: u8 = 5;

/// A run that is over.
pub(crate) struct Done {
    /// The run.
    pub(crate) run_id: RunId,
    /// What a program of this one run ends with.
    pub(crate) exit: Exit,
    /// The session that it belongs to.
    pub(crate) session: Option<SessionId>,
    /// What was said meanwhile and came too late for it.
    pub(crate) unused: Vec<String>,
}

/// Runs it and shows it.
pub(super) async fn drive(
    context: &mut Context<'_>,
    args: &RunArgs,
    prepared: Prepared,
    signals: Signals,
    keyboard: Arc<dyn Keyboard>,
) -> Result<Done, CommandError> {
    let memory = memory(context, args, &prepared);
    let artoo = built(of_run(builder(context, &prepared), args, &prepared, memory))?;
    context.log_secrets.are(artoo.redactor());
    let verbose = context.common.verbose > 0;
    let person_present = prepared.request.person_present;
    let findings = Findings::new(names(&prepared));
    let (now, text) = (prepared.request.surroundings.now, prepared.request.text.clone());
    let run = artoo.resume(prepared.request, prepared.kept).map_err(|error| not_begun(&error))?;
    let run_id = run.id();
    let conversation = prepared.conversation;
    // What could not be asked there cannot end there, and has been told.
    let kept =
        conversation.as_ref().filter(|conversation| conversation.ask(context.terminal, run_id, now, &text));
    let _listening = listening(&run, args, context.terminal)?;
    if args.detached {
        detach::begun(context, &run)?;
    }
    keyboard.hear(run.noter());
    let show = Show::new(args, verbose, context.streams.stdout, artoo.redactor());
    let view = View::new(show, findings, run.canceller(), prepared.settings.data_dir.clone());
    let policy = policy_file(context, &prepared.policy);
    let asking =
        if args.detached { Asking::elsewhere() } else { Asking::new(run.answerer(), keyboard, policy) };
    let attended = attend(context.terminal, (artoo, run), signals, view, asking).await;
    let Attended { finished, mut view, interrupted, folder } = attended;
    if let Some((conversation, end)) = kept.zip(view.end.take()) {
        conversation.end(context.terminal, run_id, end);
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
    if let Some(words) = view.outcome.as_ref().filter(|_| !args.json && !args.quiet).and_then(call) {
        match prepared.settings.notify {
            Notify::Never => {}
            Notify::Bell => context.terminal.call(None),
            Notify::Osc9 => context.terminal.call(Some(&words)),
        }
    }
    tell_fault(context.terminal, &finished);
    if let Some((hint, remedy)) =
        view.spent.as_ref().and_then(|fault| fault.hint.as_deref().zip(fault.remedy))
    {
        context.terminal.hint(&worded(hint, Some(remedy)));
    }
    if exit == WITHOUT_CONSENT && finished.fault.is_none() && !person_present {
        context.terminal.hint("at a terminal you are asked; `--yes KIND` grants a kind of effect in advance");
    }
    let session = conversation.as_ref().map(Conversation::id);
    let unused = view.outcome.map(|outcome| outcome.unused_notes).unwrap_or_default();
    let done = |exit| Done { run_id, exit, session, unused };
    match (interrupted.exit(), view.trouble, shown) {
        // Whatever was wrong with the terminal: one that was closed takes no word more.
        (Some(exit), ..) => Ok(done(exit)),
        // A reader that left has cancelled the run, which is not the run's fault.
        (None, Some(error), _) | (None, None, Err(error)) => Err(error),
        (None, None, Ok(())) => Ok(done(Exit::of_run(exit))),
    }
}

/// Lets other processes speak to the run. One that was detached must be heard, or nobody could answer it.
fn listening(
    run: &artoo_runtime::Run,
    args: &RunArgs,
    terminal: &mut Terminal,
) -> Result<Option<Listening>, CommandError> {
    let answered_at = if args.detached { AnsweredAt::Socket } else { AnsweredAt::Elsewhere };
    match listen(run, answered_at) {
        Ok(listening) => Ok(Some(listening)),
        Err(error) if args.detached => {
            Err(CommandError::failed(error.to_string()).hint(worded(error.hint(), error.remedy())))
        }
        Err(error) => {
            terminal.warning(&format!("`artoo runs stop` cannot reach this run: {error}"));
            Ok(None)
        }
    }
}

/// Where the answer *always* writes its rule.
pub(super) fn policy_file(context: &Context<'_>, policy: &Rules) -> Option<PolicyFile> {
    policy.file().map(|file| PolicyFile { path: file.to_owned(), home: context.folders.home.clone() })
}

/// Says which fault ended a run, where one did.
pub(super) fn tell_fault(terminal: &mut Terminal, finished: &FinalResult) {
    let Some(fault) = &finished.fault else { return };
    let what_happened = || format!("what happened: artoo runs show {}", finished.run_id);
    let hint = fault.hint.as_deref().map_or_else(what_happened, |hint| worded(hint, fault.remedy));
    terminal.error(&CommandError::failed(fault.message.clone()).hint(hint));
}

/// Why a run did not begin.
pub(super) fn not_begun(error: &StartError) -> CommandError {
    let ours = matches!(error, StartError::Limits(_));
    let kind = if ours { Kind::Configuration } else { Kind::Failed };
    CommandError::new(kind, error.to_string()).hint(worded(error.hint(), error.remedy()))
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

/// What a run and a command by itself have in common.
pub(super) fn builder(context: &Context<'_>, prepared: &Prepared) -> Builder {
    let mut builder = Artoo::builder()
        .data_folder(prepared.settings.data_dir.clone())
        .toolbox(prepared.toolbox.clone())
        .policy(prepared.policy.clone())
        .protect(prepared.configuration.clone())
        .programs(installed_programs(&context.environment.search_path()))
        .environment(context.environment.all())
        .snapshot_limits(prepared.settings.snapshot)
        .retention(prepared.settings.retention);
    let own = instructions::own(context.environment, &context.folders.home);
    for place in
        [&prepared.settings.memory_folder].into_iter().chain(&own).chain(&prepared.settings.protected)
    {
        builder = builder.protect(place.clone());
    }
    for secret in &prepared.secrets {
        builder = builder.secret(secret.clone());
    }
    builder
}

/// What a run has besides. Without a memory, what it learns ends with it.
fn of_run(
    builder: Builder,
    args: &RunArgs,
    prepared: &Prepared,
    memory: Option<Arc<dyn MemoryService>>,
) -> Builder {
    let mut builder = builder
        .profile(prepared.settings.rules)
        .parameters(prepared.settings.parameters)
        .strict(prepared.settings.strict)
        .ask_before_plans(args.plan)
        .prices(prepared.prices.clone())
        .acceptance(prepared.settings.acceptance)
        .deadlines(if prepared.embedded { Deadlines::patient() } else { Deadlines::default() });
    if let Some(memory) = memory {
        builder = builder.memory(memory);
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
    builder
}

/// Puts it together.
pub(super) fn built(builder: Builder) -> Result<Artoo, CommandError> {
    builder.build().map_err(|error| {
        CommandError::configuration(error.to_string()).hint(worded(error.hint(), error.remedy()))
    })
}
