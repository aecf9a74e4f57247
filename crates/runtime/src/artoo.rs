//! Artoo put together: what all runs share.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use artoo_bus::{Bus, Clock};
use artoo_executor::Executor;
use artoo_ggs_core::{Parameters, Profile};
use artoo_llm_client::LlmClient;
use artoo_mkct_memory::MemoryService;
use artoo_planner::{Inventory, Planner};
use artoo_redaction::Redactor;
use artoo_snapshot::{Retention, SnapshotLimits};
use artoo_tools::Toolbox;
use artoo_types::{AuditReport, BlockedProgram, Errand, Prices, RunId, SubTaskOutcome};
use chrono::{DateTime, FixedOffset};
use tokio::time::Instant;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use uuid::Uuid;

use crate::{
    Acceptance, Builder, Deadlines, Run, RunRequest, StartError, assembly, audit::Audit, builder::Roles,
    dreaming::Dreamer, journal::Journal,
};

/// Programs that every system has; which others are installed is said in the inventory.
const ORDINARY: [&str; 5] = ["awk", "find", "grep", "ls", "sed"];

/// Roles, models, tools and memory, ready for runs. Clones share everything.
#[derive(Clone)]
pub struct Artoo {
    pub(crate) parts: Arc<Parts>,
}

/// What every run shares.
pub(crate) struct Parts {
    pub(crate) bus: Bus,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) models: Models,
    pub(crate) data_folder: PathBuf,
    pub(crate) toolbox: Arc<Toolbox>,
    pub(crate) inventory: Inventory,
    /// The user's own rules of consent.
    pub(crate) policy: artoo_consent::Rules,
    /// What no run may read or write.
    pub(crate) protected: Vec<std::path::PathBuf>,
    pub(crate) environment: BTreeMap<OsString, OsString>,
    pub(crate) redactor: Redactor,
    pub(crate) memory: Arc<dyn MemoryService>,
    pub(crate) roles: Roles,
    pub(crate) planner: Arc<dyn Planner>,
    pub(crate) executor: Arc<dyn Executor>,
    pub(crate) profile: Profile,
    /// The controller's numbers; replans and time come from each request.
    pub(crate) parameters: Parameters,
    pub(crate) strict: bool,
    pub(crate) ask_before_plans: bool,
    pub(crate) prices: Prices,
    pub(crate) deadlines: Deadlines,
    pub(crate) parallel: usize,
    /// What a run keeps for undo, and for how long.
    pub(crate) acceptance: Acceptance,
    pub(crate) snapshot_limits: SnapshotLimits,
    pub(crate) retention: Retention,
    /// When that was last applied.
    pub(crate) retained: Mutex<Option<Instant>>,
    pub(crate) journal: Journal,
    pub(crate) audit: Audit,
    /// Cancelled when artoo is closed; the parent of every run's token.
    pub(crate) closing: CancellationToken,
    /// The supervisors of the runs that have not ended.
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
    /// Begins to put one together.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Starts a run. Its first observer sees every message, see [`Run::observe`].
    ///
    /// # Errors
    /// [`StartError`]: nothing was begun then, and nothing is left behind.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn start(&self, request: RunRequest) -> Result<Run, StartError> {
        self.resume(request, Vec::new())
    }

    /// As [`Artoo::start`], with what an earlier run of the same request had done: see [`crate::resume`]. It is not run again, and is judged
    /// with the rest.
    ///
    /// # Errors
    /// [`StartError`], as above.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn resume(&self, request: RunRequest, kept: Vec<SubTaskOutcome>) -> Result<Run, StartError> {
        assembly::start(&self.parts, RunId::new(Uuid::now_v7()), (request, Errand::Task), kept)
    }

    /// Starts a run of one command: its text is for a shell. It is carried out as the command of any run would be: tried, asked about,
    /// confined, recorded, and kept for undo. No model is asked, and nothing bounds its time but the request's timeout. The exit code of the run is that
    /// of the command, and 5 where it was refused.
    ///
    /// # Errors
    /// [`StartError`]: nothing was begun then, and nothing is left behind.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn command(&self, request: RunRequest) -> Result<Run, StartError> {
        assembly::start(&self.parts, RunId::new(Uuid::now_v7()), (request, Errand::Command), Vec::new())
    }

    /// What takes secrets out of records, for who writes another one.
    pub fn redactor(&self) -> &Redactor {
        &self.parts.redactor
    }

    /// The memory, for views of it.
    pub fn memory(&self) -> &Arc<dyn MemoryService> {
        &self.parts.memory
    }

    /// Asks the auditor for a report over what is in its log, from `since` on or from the beginning. `None` where it has ended.
    pub async fn audit_report(&self, since: Option<DateTime<FixedOffset>>) -> Option<AuditReport> {
        self.parts.audit.report(since).await
    }

    /// What is wrong with the audit log, where something is: a gap found at the start, or a line that cannot be written.
    pub fn audit_trouble(&self) -> Option<String> {
        self.parts.audit.trouble()
    }

    /// Ends artoo: runs that are open are cancelled and end with a recorded result, memory is put in order, as far as that takes no
    /// time to speak of, and closed, and the journals are on disk when this returns. Other clones start no run any more.
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
    /// The tools that a plan can use, by name.
    pub(crate) fn tool_names(&self) -> BTreeSet<artoo_types::ToolName> {
        self.inventory.tools.iter().map(|tool| tool.name.clone()).collect()
    }

    /// The programs that the commands of a plan can use; none where there is no tool that runs commands.
    pub(crate) fn programs(&self) -> BTreeSet<BlockedProgram> {
        let tool = artoo_types::ToolName::new("shell");
        if !self.tool_names().contains(&tool) {
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
