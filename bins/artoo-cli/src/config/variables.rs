//! Registry of all environment variables that artoo reads.

use toml::Table;

use super::layer::{Layer, Origin, put};
use crate::machine::Environment;
use crate::suggest::nearest;

/// Effect of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Sets this key of the configuration.
    Sets(&'static str),
    /// Names a model or server for every role.
    ForEveryRole(&'static str),
    /// Holds the key for a provider.
    Secret,
    /// Read elsewhere in the program.
    Other,
}

/// An environment variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variable {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its effect.
    pub(crate) effect: Effect,
    /// Description for the documentation.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "printed into the reference by the test that writes it")
    )]
    pub(crate) meaning: &'static str,
}

const fn variable(name: &'static str, effect: Effect, meaning: &'static str) -> Variable {
    Variable { name, effect, meaning }
}

/// All variables that artoo reads.
pub(crate) const VARIABLES: [Variable; 29] = [
    variable(
        "ARTOO_CONFIG",
        Effect::Other,
        "the configuration file, instead of the one in the user's config folder",
    ),
    variable("ARTOO_LOG", Effect::Other, "what is logged, as a filter of levels, for example `debug`"),
    variable("ARTOO_PROFILE", Effect::Other, "the profile, as --profile"),
    variable(
        "ARTOO_PROVIDER",
        Effect::ForEveryRole("provider"),
        "openai, anthropic or local, for every role",
    ),
    variable("ARTOO_BASE_URL", Effect::ForEveryRole("base_url"), "the model server, for every role"),
    variable("ARTOO_MODEL", Effect::ForEveryRole("model"), "the model, for every role"),
    variable("ARTOO_SANDBOX", Effect::Sets("run.sandbox"), "what commands may change, as --sandbox"),
    variable("ARTOO_WORKSPACE", Effect::Sets("run.workspace"), "where generated files go"),
    variable("ARTOO_DATA_DIR", Effect::Sets("run.data_dir"), "where runs, the audit log and models are kept"),
    variable(
        "ARTOO_TIME_BUDGET",
        Effect::Sets("run.time_budget"),
        "the time that a run may take; it ends there",
    ),
    variable("ARTOO_MAX_REPLANS", Effect::Sets("run.max_replans"), "how often the plan may be changed"),
    variable("ARTOO_MAX_TOKENS", Effect::Sets("run.max_tokens"), "how many tokens a run may use"),
    variable(
        "ARTOO_ASK_AFTER_TURNS",
        Effect::Sets("run.ask_after_turns"),
        "after how many model calls a run asks whether it shall go on; 0 is never",
    ),
    variable(
        "ARTOO_ASK_AFTER_TOKENS",
        Effect::Sets("run.ask_after_tokens"),
        "after how many tokens read a run asks whether it shall go on; 0 is never",
    ),
    variable("ARTOO_MAX_COST", Effect::Sets("run.max_cost"), "what the model calls of a run may cost"),
    variable(
        "ARTOO_SCREEN_READER",
        Effect::Sets("ui.screen_reader"),
        "`1` writes for a screen reader, as --plain",
    ),
    variable("ARTOO_TIMEOUT", Effect::Sets("run.timeout"), "the end of a run, whatever it is doing"),
    variable(
        "OPENAI_BASE_URL",
        Effect::ForEveryRole("base_url"),
        "an OpenAI-compatible server, for every role",
    ),
    variable("OPENAI_MODEL", Effect::ForEveryRole("model"), "its model, for every role"),
    variable(
        "OPENAI_API_KEY",
        Effect::Secret,
        "its key; used for the provider openai where no key_env is named",
    ),
    variable(
        "ANTHROPIC_API_KEY",
        Effect::Secret,
        "used for the provider anthropic where no key_env is named",
    ),
    variable("ARTOO_BINARY", Effect::Other, "the program that the package for Python starts"),
    variable("HOME", Effect::Other, "the home folder"),
    variable("XDG_CONFIG_HOME", Effect::Other, "the user's config folder, by default ~/.config"),
    variable("NO_COLOR", Effect::Other, "no colour"),
    variable("TERM", Effect::Other, "`dumb` means a terminal that cannot move its cursor"),
    variable(
        "PAGER",
        Effect::Other,
        "the pager of `runs show` and `runs explain` at a terminal, by default less",
    ),
    variable("LESS", Effect::Other, "the options of less, by default FRX"),
    variable("COLUMNS", Effect::Other, "the width of the terminal, where the terminal does not tell"),
];

