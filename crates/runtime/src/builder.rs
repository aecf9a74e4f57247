//! Putting artoo together.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    path::PathBuf,
    sync::Arc,
};

use artoo_agent_validator::{Judge, ModelJudge};
use artoo_bus::{Bus, BusLimits, Clock, SystemClock};
use artoo_executor::{Executor, ModelExecutor};
use artoo_ggs::Solver;
use artoo_ggs_core::{GoalGradientSolver, Parameters, Profile};
use artoo_llm_client::{LlmClient, doubles::Redaction};
use artoo_meta_validator::{ModelTaskJudge, TaskJudge};
use artoo_mkct_memory::{InMemory, MemoryService, Rules};
use artoo_perceiver::{FaithfulPerceiver, Perceiver};
use artoo_planner::{CompileOptions, Inventory, ModelPlanner, Planner, ToolBrief};
use artoo_tools::Toolbox;
use artoo_types::{AuditReport, MegramId, Prices, Role, RunId};
use chrono::{DateTime, FixedOffset};
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};
use uuid::Uuid;

use crate::{
    BuildError, Deadlines, Run, RunRequest, StartError, assembly,
    audit::Audit,
    journal::{Journal, private_folder},
    runs,
};

/// Shorter values are ordinary words.
const SHORTEST_SECRET: usize = 8;

/// Makes the solver of one run.
pub type MakeSolver = dyn Fn(Parameters) -> Box<dyn Solver> + Send + Sync;

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
    pub(crate) environment: BTreeMap<OsString, OsString>,
    pub(crate) memory: Arc<dyn MemoryService>,
    pub(crate) perceiver: Arc<dyn Perceiver>,
    pub(crate) planner: Arc<dyn Planner>,
    pub(crate) executor: Arc<dyn Executor>,
    pub(crate) judge: Arc<dyn Judge>,
    pub(crate) task_judge: Arc<dyn TaskJudge>,
    /// `None` is the default solver.
    pub(crate) solver: Option<Arc<MakeSolver>>,
    pub(crate) profile: Profile,
    pub(crate) strict: bool,
    pub(crate) prices: Prices,
    pub(crate) deadlines: Deadlines,
    pub(crate) parallel: usize,
    pub(crate) journal: Journal,
    pub(crate) audit: Audit,
    /// Cancelled when artoo is closed; the parent of every run's token.
    pub(crate) closing: CancellationToken,
    /// The supervisors of the runs that have not ended.
    pub(crate) open_runs: TaskTracker,
    /// Stops the Dreamer with the last clone.
    pub(crate) _dreamer: DropGuard,
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
        assembly::start(&self.parts, RunId::new(Uuid::now_v7()), request)
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

    /// Ends artoo: runs that are open are cancelled and end with a recorded result, memory is closed, and the journals are
    /// on disk when this returns. Other clones start no run any more.
    pub async fn close(self) {
        self.parts.closing.cancel();
        self.parts.open_runs.close();
        self.parts.open_runs.wait().await;
        self.parts.audit.close().await;
        if let Err(error) = self.parts.memory.close().await {
            tracing::warn!(%error, "memory did not close cleanly");
        }
        self.parts.journal.sync().await;
    }
}

/// What artoo is put together from. Every role, the model, the tools and the memory can be swapped.
pub struct Builder {
    models: BTreeMap<Role, Arc<dyn LlmClient>>,
    model: Option<Arc<dyn LlmClient>>,
    data_folder: Option<PathBuf>,
    clock: Option<Arc<dyn Clock>>,
    toolbox: Toolbox,
    programs: Vec<String>,
    environment: BTreeMap<OsString, OsString>,
    memory: Option<Arc<dyn MemoryService>>,
    perceiver: Arc<dyn Perceiver>,
    planner: Option<Arc<dyn Planner>>,
    executor: Arc<dyn Executor>,
    judge: Arc<dyn Judge>,
    task_judge: Arc<dyn TaskJudge>,
    solver: Option<Arc<MakeSolver>>,
    profile: Profile,
    strict: bool,
    second_derivation: bool,
    prices: Prices,
    deadlines: Deadlines,
    parallel: usize,
    redaction: Redaction,
    bus_limits: BusLimits,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            models: BTreeMap::new(),
            model: None,
            data_folder: None,
            clock: None,
            toolbox: Toolbox::standard(),
            programs: Vec::new(),
            environment: BTreeMap::new(),
            memory: None,
            perceiver: Arc::new(FaithfulPerceiver),
            planner: None,
            executor: Arc::new(ModelExecutor::default()),
            judge: Arc::new(ModelJudge),
            task_judge: Arc::new(ModelTaskJudge),
            solver: None,
            profile: Profile::Default,
            strict: false,
            second_derivation: false,
            prices: Prices::default(),
            deadlines: Deadlines::default(),
            parallel: 8,
            redaction: Redaction::new(),
            bus_limits: BusLimits::default(),
        }
    }
}

