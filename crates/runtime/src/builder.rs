//! `Builder`: the options of artoo. `roles` holds the replaceable behaviours, `build` assembles the result.

mod build;
mod roles;

use std::{collections::BTreeMap, ffi::OsString, path::PathBuf, sync::Arc};

use artoo_bus::{BusLimits, Clock};
use artoo_ggs_core::{Parameters, Profile};
use artoo_llm_client::LlmClient;
use artoo_mkct_memory::MemoryService;
use artoo_snapshot::{Retention, SnapshotLimits};
use artoo_tools::Toolbox;
use artoo_types::{Prices, Role};

pub(crate) use build::brief;
pub use roles::MakeSolver;
pub(crate) use roles::{Roles, default_solver};

use crate::{
    Acceptance, Deadlines, Dreams,
    command::NoModel,
    options::{Options, Parallel},
};

/// Builder of [`Artoo`](crate::Artoo). Every role, the model, the tools and the memory can be replaced.
#[derive(Default)]
pub struct Builder {
    options: Options,
    // What `build` makes shared state of.
    models: BTreeMap<Role, Arc<dyn LlmClient>>,
    model: Option<Arc<dyn LlmClient>>,
    data_folder: Option<PathBuf>,
    clock: Option<Arc<dyn Clock>>,
    toolbox: Option<Toolbox>,
    memory: Option<Arc<dyn MemoryService>>,
    bus_limits: BusLimits,
}

impl Builder {
    /// The model of every role without one of its own.
    pub fn model(mut self, model: Arc<dyn LlmClient>) -> Self {
        self.model = Some(model);
        self
    }

    /// No model: for an artoo that only runs commands, see [`Artoo::command`](crate::Artoo::command). Model
    /// calls fail.
    pub fn without_model(self) -> Self {
        self.model(Arc::new(NoModel))
    }

    /// The model of one role.
    pub fn role_model(mut self, role: Role, model: Arc<dyn LlmClient>) -> Self {
        self.models.insert(role, model);
        self
    }

    /// The folder of journals and the audit log. Created with mode 0700 if missing.
    pub fn data_folder(mut self, folder: PathBuf) -> Self {
        self.data_folder = Some(folder);
        self
    }

    /// The clock; the system's by default.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// The executor's tools; the standard ones by default.
    pub fn toolbox(mut self, toolbox: Toolbox) -> Self {
        self.toolbox = Some(toolbox);
        self
    }

    /// Programs that the shell can start, for the planner.
    pub fn programs(mut self, programs: Vec<String>) -> Self {
        self.options.programs = programs;
        self
    }

    /// The environment of commands, before the tools remove secret variables.
    pub fn environment(mut self, environment: BTreeMap<OsString, OsString>) -> Self {
        self.options.environment = environment;
        self
    }

    /// The memory; by default one that lasts as long as the process.
    pub fn memory(mut self, memory: Arc<dyn MemoryService>) -> Self {
        self.memory = Some(memory);
        self
    }

    /// How the memory dreams beside the runs, and who words its rules; by default the planner's model.
    pub fn dreams(mut self, dreams: Dreams) -> Self {
        self.options.dreams = dreams;
        self
    }

    /// The controller's parameters and the rules of memory: the default, or the specification's literal text.
    pub fn profile(mut self, profile: Profile) -> Self {
        self.options.profile = profile;
        self
    }

    /// The controller's parameters, in place of the profile's, for tuning. The rules of memory stay the
    /// profile's. Replans and time budget belong to each request,
    /// [`RunRequest::limits`](crate::RunRequest::limits).
    /// ```
    /// use artoo_ggs_core::{Hyperparameters, Parameters, Profile};
    /// use artoo_runtime::Artoo;
    ///
    /// let literal = *Profile::SpecV08.parameters();
    /// let tuned = Parameters::new(Hyperparameters { epsilon: 0.05, ..literal })?;
    /// let builder = Artoo::builder().profile(Profile::SpecV08).parameters(tuned);
    /// # Ok::<(), artoo_ggs_core::ParameterError>(())
    /// ```
    pub fn parameters(mut self, parameters: Parameters) -> Self {
        self.options.parameters = Some(parameters);
        self
    }