/// Set by the sandbox for the processes of a command, so that artoo started by artoo detects it.
const MARKER: &str = "ARTOO_COMMAND";

/// The layers from the environment: the general variables of OpenAI clients first, artoo's own variables over
/// them.
///
/// `OPENAI_API_KEY` alone creates no layer: a key set for another program does not choose a model.
pub(crate) fn layers(environment: &Environment) -> Vec<Layer> {
    let mut layers = Vec::new();
    for (name, key) in [("OPENAI_BASE_URL", "base_url"), ("OPENAI_MODEL", "model")] {
        if let Some(value) = environment.text(name) {
            layers.extend([every_role(name, "provider", "openai"), every_role(name, key, value)]);
        }
    }
    for variable in VARIABLES.iter().filter(|variable| variable.name.starts_with("ARTOO_")) {
        let Some(value) = environment.text(variable.name) else { continue };
        match variable.effect {
            Effect::ForEveryRole(key) => layers.push(every_role(variable.name, key, value)),
            Effect::Sets(path) => {
                let mut table = Table::new();
                put(&mut table, path, typed(path, value));
                layers.push(Layer { origin: Origin::Variable(variable.name), for_every_role: false, table });
            }
            Effect::Secret | Effect::Other => {}
        }
    }
    layers
}

/// Unknown variables with artoo's prefix, to report typing mistakes.
pub(crate) fn unknown(environment: &Environment) -> Vec<String> {
    let known = |name: &str| name == MARKER || VARIABLES.iter().any(|variable| variable.name == name);
    let strange = environment.names().filter(|name| name.starts_with("ARTOO_") && !known(name));
    strange
        .map(|name| match nearest_variable(name) {
            Some(meant) => format!("the variable {name} means nothing to artoo; did you mean {meant}?"),
            None => format!("the variable {name} means nothing to artoo"),
        })
        .collect()
}

fn nearest_variable(name: &str) -> Option<&'static str> {
    let suffix = name.strip_prefix("ARTOO_")?.to_lowercase();
    let lower: Vec<(String, &'static str)> = VARIABLES
        .iter()
        .filter_map(|variable| Some((variable.name.strip_prefix("ARTOO_")?.to_lowercase(), variable.name)))
        .collect();
    let meant = nearest(&suffix, lower.iter().map(|(lower, _)| lower.as_str()))?;
    lower.iter().find(|(lower, _)| lower == meant).map(|(_, name)| *name)
}

fn every_role(name: &'static str, key: &str, value: &str) -> Layer {
    let mut table = Table::new();
    put(&mut table, &format!("brain.{key}"), value.into());
    Layer { origin: Origin::Variable(name), for_every_role: true, table }
}

/// Converts a variable's text to the type of its key.
fn typed(path: &str, value: &str) -> toml::Value {
    let read = match path {
        "run.max_replans" | "run.max_tokens" | "run.ask_after_turns" | "run.ask_after_tokens" => {
            value.parse().ok().map(toml::Value::Integer)
        }
        "run.max_cost" => value.parse().ok().map(toml::Value::Float),
        "ui.screen_reader" => match value {
            "1" => Some(true.into()),
            "0" => Some(false.into()),
            word => word.parse().ok().map(toml::Value::Boolean),
        },
        _ => None,
    };
    read.unwrap_or_else(|| value.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_mistyped_ones_are_reported() {
        let mut names: Vec<_> = VARIABLES.iter().map(|variable| variable.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), VARIABLES.len());
        assert!(VARIABLES.iter().all(|variable| !variable.meaning.is_empty()));
        let environment = Environment::new(
            ["ARTOO_MODLE", "ARTOO_COMMAND", "ARTOO_MODEL", "ARTOO_XYZZY"]
                .map(|name| (name.into(), "x".into())),
        );
        assert_eq!(
            unknown(&environment),
            [
                "the variable ARTOO_MODLE means nothing to artoo; did you mean ARTOO_MODEL?",
                "the variable ARTOO_XYZZY means nothing to artoo"
            ]
        );
    }
}
