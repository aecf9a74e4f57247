//! What artoo is put together from.

use std::{path::PathBuf, sync::Arc};

use artoo_agent_validator::Judge;
use artoo_executor::Executor;
use artoo_ggs::Solver;
use artoo_ggs_core::Parameters;
use artoo_llm_client::LlmClient;
use artoo_meta_validator::TaskJudge;
use artoo_mkct_memory::MemoryService;
use artoo_planner::Planner;
use artoo_tools::{Tool, Toolbox};
use artoo_types::Role;

use crate::{Artoo, Error, Person};

/// What artoo is put together from. A model and a data folder are needed; everything else has a default.
#[must_use]
pub struct Builder {
    inner: artoo_runtime::Builder,
    toolbox: Toolbox,
    home: Option<PathBuf>,
    person: Option<Arc<dyn Person>>,
    last: Vec<Box<dyn FnOnce(artoo_runtime::Builder) -> artoo_runtime::Builder + Send>>,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            inner: artoo_runtime::Artoo::builder(),
            toolbox: Toolbox::standard(),
            home: None,
            person: None,
            last: Vec::new(),
        }
    }
}

impl Builder {
    fn inner(self, change: impl FnOnce(artoo_runtime::Builder) -> artoo_runtime::Builder) -> Self {
        Self { inner: change(self.inner), ..self }
    }

    /// The model of every role that has none of its own.
    pub fn model(self, model: impl LlmClient + 'static) -> Self {
        self.inner(|builder| builder.model(Arc::new(model)))
    }

    /// The model of one role.
    pub fn role_model(self, role: Role, model: impl LlmClient + 'static) -> Self {
        self.inner(|builder| builder.role_model(role, Arc::new(model)))
    }

    /// Where the records of all runs go. Made with mode 0700 where it is not there; no run may read or write it.
    pub fn data_folder(self, folder: impl Into<PathBuf>) -> Self {
        self.inner(|builder| builder.data_folder(folder.into()))
    }

    /// The user's home folder: what `~` means, and where keys, mail and browser profiles are kept from runs. That of the process by
    /// default.
    pub fn home(self, home: impl Into<PathBuf>) -> Self {
        Self { home: Some(home.into()), ..self }
    }

    /// The memory; by default one that lives as long as the process.
    pub fn memory(self, memory: Arc<dyn MemoryService>) -> Self {
        self.inner(|builder| builder.memory(memory))
    }

    /// One more tool beside the standard ones; one of the same name is replaced.
    pub fn tool(self, tool: impl Tool + 'static) -> Self {
        Self { toolbox: self.toolbox.with(tool), ..self }
    }

    /// Lets runs search the web, by DuckDuckGo, and read pages. Public addresses only.
    #[cfg(feature = "web")]
    pub fn web(self) -> Self {
        let fetch = artoo_web::Fetch::new(artoo_web::Web::new(artoo_web::AddressRule::public()));
        let engine = artoo_web::DuckDuckGo::default();
        self.tool(artoo_web::Search::new(Arc::new(engine))).tool(fetch)
    }

    /// Who answers the questions of runs, consent among them. Without one, a request goes ahead as it is, and what needs consent is not
    /// done.
    pub fn person(self, person: impl Person + 'static) -> Self {
        Self { person: Some(Arc::new(person)), ..self }
    }

    /// Replaces the planner (R2).
    pub fn planner(self, planner: impl Planner + 'static) -> Self {
        self.inner(|builder| builder.planner(Arc::new(planner)))
    }

    /// Replaces the executor (R3).
    pub fn executor(self, executor: impl Executor + 'static) -> Self {
        self.inner(|builder| builder.executor(Arc::new(executor)))
    }

    /// Replaces the judge of a step (R4a, the agent-validator).
    pub fn judge(self, judge: impl Judge + 'static) -> Self {
        self.inner(|builder| builder.judge(Arc::new(judge)))
    }

    /// Replaces the judge of the whole (R4b, the meta-validator).
    pub fn task_judge(self, judge: impl TaskJudge + 'static) -> Self {
        self.inner(|builder| builder.task_judge(Arc::new(judge)))
    }

    /// Replaces the solver (R7): called once per run.
    pub fn solver<S: Solver + 'static>(self, make: impl Fn(Parameters) -> S + Send + Sync + 'static) -> Self {
        self.inner(|builder| builder.solver(move |parameters| Box::new(make(parameters))))
    }

    /// Anything else that the runtime's builder takes: prices, deadlines, rules of consent, secrets. Applied last.
    pub fn runtime(
        mut self,
        change: impl FnOnce(artoo_runtime::Builder) -> artoo_runtime::Builder + Send + 'static,
    ) -> Self {
        self.last.push(Box::new(change));
        self
    }

    /// Puts it together. The variables of this process are known from here on: those that hold secrets are taken out of all records,
    /// and commands see the harmless ones (`PATH`, `LANG` and their like).
    ///
    /// # Errors
    /// [`Error::Build`] where the model or the data folder is missing or cannot be used, [`Error::NoHome`].
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn build(self) -> Result<Artoo, Error> {
        let home = self.home.or_else(std::env::home_dir).ok_or(Error::NoHome)?;
        let builder = self.inner.toolbox(self.toolbox).environment(std::env::vars_os().collect());
        let builder = self.last.into_iter().fold(builder, |builder, change| change(builder));
        Ok(Artoo { inner: builder.build()?, home, person: self.person })
    }
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.inner.fmt(f)
    }
}
