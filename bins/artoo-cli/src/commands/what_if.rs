//! `artoo runs what-if`: what the controller would have decided with other hyperparameters.

use std::path::Path;

use artoo_ggs_core::Parameters;
use artoo_runtime::explain::{self, WhatIf};
use artoo_types::{Hyperparameters, SolverOrigin};
use toml::Table;

use super::Loaded;
use super::runs::{as_json, judged};
use crate::config::{ControllerTable, Origin, checked};
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::view::{Frame, what_if};

/// Decides the rounds of a recorded run again.
pub(super) fn run(
    context: &mut Context<'_>,
    loaded: &Loaded,
    folder: &Path,
    json: bool,
) -> Result<Exit, CommandError> {
    let read = judged(folder)?;
    let unknown = || {
        CommandError::failed("the journal does not tell what the controller went by")
            .hint("what it does tell: artoo runs show")
    };
    let recorded = explain::control_settings(&read).ok_or_else(unknown)?.hyperparameters;
    let parameters = parameters(context, loaded, recorded)?;
    let page = explain::what_if(&read, parameters).ok_or_else(unknown)?;
    let text = if json {
        as_json(&page)? + "\n"
    } else {
        what_if(&page, Frame::new(context.terminal.data_look(), false))
    };
    context.terminal.data(&text)?;
    Ok(trust(context, &page))
}

/// The recorded hyperparameters, overridden by the command line. The current configuration is not used.
fn parameters(
    context: &Context<'_>,
    loaded: &Loaded,
    recorded: Hyperparameters,
) -> Result<Parameters, CommandError> {
    let is_said = |key: &str| match loaded.merged.origins.get(key) {
        Some(Origin::Option(_)) => true,
        Some(Origin::Profile(_)) => context.common.profile.is_some(),
        Some(Origin::Default | Origin::Found(_) | Origin::File(_) | Origin::Variable(_)) | None => false,
    };
    let table = loaded.merged.table.get("controller").and_then(toml::Value::as_table);
    let said: Table = table
        .into_iter()
        .flatten()
        .filter(|(key, _)| is_said(&format!("controller.{key}")))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let said: ControllerTable =
        said.try_into().map_err(|error| CommandError::configuration("[controller]").because(error))?;
    checked(said.over(recorded), &loaded.merged)
}

/// Warns about what cannot be relied on. With the recorded numbers, artoo's own
/// solver has to reproduce the recorded decisions.
fn trust(context: &mut Context<'_>, page: &WhatIf) -> Exit {
    let mut exit = Exit::OK;
    if let Some(damage) = &page.damage {
        context.terminal.warning(&format!("the journal is damaged, and replayed up to there: {damage}"));
        exit = Exit::FAILED;
    }
    let differs = page.rounds.iter().any(|round| round.recorded.is_some() && !round.same);
    if page.recorded == page.replayed && page.solver == SolverOrigin::BuiltIn && differs {
        context.terminal.warning(
            "with the recorded numbers other decisions follow: another version of artoo decided, or the journal was changed",
        );
        exit = Exit::FAILED;
    }
    exit
}
