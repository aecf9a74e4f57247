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
pub(crate) struct Roles {
    pub(crate) perceiver: Arc<dyn Perceiver>,
    pub(crate) planner: Arc<dyn Planner>,
    pub(crate) executor: Arc<dyn Executor>,
    pub(crate) judge: Arc<dyn Judge>,
    pub(crate) task_judge: Arc<dyn TaskJudge>,
    /// `None` means the default solver.
    pub(crate) solver: Option<Arc<MakeSolver>>,
}

impl Default for Roles {
    fn default() -> Self {
        Self {
            perceiver: Arc::new(DefaultPerceiver),
            planner: Arc::new(ModelPlanner::default()),
            executor: Arc::new(ModelExecutor::default()),
            judge: Arc::new(ModelJudge),
            task_judge: Arc::new(ModelTaskJudge),
            solver: None,
        }
    }
}

impl Builder {
    /// Replaces R1.
    pub fn perceiver(mut self, perceiver: Arc<dyn Perceiver>) -> Self {
        self.options.roles.perceiver = perceiver;
        self
    }

    /// Replaces R2.
    pub fn planner(mut self, planner: Arc<dyn Planner>) -> Self {
        self.options.roles.planner = planner;
        self
    }

    /// Replaces R3.
    pub fn executor(mut self, executor: Arc<dyn Executor>) -> Self {
        self.options.roles.executor = executor;
        self
    }

    /// Replaces R4a's judge.
    pub fn judge(mut self, judge: Arc<dyn Judge>) -> Self {
        self.options.roles.judge = judge;
        self
    }

    /// Replaces R4b's judge.
    pub fn task_judge(mut self, task_judge: Arc<dyn TaskJudge>) -> Self {
        self.options.roles.task_judge = task_judge;
        self
    }

    /// Replaces R7's solver: called once per run with its parameters. It runs on its own thread; if it panics
    /// or gives no decision within [`Deadlines::step`](crate::Deadlines::step), the run ends with a fault and
    /// its partial results.
    pub fn solver(mut self, make: impl Fn(Parameters) -> Box<dyn Solver> + Send + Sync + 'static) -> Self {
        self.options.roles.solver = Some(Arc::new(make));
        self
    }
}

/// The default R7.
pub(crate) fn default_solver(parameters: Parameters) -> Box<dyn Solver> {
    Box::new(GoalGradientSolver::new(parameters))
}
