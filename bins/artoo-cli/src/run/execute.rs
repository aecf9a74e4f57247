//! Executes a prepared run from start to end.

use std::sync::Arc;

use artoo_auditor::RunFindings;
use artoo_bus::{Clock as _, SystemClock};
use artoo_consent::Rules;
use artoo_mkct_memory::MemoryService;
use artoo_policy::Block;
use artoo_runtime::control::{AnsweredAt, Listening, listen};
use artoo_runtime::{Artoo, Builder, Deadlines, Dreams, StartError};
use artoo_sandbox::{SandboxMode, reduced_mode};
use artoo_types::{FaultKind, FinalResult, Role, RunId, SessionId};

use super::always_rule::PolicyFile;
use super::ask::{Asking, Keyboard};
use super::attend::{After, Attended, View, attend};
use super::detach;
use super::output::Show;
use super::periodic::Periodic;
use super::prepare::Prepared;
use super::session::Conversation;
use super::standing::{Basis, InUse, Several, Standing};
use crate::args::RunArgs;
use crate::config::Notify;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit, Kind};
use crate::instructions;
use crate::machine::limits;
use crate::signals::Signals;
use crate::terminal::{Terminal, worded};
use crate::view::call;

/// Exit code of a run that lacked consent.
const WITHOUT_CONSENT: u8 = 5;

/// A finished run.
pub(crate) struct Done {
    /// Id of the run.
    pub(crate) run_id: RunId,
    /// Exit code for a program with this run only.
    pub(crate) exit: Exit,
    /// The session that it belongs to.
    pub(crate) session: Option<SessionId>,
    /// Notes that came too late for the run.
    pub(crate) unused: Vec<String>,
}

/// Executes and shows the run.
pub(super) async fn drive(
    context: &mut Context<'_>,
    args: &RunArgs,
    prepared: Prepared,
    (signals, keyboard): (Signals, Arc<dyn Keyboard>),
    standing: Option<&mut Standing>,
) -> Result<Done, CommandError> {
    if standing.as_deref().is_none_or(Standing::is_unused) && !args.quiet && !args.detached {
        tell_reduced_mode(context.terminal, prepared.request.sandbox);
    }
    let (artoo, after) = artoo(context, args, &prepared, standing).await?;
    context.log_secrets.are(artoo.redactor());
    let verbose = context.common.verbose > 0;
    let person_present = prepared.request.person_present;
    let findings = RunFindings::new(names(&prepared), SystemClock::new().now());
    let (now, text) = (prepared.request.surroundings.now, prepared.request.text.clone());
    let mut periodic = Periodic::from_here(&prepared.settings.data_dir);
    let turns = prepared.request.turns.clone();
    let working_folder = prepared.request.surroundings.working_folder.clone();
    let run = match prepared.kept {
        Some(kept) => artoo.resume(prepared.request, kept),
        None => artoo.start(prepared.request),
    };
    let run = run.map_err(|error| not_begun(&error))?;
    let run_id = run.id();
    let conversation = prepared.conversation;
    // If the request could not be stored, its end is not stored either; the user has been warned.
    let kept =
        conversation.as_ref().filter(|conversation| conversation.ask(context.terminal, run_id, now, &text));
    let _listening = listening(&run, args, context.terminal)?;
    if args.detached {
        detach::begun(context, &run)?;
    }
    keyboard.hear(run.noter());
    let show = Show::new(args, verbose, context.streams.stdout, artoo.redactor());
    let view = View::new(show, findings, run.canceller(), prepared.settings.data_dir.clone()).after(turns);
    let policy = policy_file(context, &prepared.policy.rules);
    let asking = if args.is_answered_by_socket() {
        Asking::elsewhere()
    } else {
        Asking::new(run.answerer(), keyboard, policy)
    };
    let asking = asking.in_folder(&working_folder);
    let attended = attend(context.terminal, (artoo, run, after), signals, view, asking).await;
    let Attended { finished, mut view, interrupted, folder } = attended;
    periodic.tell(context.terminal);
    if let Some((conversation, end)) = kept.zip(view.end.take()) {
        conversation.end(context.terminal, run_id, end);
        conversation.reject(context.terminal, &view.rejected);
    }

    // An incomplete record is a fault that the outcome does not contain,
    // because the outcome is read from the record.
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
        context.terminal.hint(&view.missing_consent.hint());
    }
    let session = conversation.as_ref().map(Conversation::id);
    let unused = view.outcome.map(|outcome| outcome.unused_notes).unwrap_or_default();
    let done = |exit| Done { run_id, exit, session, unused };
    let was_cut_short = finished.fault.as_ref().is_some_and(|fault| fault.kind.cuts_short());
    match (interrupted.exit(), view.trouble, shown) {
        // The signal came when the result was there: what was told of it holds.
        (Some(_), None, Ok(())) if !was_cut_short => Ok(done(Exit::of_run(exit))),
        // A signal takes precedence over errors of the terminal: a closed terminal takes no message.
        (Some(exit), ..) => Ok(done(exit)),
        // A reader of standard output that is gone has cancelled the run; that is not a fault of the run.
        (None, Some(error), _) | (None, None, Err(error)) => Err(error),
        (None, None, Ok(())) => Ok(done(Exit::of_run(exit))),
    }
}

