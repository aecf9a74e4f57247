//! `artoo memory`: inspects and edits what was learned. The pages are pure functions of the store's data.

mod entry_page;
mod export_import;
mod forecast;
mod forecast_page;
mod ids;
mod inspect;
mod law_enforcement;
mod maintenance;
mod pages;
mod remember;
mod why;
mod why_page;

pub(crate) use pages::owner;

use std::future::Future;
use std::sync::Arc;

use artoo_bus::{Clock, SystemClock};
use artoo_memory_store::{Operator, StoreError};
use artoo_mkct_memory::Distiller;
use chrono::{DateTime, FixedOffset};

use super::Loaded;
use crate::args::MemoryCommand;
use crate::config::{Given, Settings};
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::machine::threads;
use crate::memory_location::{open, place_here};
use crate::terminal::worded;

/// Context of every subcommand.
struct Work<'a> {
    memory: Arc<dyn Operator>,
    settings: &'a Settings,
    /// What words new rules.
    distiller: Box<dyn Distiller>,
    now: DateTime<FixedOffset>,
}

/// Dispatches to the subcommand.
pub(crate) fn run(context: &mut Context<'_>, command: &MemoryCommand) -> Result<Exit, CommandError> {
    let mut loaded = Loaded::load(context, Given::default())?;
    let distiller = maintenance::distiller(context, &mut loaded, command);
    let settings = &loaded.settings;
    let place = place_here(context, settings);
    if let Some(own) = &place.own {
        context.terminal.note(&crate::terminal::neutral_line(&format!("the memory of {}", own.display())));
    }
    let memory = open(&place, settings.rules)?;
    let work = Work { memory: Arc::clone(&memory), settings, distiller, now: SystemClock::new().now() };
    let done = on(context, command, &work);
    // Confirmed entries were flushed before the confirmation, so an error here
    // loses nothing that was reported as kept.
    let closed = wait(memory.close())?.map_err(|error| explained(error.into()));
    done.and_then(|exit| closed.map(|()| exit))
}

fn on(context: &mut Context<'_>, command: &MemoryCommand, work: &Work<'_>) -> Result<Exit, CommandError> {
    match command {
        MemoryCommand::Stats(args) => inspect::stats(context, work, args.json),
        MemoryCommand::List(args) => inspect::list(context, work, args),
        MemoryCommand::Show { id, json } => inspect::show(context, work, id, *json),
        MemoryCommand::Why { about, json } => why::run(context, work, about, *json),
        MemoryCommand::Forecast { request, days, json } => {
            forecast::run(context, work, request, *days, *json)
        }
        MemoryCommand::Remember(args) => remember::remember(context, work, args),
        MemoryCommand::Forget { what, yes, json } => remember::forget(context, work, what, *yes, *json),
        MemoryCommand::Export { output } => export_import::export(context, work, output.as_deref()),
        MemoryCommand::Import { file, json } => export_import::import(context, work, file, *json),
        MemoryCommand::Rebuild(args) => maintenance::rebuild(context, work, args.json),
        MemoryCommand::Verify(args) => maintenance::verify(context, work, args.json),
        MemoryCommand::Dream { json, no_model: _ } => maintenance::dream(context, work, *json),
        MemoryCommand::Log { json, limit } => maintenance::log(context, work, *json, *limit),
    }
}

/// Blocks on the store's background work.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> Result<T, CommandError> {
    Ok(threads::to_wait_for_others()?.block_on(future))
}

/// A store error for the user.
pub(crate) fn explained(error: StoreError) -> CommandError {
    let hint = worded(error.hint(), error.remedy());
    CommandError::failed("memory cannot be used").because(error).hint(hint)
}

#[cfg(test)]
mod tests;
