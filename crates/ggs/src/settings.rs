//! What a run's R7 is given from outside.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use artoo_ggs_core::{GoalGradientSolver, ParameterError, Parameters, Profile};
use artoo_types::{BlockedProgram, Limits, MegramId, ToolName};

use crate::{MegramRule, Solver};

/// What R7 needs to know of one run.
pub struct Settings {
    /// The numbers of the controller, with the run's limits in them.
    pub parameters: Parameters,
    /// Which Megrams are written.
    pub megrams: MegramRule,
    /// Where the run works: a task that is done there is remembered with it. `None` remembers no place.
    pub working_folder: Option<PathBuf>,
    /// The tools that a plan can use.
    pub inventory: BTreeSet<ToolName>,
    /// The programs by which something can be found out, of tools that run commands.
    pub programs: BTreeSet<BlockedProgram>,
    /// How long the planner may take for its failure report, after which code words it.
    pub report_deadline: Duration,
    /// Where ids come from.
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

/// Makes ids of Megrams. The runtime hands it in, because roles know no random numbers.
pub struct Mint(Box<dyn FnMut() -> MegramId + Send>);

impl Mint {
    /// Wraps the function that makes them.
    pub fn new(make: impl FnMut() -> MegramId + Send + 'static) -> Self {
        Self(Box::new(make))
    }

    pub(crate) fn id(&mut self) -> MegramId {
        (self.0)()
    }
}