/// Says how commands are confined if not in full.
fn tell_reduced_mode(terminal: &mut Terminal, mode: SandboxMode) {
    if let Some(summary) = reduced_mode().and_then(|reduced| reduced.summary(mode)) {
        terminal.advice(&format!("{summary}; see: artoo doctor"));
    }
}

/// The artoo of the run: that of the conversation, or one for this run alone, which does not dream. A recording is
/// self-contained and has its own.
async fn artoo(
    context: &mut Context<'_>,
    args: &RunArgs,
    prepared: &Prepared,
    standing: Option<&mut Standing>,
) -> Result<(Artoo, After), CommandError> {
    let is_alone = args.record.is_some() || args.replay.is_some();
    let Some(standing) = standing.filter(|_| !is_alone) else {
        let memory = memory(context, args, prepared);
        let builder = of_run(builder(context, prepared), args, prepared, memory).dreams(Dreams::Off);
        return Ok((built(builder)?, After::Close));
    };
    let basis = Basis::of(context, args, prepared);
    let build = || {
        let memory = memory(context, args, prepared);
        let builder = of_run(builder(context, prepared), args, prepared, memory);
        built(builder.dreams(prepared.settings.dream.into()))
    };
    Ok((standing.on(basis, build).await?, After::Keep))
}

/// Accepts connections of other processes to the run. Where answers come over the socket, failing to listen is an error,
/// because no question could be answered.
pub(super) fn listening(
    run: &artoo_runtime::Run,
    args: &RunArgs,
    terminal: &mut Terminal,
) -> Result<Option<Listening>, CommandError> {
    let by_socket = args.is_answered_by_socket();
    let answered_at = if by_socket { AnsweredAt::Socket } else { AnsweredAt::Elsewhere };
    match listen(run, answered_at) {
        Ok(listening) => Ok(Some(listening)),
        Err(error) if by_socket => {
            Err(CommandError::failed(error.to_string()).hint(worded(error.hint(), error.remedy())))
        }
        Err(error) => {
            terminal.warning(&format!("`artoo runs stop` cannot reach this run: {error}"));
            Ok(None)
        }
    }
}

/// Where the answer *always* adds its rule.
pub(super) fn policy_file(context: &Context<'_>, policy: &Rules) -> Option<PolicyFile> {
    policy.file().map(|file| PolicyFile { path: file.to_owned(), home: context.folders.home.clone() })
}

/// Prints the fault that ended the run, if any.
pub(super) fn tell_fault(terminal: &mut Terminal, finished: &FinalResult) {
    let Some(fault) = &finished.fault else { return };
    let what_happened = || format!("what happened: artoo runs show {}", finished.run_id);
    let hint = fault.hint.as_deref().map_or_else(what_happened, |hint| worded(hint, fault.remedy));
    if fault.kind == FaultKind::Cancelled {
        return terminal.ended_by_user(&fault.message, &hint);
    }
    terminal.error(&CommandError::failed(fault.message.clone()).hint(hint));
}

