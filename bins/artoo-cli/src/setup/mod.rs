//! `artoo setup`: chooses a local server, a key or the embedded model, and writes the configuration.

mod choices;
mod probe;
pub(crate) mod pull;
mod write;

use std::io::{BufRead, stdin};

use artoo_llm_client::ProfileOverrides;
use artoo_llm_http::HttpConfig;
use artoo_llm_local::store::CATALOGUE;

use crate::args::SetupArgs;
use crate::commands::Loaded;
use crate::config::{Given, ModelTable, Provider, Settings};
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::machine::threads;
use choices::Choice;

/// Asks the user, or takes the embedded model, and writes the choice to the configuration.
pub(crate) fn run(context: &mut Context<'_>, args: &SetupArgs) -> Result<Exit, CommandError> {
    let loaded = Loaded::load(context, Given::default())?;
    let choice = if args.yes {
        Choice::Embedded
    } else if context.streams.stdin && context.streams.stderr {
        let choices = choices::find(context.environment, &loaded.settings)?;
        match ask(context, &choices)? {
            Some(choice) => choice,
            None => {
                context.terminal.note("nothing was changed");
                return Ok(Exit::OK);
            }
        }
    } else {
        return Err(CommandError::usage("setup asks questions, and there is no terminal to ask them on")
            .hint("`artoo setup --yes` takes the embedded model; or set OPENAI_BASE_URL, OPENAI_MODEL and OPENAI_API_KEY"));
    };
    let table = match &choice {
        Choice::Server { base_url, model, .. } => ModelTable {
            provider: Some(Provider::Openai),
            base_url: Some(base_url.clone()),
            model: Some(model.clone()),
            key_env: None,
        },
        Choice::Key { provider, variable, .. } => ModelTable {
            provider: Some(*provider),
            key_env: Some((*variable).to_owned()),
            ..ModelTable::default()
        },
        Choice::Embedded => {
            let entry =
                CATALOGUE.first().ok_or_else(|| CommandError::failed("this build has no embedded models"))?;
            let exit = pull::pull(context, &loaded.settings, entry, None)?;
            if exit != Exit::OK {
                return Ok(exit);
            }
            ModelTable {
                provider: Some(Provider::Local),
                model: Some(entry.name.to_owned()),
                ..ModelTable::default()
            }
        }
    };
    let found = match &choice {
        Choice::Server { model, .. } => Some((model.as_str(), found(context, &loaded.settings, &table)?)),
        Choice::Key { .. } | Choice::Embedded => None,
    };
    write::write(&loaded.file, &table, found)?;
    context.terminal.note(&format!("written: {}", loaded.file.display()));
    for shadow in write::shadows(context.environment) {
        context.terminal.warning(&shadow);
    }
    context.terminal.note("try it: artoo run \"How many files are in this folder?\"");
    Ok(Exit::OK)
}

/// Probes the capabilities of the chosen server that differ from what the model's name suggests. A server
/// that cannot be probed is chosen all the same.
fn found(
    context: &mut Context<'_>,
    settings: &Settings,
    table: &ModelTable,
) -> Result<ProfileOverrides, CommandError> {
    let runtime = threads::on_this_thread()?;
    let (base_url, model) =
        (table.base_url.clone().unwrap_or_default(), table.model.clone().unwrap_or_default());
    context.terminal.note("asking it what it takes: one call about tools, one about schemas");
    let config = HttpConfig {
        timeouts: settings.timeouts,
        proxy: settings.proxy.clone(),
        ..HttpConfig::new(base_url, model)
    };
    Ok(runtime.block_on(probe::probe(config)).unwrap_or_else(|error| {
        context.terminal.warning(&format!("what it takes stays unknown: {error}"));
        ProfileOverrides::default()
    }))
}

/// Shows the choices and reads a number. An empty line takes the first one, `q` none.
fn ask(context: &mut Context<'_>, choices: &[Choice]) -> Result<Option<Choice>, CommandError> {
    context.terminal.note("Which model shall artoo work with?");
    for (number, choice) in (1..).zip(choices) {
        context.terminal.note(&format!("  {number}  {}", choice.words()));
    }
    let mut lines = stdin().lock().lines();
    loop {
        context.terminal.note(&format!("A number from 1 to {} [1], or q to leave:", choices.len()));
        let Some(line) = lines.next() else { return Ok(None) };
        let line = line.map_err(|error| CommandError::failed("cannot read the answer").because(error))?;
        let chosen = match line.trim() {
            "q" | "Q" => return Ok(None),
            "" => choices.first(),
            text => text.parse::<usize>().ok().and_then(|number| choices.get(number.checked_sub(1)?)),
        };
        if let Some(chosen) = chosen {
            return Ok(Some(chosen.clone()));
        }
    }
}
