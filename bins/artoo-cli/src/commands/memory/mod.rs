//! `artoo memory`: what was learned, for the person whose memory it is. The pages are pure functions of what the store tells.

mod care;
mod entry_page;
mod exchange;
mod forecast;
mod forecast_page;
mod ids;
mod look;
mod pages;
mod teach;
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
use crate::error::{CommandError, Exit};
use crate::memory::{open, place};
use crate::program::Context;
use crate::terminal::worded;

/// What every command works on.
struct Work<'a> {
    memory: Arc<dyn Operator>,
    settings: &'a Settings,
    /// Who puts new rules into words.
    distiller: Box<dyn Distiller>,
    now: DateTime<FixedOffset>,
}

/// Looks at memory, or changes it.
pub(crate) fn run(context: &mut Context<'_>, command: &MemoryCommand) -> Result<Exit, CommandError> {
    let mut loaded = Loaded::load(context, Given::default())?;
    let distiller = care::distiller(context, &mut loaded, command);
    let settings = &loaded.settings;
    let place = place(settings, &context.folders.current);
    if let Some(own) = &place.own {
        context.terminal.note(&crate::terminal::neutral_line(&format!("the memory of {}", own.display())));
    }
    let memory = open(&place, settings.rules)?;
    let work = Work { memory: Arc::clone(&memory), settings, distiller, now: SystemClock::new().now() };
    let done = on(context, command, &work);
    // What was said to be kept was flushed before it was said.
    let closed = wait(memory.close())?.map_err(|error| explained(error.into()));
    done.and_then(|exit| closed.map(|()| exit))
}

fn on(context: &mut Context<'_>, command: &MemoryCommand, work: &Work<'_>) -> Result<Exit, CommandError> {
    match command {
        MemoryCommand::Stats(args) => look::stats(context, work, args.json),
        MemoryCommand::List(args) => look::list(context, work, args),
        MemoryCommand::Show { id, json } => look::show(context, work, id, *json),
        MemoryCommand::Why { about, json } => why::run(context, work, about, *json),
        MemoryCommand::Forecast { request, days, json } => {
            forecast::run(context, work, request, *days, *json)
        }
        MemoryCommand::Remember(args) => teach::remember(context, work, args),
        MemoryCommand::Forget { what, yes, json } => teach::forget(context, work, what, *yes, *json),
        MemoryCommand::Export { output } => exchange::export(context, work, output.as_deref()),
        MemoryCommand::Import { file, json } => exchange::import(context, work, file, *json),
        MemoryCommand::Rebuild(args) => care::rebuild(context, work, args.json),
        MemoryCommand::Verify(args) => care::verify(context, work, args.json),
        MemoryCommand::Dream { json, no_model: _ } => care::dream(context, work, *json),
        MemoryCommand::Log { json, limit } => care::log(context, work, *json, *limit),
    }
}

/// Waits for what the store does behind the caller's back.
fn wait<T>(future: impl Future<Output = T>) -> Result<T, CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CommandError::failed("cannot wait for memory").because(error))?;
    Ok(runtime.block_on(future))
}

/// An error of the store for the person at the terminal.
pub(crate) fn explained(error: StoreError) -> CommandError {
    let hint = worded(error.hint(), error.remedy());
    CommandError::failed("memory cannot be used").because(error).hint(hint)
}

#[cfg(test)]
mod tests;
