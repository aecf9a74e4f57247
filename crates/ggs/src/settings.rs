//! `Settings`: R7's input for one run.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use artoo_ggs_core::{GoalGradientSolver, ParameterError, Parameters, Profile};
use artoo_types::{BlockedProgram, Limits, MegramId, ToolName};

use crate::{MegramRule, Solver};

/// R7's settings for one run.
pub struct Settings {
    /// The controller's parameters, including the run's limits.
    pub parameters: Parameters,
    /// Which Megrams are written.
    pub megrams: MegramRule,
    /// The run's working folder: a task done there is remembered with it. `None` remembers no folder.
    pub working_folder: Option<PathBuf>,
    /// The tools that a plan can use.
    pub inventory: BTreeSet<ToolName>,
    /// The programs that can find something out, for tools that run commands.
    pub programs: BTreeSet<BlockedProgram>,
    /// Deadline of the planner's failure report, after which a template words it.
    pub report_deadline: Duration,
    /// Source of ids.
    pub mint: Mint,
}

impl Settings {
    /// The settings of a profile, with 10 seconds for a failure report, and neither programs nor a working
    /// folder.
    ///
    /// # Errors
    /// Limits with a time budget of 0.
    pub fn new(
        profile: Profile,
        limits: &Limits,
        inventory: BTreeSet<ToolName>,
        mint: Mint,
    ) -> Result<Self, ParameterError> {
        Ok(Self {
            parameters: profile.parameters().with_limits(limits)?,
            megrams: MegramRule::of(profile),
            working_folder: None,
            inventory,
            programs: BTreeSet::new(),
            report_deadline: Duration::from_secs(10),
            mint,
        })
    }

    /// The default solver with these parameters.
    pub fn solver(&self) -> Box<dyn Solver> {
        Box::new(GoalGradientSolver::new(self.parameters))
    }
}

/// Creates ids of Megrams. The runtime provides it, because roles have no random numbers.
pub struct Mint(Box<dyn FnMut() -> MegramId + Send>);

impl Mint {
    /// Wraps the function that creates them.
    pub fn new(make: impl FnMut() -> MegramId + Send + 'static) -> Self {
        Self(Box::new(make))
    }

    pub(crate) fn id(&mut self) -> MegramId {
        (self.0)()
    }
}
