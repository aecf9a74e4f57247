//! The roles that an embedder can swap.

use std::sync::Arc;

use artoo_agent_validator::{Judge, ModelJudge};
use artoo_executor::{Executor, ModelExecutor};
use artoo_ggs::Solver;
use artoo_ggs_core::{GoalGradientSolver, Parameters};
use artoo_meta_validator::{ModelTaskJudge, TaskJudge};
use artoo_perceiver::{FaithfulPerceiver, Perceiver};
use artoo_planner::{ModelPlanner, Planner};

use crate::Builder;

/// Makes the solver of one run.
pub type MakeSolver = dyn Fn(Parameters) -> Box<dyn Solver> + Send + Sync;

/// The behaviour of each role.
#[derive(Clone)]
pub(crate) struct Roles {
    pub(crate) perceiver: Arc<dyn Perceiver>,
    /// `None` is the default planner, which is made when all options are known.
    planner: Option<Arc<dyn Planner>>,
    /// `None` is the default executor, likewise.
    executor: Option<Arc<dyn Executor>>,
    pub(crate) judge: Arc<dyn Judge>,
    pub(crate) task_judge: Arc<dyn TaskJudge>,
    /// `None` is the default solver.
    pub(crate) solver: Option<Arc<MakeSolver>>,
}

impl Default for Roles {
    fn default() -> Self {
        Self {
            perceiver: Arc::new(FaithfulPerceiver),
            planner: None,
            executor: None,
            judge: Arc::new(ModelJudge),
            task_judge: Arc::new(ModelTaskJudge),
            solver: None,
        }
    }
}

impl Roles {
    /// The planner: the embedder's, or the default one.
    pub(crate) fn planner(&self) -> Arc<dyn Planner> {
        self.planner.clone().unwrap_or_else(|| Arc::new(ModelPlanner::default()))
    }

    /// The executor: the embedder's, or the default one.
    pub(crate) fn executor(&self) -> Arc<dyn Executor> {
        self.executor.clone().unwrap_or_else(|| Arc::new(ModelExecutor::default()))
    }
}

impl Builder {
    /// Swaps R1.
    pub fn perceiver(mut self, perceiver: Arc<dyn Perceiver>) -> Self {
        self.roles.perceiver = perceiver;
        self
    }

    /// Swaps R2.
    pub fn planner(mut self, planner: Arc<dyn Planner>) -> Self {
        self.roles.planner = Some(planner);
        self
    }

    /// Swaps R3.
    pub fn executor(mut self, executor: Arc<dyn Executor>) -> Self {
        self.roles.executor = Some(executor);
        self
    }

    /// Swaps R4a's judge.
    pub fn judge(mut self, judge: Arc<dyn Judge>) -> Self {
        self.roles.judge = judge;
        self
    }

    /// Swaps R4b's judge.
    pub fn task_judge(mut self, task_judge: Arc<dyn TaskJudge>) -> Self {
        self.roles.task_judge = task_judge;
        self
    }

    /// Swaps R7's solver: called once per run with its parameters. It works on a thread of its own; where it
    /// panics or gives no decision within [`Deadlines::step`](crate::Deadlines::step), the run ends with a
    /// fault and what there is.
    pub fn solver(mut self, make: impl Fn(Parameters) -> Box<dyn Solver> + Send + Sync + 'static) -> Self {
        self.roles.solver = Some(Arc::new(make));
        self
    }
}

/// The default R7.
pub(crate) fn default_solver(parameters: Parameters) -> Box<dyn Solver> {
    Box::new(GoalGradientSolver::new(parameters))
}
