//! `artoo memory rebuild`, `verify`, `dream` and `log`.

use artoo_memory_store::operator::{Keeping, Owner};
use artoo_mkct_memory::{Distiller, Template};
use artoo_shared_memory::ModelDistiller;
use artoo_types::Role;

use super::{Work, explained, pages, wait};
use crate::args::MemoryCommand;
use crate::commands::Loaded;
use crate::commands::runs::as_json;
use crate::config::DreamMode;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::llm_clients;
use crate::terminal::neutral_line;
use crate::view::counted;

pub(super) fn rebuild(context: &mut Context<'_>, work: &Work<'_>, json: bool) -> Result<Exit, CommandError> {
    let entries = work.memory.rebuild_index().map_err(explained)?;
    let text = if json {
        as_json(&serde_json::json!({ "entries": entries }))? + "\n"
    } else {
        format!("the index was built anew: {}\n", counted(entries, "entry", "entries"))
    };
    context.terminal.data(&text)?;
    Ok(Exit::OK)
}

pub(super) fn verify(context: &mut Context<'_>, work: &Work<'_>, json: bool) -> Result<Exit, CommandError> {
    let verified = work.memory.verify().map_err(explained)?;
    let text = if json { as_json(&verified)? + "\n" } else { pages::verification(&verified) };
    context.terminal.data(&text)?;
    Ok(if verified.findings.is_empty() { Exit::OK } else { Exit::FAILED })
}

pub(super) fn dream(context: &mut Context<'_>, work: &Work<'_>, json: bool) -> Result<Exit, CommandError> {
    if let Keeping::Disk { owner: Owner::Other { .. }, .. } = work.memory.stats().map_err(explained)?.keeping
    {
        context.terminal.note("another artoo has this memory open, and dreams itself");
    }
    let report =
        wait(work.memory.dream(work.distiller.as_ref()))?.map_err(|error| explained(error.into()))?;
    wait(work.memory.flush())?.map_err(|error| explained(error.into()))?;
    let text = if json { as_json(&report)? + "\n" } else { pages::report(&report) + "\n" };
    context.terminal.data(&text)?;
    Ok(Exit::OK)
}

/// What words the rules of this command's dream: the planner's model, or code if
/// there is none or `--no-model` is given.
pub(super) fn distiller(
    context: &mut Context<'_>,
    loaded: &mut Loaded,
    command: &MemoryCommand,
) -> Box<dyn Distiller> {
    let MemoryCommand::Dream { no_model: false, .. } = command else { return Box::new(Template) };
    match loaded.settings.dream {
        DreamMode::Model => {}
        DreamMode::Code | DreamMode::Off => return Box::new(Template),
    }
    let clients = loaded
        .models(context)
        .and_then(|models| llm_clients::connect(&models, &loaded.settings, context.environment));
    match clients {
        Ok(mut clients) => match clients.remove(&Role::Planner) {
            Some(model) => Box::new(ModelDistiller::new(model)),
            None => Box::new(Template),
        },
        Err(error) => {
            context.terminal.note(&neutral_line(&format!("rules are put into words by code: {error}")));
            Box::new(Template)
        }
    }
}

pub(super) fn log(
    context: &mut Context<'_>,
    work: &Work<'_>,
    json: bool,
    limit: usize,
) -> Result<Exit, CommandError> {
    let cycles = work.memory.dream_log(limit).map_err(explained)?;
    if cycles.is_empty() && !json {
        context.terminal.note("the Dreamer has changed nothing yet");
    }
    for dreamt in &cycles {
        let row = if json { as_json(dreamt)? + "\n" } else { pages::dreamt(dreamt) };
        context.terminal.data(&row)?;
    }
    Ok(Exit::OK)
}
