//! `Artoo`: what all runs share, and the entry points that start runs.

use std::{
    collections::BTreeSet,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use artoo_bus::{Bus, Clock};
use artoo_llm_client::LlmClient;
use artoo_mkct_memory::{MemoryError, MemoryService};
use artoo_planner::Inventory;
use artoo_redaction::Redactor;
use artoo_tools::{GitCommit, Toolbox, UndoRun};
use artoo_types::{AuditReport, BlockedProgram, Errand, MegramId, RunId, SubTaskOutcome, ToolKind};
use chrono::{DateTime, FixedOffset};
use tokio::time::Instant;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use uuid::Uuid;

use crate::{
    Builder, Deadlines, Run, RunRequest, StartError, assembly, audit::Audit, builder::brief,
    dreaming::Dreamer, events::Cumulative, journal::Journal, options::Options,
};

/// Programs that every system has; the inventory lists the others.
const ORDINARY: [&str; 5] = ["awk", "find", "grep", "ls", "sed"];

/// Roles, models, tools and memory, ready for runs. Clones share everything.
#[derive(Clone)]
pub struct Artoo {
    pub(crate) parts: Arc<Parts>,
}

/// The state shared by every run.
pub(crate) struct Parts {
    pub(crate) options: Options,
    /// As chosen, or as they follow from the models.
    pub(crate) deadlines: Deadlines,
    pub(crate) bus: Bus,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) models: Models,
    pub(crate) data_folder: PathBuf,
    pub(crate) toolbox: Arc<Toolbox>,
    pub(crate) inventory: Inventory,
    pub(crate) memory: Arc<dyn MemoryService>,
    /// When undo retention was last applied.
    pub(crate) retained: Mutex<Option<Instant>>,
    pub(crate) journal: Journal,
    pub(crate) audit: Audit,
    /// Cancelled when artoo is closed; the parent of every run's token.
    pub(crate) closing: CancellationToken,
    /// The supervisors of open runs.
    pub(crate) open_runs: TaskTracker,
    pub(crate) dreamer: Dreamer,
}

/// The model of each role that has one.
pub(crate) struct Models {
    pub(crate) perceiver: Arc<dyn LlmClient>,
    pub(crate) planner: Arc<dyn LlmClient>,
    pub(crate) executor: Arc<dyn LlmClient>,
    pub(crate) agent_validator: Arc<dyn LlmClient>,
    pub(crate) meta_validator: Arc<dyn LlmClient>,
}