impl Builder {
    /// The model of every role that has none of its own.
    pub fn model(mut self, model: Arc<dyn LlmClient>) -> Self {
        self.model = Some(model);
        self
    }

    /// The model of one role.
    pub fn role_model(mut self, role: Role, model: Arc<dyn LlmClient>) -> Self {
        self.models.insert(role, model);
        self
    }

    /// Where journals and the audit log go. Made with mode 0700 where it is not there.
    pub fn data_folder(mut self, folder: PathBuf) -> Self {
        self.data_folder = Some(folder);
        self
    }

    /// Where time comes from; the system's by default.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// The executor's tools; the standard ones by default.
    pub fn toolbox(mut self, toolbox: Toolbox) -> Self {
        self.toolbox = toolbox;
        self
    }

    /// Programs that the shell can start, for the planner.
    pub fn programs(mut self, programs: Vec<String>) -> Self {
        self.programs = programs;
        self
    }

    /// The variables that commands may see, before the tools take the secret ones out.
    pub fn environment(mut self, environment: BTreeMap<OsString, OsString>) -> Self {
        self.environment = environment;
        self
    }

    /// The memory; by default one that lives as long as the process.
    pub fn memory(mut self, memory: Arc<dyn MemoryService>) -> Self {
        self.memory = Some(memory);
        self
    }

    /// Swaps R1.
    pub fn perceiver(mut self, perceiver: Arc<dyn Perceiver>) -> Self {
        self.perceiver = perceiver;
        self
    }

    /// Swaps R2.
    pub fn planner(mut self, planner: Arc<dyn Planner>) -> Self {
        self.planner = Some(planner);
        self
    }

    /// Swaps R3.
    pub fn executor(mut self, executor: Arc<dyn Executor>) -> Self {
        self.executor = executor;
        self
    }

    /// Swaps R4a's judge.
    pub fn judge(mut self, judge: Arc<dyn Judge>) -> Self {
        self.judge = judge;
        self
    }

    /// Swaps R4b's judge.
    pub fn task_judge(mut self, task_judge: Arc<dyn TaskJudge>) -> Self {
        self.task_judge = task_judge;
        self
    }

    /// Swaps R7's solver: called once per run with its parameters. It works on a thread of its own; where it panics or
    /// gives no decision within [`Deadlines::step`], the run ends with a fault and what there is.
    pub fn solver(mut self, make: impl Fn(Parameters) -> Box<dyn Solver> + Send + Sync + 'static) -> Self {
        self.solver = Some(Arc::new(make));
        self
    }

    /// The controller's numbers and the rules of memory: the default, or the specification's literal text.
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// Whether only `accept` will do: delta is 0, so no run ends as `success`.
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Whether questions are answered twice, by different means, and accepted only where both agree. Worth its calls with a
    /// weak model.
    pub fn second_derivation(mut self, second_derivation: bool) -> Self {
        self.second_derivation = second_derivation;
        self
    }

    /// What the models cost; unknown by default. A run with [`Limits::max_cost`](artoo_types::Limits::max_cost) needs a price
    /// for the model of every role.
    pub fn prices(mut self, prices: Prices) -> Self {
        self.prices = prices;
        self
    }

    /// How long roles may be silent.
    pub fn deadlines(mut self, deadlines: Deadlines) -> Self {
        self.deadlines = deadlines;
        self
    }

    /// How many subtasks of a run are worked on at a time; at least one.
    pub fn parallel(mut self, parallel: usize) -> Self {
        self.parallel = parallel.max(1);
        self
    }

