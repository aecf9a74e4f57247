//! Generates the JSON Schemas in `docs/reference`, for programs that read artoo's output.

use std::path::PathBuf;

use crate::{
    Error, Result,
    command::Program,
    files,
    terminal::say,
    verify::{self, Build},
};

/// A generated file of `docs/reference` and the program that prints it.
struct Generated {
    file: &'static str,
    by: By,
}

enum By {
    /// `artoo` with these arguments.
    Artoo(&'static [&'static str]),
    /// The example `schemas` of this package, with this argument.
    Example(&'static str),
}

const GENERATED: [Generated; 6] = [
    Generated { file: "config.schema.json", by: By::Artoo(&["config", "schema"]) },
    Generated { file: "policy.schema.json", by: By::Artoo(&["config", "schema", "--policy"]) },
    Generated { file: "events.schema.json", by: By::Example("events") },
    Generated { file: "explanation.schema.json", by: By::Example("explanation") },
    Generated { file: "envelope.schema.json", by: By::Example("envelope") },
    Generated { file: "audit.schema.json", by: By::Example("audit") },
];

/// `cargo xtask schema`: writes them, or with `check` only reports stale ones.
///
/// # Errors
/// A program that prints one fails, or with `check` one is stale.
pub fn run(check: bool) -> Result<()> {
    let (artoo, schemas) = (verify::artoo(Build::Tested)?, verify::tested("schemas")?);
    let mut stale = Vec::new();
    for Generated { file, by } in GENERATED {
        let printed = match by {
            By::Artoo(arguments) => Program::new(&artoo, arguments).text()?,
            By::Example(name) => Program::new(&schemas, [name]).text()?,
        };
        let path = place(file);
        let wanted = pretty(file, &printed)?;
        if std::fs::read_to_string(&path).is_ok_and(|held| held == wanted) {
            continue;
        }
        if check {
            stale.push(file);
        } else {
            files::write(&path, wanted)?;
            say(format!("wrote docs/reference/{file}"));
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    Err(Error::Other(format!(
        "stale in docs/reference: {}\nhint: run `cargo xtask schema` and commit",
        stale.join(", ")
    )))
}

/// The path of a generated file.
pub fn place(file: &str) -> PathBuf {
    files::root().join("docs/reference").join(file)
}

/// JSON in the stored form: indented, with one newline at the end.
///
/// # Errors
/// It is not JSON.
pub fn pretty(file: &str, text: &str) -> Result<String> {
    let wrong = |error: serde_json::Error| Error::Content { path: file.into(), reason: error.to_string() };
    let value: serde_json::Value = serde_json::from_str(text).map_err(wrong)?;
    Ok(serde_json::to_string_pretty(&value).map_err(wrong)? + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_kept_in_one_form() {
        assert_eq!(pretty("x", "{\"b\":1,\"a\":[]}\n\n").unwrap(), "{\n  \"b\": 1,\n  \"a\": []\n}\n");
        assert!(pretty("x", "artoo: no such command").is_err());
    }
}
