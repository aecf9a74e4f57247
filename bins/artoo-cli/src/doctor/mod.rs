//! `artoo doctor`: checks of what works on this machine, each failure with a remedy.

mod confinement;
mod machine;
mod model;
mod remedies;
mod servers;
mod store;
mod tools;

use serde::Serialize;
use serde_json::json;

use crate::args::DoctorArgs;
use crate::commands::Loaded;
use crate::config::Given;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::terminal::neutral_json;
use crate::view::{Frame, check_lines};

/// Result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Check {
    /// What was checked.
    pub(crate) name: String,
    /// Whether it works.
    pub(crate) state: State,
    /// What was found.
    pub(crate) finding: String,
    /// What to do if something is wrong.
    pub(crate) remedy: Option<String>,
}

/// Severity of a check's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    /// It works.
    Good,
    /// It does not work, or only in part; artoo works without it.
    Note,
    /// It does not work, and artoo cannot work without it.
    Bad,
}

impl Check {
    /// A passed check.
    pub(crate) fn good(name: &str, finding: impl Into<String>) -> Self {
        Self { name: name.to_owned(), state: State::Good, finding: finding.into(), remedy: None }
    }

    /// A check worth knowing about.
    pub(crate) fn note(name: &str, finding: impl Into<String>) -> Self {
        Self { state: State::Note, ..Self::good(name, finding) }
    }

    /// A failed check, with its remedy.
    pub(crate) fn bad(name: &str, finding: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { state: State::Bad, ..Self::good(name, finding) }.remedy(remedy)
    }

    /// Adds a remedy.
    pub(crate) fn remedy(self, remedy: impl Into<String>) -> Self {
        Self { remedy: Some(remedy.into()), ..self }
    }

    /// A failed check from an error and its hint.
    fn of_error(name: &str, error: &CommandError) -> Self {
        Self::bad(name, error.to_string(), error.next_step().unwrap_or("see: artoo config show"))
    }
}

/// Runs all checks and prints them.
pub(crate) fn run(context: &mut Context<'_>, args: &DoctorArgs) -> Result<Exit, CommandError> {
    let mut checks = Vec::new();
    match Loaded::load(context, Given::default()) {
        Ok(mut loaded) => {
            let there = if loaded.file_is_there { "" } else { " (not there: defaults)" };
            checks.push(Check::good("configuration", format!("{}{there}", loaded.file.display())));
            checks.extend(model::checks(context, &mut loaded));
            checks.extend(machine::checks(context, &loaded.settings));
            checks.extend(tools::checks(context, &loaded.settings));
            checks.extend(servers::checks(context, &loaded.settings));
            checks.extend(store::checks(context, &loaded.settings));
        }
        Err(error) => checks.push(Check::of_error("configuration", &error)),
    }
    let usable = checks.iter().all(|check| check.state != State::Bad);
    let text = if args.json {
        let object = json!({ "version": env!("CARGO_PKG_VERSION"), "usable": usable, "checks": checks });
        format!("{}\n", neutral_json(&object.to_string()))
    } else {
        let frame = Frame::new(context.terminal.data_look(), false);
        let mut lines = check_lines(&checks, frame);
        lines.push(if usable {
            "artoo can work here".to_owned()
        } else {
            "artoo cannot work here yet".to_owned()
        });
        format!("{}\n", lines.join("\n"))
    };
    context.terminal.data(&text)?;
    Ok(if usable { Exit::OK } else { Exit::FAILED })
}
