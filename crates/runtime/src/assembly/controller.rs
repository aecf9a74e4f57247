//! The controller (R7) of a run: its solver, its parameters and its settings.

use std::{collections::BTreeSet, path::PathBuf, sync::Arc, time::Duration};

use artoo_ggs::{MegramRule, Solver};
use artoo_ggs_core::Parameters;
use artoo_types::{ControlSettings, Limits, MegramId, Role, SolverOrigin, ToolName};
use uuid::Uuid;

use crate::{StartError, artoo::Parts, builder::default_solver, foreign_solver::ForeignSolver};

/// How much longer R7 waits for a failure report than R2 may take to write it: R2's template counts as well,
/// and has to arrive. Shorter than the supervisor's limit for R7's last word.
const ON_THE_WAY: Duration = Duration::from_secs(1);

pub(super) fn solver(parts: &Parts, parameters: Parameters) -> Box<dyn Solver> {
    match &parts.options.roles.solver {
        None => default_solver(parameters),
        Some(make) => Box::new(ForeignSolver::new(Arc::clone(make), parameters, parts.deadlines.step)),
    }
}

pub(super) fn parameters(parts: &Parts, limits: &Limits) -> Result<Parameters, StartError> {
    let parameters = parts.options.parameters().with_limits(limits)?;
    Ok(if parts.options.strict { parameters.strict() } else { parameters })
}

/// A money budget is meaningless if a call can have an unknown price.
pub(super) fn priced(parts: &Parts, limits: &Limits) -> Result<(), StartError> {
    let asking = [Role::Perceiver, Role::Planner, Role::Executor, Role::AgentValidator, Role::MetaValidator];
    let unpriced = asking.into_iter().find(|role| !parts.options.prices.roles.contains_key(role));
    match (limits.max_cost, unpriced) {
        (Some(_), Some(role)) => Err(StartError::NoPrice { role }),
        (None, _) | (_, None) => Ok(()),
    }
}

/// R7's settings in a run, as recorded.
pub(super) fn control_settings(
    parts: &Parts,
    parameters: Parameters,
    tools: BTreeSet<ToolName>,
) -> ControlSettings {
    ControlSettings {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        solver: if parts.options.roles.solver.is_some() {
            SolverOrigin::Foreign
        } else {
            SolverOrigin::BuiltIn
        },
        hyperparameters: parameters.into(),
        tools,
        programs: parts.programs(),
    }
}

pub(super) fn ggs_settings(
    parts: &Parts,
    parameters: Parameters,
    (folder, inventory): (PathBuf, BTreeSet<ToolName>),
) -> artoo_ggs::Settings {
    artoo_ggs::Settings {
        parameters,
        megrams: MegramRule::of(parts.options.profile),
        working_folder: Some(folder),
        inventory,
        programs: parts.programs(),
        report_deadline: parts.deadlines.report + ON_THE_WAY,
        mint: artoo_ggs::Mint::new(|| MegramId::new(Uuid::now_v7())),
    }
}
