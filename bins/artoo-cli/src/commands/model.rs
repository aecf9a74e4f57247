//! `artoo model`: lists, fetches, locates and removes embedded models.

use artoo_llm_local::store::{CATALOGUE, CatalogueEntry, ModelState, StoreError, find};
use serde_json::json;

use super::Loaded;
use super::runs::place;
use crate::args::ModelCommand;
use crate::config::Given;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::llm_clients::model_store;
use crate::setup::pull;
use crate::suggest::nearest;
use crate::terminal::{neutral_json, neutral_line, worded};
use crate::view::{Cell, Place, bytes, list};

/// Dispatches to the subcommand.
pub(crate) fn run(context: &mut Context<'_>, command: ModelCommand) -> Result<Exit, CommandError> {
    let settings = Loaded::load(context, Given::default())?.settings;
    let store = model_store(&settings.data_dir);
    let state_of = |entry: &CatalogueEntry| store.state(entry).map_err(explained);
    match command {
        ModelCommand::List { json } => {
            let mut rows = Vec::new();
            for entry in CATALOGUE {
                rows.push((entry, state_of(entry)?));
            }
            let text = if json { list_json(&rows) } else { list_text(&rows, place(context)) };
            context.terminal.data(&text)?;
            Ok(Exit::OK)
        }
        ModelCommand::Pull(args) => {
            let entry = named(args.name.as_deref())?;
            pull::pull(context, &settings, entry, args.from.as_deref())
        }
        ModelCommand::Path { name } => {
            let entry = named(name.as_deref())?;
            match state_of(entry)? {
                ModelState::Installed { path } => {
                    context.terminal.data(&format!("{}\n", neutral_line(&path.display().to_string())))?;
                    Ok(Exit::OK)
                }
                ModelState::Absent | ModelState::Partial { .. } => {
                    Err(CommandError::failed(format!("{} is not installed", entry.name))
                        .hint("fetch it: artoo model pull"))
                }
                ModelState::Corrupt { path, problem } => {
                    Err(CommandError::failed(format!("{} is damaged: {problem}", path.display()))
                        .hint("fetch it again: artoo model pull"))
                }
            }
        }
        ModelCommand::Remove { name } => {
            let entry = named(name.as_deref())?;
            let freed = store.remove(entry).map_err(explained)?;
            context.terminal.note(&match freed {
                0 => format!("{} was not there", entry.name),
                freed => format!("removed {}: {} freed", entry.name, bytes(freed)),
            });
            Ok(Exit::OK)
        }
    }
}

/// A store error for the user.
pub(crate) fn explained(error: StoreError) -> CommandError {
    let hint = error.hint().map(|hint| worded(hint, error.remedy()));
    let said = CommandError::failed(error.to_string());
    match hint {
        Some(hint) => said.hint(hint),
        None => said,
    }
}

/// The model with this name, or the default model.
fn named(name: Option<&str>) -> Result<&'static CatalogueEntry, CommandError> {
    let Some(name) = name else {
        return CATALOGUE.first().ok_or_else(|| CommandError::failed("this build has no embedded models"));
    };
    find(name).ok_or_else(|| {
        let meant = nearest(name, CATALOGUE.iter().map(|entry| entry.name));
        CommandError::usage(format!("there is no embedded model `{name}`")).hint(match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "see: artoo model list".to_owned(),
        })
    })
}

fn list_text(rows: &[(&CatalogueEntry, ModelState)], place: Place) -> String {
    let rows: Vec<_> = rows
        .iter()
        .map(|(entry, state)| {
            let state = match state {
                ModelState::Absent => "not installed".to_owned(),
                ModelState::Partial { bytes: there } => {
                    format!("{} fetched; go on: artoo model pull", bytes(*there))
                }
                ModelState::Installed { .. } => "installed".to_owned(),
                ModelState::Corrupt { problem, .. } => {
                    format!("damaged ({}); fetch it again: artoo model pull", neutral_line(problem))
                }
            };
            [entry.name.into(), bytes(entry.size).into(), entry.licence.into(), Cell::from(state)]
        })
        .collect();
    list(["MODEL", "SIZE", "LICENCE", "STATE"], &rows, place)
}

fn list_json(rows: &[(&CatalogueEntry, ModelState)]) -> String {
    let models: Vec<serde_json::Value> = rows
        .iter()
        .map(|(entry, state)| {
            let (state, detail) = match state {
                ModelState::Absent => ("absent", json!(null)),
                ModelState::Partial { bytes } => ("partial", json!({ "bytes": bytes })),
                ModelState::Installed { path } => ("installed", json!({ "path": path })),
                ModelState::Corrupt { path, problem } => {
                    ("damaged", json!({ "path": path, "problem": problem }))
                }
            };
            json!({
                "name": entry.name, "file": entry.file, "size": entry.size, "sha256": entry.sha256,
                "licence": entry.licence, "state": state, "detail": detail,
            })
        })
        .collect();
    format!("{}\n", neutral_json(&json!({ "models": models }).to_string()))
}
