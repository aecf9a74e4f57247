//! Merges the configuration file, environment variables and options into one table.

use std::path::{Path, PathBuf};

use artoo_ggs_core::Profile;
use serde::Deserialize;
use toml::{Table, Value};

use super::controller::put_profile;
use super::layer::{Layer, Merged, Origin, put};
use super::{KeyValue, Sections, defaults, file, variables};
use crate::error::CommandError;
use crate::machine::Environment;
use crate::suggest::nearest;

/// Configuration given on the command line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    /// `--profile`.
    pub(crate) profile: Option<String>,
    /// `-c`, in order.
    pub(crate) set: Vec<KeyValue>,
    /// Options that set one key each: option name, key, value.
    pub(crate) options: Vec<(&'static str, &'static str, Value)>,
    /// Options that name a model or server for every role.
    pub(crate) for_every_role: Vec<(&'static str, &'static str, Value)>,
}

/// The configuration file: its path, and its text if it exists.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// Path of the file.
    pub(crate) path: PathBuf,
    /// Content of the file; `None` if it does not exist.
    pub(crate) text: Option<String>,
}

/// Path of the configuration file: `ARTOO_CONFIG`, or the user's config folder. Never the working folder.
pub(crate) fn path(environment: &Environment, home: &Path) -> PathBuf {
    let named = environment.raw("ARTOO_CONFIG").map(PathBuf::from);
    named.unwrap_or_else(|| {
        let folder = environment.folder("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        folder.join("artoo").join("config.toml")
    })
}

/// Artoo's own configuration folder; `None` if a variable names a file elsewhere.
pub(crate) fn own_folder(environment: &Environment, home: &Path) -> Option<PathBuf> {
    let file = path(environment, home);
    environment.raw("ARTOO_CONFIG").is_none().then(|| file.parent().map(Path::to_owned)).flatten()
}

/// Merges all layers: defaults, file, profile, environment, options.
pub(crate) fn merge(
    source: &Source,
    environment: &Environment,
    given: &Given,
) -> Result<Merged, CommandError> {
    let mut table = match &source.text {
        Some(text) => file::read(&source.path, text)?,
        None => Table::new(),
    };
    let profiles =
        table.remove("profiles").and_then(|profiles| profiles.try_into::<Table>().ok()).unwrap_or_default();
    let own_profile = table.remove("profile").and_then(|name| name.as_str().map(str::to_owned));
    let asked = given.profile.clone().or_else(|| environment.text("ARTOO_PROFILE").map(str::to_owned));
    let mut upper = vec![plain(Origin::File(source.path.clone()), table)];
    if let Some(name) = asked.or(own_profile) {
        upper.push(profile(&name, &profiles)?);
    }
    upper.extend(variables::layers(environment));
    upper.extend(options(given)?);

    let mut merged = Merged::default();
    merged.lay(&defaults::layer());
    for layer in &upper {
        check_types(layer)?;
        merged.lay(layer);
    }
    Ok(merged)
}

fn plain(origin: Origin, table: Table) -> Layer {
    Layer { origin, for_every_role: false, table }
}

/// A profile from the file, or a built-in profile of the controller.
fn profile(name: &str, profiles: &Table) -> Result<Layer, CommandError> {
    let origin = Origin::Profile(name.to_owned());
    if let Some(Value::Table(table)) = profiles.get(name) {
        return Ok(plain(origin, table.clone()));
    }
    if let Ok(rules) = name.parse::<Profile>() {
        let mut table = Table::new();
        put_profile(&mut table, rules);
        return Ok(plain(origin, table));
    }
    let known: Vec<&str> = profiles
        .keys()
        .map(String::as_str)
        .chain(Profile::ALL.iter().map(|profile| profile.name()))
        .collect();
    Err(CommandError::configuration(format!("there is no profile `{name}`")).hint(
        match nearest(name, known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("the profiles are: {}", known.join(", ")),
        },
    ))
}

fn options(given: &Given) -> Result<Vec<Layer>, CommandError> {
    let mut layers = Vec::new();
    for KeyValue { key, value } in &given.set {
        file::check_path(key)
            .map_err(|(message, hint)| CommandError::usage(format!("-c {key}: {message}")).hint(hint))?;
        if key == "profile" || key.starts_with("profiles.") {
            return Err(CommandError::usage(format!("-c {key}: profiles are defined in the file alone"))
                .hint("choose one with --profile NAME"));
        }
        let mut table = Table::new();
        put(&mut table, key, value.clone());
        layers.push(plain(Origin::Option("-c"), table));
    }
    for (option, key, value) in &given.for_every_role {
        let mut table = Table::new();
        put(&mut table, &format!("brain.{key}"), value.clone());
        layers.push(Layer { origin: Origin::Option(option), for_every_role: true, table });
    }
    for (option, key, value) in &given.options {
        let mut table = Table::new();
        put(&mut table, key, value.clone());
        layers.push(plain(Origin::Option(option), table));
    }
    Ok(layers)
}

/// Checks each layer separately, so that an error names the layer that is wrong.
fn check_types(layer: &Layer) -> Result<(), CommandError> {
    Sections::deserialize(layer.table.clone()).map(drop).map_err(|error| wrong(layer, error.message()))
}

fn wrong(layer: &Layer, message: &str) -> CommandError {
    let keys: Vec<String> = super::layer::leaves(&layer.table).into_iter().map(|(path, _)| path).collect();
    let what = match (&layer.origin, keys.as_slice()) {
        (Origin::File(_) | Origin::Profile(_), _) | (_, []) => layer.origin.to_string(),
        (origin, [only]) => format!("{origin} ({only})"),
        (origin, several) => format!("{origin} ({})", several.join(", ")),
    };
    CommandError::configuration(format!("{what}: {}", message.trim())).hint("see: artoo config schema")
}
