//! Parser of `config.toml`.
//!
//! Unknown keys and wrong types are errors with line and column, and with the nearest known key.

use std::path::Path;

use serde_json::Value as Json;
use toml::Table;
use toml::de::{DeTable, DeValue};

use super::layer::first_key;
use super::schema::{children, config_schema};
use super::sections::FileConfig;
use crate::error::CommandError;
use crate::suggest::nearest;

/// Parses the text of a configuration file. `path` is used in messages only.
pub(crate) fn read(path: &Path, text: &str) -> Result<Table, CommandError> {
    let parsed = DeTable::parse(text).map_err(|error| explained(path, text, &error))?;
    check_keys(parsed.get_ref(), &config_schema(), "")
        .map_err(|unknown| at(path, text, unknown.place, &unknown.message()).hint(unknown.hint()))?;
    toml::from_str::<FileConfig>(text).map_err(|error| explained(path, text, &error))?;
    text.parse::<Table>().map_err(|error| explained(path, text, &error))
}

/// Checks that a key from another layer than the file exists.
pub(crate) fn check_path(path: &str) -> Result<(), (String, String)> {
    let schema = config_schema();
    let mut node = &schema;
    let mut above = String::new();
    let mut rest = Some(path);
    while let Some(path) = rest {
        let (key, below) = first_key(path);
        rest = below;
        match child(node, key) {
            Some(below) => node = below,
            None => {
                let unknown = Unknown::new(key, &above, node, 0);
                return Err((unknown.message(), unknown.hint()));
            }
        }
        above = join(&above, key);
    }
    if children(node).is_some() {
        return Err((
            format!("`{path}` is a table, not a value"),
            format!("name a key of it: {}", names_of(node)),
        ));
    }
    Ok(())
}

/// An unknown key.
struct Unknown {
    key: String,
    table: String,
    meant: Option<String>,
    known: String,
    place: usize,
}

impl Unknown {
    fn new(key: &str, table: &str, node: &Json, place: usize) -> Self {
        let names =
            children(node).map(|map| map.keys().map(String::as_str).collect::<Vec<_>>()).unwrap_or_default();
        let meant = nearest(key, names.iter().copied()).map(|name| join(table, name));
        Self { key: key.to_owned(), table: table.to_owned(), meant, known: names_of(node), place }
    }

    fn message(&self) -> String {
        match self.table.as_str() {
            "" => format!("unknown key `{}`", self.key),
            table => format!("unknown key `{}` in [{table}]", self.key),
        }
    }

    fn hint(&self) -> String {
        match &self.meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if self.known.is_empty() => "see: artoo config schema".to_owned(),
            None => format!("known here: {}", self.known),
        }
    }
}

fn check_keys(table: &DeTable<'_>, schema: &Json, above: &str) -> Result<(), Unknown> {
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let Some(below) = child(schema, name) else {
            return Err(Unknown::new(name, above, schema, key.span().start));
        };
        if let DeValue::Table(inner) = value.get_ref()
            && children(below).is_some()
        {
            check_keys(inner, below, &join(above, name))?;
        }
    }
    Ok(())
}

/// The schema of a key: a property, or the shape of a table with free names.
fn child<'s>(schema: &'s Json, key: &str) -> Option<&'s Json> {
    schema
        .get("properties")
        .and_then(|properties| properties.get(key))
        .or_else(|| schema.get("additionalProperties").filter(|shape| shape.is_object()))
}

fn names_of(node: &Json) -> String {
    children(node)
        .map(|map| map.keys().map(String::as_str).collect::<Vec<_>>().join(", "))
        .unwrap_or_default()
}

fn join(above: &str, key: &str) -> String {
    if above.is_empty() { key.to_owned() } else { format!("{above}.{key}") }
}

fn explained(path: &Path, text: &str, error: &toml::de::Error) -> CommandError {
    let place = error.span().map_or(0, |span| span.start);
    at(path, text, place, error.message()).hint("see: artoo config schema")
}

pub(super) fn at(path: &Path, text: &str, place: usize, message: &str) -> CommandError {
    let before = text.get(..place).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
    CommandError::configuration(format!("{}:{line}:{column}: {message}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        let error = read(Path::new("config.toml"), text).unwrap_err();
        format!("{error}\nhint: {}", error.next_step().unwrap_or_default())
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place_and_a_remedy() {
        insta::assert_snapshot!(refusal("[brain]\nprovider = \"local\"\nmodle = \"x\"\n"), @r"
        config.toml:3:1: unknown key `modle` in [brain]
        hint: did you mean `brain.model`?
        ");
        insta::assert_snapshot!(refusal("[brian]\nmodel = \"x\"\n"), @r"
        config.toml:1:2: unknown key `brian`
        hint: did you mean `brain`?
        ");
        insta::assert_snapshot!(refusal("[profiles.fast.brain]\nkey = \"sk-1\"\n"), @r"
        config.toml:2:1: unknown key `key` in [profiles.fast.brain]
        hint: known here: provider, base_url, model, key_env
        ");
        insta::assert_snapshot!(refusal("[run]\nmax_replans = \"three\"\n"), @r#"
        config.toml:2:15: invalid type: string "three", expected u32
        hint: see: artoo config schema
        "#);
        insta::assert_snapshot!(refusal("[run]\ntime_budget = \"5 minutes\"\n"), @r"
        config.toml:2:15: `5 minutes` is no length of time; write for example 90s, 5m or 1h30m
        hint: see: artoo config schema
        ");
        insta::assert_snapshot!(refusal("[run\n"), @r"
        config.toml:1:5: unclosed table, expected `]`
        hint: see: artoo config schema
        ");
        insta::assert_snapshot!(refusal("[roles.planer]\nmodel = \"x\"\n"), @r"
        config.toml:1:8: unknown key `planer` in [roles]
        hint: did you mean `roles.planner`?
        ");
    }

    #[test]
    fn a_key_of_the_command_line_is_checked_in_the_same_way() {
        assert_eq!(check_path("brain.model"), Ok(()));
        assert_eq!(check_path("profiles.any.brain.model"), Ok(()));
        let check = |path: &str, expected: (&str, &str)| {
            assert_eq!(
                check_path(path).unwrap_err(),
                (expected.0.to_owned(), expected.1.to_owned()),
                "{path}"
            );
        };
        check("brain.modle", ("unknown key `modle` in [brain]", "did you mean `brain.model`?"));
        check(
            "brain",
            ("`brain` is a table, not a value", "name a key of it: provider, base_url, model, key_env"),
        );
        check("brain.model.x", ("unknown key `x` in [brain.model]", "see: artoo config schema"));
    }
}
