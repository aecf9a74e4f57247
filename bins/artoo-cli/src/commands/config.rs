//! `artoo config`: shows the merged configuration, its path and its schema.

use serde_json::json;

use super::Loaded;
use super::runs::columns;
use crate::args::ConfigCommand;
use crate::config::{Given, Provider, RoleModels, Settings, Span, applied, config_schema};
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::terminal::{hanging, neutral_json, neutral_line, pad, width};

/// Dispatches to the subcommand.
pub(crate) fn run(context: &mut Context<'_>, command: &ConfigCommand) -> Result<Exit, CommandError> {
    let text = match command {
        ConfigCommand::Path => {
            let path = crate::config::path(context.environment, &context.folders.home);
            format!("{}\n", neutral_line(&path.display().to_string()))
        }
        ConfigCommand::Schema { policy: true, .. } => format!("{:#}\n", artoo_policy::schema()),
        ConfigCommand::Schema { events: false, .. } => format!("{:#}\n", config_schema()),
        ConfigCommand::Schema { events: true, .. } => format!("{:#}\n", artoo_runtime::events::schema()),
        ConfigCommand::Show { json } => show(context, *json)?,
    };
    context.terminal.data(&text)?;
    Ok(Exit::OK)
}

/// One value with its origin.
struct Row {
    key: String,
    value: String,
    origin: String,
}

fn show(context: &mut Context<'_>, json: bool) -> Result<String, CommandError> {
    let mut loaded = Loaded::load(context, Given::default())?;
    let models = loaded.models(context);
    let mut rows = rows(&loaded);
    if loaded.settings.time_budget.is_none() {
        let embedded = models.as_ref().is_ok_and(RoleModels::embedded);
        let why = if embedded { "default for the embedded model" } else { "default" };
        rows.push(Row {
            key: "run.time_budget".to_owned(),
            value: format!("\"{}\"", Span(loaded.settings.budget(embedded))),
            origin: why.to_owned(),
        });
    }
    match &models {
        Ok(models) => rows.extend(model_rows(models, &loaded.settings)),
        Err(error) => {
            context.terminal.warning(&error.to_string());
            if let Some(hint) = error.next_step() {
                context.terminal.hint(hint);
            }
        }
    }
    rows.sort_by(|a, b| a.key.cmp(&b.key));
    if json {
        let values: serde_json::Map<String, serde_json::Value> = rows
            .into_iter()
            .map(|row| (row.key, json!({ "value": row.value, "origin": row.origin })))
            .collect();
        let object = json!({ "file": loaded.file, "file_exists": loaded.file_is_there, "values": values });
        return Ok(format!("{}\n", neutral_json(&object.to_string())));
    }
    let keys = rows.iter().map(|row| width(&row.key)).max().unwrap_or(0);
    let values = rows.iter().map(|row| width(&row.value)).max().unwrap_or(0).min(48);
    let there = if loaded.file_is_there { "" } else { " (not there)" };
    let columns = columns(context);
    let mut text = format!("# file: {}{there}\n", neutral_line(&loaded.file.display().to_string()));
    for row in rows {
        let value = neutral_line(&row.value);
        let origin = neutral_line(&row.origin);
        let line = format!("{} = {}  # {origin}", pad(&row.key, keys), pad(&value, values));
        if width(&line) <= columns {
            text.push_str(&format!("{line}\n"));
            continue;
        }
        text.push_str(&hanging(&format!("{} = ", row.key), &value, 4, columns));
        text.push_str(&hanging("    # ", &origin, 6, columns));
    }
    Ok(text)
}

fn rows(loaded: &Loaded) -> Vec<Row> {
    let origins = loaded.merged.origins.iter();
    origins
        .filter_map(|(key, origin)| {
            let value = loaded.merged.get(key)?;
            Some(Row { key: key.clone(), value: value.to_string(), origin: origin.to_string() })
        })
        .collect()
}

/// The effective model of each role, each model's profile, and whether its key
/// is set. The key itself is never shown.
fn model_rows(models: &RoleModels, settings: &Settings) -> Vec<Row> {
    let mut rows = Vec::new();
    for (role, choice) in models.iter() {
        let server = match choice.provider {
            Provider::Local => "embedded".to_owned(),
            Provider::Openai | Provider::Anthropic => choice.base_url.clone(),
        };
        rows.push(Row {
            key: format!("model of {role}"),
            value: format!("{} ({server})", choice.model),
            origin: "result".to_owned(),
        });
    }
    for choice in models.distinct() {
        let applied = applied(choice, &settings.models);
        let profile = Row {
            key: format!("profile of {}", choice.model),
            value: applied.to_string(),
            origin: applied.reason,
        };
        if !rows.iter().any(|known| known.key == profile.key) {
            rows.push(profile);
        }
        if let Some(name) = &choice.key_env {
            let row = Row {
                key: format!("key for {}", choice.model),
                value: format!("set (from {name})"),
                origin: name.clone(),
            };
            if !rows.iter().any(|known| known.key == row.key) {
                rows.push(row);
            }
        }
    }
    rows
}
