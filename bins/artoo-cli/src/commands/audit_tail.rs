//! `artoo audit tail`: the newest lines of the log, and with `--follow` the lines that are appended.

use std::path::Path;
use std::time::Duration;

use artoo_auditor::{AuditError, Following, Line, Seen};
use serde_json::Value;

use super::runs::as_json;
use crate::args::TailArgs;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::machine::threads;
use crate::signals::catch;
use crate::terminal::{neutral_line, pad};
use crate::view::short_id;

/// Poll interval of the log.
const LOOK: Duration = Duration::from_millis(200);

/// Shows the newest lines; with `--follow` until a signal or until the reader of standard output is gone.
pub(super) fn run(context: &mut Context<'_>, log: &Path, args: &TailArgs) -> Result<Exit, CommandError> {
    let (following, seen) = Following::newest(log, args.lines).map_err(|error| unreadable(&error))?;
    if seen.is_empty() && !args.json {
        context.terminal.note(&format!("there is no line yet in {}", log.display()));
    }
    show(context, &seen, args.json)?;
    if !args.follow {
        return Ok(Exit::OK);
    }
    threads::to_wait_for_others()?.block_on(follow(context, following, args.json))
}

async fn follow(
    context: &mut Context<'_>,
    mut following: Following,
    json: bool,
) -> Result<Exit, CommandError> {
    let mut caught =
        catch().map_err(|error| CommandError::failed("cannot listen for Ctrl+C").because(error))?;
    loop {
        tokio::select! {
            exit = caught.ended() => return Ok(exit),
            () = tokio::time::sleep(LOOK) => {}
        }
        let seen = following.added().map_err(|error| unreadable(&error))?;
        show(context, &seen, json)?;
    }
}

fn show(context: &mut Context<'_>, seen: &[Seen], json: bool) -> Result<(), CommandError> {
    for seen in seen {
        match seen {
            Seen::Line(line) if json => {
                let row = as_json(line)?;
                context.terminal.data(&format!("{row}\n"))?;
            }
            Seen::Line(line) => context.terminal.data(&format!("{}\n", row(line)))?,
            Seen::Unreadable => context.terminal.warning("a line of the log cannot be read"),
            Seen::Shrunk => context
                .terminal
                .warning("the log is shorter than it was; what is wrong with it: artoo audit verify"),
        }
    }
    Ok(())
}

/// A line of the log: time, end of the run's id, role, event, facts.
fn row(line: &Line) -> String {
    let at = line.at().format("%Y-%m-%d %H:%M:%S");
    match line {
        Line::Gap(gap) => format!("{at}  {}  {}", pad("a gap", 12), neutral_line(&gap.gap.to_string())),
        Line::Seal(seal) => format!("{at}  {}  lines up to {}", pad("a seal", 12), seal.seal.lines),
        Line::Event(event) => {
            let short = short_id(event.run_id);
            let facts: Vec<String> =
                event.facts.iter().map(|(name, value)| format!("{name}={}", plain(value))).collect();
            let (from, kind) = (pad(event.from.name(), 15), pad(&event.kind.name(), 18));
            format!("{at}  {short}  {from}  {kind}  {}", neutral_line(&facts.join(" "))).trim_end().to_owned()
        }
    }
}

/// A value without JSON syntax where possible.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    }
}

fn unreadable(error: &AuditError) -> CommandError {
    let said = CommandError::failed(error.to_string());
    let said = match std::error::Error::source(error) {
        Some(source) => said.because(source.to_string()),
        None => said,
    };
    said.hint(error.hint().unwrap_or("see: artoo doctor"))
}
