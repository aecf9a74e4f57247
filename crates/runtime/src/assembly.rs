//! One run put together: its ports, its roles, its journal, its supervisor.

use std::sync::Arc;

use artoo_bus::{Clock, Port, RunBus};
use artoo_ggs::MegramRule;
use artoo_mkct_memory::MemoryService;
use artoo_tools::{CreatedPaths, EvidenceStore, LocalTime, ToolContext, ToolLimits};
use artoo_types::{CallId, MegramId, Message, Role, RunId, SubTaskId, UserRequest};
use chrono::{DateTime, FixedOffset};
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinSet,
};
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use crate::{
    Dispatch, RunRequest, StartError,
    builder::{Parts, default_solver},
    run::{Canceller, Run},
    runs,
    supervisor::{ReplaceGgs, Supervised, supervise, watched},
};

/// Starts a run.
pub(crate) fn start(parts: &Arc<Parts>, run_id: RunId, request: RunRequest) -> Result<Run, StartError> {
    let runs = runs::folder(&parts.data_folder);
    let (storage_failed, storage_failure) = oneshot::channel();
    let unwritable = |source| StartError::Folder { path: runs.clone(), source };
    let journal = parts
        .journal
        .open(&runs, run_id, move |error| {
            let _ = storage_failed.send(error);
        })
        .map_err(unwritable)?;
    let folder = journal.folder().to_owned();
    let evidence = EvidenceStore::open(folder.join("evidence")).map_err(unwritable)?;
    let bus = parts.bus.open(run_id)?;
    let (see, seen) = mpsc::unbounded_channel();
    let mut record = journal.recorder();
    bus.record(Box::new(move |envelope| {
        record(envelope);
        // The supervisor is gone only when the run is over.
        let _ = see.send(Arc::clone(envelope));
    }));
    let cancel = CancellationToken::new();
    let tools = ToolContext {
        working_folder: request.surroundings.working_folder.clone(),
        workspace: request.surroundings.workspace.clone(),
        home: request.surroundings.home.clone(),
        private_tmp: folder.join("tmp"),
        protected: vec![parts.data_folder.clone()],
        mode: request.sandbox,
        environment: parts.environment.clone(),
        evidence,
        created: CreatedPaths::default(),
        time: Arc::new(RunTime(Arc::clone(&parts.clock))),
        limits: ToolLimits::default(),
        cancel: cancel.clone(),
        on_output: None,
    };
    let roles = roles(parts, &bus, &request, tools)?;
    let (send_result, result) = oneshot::channel();
    let supervised = Supervised {
        user: bus.port(Role::User)?,
        supervisor: bus.port(Role::Supervisor)?,
        clock: Arc::clone(&parts.clock),
        replace_ggs: replacement(parts, &request),
        request: UserRequest {
            text: request.text,
            surroundings: request.surroundings,
            turns: request.turns,
            limits: request.limits,
        },
        bus: bus.clone(),
        roles,
        seen,
        storage_failure,
        deadlines: parts.deadlines,
        timeout: request.timeout,
        cancel: cancel.clone(),
        journal,
        result: send_result,
    };
    let private_tmp = folder.join("tmp");
    let keep_alive = Arc::clone(parts);
    tokio::spawn(async move {
        supervise(supervised).await;
        // Best effort: what is left there is inside the run's own folder.
        let _ = tokio::fs::remove_dir_all(private_tmp).await;
        drop(keep_alive);
    });
    Ok(Run { run_id, folder, bus, canceller: Canceller(cancel), result: Some(result) })
}

