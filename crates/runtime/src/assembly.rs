//! Assembles one run: its ports, its roles, its journal, its supervisor.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use artoo_agent_validator::{NoRerun, Rerun};
use artoo_bus::{Clock, RunBus};
use artoo_checks::{ClosedFiles, Filesystem};
use artoo_ggs::GgsRole;
use artoo_ggs_core::{Parameters, Profile};
use artoo_perceiver::Perceiver;
use artoo_planner::{Asking, Inventory, Planner};
use artoo_snapshot::Snapshot;
use artoo_tools::{
    EvidenceStore, Jobs, LocalTime, ProtectedPlaces, Rehearsal, RunFolders, ToolContext, ToolLimits, Toolbox,
};
use artoo_types::{
    Errand, Instruction, Limits, Message, Rejection, Role, RunId, SubTaskOutcome, ToolName, UserRequest,
};
use chrono::{DateTime, FixedOffset};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::{
    Dispatch, Noter, RunRequest, StartError,
    artoo::Parts,
    builder::default_solver,
    call_rehearsal::CallsAgain,
    command,
    command_checks::CommandChecks,
    continued_judge::{excerpts, kept_conversation},
    executor_settings::executor_settings,
    folder_listing::WorkingFolder,
    guided_limits,
    journal::{RecordFailure, RunJournal},
    owner_only,
    plan_gate::{Consent, PlanGate},
    question::Questions,
    rejection::{HeedingCorrections, rejected, revoke},
    restart::IdempotentPlanner,
    retention::expire_undo,
    role_tasks::RoleTasks,
    run::{Answerer, Canceller, Run},
    run_tools::OnThisMachine,
    runs,
    successor::Successor,
    supervisor::{Supervised, supervise},
    until_stopped::{Gate, UntilStopped},
    workplace::workplace,
};

use controller::{control_settings, ggs_settings, parameters, priced, solver};
use dispatcher::dispatcher;
use originals::originals;

/// Folder of commands' temporary files, in a run's folder.
pub(crate) const PRIVATE_TMP: &str = "tmp";

/// Folder of trial layers, in a run's folder.
pub(crate) const PREVIEW: &str = "preview";

/// Candidate folders for trial layers, in order of preference: the run's own folder, given with its name, and
/// others for a run whose folder lies in a folder that the command may write, such as a home. The layers hold
/// what a command writes, so each candidate is on a disk.
fn layer_stores(folder: &Path, run: &str) -> Vec<PathBuf> {
    vec![folder.join(PREVIEW), Path::new("/var/tmp").join(format!("artoo-layers-{run}"))]
}

/// How many messages an observer created before the run's start buffers until it is requested.
const FIRST_OBSERVER: usize = 65_536;

/// Starts a run, or leaves nothing behind. `resumed` is the work of the earlier run that it goes on with.
pub(crate) fn start(
    parts: &Arc<Parts>,
    run_id: RunId,
    (request, errand): (RunRequest, Errand),
    mut resumed: Option<Vec<SubTaskOutcome>>,
) -> Result<Run, StartError> {
    if parts.closing.is_cancelled() {
        return Err(StartError::Closed);
    }
    let limits = until_deadline(&request, parts.clock.now())?;
    let limits = guided_limits::bounded(limits, &parts.models.executor.profile());
    let instructions = Instruction::bounded(request.instructions);
    let request = RunRequest { limits, instructions, ..request };
    resumed.iter_mut().flatten().for_each(|outcome| outcome.parent_task_id = run_id);
    let parameters = parameters(parts, &request.limits)?;
    priced(parts, &request.limits)?;
    let runs = runs::folder(&parts.data_folder);
    let (storage_failed, storage_failure) = oneshot::channel();
    let failed = move |error| {
        // After the end of the run there is no receiver; closing the journal reports the error again.
        let _ = storage_failed.send(error);
    };
    let journal = parts
        .journal
        .open(&runs, run_id, failed)
        .map_err(|source| StartError::Folder { path: runs, source })?;
    let folder = journal.folder().to_owned();
    let undone: Arc<Mutex<Vec<RunId>>> = Arc::default();
    let given = (request, errand, resumed.as_deref());
    let (run, supervised) =
        assemble(parts, parameters, given, (journal, Arc::clone(&undone)), storage_failure).inspect_err(
            |_| {
                // An empty folder is left if it cannot be removed.
                let _ = std::fs::remove_dir_all(&folder);
            },
        )?;
    expire_undo(parts);
    let keep_alive = Arc::clone(parts);
    let recorded = run.recorded.clone().drop_guard();
    let span = tracing::error_span!("run", run = %run_id);
    parts.open_runs.spawn(async move {
        supervise(supervised).instrument(span).await;
        let taken_back = std::mem::take(&mut *undone.lock().unwrap_or_else(PoisonError::into_inner));
        for run in taken_back {
            let undone = (run, Rejection::Undone);
            revoke(keep_alive.memory.as_ref(), &keep_alive.options.redactor, undone, "").await;
        }
        drop(recorded);
        keep_alive.dreamer.run_ended();
        drop(keep_alive);
    });
    Ok(run)
}

