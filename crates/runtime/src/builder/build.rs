//! Builds `Artoo` from the builder's options.

use std::sync::{Arc, Mutex};

use artoo_bus::{Bus, Clock, SystemClock};
use artoo_ggs_core::Profile;
use artoo_llm_client::{Contender, LlmClient, weaker_judge};
use artoo_mkct_memory::{InMemory, MemoryService, Rules};
use artoo_planner::{Inventory, ToolBrief};
use artoo_redaction::{Redactor, secrets_of};
use artoo_tools::{Tool, Toolbox};
use artoo_types::{MegramId, Role, ToolKind};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use uuid::Uuid;

use crate::{
    Artoo, BuildError, Builder, Deadlines,
    artoo::{Models, Parts},
    audit::Audit,
    dreaming,
    journal::Journal,
    owner_only, runs,
};

impl Builder {
    /// Builds the shared state.
    ///
    /// # Errors
    /// [`BuildError`]: a role without a model, a judge of the whole with a weaker model than the planner, or an
    /// unusable data folder.
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
        refuse_a_weaker_judge(&models)?;
        let data_folder = self.data_folder.ok_or(BuildError::NoDataFolder)?;
        let unusable = |source| BuildError::DataFolder { path: data_folder.clone(), source };
        owner_only::data_folder(&data_folder).map_err(unusable)?;
        let in_runs = |source| BuildError::DataFolder { path: runs::folder(&data_folder), source };
        owner_only::folder(&runs::folder(&data_folder)).map_err(in_runs)?;
        let mut options = self.options;
        let file = options.policy.file().map(std::path::Path::to_owned);
        let places = owner_only::places(&data_folder).into_iter();
        let places: Vec<_> = places.chain(options.protected.iter().cloned()).chain(file.clone()).collect();
        for owner_only::StaysOpen { path, error } in owner_only::close(&places) {
            tracing::warn!(path = %path.display(), %error, "others may read or write what is artoo's, and it cannot be closed");
        }
        options.redactor = {
            let variables = options.environment.iter();
            let texts = variables.filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
            secrets_of(texts).fold(options.redactor, Redactor::secret)
        };
        options.protected = [data_folder.clone()].into_iter().chain(options.protected).chain(file).collect();
        options.policy =
            options.protected.iter().fold(options.policy, |policy, place| policy.protecting(place));
        let journal = Journal::start(options.redactor.clone()).map_err(unusable)?;
        let clock = self.clock.unwrap_or_else(|| Arc::new(SystemClock::new()));
        let bus = Bus::new(Arc::clone(&clock), self.bus_limits);
        let toolbox = self.toolbox.unwrap_or_else(Toolbox::standard);
        let models_known = all_of(&models).into_iter().map(|model| model.model().to_owned());
        let tools_known = toolbox.tools().map(|tool| tool.name().to_string());
        let undo = ToolKind::UndoRun.name().to_owned();
        let known = models_known.chain(tools_known).chain([undo]).collect();
        let audit = Audit::start(&bus, &clock, &data_folder, known)?;
        let memory = self.memory.unwrap_or_else(|| in_memory(&clock, options.profile));
        let words = (Arc::clone(&models.planner), &options.prices);
        let dreamer = dreaming::dream(options.dreams, Arc::clone(&memory), words, audit.memory_port()?);
        let leaves_running = !models.executor.profile().guided;
        let tools = toolbox
            .tools()
            .filter(|tool| leaves_running || !tool.name().is(ToolKind::Job))
            .map(brief)
            .collect();
        let deadlines = options.deadlines.unwrap_or_else(|| Deadlines::for_models(all_of(&models)));
        let parts = Parts {
            deadlines,
            bus,
            clock,
            models,
            data_folder,
            toolbox: Arc::new(toolbox),
            inventory: Inventory { tools, programs: options.programs.clone() },
            memory,
            options,
            retained: Mutex::new(None),
            journal,
            audit,
            closing: CancellationToken::new(),
            open_runs: TaskTracker::new(),
            dreamer,
        };
        Ok(Artoo { parts: Arc::new(parts) })
    }
}

/// The model of each role.
fn all_of(models: &Models) -> [&Arc<dyn LlmClient>; 5] {
    let Models { perceiver, planner, executor, agent_validator, meta_validator } = models;
    [perceiver, planner, executor, agent_validator, meta_validator]
}

/// A judge of the whole that is weaker than the planner would accept what the planner got wrong.
/// Source: specification v0.8, R4b.
fn refuse_a_weaker_judge(models: &Models) -> Result<(), BuildError> {
    let (judge, planner) = (Contender::of(&models.meta_validator), Contender::of(&models.planner));
    match weaker_judge(judge, planner, Contender::of(&models.executor)) {
        None => Ok(()),
        Some(reason) => {
            let (judge, planner) = (judge.model.to_owned(), planner.model.to_owned());
            Err(BuildError::WeakerJudge { judge, planner, reason })
        }
    }
}

/// What the planner knows of a tool.
pub(crate) fn brief(tool: &dyn Tool) -> ToolBrief {
    ToolBrief { name: tool.name(), summary: tool.summary().to_owned() }
}

fn in_memory(clock: &Arc<dyn Clock>, profile: Profile) -> Arc<dyn MemoryService> {
    let rules = match profile {
        Profile::Default => Rules::default(),
        Profile::SpecV08 => Rules::spec_v0_8(),
    };
    let clock = Arc::clone(clock);
    Arc::new(InMemory::new(rules, move || clock.now(), || MegramId::new(Uuid::now_v7())))
}