/// The loops of one run's roles.
fn roles(
    parts: &Arc<Parts>,
    bus: &RunBus,
    request: &RunRequest,
    tools: ToolContext,
) -> Result<JoinSet<crate::supervisor::Ended>, StartError> {
    let mut roles = JoinSet::new();
    let surroundings = &request.surroundings;
    let deadlines = parts.deadlines;
    let port = |role| bus.port(role);

    let perceiver = artoo_perceiver::run(
        port(Role::Perceiver)?,
        Arc::clone(&parts.perceiver),
        Arc::clone(&parts.models.perceiver),
    );
    let planner = artoo_planner::run(
        port(Role::Planner)?,
        Arc::clone(&parts.planner),
        Arc::clone(&parts.models.planner),
        artoo_planner::Settings {
            surroundings: surroundings.clone(),
            inventory: parts.inventory.clone(),
            report_deadline: deadlines.report,
        },
    );
    let executor = artoo_executor::run(
        port(Role::Executor)?,
        Arc::clone(&parts.executor),
        Arc::clone(&parts.models.executor),
        artoo_executor::Settings {
            surroundings: surroundings.clone(),
            toolbox: Arc::clone(&parts.toolbox),
            tool_context: tools,
            attempt_deadline: deadlines.attempt,
            parallel: parts.parallel,
            mint: Arc::new(|| CallId::new(Uuid::new_v4())),
        },
    );
    let agent_validator = artoo_agent_validator::run(
        port(Role::AgentValidator)?,
        Arc::clone(&parts.judge),
        Arc::clone(&parts.models.agent_validator),
        artoo_agent_validator::Settings {
            surroundings: surroundings.clone(),
            max_retries: request.limits.max_retries,
            judge_deadline: deadlines.judge,
        },
    );
    let meta_validator = artoo_meta_validator::run(
        port(Role::MetaValidator)?,
        Arc::clone(&parts.task_judge),
        Arc::clone(&parts.models.meta_validator),
        artoo_meta_validator::Settings { surroundings: surroundings.clone(), judge_deadline: deadlines.judge },
    );
    let memory = artoo_shared_memory::run(port(Role::SharedMemory)?, Arc::clone(&parts.memory));
    let dispatcher = dispatcher(port(Role::Dispatcher)?, bus.run_id(), Arc::clone(&parts.clock));
    let settings = ggs_settings(parts, request)?;
    let ggs = artoo_ggs::run(port(Role::Ggs)?, (parts.solver)(settings.parameters), settings);

    watched(&mut roles, Role::Perceiver, perceiver);
    watched(&mut roles, Role::Planner, planner);
    watched(&mut roles, Role::Executor, executor);
    watched(&mut roles, Role::AgentValidator, agent_validator);
    watched(&mut roles, Role::MetaValidator, meta_validator);
    watched(&mut roles, Role::SharedMemory, memory);
    watched(&mut roles, Role::Dispatcher, dispatcher);
    watched(&mut roles, Role::Ggs, ggs);
    Ok(roles)
}

fn ggs_settings(parts: &Parts, request: &RunRequest) -> Result<artoo_ggs::Settings, StartError> {
    let mut parameters = parts.profile.parameters().with_limits(&request.limits)?;
    if parts.strict {
        parameters = parameters.strict();
    }
    Ok(artoo_ggs::Settings {
        parameters,
        megrams: MegramRule::of(parts.profile),
        inventory: parts.tool_names(),
        report_deadline: parts.deadlines.report,
        mint: artoo_ggs::Mint::new(|| MegramId::new(Uuid::now_v7())),
    })
}

/// A fresh R7 with the default solver: what ends a run whose own R7 is gone.
fn replacement(parts: &Arc<Parts>, request: &RunRequest) -> ReplaceGgs {
    let (parts, request) = (Arc::clone(parts), request.clone());
    Box::new(move |port: Port| {
        let settings = ggs_settings(&parts, &request);
        Box::pin(async move {
            // The same limits made the run's first R7, so they are valid.
            if let Ok(settings) = settings {
                artoo_ggs::run(port, default_solver(settings.parameters), settings).await;
            }
        })
    })
}

async fn dispatcher(mut port: Port, run_id: RunId, clock: Arc<dyn Clock>) {
    let mut dispatch = Dispatch::new(run_id);
    while let Some(envelope) = port.recv().await {
        let messages = if let Message::Plan(plan) = envelope.message.as_ref() {
            dispatch.on_plan(plan, clock.now(), || SubTaskId::new(Uuid::now_v7()))
        } else if let Message::SubTaskOutcome(outcome) = envelope.message.as_ref() {
            dispatch.on_outcome(outcome)
        } else {
            Vec::new()
        };
        for message in messages {
            if let Err(error) = port.publish(message) {
                tracing::debug!(%error, "the dispatcher could not publish");
            }
        }
    }
}

/// Runs the Dreamer until the guard is dropped.
pub(crate) fn dream(memory: Arc<dyn MemoryService>) -> DropGuard {
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    tokio::spawn(async move {
        tokio::select! {
            () = stopped.cancelled() => {}
            ended = artoo_shared_memory::dream(memory, artoo_shared_memory::CYCLE) => {
                if let Err(error) = ended {
                    tracing::warn!(%error, "the Dreamer stopped");
                }
            }
        }
    });
    stop.drop_guard()
}

/// The bus's clock as the tools see it.
struct RunTime(Arc<dyn Clock>);

impl LocalTime for RunTime {
    fn now(&self) -> DateTime<FixedOffset> {
        self.0.now()
    }
}
