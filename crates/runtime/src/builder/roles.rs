//! The roles that an embedder can replace.

use std::sync::Arc;

use artoo_agent_validator::{Judge, ModelJudge};
use artoo_executor::{Executor, ModelExecutor};
use artoo_ggs::Solver;
use artoo_ggs_core::{GoalGradientSolver, Parameters};
use artoo_meta_validator::{ModelTaskJudge, TaskJudge};
use artoo_perceiver::{DefaultPerceiver, Perceiver};
use artoo_planner::{ModelPlanner, Planner};

use crate::Builder;

/// Creates the solver of one run.
pub type MakeSolver = dyn Fn(Parameters) -> Box<dyn Solver> + Send + Sync;

/// The behaviour of each role.
#[derive(Clone)]
pub(crate) struct Roles {
    pub(crate) perceiver: Arc<dyn Perceiver>,
    /// `None` means the default planner, which is created when all options are known.
    planner: Option<Arc<dyn Planner>>,
    /// `None` means the default executor, likewise.
    executor: Option<Arc<dyn Executor>>,
    pub(crate) judge: Arc<dyn Judge>,
    pub(crate) task_judge: Arc<dyn TaskJudge>,
    /// `None` means the default solver.
    pub(crate) solver: Option<Arc<MakeSolver>>,
}

impl Default for Roles {
    fn default() -> Self {
        Self {
            perceiver: Arc::new(DefaultPerceiver),
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
    /// Replaces R1.
    pub fn perceiver(mut self, perceiver: Arc<dyn Perceiver>) -> Self {
        self.roles.perceiver = perceiver;
        self
    }

    /// Replaces R2.
    pub fn planner(mut self, planner: Arc<dyn Planner>) -> Self {
        self.roles.planner = Some(planner);
        self
    }

    /// Replaces R3.
    pub fn executor(mut self, executor: Arc<dyn Executor>) -> Self {
        self.roles.executor = Some(executor);
        self
    }

    /// Replaces R4a's judge.
    pub fn judge(mut self, judge: Arc<dyn Judge>) -> Self {
        self.roles.judge = judge;
        self
    }

    /// Replaces R4b's judge.
    pub fn task_judge(mut self, task_judge: Arc<dyn TaskJudge>) -> Self {
        self.roles.task_judge = task_judge;
        self
    }

    /// Replaces R7's solver: called once per run with its parameters. It runs on its own thread; if it panics
    /// or gives no decision within [`Deadlines::step`](crate::Deadlines::step), the run ends with a fault and
    /// its partial results.
    pub fn solver(mut self, make: impl Fn(Parameters) -> Box<dyn Solver> + Send + Sync + 'static) -> Self {
        self.roles.solver = Some(Arc::new(make));
        self
    }
}

/// The default R7.
pub(crate) fn default_solver(parameters: Parameters) -> Box<dyn Solver> {
    Box::new(GoalGradientSolver::new(parameters))
}
