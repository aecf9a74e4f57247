//! `artoo setup`, and the same screen at the first run: chooses a model server, a provider by its key, or the embedded model,
//! and writes the choice to the configuration.

mod download_line;
mod embedded;
mod key_choice;
mod model_servers;
mod probe;
pub(crate) mod pull;
mod questions;
mod screen;
mod server_choice;
mod write;

use artoo_llm_client::ProfileOverrides;
use artoo_llm_http::HttpConfig;
use artoo_llm_local::store::{CATALOGUE, CatalogueEntry};

use crate::args::SetupArgs;
use crate::commands::Loaded;
use crate::commands::model::explained;
use crate::config::{Given, ModelTable, Provider, Settings};
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::llm_clients::model_store;
use crate::machine::{threads, usable_memory};
use embedded::EmbeddedModel;
use questions::{Questions, Stop, tell};
use screen::{Situation, Way};

pub(crate) use embedded::EXPECTATION;

/// A chosen model.
struct Chosen {
    /// Its table in the configuration.
    table: ModelTable,
    /// How its server is reached, if what it can do is to be found out.
    server: Option<HttpConfig>,
}

/// How the first run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FirstRun {
    /// A model was chosen.
    Chosen,
    /// The person chose none.
    Declined,
    /// The input is at its end.
    EndOfInput,
    /// A signal ends the program.
    Interrupted(Exit),
}

/// `artoo setup`: asks the person, or takes the embedded model.
pub(crate) fn run(context: &mut Context<'_>, args: &SetupArgs) -> Result<Exit, CommandError> {
    if args.yes {
        let loaded = Loaded::load(context, Given::default())?;
        let entry = default_entry()?;
        let exit = pull::pull(context, &loaded.settings, entry, None)?;
        if exit == Exit::OK {
            keep(context, &loaded, &of_entry(entry), None)?;
            tell_next(context);
        }
        return Ok(exit);
    }
    if !(context.streams.stdin && context.streams.stderr) {
        return Err(CommandError::usage("setup asks questions, and there is no terminal to ask them on")
            .hint("`artoo setup --yes` takes the embedded model; or set OPENAI_BASE_URL, OPENAI_MODEL and OPENAI_API_KEY"));
    }
    match asked(context)? {
        Ok(()) => {
            tell_next(context);
            Ok(Exit::OK)
        }
        Err(stop) => stopped(context, stop).map(|exit| exit.unwrap_or(Exit::OK)),
    }
}

/// The same screen where a request or a conversation needs a model and none is set up.
pub(crate) fn first_run(context: &mut Context<'_>) -> Result<FirstRun, CommandError> {
    tell(context.terminal, 0, "artoo needs a model, and none is set up.");
    match asked(context)? {
        Ok(()) => Ok(FirstRun::Chosen),
        Err(stop) => {
            let without = match stop {
                Stop::EndOfInput => FirstRun::EndOfInput,
                Stop::Left | Stop::Interrupted(_) | Stop::DownloadInterrupted(_) | Stop::Failed(_) => {
                    FirstRun::Declined
                }
            };
            stopped(context, stop).map(|exit| exit.map_or(without, FirstRun::Interrupted))
        }
    }
}

const UNCHANGED: &str = "nothing was changed";

/// Tells what is left after setup has ended without a choice. Returns the exit code of a signal.
fn stopped(context: &mut Context<'_>, stop: Stop) -> Result<Option<Exit>, CommandError> {
    let (told, exit) = match stop {
        Stop::Left | Stop::EndOfInput => (UNCHANGED, None),
        Stop::Interrupted(exit) => (UNCHANGED, Some(exit)),
        Stop::DownloadInterrupted(exit) => ("the configuration was not changed", Some(exit)),
        Stop::Failed(error) => return Err(error),
    };
    context.terminal.note(told);
    Ok(exit)
}

/// Asks until a model is chosen, and writes it to the configuration.
fn asked(context: &mut Context<'_>) -> Result<Result<(), Stop>, CommandError> {
    let loaded = Loaded::load(context, Given::default())?;
    let threads = threads::on_this_thread()?;
    let mut questions = Questions::begin(&threads)?;
    let chosen = choose(context, &mut questions, &loaded.settings);
    let found = chosen.and_then(|chosen| {
        let found = match chosen.server {
            Some(config) => found(context, &mut questions, config)?,
            None => ProfileOverrides::default(),
        };
        Ok((chosen.table, found))
    });
    // Does not wait for a name that is looked up.
    threads.shutdown_background();
    match found {
        Ok((table, found)) => keep(context, &loaded, &table, Some(found)).map(Ok),
        Err(stop) => Ok(Err(stop)),
    }
}

