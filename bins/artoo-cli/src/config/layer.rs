//! Configuration layers and their merging, with the origin of each value.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use toml::{Table, Value};

/// Origin of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The built-in default.
    Default,
    /// Detected on this machine, because nothing was configured.
    Found(&'static str),
    /// The configuration file.
    File(PathBuf),
    /// A profile.
    Profile(String),
    /// An environment variable.
    Variable(&'static str),
    /// A command line option.
    Option(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Found(what) => write!(f, "found: {what}"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Profile(name) => write!(f, "profile {name}"),
            Self::Variable(name) => f.write_str(name),
            Self::Option(name) => f.write_str(name),
        }
    }
}

/// One layer of configuration.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    /// Origin of its values.
    pub(crate) origin: Origin,
    /// Whether it names a model for every role; it then overrides choices for
    /// single tiers and roles in the layers below.
    pub(crate) for_every_role: bool,
    /// The values.
    pub(crate) table: Table,
}

/// The merged layers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Merged {
    /// The merged values.
    pub(crate) table: Table,
    /// Origin of each leaf, by its path.
    pub(crate) origins: BTreeMap<String, Origin>,
}

impl Merged {
    /// Merges one more layer on top.
    pub(crate) fn lay(&mut self, layer: &Layer) {
        if layer.for_every_role {
            self.forget("tool");
            self.forget("roles");
        }
        for (path, value) in leaves(&layer.table) {
            self.drop_what_another_provider_meant(&path, &value);
            put(&mut self.table, &path, value);
            self.origins.insert(path, layer.origin.clone());
        }
    }

    /// The value at a path.
    pub(crate) fn get(&self, path: &str) -> Option<&Value> {
        let mut table = &self.table;
        let (mut key, mut rest) = first_key(path);
        while let Some(below) = rest {
            table = table.get(key)?.as_table()?;
            (key, rest) = first_key(below);
        }
        table.get(key)
    }

    /// Drops address, model and key of the table, because they belong to the previous provider.
    fn drop_what_another_provider_meant(&mut self, path: &str, value: &Value) {
        let Some(table) = path.strip_suffix(".provider") else { return };
        // The provider defaults to `openai`.
        let old = self.get(path).and_then(Value::as_str).unwrap_or("openai");
        if value.as_str() != Some(old) {
            self.forget(table);
        }
    }

    fn forget(&mut self, path: &str) {
        let below = format!("{path}.");
        self.origins.retain(|known, _| known != path && !known.starts_with(&below));
        if let Some((parent, key)) = path.rsplit_once('.') {
            if let Some(Value::Table(parent)) = self.table.get_mut(parent) {
                parent.remove(key);
            }
        } else {
            self.table.remove(path);
        }
    }
}

/// Splits a path into its first key and the rest. A key that contains a dot,
/// such as the name of a model, is quoted.
pub(crate) fn first_key(path: &str) -> (&str, Option<&str>) {
    if let Some((key, rest)) = path.strip_prefix('"').and_then(|path| path.split_once('"')) {
        return (key, rest.strip_prefix('.'));
    }
    path.split_once('.').map_or((path, None), |(key, rest)| (key, Some(rest)))
}

/// A key as it is written in a path.
pub(crate) fn quoted(key: &str) -> Cow<'_, str> {
    if key.contains('.') { Cow::Owned(format!("\"{key}\"")) } else { Cow::Borrowed(key) }
}

/// Sets the value at a path, creating tables as needed. An existing value is replaced.
pub(crate) fn put(table: &mut Table, path: &str, value: Value) {
    match first_key(path) {
        (name, None) => {
            table.insert(name.to_owned(), value);
        }
        (name, Some(rest)) => {
            let below = table.entry(name).or_insert_with(|| Value::Table(Table::new()));
            if !below.is_table() {
                *below = Value::Table(Table::new());
            }
            if let Value::Table(below) = below {
                put(below, rest, value);
            }
        }
    }
}

