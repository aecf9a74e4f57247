//! `artoo runs`: past runs, folded from their journals by the code that shows runs live, and explained from them.

use std::path::PathBuf;

use artoo_runtime::events::{Event, Fold, Line};
use artoo_runtime::explain::{Explanation, explain};
use artoo_runtime::journal::RunState;
use artoo_runtime::runs::RunsError;
use artoo_runtime::{journal, runs};
use artoo_types::SolverOrigin;

use super::{Loaded, undo};
use crate::args::RunsCommand;
use crate::config::Given;
use crate::error::{CommandError, Exit, Kind};
use crate::program::Context;
use crate::terminal::neutral_json;
use crate::view::{Frame, Live, Outcome, explanation, footer, no_end, result, run_row};

/// Lists or shows runs.
pub(crate) fn run(context: &mut Context<'_>, command: &RunsCommand) -> Result<Exit, CommandError> {
    let data_dir = Loaded::load(context, Given::default())?.settings.data_dir;
    match command {
        RunsCommand::List { json, limit } => {
            let found = runs::list(&data_dir).map_err(explained)?;
            if found.is_empty() && !json {
                context.terminal.note(&format!("no runs are recorded in {}", data_dir.display()));
            }
            let frame = Frame::new(context.terminal.data_look(), false);
            for run in found.iter().take(*limit) {
                let row = if *json { as_json(run)? } else { run_row(run, frame) };
                context.terminal.data(&format!("{row}\n"))?;
            }
            Ok(Exit::OK)
        }
        RunsCommand::Show { run, json } => {
            let folder = folder(&data_dir, run)?;
            let read = recorded(&folder)?;
            let mut fold = Fold::new();
            let mut lines: Vec<Line> = read.envelopes.iter().flat_map(|envelope| fold.on(envelope)).collect();
            lines.extend(lines.last().and_then(|last| unfinished(last, read.state)));
            if *json {
                for line in &lines {
                    let row = as_json(line)?;
                    context.terminal.data(&format!("{row}\n"))?;
                }
            } else {
                show(context, &lines, read.state, &folder)?;
            }
            if let Some(damage) = read.damage {
                context.terminal.warning(&format!("the journal is damaged, and shown up to there: {damage}"));
                return Ok(Exit::FAILED);
            }
            Ok(Exit::OK)
        }
        RunsCommand::Explain { run, json } => {
            let page = explain(&recorded(&folder(&data_dir, run)?)?);
            let text = if *json {
                as_json(&page)? + "\n"
            } else {
                explanation(&page, Frame::new(context.terminal.data_look(), false))
            };
            context.terminal.data(&text)?;
            Ok(trust(context, &page))
        }
        RunsCommand::Undo { run, dry_run, as_it_is, json } => {
            let folder = folder(&data_dir, run)?;
            undo::run(context, &folder, undo::Wish { dry_run: *dry_run, as_it_is: *as_it_is, json: *json })
        }
    }
}

/// Says what of a page cannot be relied on. A foreign solver may well decide otherwise; artoo's own may not.
fn trust(context: &mut Context<'_>, page: &Explanation) -> Exit {
    let mut exit = Exit::OK;
    if let Some(damage) = &page.damage {
        context.terminal.warning(&format!("the journal is damaged, and explained up to there: {damage}"));
        exit = Exit::FAILED;
    }
    let foreign = page.settings.as_ref().is_some_and(|settings| settings.solver == SolverOrigin::Foreign);
    let departed: Vec<String> = page.departures().map(|(round, _)| round.to_string()).collect();
    if !departed.is_empty() && !foreign {
        let rounds = departed.join(", ");
        context.terminal.warning(&format!(
            "the directive of round {rounds} does not follow from its recorded inputs: \
             another version of artoo decided, or the journal was changed"
        ));
        exit = Exit::FAILED;
    }
    exit
}

pub(super) fn recorded(folder: &std::path::Path) -> Result<journal::Read, CommandError> {
    journal::read(&folder.join(journal::FILE_NAME)).map_err(|error| explained(RunsError::Journal(error)))
}

/// The line that stands for the end that a run does not have.
fn unfinished(last: &Line, state: RunState) -> Option<Line> {
    let event = Event::RunUnfinished { state };
    (state != RunState::Finished).then(|| Line {
        seq: last.seq.saturating_add(1),
        role: None,
        round: None,
        subtask_id: None,
        event,
        ..last.clone()
    })
}

fn show(
    context: &mut Context<'_>,
    lines: &[Line],
    state: RunState,
    folder: &std::path::Path,
) -> Result<(), CommandError> {
    let frame = Frame::new(context.terminal.data_look(), false);
    let mut live = Live::default();
    let mut text = String::new();
    let mut outcome = None;
    for line in lines {
        for row in live.on(line, frame) {
            text.push_str(&row);
            text.push('\n');
        }
        outcome = Outcome::of(line).or(outcome);
    }
    match &outcome {
        Some(outcome) => {
            if let Some(fault) = &outcome.error {
                text.push_str(&format!("error: {}\n", crate::terminal::neutral_line(&fault.message)));
            }
            text.push('\n');
            text.push_str(&result(outcome, frame, false));
            text.push('\n');
            for row in footer(outcome, folder, frame) {
                text.push_str(&row);
                text.push('\n');
            }
        }
        None => text.extend(no_end(state).map(|said| format!("{said}\n"))),
    }
    context.terminal.data(&text)
}

/// The folder of a run by a part of its id, or of the newest.
pub(super) fn folder(data_dir: &std::path::Path, part: &str) -> Result<PathBuf, CommandError> {
    if part != "last" {
        return runs::find(data_dir, part).map_err(explained);
    }
    let newest = runs::list(data_dir).map_err(explained)?.into_iter().next().ok_or_else(|| {
        CommandError::usage(format!("no runs are recorded in {}", data_dir.display()))
            .hint("start one: artoo run \"REQUEST\"")
    })?;
    Ok(runs::folder(data_dir).join(newest.run_id.to_string()))
}

pub(super) fn as_json(value: &impl serde::Serialize) -> Result<String, CommandError> {
    let text = serde_json::to_string(value)
        .map_err(|error| CommandError::failed("cannot write JSON").because(error))?;
    Ok(neutral_json(&text).into_owned())
}

pub(super) fn explained(error: RunsError) -> CommandError {
    let mistaken = matches!(error, RunsError::Unknown { .. } | RunsError::Ambiguous { .. });
    let kind = if mistaken { Kind::Usage } else { Kind::Failed };
    let hint = error.hint();
    let said = CommandError::new(kind, error.to_string()).hint(hint);
    match std::error::Error::source(&error).map(ToString::to_string) {
        // The message of a folder's error has its cause in it.
        Some(cause) if !error.to_string().contains(&cause) => said.because(cause),
        Some(_) | None => said,
    }
}