    /// Whether only `accept` counts as a success: delta is 0, so no run ends as `success`.
    pub fn strict(mut self, strict: bool) -> Self {
        self.options.strict = strict;
        self
    }

    /// The user's own rules of consent; none by default. Their file is protected: no run may read or write
    /// it.
    pub fn policy(mut self, policy: artoo_consent::Rules) -> Self {
        self.options.policy = policy;
        self
    }

    /// A file or folder that no run may read or write and no rule may allow to change, besides the data
    /// folder and the file of the [`policy`](Self::policy). Files that decide about runs, such as a program's
    /// own configuration, belong here.
    pub fn protect(mut self, place: impl Into<PathBuf>) -> Self {
        self.options.protected.push(place.into());
        self
    }

    /// A file or folder that every run may read and none may change, because the person said so. The kernel keeps
    /// it.
    pub fn keep(mut self, place: impl Into<PathBuf>) -> Self {
        self.options.keep.push(place.into());
        self
    }

    /// A Unix socket of another program, which the person named: a command may connect to it after a question.
    /// Commands reach no other.
    pub fn socket(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.sockets.push(path.into());
        self
    }

    /// Whether a person is asked before a plan runs:
    /// [`PlanApprovalRequested`](artoo_types::PlanApprovalRequested) is answered by
    /// [`Answerer::agree`](crate::Answerer::agree) or [`refuse`](crate::Answerer::refuse). A replan is asked
    /// about again if it has a subtask that was not approved before. A no ends the run; without a person
    /// present the answer is no.
    pub fn ask_before_plans(mut self, ask: bool) -> Self {
        self.options.ask_before_plans = ask;
        self
    }

    /// The models' prices; unknown by default. A run with [`Limits::max_cost`](artoo_types::Limits::max_cost)
    /// needs a price for the model of every role.
    pub fn prices(mut self, prices: Prices) -> Self {
        self.options.prices = prices;
        self
    }

    /// The roles' deadlines; by default those that follow from how long the models' servers may be silent.
    pub fn deadlines(mut self, deadlines: Deadlines) -> Self {
        self.options.deadlines = Some(deadlines);
        self
    }

    /// Maximum number of subtasks of a run in parallel; at least one.
    pub fn parallel(mut self, parallel: usize) -> Self {
        self.options.parallel = Parallel(parallel.max(1));
        self
    }

    /// The checks required before a run is accepted: all, unless some are disabled to measure their benefit.
    pub fn acceptance(mut self, acceptance: Acceptance) -> Self {
        self.options.acceptance = acceptance;
        self
    }

    /// Limits on the previous state that a run keeps for undo.
    pub fn snapshot_limits(mut self, limits: SnapshotLimits) -> Self {
        self.options.snapshot_limits = limits;
        self
    }

    /// How long undo records are kept, and their total size over all runs. Applied when a run starts.
    pub fn retention(mut self, retention: Retention) -> Self {
        self.options.retention = retention;
        self
    }

    /// A value that must never reach a record, for example a key. Those of the
    /// [`environment`](Self::environment) are known ([`artoo_redaction::secrets_of`]). A value of less than
    /// [`SHORTEST_SECRET`](artoo_redaction::SHORTEST_SECRET) characters is not a secret (local servers accept
    /// any word as a key) and is ignored: it would remove ordinary words from the record.
    pub fn secret(mut self, value: impl AsRef<str>) -> Self {
        self.options.redactor = self.options.redactor.secret(value);
        self
    }

    /// Limits of the bus.
    pub fn bus_limits(mut self, limits: BusLimits) -> Self {
        self.bus_limits = limits;
        self
    }
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder").field("data_folder", &self.data_folder).finish_non_exhaustive()
    }
}