impl Artoo {
    /// A builder for this type.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Starts a run. Its first observer sees every message, see [`Run::observe`].
    ///
    /// # Errors
    /// [`StartError`]: nothing was started, and nothing is left behind.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn start(&self, request: RunRequest) -> Result<Run, StartError> {
        assembly::start(&self.parts, RunId::new(Uuid::now_v7()), (request, Errand::Task), None)
    }

    /// Like [`Artoo::start`], with the work of an earlier run of the same request: see [`crate::resume`]. It
    /// is not repeated, and is judged with the rest. What the earlier run changed of the rules of build output is not known, so
    /// nothing is build output in this one.
    ///
    /// # Errors
    /// [`StartError`], as above.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn resume(&self, request: RunRequest, kept: Vec<SubTaskOutcome>) -> Result<Run, StartError> {
        assembly::start(&self.parts, RunId::new(Uuid::now_v7()), (request, Errand::Task), Some(kept))
    }

    /// Starts a run of one shell command, the text of the request. It is handled like the command of any run:
    /// tried, asked about, confined, recorded, and kept for undo. No model is called, and only the request's
    /// timeout limits its time. The run's exit code is that of the command, or 5 if the command was refused.
    ///
    /// # Errors
    /// [`StartError`]: nothing was started, and nothing is left behind.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn command(&self, request: RunRequest) -> Result<Run, StartError> {
        assembly::start(&self.parts, RunId::new(Uuid::now_v7()), (request, Errand::Command), None)
    }

    /// The redactor of the records, for callers that write another record.
    pub fn redactor(&self) -> &Redactor {
        &self.parts.options.redactor
    }

    /// The memory, for views of it.
    pub fn memory(&self) -> &Arc<dyn MemoryService> {
        &self.parts.memory
    }

    /// Takes back what a run taught memory, because its result was rejected: from then on its experiences advise
    /// nothing, and `reason`, without secrets, is recalled in their place. Durable when this returns. Runs do this
    /// themselves for what they take back or correct ([`rejected`](crate::rejected)); this is for a front end that undoes a run
    /// in another way. Returns the ids of what was written: none for a run that taught nothing or was revoked before.
    ///
    /// # Errors
    /// The memory's failure.
    pub async fn revoke(&self, run: RunId, reason: &str) -> Result<Vec<MegramId>, MemoryError> {
        let revoked = self.parts.memory.revoke(run, &self.redactor().apply(reason)).await?;
        self.parts.memory.flush().await?;
        Ok(revoked)
    }

    /// Asks the auditor for a report over its log, from `since` on or from the beginning. `None` if the
    /// auditor has ended.
    pub async fn audit_report(&self, since: Option<DateTime<FixedOffset>>) -> Option<AuditReport> {
        self.parts.audit.report(since).await
    }

    /// A problem of the audit log, if any: a gap found at startup, or a line that cannot be written.
    pub fn audit_trouble(&self) -> Option<String> {
        self.parts.audit.trouble()
    }

    /// The model calls of the Dreamer since this was built. No run pays for them.
    pub fn dreamt(&self) -> Cumulative {
        self.parts.dreamer.spent()
    }

    /// Waits until what the ended runs recorded and learned is on disk. artoo stays open.
    pub async fn settle(&self) {
        if let Err(error) = self.parts.memory.flush().await {
            tracing::warn!(%error, "memory could not be written");
        }
        self.parts.journal.sync().await;
    }

    /// Closes artoo: open runs are cancelled and end with a recorded result, memory is closed (and, with
    /// [`Dreams::Code`](crate::Dreams::Code), consolidated as far as that takes negligible time), and the journals are on disk when this returns. Other clones
    /// can start no more runs.
    pub async fn close(self) {
        self.parts.closing.cancel();
        self.parts.open_runs.close();
        self.parts.open_runs.wait().await;
        self.parts.dreamer.close().await;
        self.parts.audit.close().await;
        if let Err(error) = self.parts.memory.close().await {
            tracing::warn!(%error, "memory did not close cleanly");
        }
        self.parts.journal.sync().await;
    }
}

impl Parts {
    /// The tools of a run, and what its planner knows of them. The tool that takes back earlier runs is among them if there
    /// are such runs, and the one that commits if there is a repository. Blocks: it looks at the working folder.
    pub(crate) fn tools(&self, request: &RunRequest) -> (Arc<Toolbox>, Inventory) {
        let (toolbox, mut inventory) = (Arc::clone(&self.toolbox), self.inventory.clone());
        let can_commit = toolbox.get(&ToolKind::GitCommit.into()).is_some();
        let lacks_repository = can_commit && !GitCommit::has_use_in(&request.surroundings.working_folder);
        if request.undoable.is_empty() && !lacks_repository {
            return (toolbox, inventory);
        }
        let mut toolbox = toolbox.as_ref().clone();
        if lacks_repository {
            inventory.tools.retain(|tool| !tool.name.is(ToolKind::GitCommit));
            toolbox = toolbox.without(ToolKind::GitCommit);
        }
        if !request.undoable.is_empty() {
            let undo = UndoRun::new(request.undoable.clone());
            inventory.tools.push(brief(&undo));
            toolbox = toolbox.with(undo);
        }
        (Arc::new(toolbox), inventory)
    }

    /// The programs that a plan's commands can use; empty without a tool that runs commands.
    pub(crate) fn programs(&self) -> BTreeSet<BlockedProgram> {
        let tool = artoo_types::ToolName::from(ToolKind::Shell);
        if !self.inventory.tools.iter().any(|offered| offered.name == tool) {
            return BTreeSet::new();
        }
        let installed = self.inventory.programs.iter().map(String::as_str);
        let pair = |program: &str| BlockedProgram { tool: tool.clone(), program: program.to_owned() };
        ORDINARY.into_iter().chain(installed).map(pair).collect()
    }
}

impl std::fmt::Debug for Artoo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Artoo").field("data_folder", &self.parts.data_folder).finish_non_exhaustive()
    }
}