/// All leaf values by path. Providers come first, because they decide what the rest of their table means.
pub(crate) fn leaves(table: &Table) -> Vec<(String, Value)> {
    fn walk(prefix: &str, table: &Table, found: &mut Vec<(String, Value)>) {
        for (key, value) in table {
            let key = quoted(key);
            let path = if prefix.is_empty() { key.into_owned() } else { format!("{prefix}.{key}") };
            match value {
                Value::Table(below) => walk(&path, below, found),
                Value::String(_)
                | Value::Integer(_)
                | Value::Float(_)
                | Value::Boolean(_)
                | Value::Datetime(_)
                | Value::Array(_) => found.push((path, value.clone())),
            }
        }
    }
    let mut found = Vec::new();
    walk("", table, &mut found);
    found.sort_by_key(|(path, _)| !path.ends_with(".provider"));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(origin: Origin, for_every_role: bool, text: &str) -> Layer {
        Layer { origin, for_every_role, table: text.parse().unwrap() }
    }

    #[test]
    fn later_layers_win_and_origins_follow() {
        let mut merged = Merged::default();
        merged.lay(&layer(Origin::Default, false, "run.strict = false\nrun.max_replans = 3"));
        merged.lay(&layer(Origin::Option("--strict"), false, "run.strict = true"));
        assert_eq!(merged.get("run.strict"), Some(&Value::Boolean(true)));
        assert_eq!(merged.get("run.max_replans"), Some(&Value::Integer(3)));
        let origins: Vec<_> =
            merged.origins.iter().map(|(path, origin)| format!("{path} {origin}")).collect();
        assert_eq!(origins, ["run.max_replans default", "run.strict --strict"]);
    }

    #[test]
    fn a_key_with_dots_is_one_key() {
        let mut merged = Merged::default();
        let file = "[prices.\"gpt-4.1\"]\nprompt = 2\n[prices.qwen3]\nprompt = 0";
        merged.lay(&layer(Origin::File("c".into()), false, file));
        assert_eq!(merged.table, file.parse().unwrap());
        let paths: Vec<&str> = merged.origins.keys().map(String::as_str).collect();
        assert_eq!(paths, ["prices.\"gpt-4.1\".prompt", "prices.qwen3.prompt"]);
        assert_eq!(merged.get("prices.\"gpt-4.1\".prompt"), Some(&Value::Integer(2)));
        assert_eq!(first_key("\"a.b"), ("\"a", Some("b")), "half a pair of quotes is a key like any other");
    }

    #[test]
    fn another_provider_inherits_nothing() {
        let mut merged = Merged::default();
        let file = "[brain]\nprovider = \"openai\"\nbase_url = \"http://a\"\nmodel = \"m\"";
        merged.lay(&layer(Origin::File("c".into()), false, file));
        merged.lay(&layer(Origin::Variable("V"), false, "brain.model = \"n\"\nbrain.provider = \"local\""));
        assert_eq!(merged.table, "[brain]\nprovider = \"local\"\nmodel = \"n\"".parse().unwrap());
        merged.lay(&layer(Origin::Variable("V"), false, "brain.provider = \"local\""));
        assert_eq!(merged.get("brain.model"), Some(&"n".into()));
    }

    #[test]
    fn a_model_for_every_role_silences_single_choices() {
        let mut merged = Merged::default();
        let file = "[tool]\nmodel = \"t\"\n[roles.planner]\nmodel = \"p\"\n[run]\nstrict = true";
        merged.lay(&layer(Origin::File("c".into()), false, file));
        merged.lay(&layer(Origin::Option("--model"), true, "brain.model = \"x\""));
        assert_eq!(merged.table, "[brain]\nmodel = \"x\"\n[run]\nstrict = true".parse().unwrap());
        assert_eq!(merged.origins.len(), 2);
    }
}