/// Why a run did not start.
pub(super) fn not_begun(error: &StartError) -> CommandError {
    let ours =
        matches!(error, StartError::Limits(_) | StartError::DeadlinePassed { .. } | StartError::Scope { .. });
    let kind = if ours { Kind::Configuration } else { Kind::Failed };
    let hint = limits::hint(error).unwrap_or_else(|| worded(error.hint(), error.remedy()));
    CommandError::new(kind, error.to_string()).hint(hint)
}

/// Names of models and tools, which the auditor may mention in clear.
pub(super) fn names(prepared: &Prepared) -> Vec<String> {
    let models = prepared.clients.values().map(|client| client.model().to_owned());
    models.chain(prepared.toolbox.tools().map(|tool| tool.name().to_string())).collect()
}

/// The memory of the run. A memory that cannot be opened is only a warning. A recorded or replayed session
/// has none, because it is self-contained.
fn memory(context: &mut Context<'_>, args: &RunArgs, prepared: &Prepared) -> Option<Arc<dyn MemoryService>> {
    // An unusable data folder is reported when artoo is built.
    let is_there = || artoo_runtime::owner_only::data_folder(&prepared.settings.data_dir).is_ok();
    if args.record.is_some() || args.replay.is_some() || !is_there() {
        return None;
    }
    let folder = &prepared.request.surroundings.working_folder;
    match crate::memory_location::for_run(&prepared.settings, folder) {
        Ok(memory) => memory,
        Err(error) => {
            context.terminal.warning(&format!("the run goes on without memory: {error}"));
            error.next_step().into_iter().for_each(|hint| context.terminal.hint(hint));
            None
        }
    }
}

/// The artoo of a hosted run: one for all runs of the host that are built from the same.
pub(super) async fn hosted_artoo(
    context: &mut Context<'_>,
    args: &RunArgs,
    prepared: &Prepared,
    several: &mut Several,
) -> Result<(Artoo, InUse), CommandError> {
    let basis = Basis::of(context, args, prepared);
    let build = || {
        let memory = memory(context, args, prepared);
        let builder = of_run(builder(context, prepared), args, prepared, memory);
        built(builder.dreams(prepared.settings.dream.into()))
    };
    several.on(basis, build).await
}

/// Builder settings shared by `run` and `sandbox`.
pub(super) fn builder(context: &Context<'_>, prepared: &Prepared) -> Builder {
    let mut builder = Artoo::builder()
        .data_folder(prepared.settings.data_dir.clone())
        .toolbox(prepared.toolbox.clone())
        .policy(prepared.policy.rules.clone())
        .protect(prepared.configuration.clone())
        .programs(artoo_tools::installed_programs(&context.environment.search_path()))
        .environment(context.environment.all())
        .snapshot_limits(prepared.settings.snapshot)
        .retention(prepared.settings.retention);
    let own = instructions::own(context.environment, &context.folders.home);
    for place in
        [&prepared.settings.memory_folder].into_iter().chain(&own).chain(&prepared.settings.protected)
    {
        builder = builder.protect(place.clone());
    }
    for place in prepared.policy.blocked(Block::Access) {
        builder = builder.protect(place);
    }
    for place in prepared.policy.blocked(Block::Changes) {
        builder = builder.keep(place);
    }
    for socket in &prepared.settings.sockets {
        builder = builder.socket(socket);
    }
    for secret in &prepared.secrets {
        builder = builder.secret(secret.clone());
    }
    builder
}

/// Adds the settings of `run`. Without a memory, what the run learns is lost at its end.
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
        .deadlines(deadlines(prepared));
    if let Some(memory) = memory {
        builder = builder.memory(memory);
    }
    // The recording folder is protected: it is not part of the work, and during a replay it would not be in
    // the state that the recorded run saw.
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

/// The roles' deadlines: as configured, or as they follow from the models.
fn deadlines(prepared: &Prepared) -> Deadlines {
    let usual = match prepared.embedded {
        true => Deadlines::patient(),
        false => Deadlines::for_models(prepared.clients.values()),
    };
    prepared.settings.deadlines.over(usual)
}

/// Builds artoo.
pub(super) fn built(builder: Builder) -> Result<Artoo, CommandError> {
    builder.build().map_err(|error| match limits::hint(&error) {
        Some(limit) => CommandError::failed(error.to_string()).hint(limit),
        None => CommandError::configuration(error.to_string()).hint(worded(error.hint(), error.remedy())),
    })
}