/// A folder's real path, as the snapshot stores its roots.
fn real(folder: &std::path::Path) -> std::path::PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// The limits with a time budget that ends with the deadline at the latest: Omega is measured against it.
fn until_deadline(request: &RunRequest, now: DateTime<FixedOffset>) -> Result<Limits, StartError> {
    let RunRequest { limits, constraints, .. } = request;
    match (constraints.time_budget_ms(limits.time_budget_ms, now), constraints.deadline) {
        (Some(time_budget_ms), _) => Ok(Limits { time_budget_ms, ..*limits }),
        (None, Some(deadline)) => Err(StartError::DeadlinePassed { deadline }),
        (None, None) => Ok(*limits),
    }
}

/// The real path of the folder that the request applies to, if the user named one.
fn scope(request: &RunRequest) -> Result<Option<PathBuf>, StartError> {
    let Some(scope) = &request.constraints.scope else { return Ok(None) };
    let folder = request.surroundings.working_folder.join(scope).canonicalize().and_then(|folder| {
        if folder.is_dir() { Ok(folder) } else { Err(std::io::ErrorKind::NotADirectory.into()) }
    });
    folder.map(Some).map_err(|source| StartError::Scope { scope: scope.clone(), source })
}

fn assemble(
    parts: &Arc<Parts>,
    parameters: Parameters,
    (request, errand, resumed): (RunRequest, Errand, Option<&[SubTaskOutcome]>),
    (journal, undone): (RunJournal, Arc<Mutex<Vec<RunId>>>),
    storage_failure: oneshot::Receiver<RecordFailure>,
) -> Result<(Run, Supervised), StartError> {
    let folder = journal.folder().to_owned();
    let evidence = EvidenceStore::open(runs::evidence_folder(&folder))
        .map_err(|source| StartError::Folder { path: folder.clone(), source })?
        .redacting(parts.options.redactor.clone());
    let bus = parts.bus.open(journal.run_id())?;
    let (see, seen) = mpsc::unbounded_channel();
    let is_over = Arc::new(AtomicBool::new(false));
    let (over, mut record) = (Arc::clone(&is_over), journal.recorder());
    let (asks, question) = watch::channel(None);
    let mut questions = Questions::default();
    let turns = request.turns.clone();
    bus.record(Box::new(move |envelope| {
        // Before the journal: a reader of the question there may answer it.
        questions.on(envelope);
        asks.send_if_modified(|open| std::mem::replace(open, questions.first()) != questions.first());
        record(envelope);
        if let Some((run, Rejection::Undone)) = rejected(&envelope.message, &turns) {
            undone.lock().unwrap_or_else(PoisonError::into_inner).push(run);
        }
        if let Message::FinalResult(_) = envelope.message.as_ref() {
            over.store(true, Ordering::Release);
        }
        // The supervisor is gone only when the run is over.
        let _ = see.send(Arc::clone(envelope));
    }));
    let first_observer = Mutex::new(Some(bus.observe(FIRST_OBSERVER)));
    let canceller = Canceller { token: parts.closing.child_token(), reason: Arc::default() };
    let tools = canceller.token.child_token();
    let snapshot =
        Snapshot::new(folder.join(runs::UNDO), vec![real(&parts.data_folder)], parts.options.snapshot_limits);
    let jobs = Jobs::default();
    let folders = RunFolders {
        working_folder: request.surroundings.working_folder.clone(),
        workspace: request.surroundings.workspace.clone(),
        home: request.surroundings.home.clone(),
        private_tmp: folder.join(PRIVATE_TMP),
    };
    // The executor replaces whoever is asked, for each call.
    let tool_context = ToolContext {
        request: request.text.as_str().into(),
        protected: ProtectedPlaces::from(parts.options.protected.clone())
            .without(folders.private_tmp.clone()),
        read_only: parts.options.keep.clone().into(),
        sockets: parts.options.sockets.clone().into(),
        open_files: request.open_files.clone(),
        scope: scope(&request)?,
        mode: request.sandbox,
        network: request.network,
        environment: parts.options.environment.clone(),
        jobs: jobs.clone(),
        layer_stores: layer_stores(&folder, &journal.run_id().to_string()),
        trial_record: Some(parts.data_folder.join(owner_only::TRIAL_RECORD)),
        snapshot: Some(snapshot.clone()),
        time: Arc::new(RunTime(Arc::clone(&parts.clock))),
        limits: ToolLimits { shown: parts.models.executor.profile().shown_bytes(), ..ToolLimits::default() },
        cancel: tools.clone(),
        ..ToolContext::new(folders, evidence)
    };
    if resumed.is_some() {
        // The earlier run may have written rules and marks, and made folders, of which this one has no record.
        tool_context.build_rules.lose_track();
    }
    let kept = resumed.unwrap_or_default();
    let gate = Gate::of(bus.activities());
    let (toolbox, inventory) = parts.tools(&request);
    let names = names_in(&inventory);
    let (role_tasks, settings, deadlines) = match errand {
        Errand::Task => {
            let offered = (toolbox, inventory);
            let context = (tool_context, gate.clone());
            let role_tasks = role_tasks(parts, &bus, parameters, (&request, kept), offered, context)?;
            let settings = control_settings(parts, parameters, names.clone());
            (role_tasks, Some(settings), parts.deadlines)
        }
        // There is no controller in a command run.
        Errand::Command => {
            (command::role_tasks(parts, &bus, &request, tool_context)?, None, command::deadlines())
        }
    };
    let (send_result, result) = oneshot::channel();
    let (answer, answers) = mpsc::unbounded_channel();
    let user = bus.port(Role::User)?;
    let noter = Noter { user: user.sender(), taken: Arc::default(), is_over: Arc::clone(&is_over) };
    let port = bus.port(Role::Supervisor)?;
    let (ggs_parts, working_folder) = (Arc::clone(parts), request.surroundings.working_folder.clone());
    let make_ggs = Box::new(move || {
        let settings = ggs_settings(&ggs_parts, parameters, (working_folder.clone(), names.clone()));
        GgsRole::new(default_solver(parameters), settings)
    });
    let supervised = Supervised {
        user,
        port,
        successor: Successor::new(make_ggs, Arc::clone(&parts.clock)),
        request: UserRequest {
            text: request.text,
            errand,
            surroundings: request.surroundings,
            turns: request.turns,
            instructions: request.instructions,
            constraints: request.constraints,
            limits: request.limits,
            prices: parts.options.prices.clone(),
            person_present: request.person_present,
        },
        settings,
        bus: bus.clone(),
        role_tasks,
        gate,
        seen,
        storage_failure,
        deadlines,
        timeout: request.timeout,
        cancel: canceller.clone(),
        tools,
        is_over,
        journal,
        snapshot,
        jobs,
        result: send_result,
        answers,
    };
    let run = Run {
        run_id: bus.run_id(),
        folder,
        bus,
        canceller,
        recorded: CancellationToken::new(),
        answerer: Answerer(answer),
        noter,
        question,
        result: Some(result),
        first_observer,
    };
    Ok((run, supervised))
}

