//! The user approves what a server says of its tools: a model reads it, so it is read before.

use std::sync::Arc;

use artoo_front_end::Confirmation;
use artoo_mcp::{Connection, Definition, DefinitionChange, Identity, McpError, Pins, compare};

use crate::run::BeforeRun;
use crate::terminal::Terminal;
use crate::view::counted;

/// How many lines of definitions a person can be asked to read. What says more is not offered.
const MOST_LINES: usize = 5_000;

/// After more lines than this, the names of the tools are told again.
const A_SCREEN: usize = 20;

/// What of a server's definitions is approved, after the user was asked about what is new or different. `None` for an answer means that
/// nobody was asked.
pub(crate) fn approve(
    terminal: &mut Terminal,
    pins: &Pins,
    connection: &Arc<Connection>,
    asked: &dyn BeforeRun,
) -> Result<(Vec<Definition>, Option<bool>), McpError> {
    let identity = Identity::of(connection.config());
    let known = pins.approved(&identity)?;
    let is_new = known.is_none();
    let approved = known.unwrap_or_default();
    let now = connection.definitions();
    let changes = compare(&approved, &now);
    let is_more = |change: &DefinitionChange| match change {
        DefinitionChange::Added(_) | DefinitionChange::Changed { .. } => true,
        DefinitionChange::Removed { .. } => false,
    };
    if !changes.iter().any(is_more) {
        return Ok((approved, None));
    }
    if !asked.is_there() {
        return Ok((approved, Some(false)));
    }
    let name = connection.name();
    let mut lines = described(&changes);
    if lines.len() > MOST_LINES {
        asked.warn(
            terminal,
            &format!("the server {name} says more of its tools than can be read: {} lines", lines.len()),
        );
        return Ok((approved, Some(false)));
    }
    if lines.len() > A_SCREEN {
        let names: Vec<&str> = changes.iter().map(name_of).collect();
        lines.push(format!("(end of what it says; the tools: {})", names.join(", ")));
    }
    let about = match is_new {
        true => format!("the server {name} offers {}, which a model would read:", tools(now.len())),
        false => format!("the server {name} says something else of its tools than what you approved:"),
    };
    let question = "offer them to models? the answer holds until one of them changes".to_owned();
    if asked.confirm(terminal, Confirmation { about, lines, question }) {
        pins.approve(&identity, now.clone())?;
        return Ok((now, Some(true)));
    }
    Ok((approved, Some(false)))
}

fn tools(count: usize) -> String {
    counted(count as u64, "tool", "tools")
}

fn name_of(change: &DefinitionChange) -> &str {
    match change {
        DefinitionChange::Added(definition) => &definition.name,
        DefinitionChange::Removed { name } | DefinitionChange::Changed { name, .. } => name,
    }
}

/// Changes of definitions line by line.
fn described(changes: &[DefinitionChange]) -> Vec<String> {
    let of = |change: &DefinitionChange| match change {
        DefinitionChange::Added(definition) => definition.lines(),
        DefinitionChange::Removed { name } => format!("{name}: it is gone"),
        DefinitionChange::Changed { name, diff } => format!("{name}:\n{diff}"),
    };
    changes.iter().map(of).flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}