    /// A value that must never reach a journal, for example a key. A value of less than eight characters is no secret (local
    /// servers take any word for a key) and is ignored: it would take ordinary words out of the record.
    pub fn secret(mut self, value: impl Into<String>) -> Self {
        let value = value.into();
        if value.chars().count() >= SHORTEST_SECRET {
            self.redaction = self.redaction.secret(value);
        }
        self
    }

    /// How much the bus may hold.
    pub fn bus_limits(mut self, limits: BusLimits) -> Self {
        self.bus_limits = limits;
        self
    }

    /// Puts it together.
    ///
    /// # Errors
    /// [`BuildError`]: a role without a model, or a data folder that cannot be used.
    ///
    /// # Panics
    /// Outside a tokio runtime: the Dreamer needs one.
    pub fn build(self) -> Result<Artoo, BuildError> {
        let model = |role| {
            let own = self.models.get(&role).or(self.model.as_ref());
            own.cloned().ok_or(BuildError::NoModel { role })
        };
        let models = Models {
            perceiver: model(Role::Perceiver)?,
            planner: model(Role::Planner)?,
            executor: model(Role::Executor)?,
            agent_validator: model(Role::AgentValidator)?,
            meta_validator: model(Role::MetaValidator)?,
        };
        let data_folder = self.data_folder.ok_or(BuildError::NoDataFolder)?;
        let unusable = |source| BuildError::DataFolder { path: data_folder.clone(), source };
        private_folder(&runs::folder(&data_folder)).map_err(unusable)?;
        let journal = Journal::start(self.redaction).map_err(unusable)?;
        let clock = self.clock.unwrap_or_else(|| Arc::new(SystemClock::new()));
        let bus = Bus::new(Arc::clone(&clock), self.bus_limits);
        let names = [
            &models.perceiver,
            &models.planner,
            &models.executor,
            &models.agent_validator,
            &models.meta_validator,
        ];
        let names = names.into_iter().map(|model| model.model().to_owned()).collect();
        let audit = Audit::start(&bus, &clock, &data_folder, names)?;
        let memory = self.memory.unwrap_or_else(|| in_memory(&clock, self.profile));
        let tools = self
            .toolbox
            .tools()
            .map(|tool| ToolBrief { name: tool.name(), summary: tool.summary().to_owned() })
            .collect();
        let options = CompileOptions { second_derivation: self.second_derivation };
        let parts = Parts {
            bus,
            clock,
            models,
            data_folder,
            toolbox: Arc::new(self.toolbox),
            inventory: Inventory { tools, programs: self.programs },
            environment: self.environment,
            memory: Arc::clone(&memory),
            perceiver: self.perceiver,
            planner: self.planner.unwrap_or_else(|| Arc::new(ModelPlanner::new(options))),
            executor: self.executor,
            judge: self.judge,
            task_judge: self.task_judge,
            solver: self.solver,
            profile: self.profile,
            strict: self.strict,
            prices: self.prices,
            deadlines: self.deadlines,
            parallel: self.parallel,
            journal,
            audit,
            closing: CancellationToken::new(),
            open_runs: TaskTracker::new(),
            _dreamer: assembly::dream(Arc::clone(&memory)),
        };
        Ok(Artoo { parts: Arc::new(parts) })
    }
}

/// The default R7.
pub(crate) fn default_solver(parameters: Parameters) -> Box<dyn Solver> {
    Box::new(GoalGradientSolver::new(parameters))
}

fn in_memory(clock: &Arc<dyn Clock>, profile: Profile) -> Arc<dyn MemoryService> {
    let rules = match profile {
        Profile::Default => Rules::default(),
        Profile::SpecV08 => Rules::spec_v0_8(),
    };
    let clock = Arc::clone(clock);
    Arc::new(InMemory::new(rules, move || clock.now(), || MegramId::new(Uuid::now_v7())))
}

impl Parts {
    /// The tools that a plan can use, by name.
    pub(crate) fn tool_names(&self) -> BTreeSet<artoo_types::ToolName> {
        self.inventory.tools.iter().map(|tool| tool.name.clone()).collect()
    }
}

impl std::fmt::Debug for Artoo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Artoo").field("data_folder", &self.parts.data_folder).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder").field("data_folder", &self.data_folder).finish_non_exhaustive()
    }
}