/// The names of the tools that a plan can use.
fn names_in(inventory: &Inventory) -> BTreeSet<ToolName> {
    inventory.tools.iter().map(|tool| tool.name.clone()).collect()
}

/// The roles of one run, not yet started.
fn role_tasks(
    parts: &Arc<Parts>,
    bus: &RunBus,
    parameters: Parameters,
    (request, kept): (&RunRequest, &[SubTaskOutcome]),
    (toolbox, inventory): (Arc<Toolbox>, Inventory),
    (tools, gate): (ToolContext, Gate),
) -> Result<RoleTasks, StartError> {
    let mut role_tasks = RoleTasks::default();
    let (surroundings, options) = (&request.surroundings, &parts.options);
    let deadlines = parts.deadlines;
    let names = names_in(&inventory);

    // The planner tells the story of a run that failed, so its model is asked until the end.
    let stop = tools.cancel.clone();
    let behaviour: Arc<dyn Perceiver> = Arc::new(HeedingCorrections {
        inner: Arc::clone(&options.roles.perceiver),
        memory: Arc::clone(&parts.memory),
        redactor: options.redactor.clone(),
    });
    let model = UntilStopped::wrap((Role::Perceiver, &parts.models.perceiver), &stop, &gate);
    role_tasks.add(bus, Role::Perceiver, move |port| {
        artoo_perceiver::run(port, Arc::clone(&behaviour), Arc::clone(&model))
    })?;
    let planner: Arc<dyn Planner> = Arc::new(IdempotentPlanner::new(Arc::clone(&options.roles.planner)));
    let model = UntilStopped::gated((Role::Planner, &parts.models.planner), &gate);
    let settings = artoo_planner::Settings {
        surroundings: surroundings.clone(),
        inventory,
        folder: {
            let secrets = artoo_consent::secrets_in(&surroundings.home);
            let protected = options.protected.iter().cloned().chain(secrets).collect();
            let folder = surroundings.working_folder.clone();
            Arc::new(WorkingFolder { folder, protected, tools: tools.clone() })
        },
        workplace: workplace(request),
        person_present: request.person_present,
        shortcuts: planning::shortcuts(parts, request),
        instructions: request.instructions.clone().into(),
        resumed: kept.to_vec(),
        asking: match options.profile {
            Profile::Default => Asking::All,
            Profile::SpecV08 => Asking::Literal,
        },
        plan_deadline: deadlines.plan,
        silence: gate.silence().clone(),
        report_deadline: deadlines.report,
    };
    role_tasks.add(bus, Role::Planner, move |port| {
        artoo_planner::run(port, Arc::clone(&planner), Arc::clone(&model), settings.clone())
    })?;
    let behaviour = Arc::clone(&options.roles.executor);
    let model = UntilStopped::wrap((Role::Executor, &parts.models.executor), &stop, &gate);
    let made_here = OnThisMachine { toolbox: Arc::clone(&toolbox), context: tools.clone() };
    let conversation = kept_conversation(parts);
    let settings = artoo_executor::Settings {
        conversation: conversation.clone(),
        ..executor_settings(parts, (request, kept), (made_here, gate.silence()))
    };
    role_tasks.add(bus, Role::Executor, move |port| {
        artoo_executor::run(port, Arc::clone(&behaviour), Arc::clone(&model), settings.clone())
    })?;
    let judge = Arc::clone(&options.roles.judge);
    let model = UntilStopped::wrap((Role::AgentValidator, &parts.models.agent_validator), &stop, &gate);
    let rehearsal = Rehearsal::new(&toolbox, tools.clone(), options.policy.clone());
    let again: Arc<dyn Rerun> = match options.acceptance.dependence {
        true => Arc::new(CallsAgain(rehearsal)),
        false => Arc::new(NoRerun),
    };
    let (places, home) = (tools.protected.clone(), surroundings.home.clone());
    let closed = ClosedFiles::new(move |file, path| places.hold(file, path, &home));
    let world = Filesystem::of(surroundings).with_tmpdir(&tools.private_tmp).with_closed(closed);
    let world = world.with_originals(originals(tools.snapshot.clone()));
    let settings = artoo_agent_validator::Settings {
        surroundings: surroundings.clone(),
        max_retries: request.limits.max_retries,
        judge_deadline: deadlines.judge,
        silence: gate.silence().clone(),
        commands: Arc::new(CommandChecks::new(toolbox, tools, options.policy.clone())),
        again: Arc::clone(&again),
        world: world.clone(),
        excerpts: excerpts(&parts.models.agent_validator, parts),
    };
    role_tasks.add(bus, Role::AgentValidator, move |port| {
        artoo_agent_validator::run(port, Arc::clone(&judge), Arc::clone(&model), settings.clone())
    })?;
    let judge = Arc::clone(&options.roles.task_judge);
    let model = UntilStopped::wrap((Role::MetaValidator, &parts.models.meta_validator), &stop, &gate);
    let settings = artoo_meta_validator::Settings {
        surroundings: surroundings.clone(),
        judge_deadline: deadlines.judge,
        silence: gate.silence().clone(),
        output_schema: request.output_schema.clone(),
        judges_the_whole: options.acceptance.last_judge,
        again,
        world,
        conversation,
        excerpts: excerpts(&parts.models.meta_validator, parts),
    };
    role_tasks.add(bus, Role::MetaValidator, move |port| {
        artoo_meta_validator::run(port, Arc::clone(&judge), Arc::clone(&model), settings.clone())
    })?;
    let (memory, redact) = (Arc::clone(&parts.memory), options.redactor.clone());
    role_tasks.add(bus, Role::SharedMemory, move |port| {
        artoo_shared_memory::run(port, Arc::clone(&memory), redact.clone())
    })?;
    let consent = Consent::of(options.ask_before_plans, request.person_present);
    let dispatch = Dispatch::new(bus.run_id()).resuming(kept);
    role_tasks
        .add(bus, Role::Dispatcher, move |port| dispatcher(port, PlanGate::new(consent), dispatch.clone()))?;
    let (ggs_parts, folder) = (Arc::clone(parts), surroundings.working_folder.clone());
    role_tasks.add(bus, Role::Ggs, move |port| {
        let settings = ggs_settings(&ggs_parts, parameters, (folder.clone(), names.clone()));
        artoo_ggs::run(port, solver(&ggs_parts, parameters), settings)
    })?;
    Ok(role_tasks)
}

/// The bus's clock, as the tools' time source.
struct RunTime(Arc<dyn Clock>);

impl LocalTime for RunTime {
    fn now(&self) -> DateTime<FixedOffset> {
        self.0.now()
    }
}

mod controller;
mod dispatcher;
mod originals;
mod planning;
#[cfg(test)]
mod tests;