/// Shows the screen, and asks until a model is chosen.
fn choose(
    context: &mut Context<'_>,
    questions: &mut Questions<'_>,
    settings: &Settings,
) -> Result<Chosen, Stop> {
    loop {
        let situation = situation(context, questions, settings)?;
        for line in situation.lines(context.terminal.look().columns) {
            context.terminal.note(&line);
        }
        let way = loop {
            let answer = questions.ask(context.terminal, &situation.prompt())?;
            match situation.way(&answer) {
                Some(way) => break way,
                None => tell(context.terminal, 0, "type 1, 2 or 3, or q to leave"),
            }
        };
        let chosen = match way {
            Way::Server => server_choice::choose(context, questions, settings, &situation)?,
            Way::Key => key_choice::choose(context, questions, settings)?,
            Way::Embedded => fetched(context, questions, settings, &situation.embedded)?,
        };
        if let Some(chosen) = chosen {
            return Ok(chosen);
        }
    }
}

fn situation(
    context: &mut Context<'_>,
    questions: &mut Questions<'_>,
    settings: &Settings,
) -> Result<Situation, Stop> {
    let entry = default_entry()?;
    let state = model_store(&settings.data_dir).state(entry).map_err(explained)?;
    let embedded = EmbeddedModel { entry, state, memory: usable_memory() };
    let servers = questions.wait(model_servers::on_this_machine())?;
    Ok(Situation { servers, keys: key_choice::set_variables(context.environment), embedded })
}

/// The embedded model, after its download; `None` if the person does not want it, or it cannot be had, which has been told.
fn fetched(
    context: &mut Context<'_>,
    questions: &mut Questions<'_>,
    settings: &Settings,
    model: &EmbeddedModel,
) -> Result<Option<Chosen>, Stop> {
    if !model.fits() {
        let answer = questions.ask(context.terminal, "It does not fit. Take it all the same? [y/N]")?;
        if !crate::run::is_yes(&answer) {
            return Ok(None);
        }
    }
    match pull::pull(context, settings, model.entry, None) {
        Ok(Exit::OK) => Ok(Some(Chosen { table: of_entry(model.entry), server: None })),
        Ok(interrupted) => Err(Stop::DownloadInterrupted(interrupted)),
        Err(error) => {
            context.terminal.error(&error);
            Ok(None)
        }
    }
}

fn default_entry() -> Result<&'static CatalogueEntry, CommandError> {
    CATALOGUE.first().ok_or_else(|| CommandError::failed("this build has no embedded models"))
}

fn of_entry(entry: &CatalogueEntry) -> ModelTable {
    ModelTable {
        provider: Some(Provider::Local),
        model: Some(entry.name.to_owned()),
        ..ModelTable::default()
    }
}

/// Whether an answer goes back to the question before.
fn is_back(answer: &str) -> bool {
    answer.eq_ignore_ascii_case("b")
}

/// Probes the capabilities of the chosen server that differ from what the model's name suggests. A server
/// that cannot be probed is chosen all the same.
fn found(
    context: &mut Context<'_>,
    questions: &mut Questions<'_>,
    config: HttpConfig,
) -> Result<ProfileOverrides, Stop> {
    tell(
        context.terminal,
        0,
        "Asking it what it takes: one call about tools, one about schemas. A large model may be loaded for that.",
    );
    Ok(questions.wait(probe::probe(config))?.unwrap_or_else(|error| {
        context.terminal.warning(&format!("what it takes stays unknown: {error}"));
        ProfileOverrides::default()
    }))
}

/// Writes the choice to the configuration, with what was found out about its model.
fn keep(
    context: &mut Context<'_>,
    loaded: &Loaded,
    table: &ModelTable,
    found: Option<ProfileOverrides>,
) -> Result<(), CommandError> {
    write::write(&loaded.file, table, table.model.as_deref().zip(found))?;
    context.terminal.note(&format!("written: {}", loaded.file.display()));
    for shadow in write::shadows(context.environment) {
        context.terminal.warning(&shadow);
    }
    Ok(())
}

/// Says how a request is made, unless the person is about to make one.
fn tell_next(context: &mut Context<'_>) {
    if !context.terminal.has_requests() {
        context.terminal.note("try it: artoo run \"How many files are in this folder?\"");
    }
}
