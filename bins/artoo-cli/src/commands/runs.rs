//! `artoo runs`: lists, shows and explains past runs from their journals, using the code of the live view.

use std::path::PathBuf;

use artoo_bus::{Clock as _, SystemClock};
use artoo_runtime::events::{Event, EventFold, Line};
use artoo_runtime::explain::{Explanation, explain};
use artoo_runtime::journal::RunState;
use artoo_runtime::resume::resumable;
use artoo_runtime::runs::RunsError;
use artoo_runtime::{journal, runs};
use artoo_types::{FaultKind, Message, RunId, SolverOrigin};

use super::{Loaded, delete_runs, diff, undo, what_if};
use crate::args::RunsCommand;
use crate::config::Given;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit, Kind};
use crate::machine::threads;
use crate::terminal::{Style, neutral_json, paged, worded};
use crate::view::{
    Frame, Live, Outcome, Place, depth, explanation, footer, id_digits, left_behind, no_end, result,
    run_list, undo_line,
};

/// Dispatches to the subcommand.
pub(crate) fn run(context: &mut Context<'_>, command: &RunsCommand) -> Result<Exit, CommandError> {
    let loaded = Loaded::load(context, Given::default())?;
    let data_dir = loaded.settings.data_dir.clone();
    match command {
        RunsCommand::List { json, limit } => {
            let found = runs::newest(&data_dir, *limit).map_err(explained)?;
            if found.is_empty() && !json {
                context.terminal.note(&format!("no runs are recorded in {}", data_dir.display()));
            }
            let text = if *json {
                found.iter().map(|run| Ok(as_json(run)? + "\n")).collect::<Result<String, CommandError>>()?
            } else {
                run_list(&found, digits(&data_dir)?, SystemClock::new().now(), place(context))
            };
            context.terminal.data(&text)?;
            Ok(Exit::OK)
        }
        RunsCommand::Show { of, json } => {
            let folder = folder(&data_dir, &of.run)?;
            let read = recorded(&folder)?;
            let mut fold = EventFold::new();
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
        RunsCommand::Explain(args) => {
            let page = explain(&judged(&folder(&data_dir, &args.of.run)?)?);
            let text = if args.json {
                as_json(&page)? + "\n"
            } else {
                let frame = Frame::new(context.terminal.data_look(), context.common.verbose > 0);
                explanation(&page, Frame { columns: columns(context), ..frame })
            };
            paged(context.terminal, context.environment, &text)?;
            Ok(trust(context, &page))
        }
        RunsCommand::Diff(args) => diff::run(context, &folder(&data_dir, &args.of.run)?, args.json),
        RunsCommand::Attach(args) => {
            let folder = folder(&data_dir, &args.run)?;
            threads::for_waiting()?.block_on(crate::run::attach(context, &folder))
        }
        RunsCommand::Resume(args) => {
            let folder = folder(&data_dir, &args.run)?;
            let run = resumable(&folder).map_err(explained)?;
            crate::run::resume(context, &folder, run)
        }
        RunsCommand::Stop(args) => {
            let folder = folder(&data_dir, &args.run)?;
            threads::for_waiting()?.block_on(super::stop::stop(context, &folder))
        }
        RunsCommand::WhatIf(args) => {
            what_if::run(context, &loaded, &folder(&data_dir, &args.of.run)?, args.json)
        }
        RunsCommand::Undo(args) => undo::run(context, &folder(&data_dir, &args.of.run)?, args),
        RunsCommand::Delete(args) => {
            let runs = args.runs.iter().map(|part| id(&data_dir, part)).collect::<Result<Vec<_>, _>>()?;
            delete_runs::delete(context, &data_dir, runs, args.how).map(|_| Exit::OK)
        }
        RunsCommand::Prune(args) => {
            let older =
                runs::older_than(&data_dir, args.older, SystemClock::new().now()).map_err(explained)?;
            delete_runs::delete(context, &data_dir, older, args.how).map(|_| Exit::OK)
        }
    }
}

/// Warns about what cannot be relied on. A foreign solver may decide differently; artoo's own may not.
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

/// The record of a run with at least one decision of the controller.
pub(super) fn judged(folder: &std::path::Path) -> Result<journal::Read, CommandError> {
    let read = recorded(folder)?;
    let is_command = read.envelopes.iter().any(|envelope| {
        matches!(envelope.message.as_ref(), Message::UserRequest(request) if !request.errand.is_task())
    });
    if is_command {
        return Err(CommandError::usage(
            "this is a command by itself: nothing was planned, judged or decided",
        )
        .hint("what it did: artoo runs show"));
    }
    Ok(read)
}

/// The line that replaces the missing end of a run.
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
    let frame = Frame::new(context.terminal.data_look(), context.common.verbose > 0);
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
                let label = if fault.kind == FaultKind::Cancelled { "" } else { "error: " };
                text.push_str(&format!("{label}{}\n", crate::terminal::neutral_line(&fault.message)));
            }
            text.push('\n');
            let is_rendered = context.streams.stdout && !live.is_quoted(outcome);
            let (story, undo) = (live.story(), runs::undo_state(folder));
            text.extend(left_behind(outcome, story, undo, frame).map(|left| left + "\n"));
            text.push_str(&result(
                outcome,
                story,
                if is_rendered { frame.rendering() } else { frame },
                false,
            ));
            text.push('\n');
            let undo = undo_line(outcome, undo, frame);
            let depth = depth(outcome).filter(|_| !frame.verbose);
            let depth = depth.map(|line| frame.paint.text(Style::Faint, &line));
            for row in footer(outcome, story, folder, frame).into_iter().chain(depth).chain(undo) {
                text.push_str(&row);
                text.push('\n');
            }
        }
        None => text.extend(no_end(state).map(|said| format!("{said}\n"))),
    }
    paged(context.terminal, context.environment, &text)
}

/// The folder of a run by a part of its id; `last` is the newest.
pub(super) fn folder(data_dir: &std::path::Path, part: &str) -> Result<PathBuf, CommandError> {
    if part != "last" {
        return runs::find(data_dir, part).map_err(explained);
    }
    let newest = runs::newest(data_dir, 1).map_err(explained)?.into_iter().next().ok_or_else(|| {
        CommandError::usage(format!("no runs are recorded in {}", data_dir.display()))
            .hint("start one: artoo run \"REQUEST\"")
    })?;
    Ok(runs::folder(data_dir).join(newest.run_id.to_string()))
}

/// The id of a run by a part of it.
fn id(data_dir: &std::path::Path, part: &str) -> Result<RunId, CommandError> {
    let folder = folder(data_dir, part)?;
    let name = folder.file_name().and_then(|name| name.to_str()?.parse().ok());
    name.ok_or_else(|| CommandError::failed(format!("{} is no run", folder.display())))
}

/// How many digits of its id name a run among all runs.
pub(super) fn digits(data_dir: &std::path::Path) -> Result<usize, CommandError> {
    let ids: Vec<String> = runs::ids(data_dir).map_err(explained)?.iter().map(ToString::to_string).collect();
    Ok(id_digits(&ids))
}

/// The width of a page: that of the terminal. In a pipe no line is broken.
pub(in crate::commands) fn columns(context: &Context<'_>) -> usize {
    place(context).columns.unwrap_or(usize::MAX)
}

/// Where a list is shown.
pub(in crate::commands) fn place(context: &Context<'_>) -> Place {
    Place::of(Frame::new(context.terminal.data_look(), false), context.streams.stdout)
}

pub(super) fn as_json(value: &impl serde::Serialize) -> Result<String, CommandError> {
    let text = serde_json::to_string(value)
        .map_err(|error| CommandError::failed("cannot write JSON").because(error))?;
    Ok(neutral_json(&text).into_owned())
}

pub(crate) fn explained(error: RunsError) -> CommandError {
    let mistaken = matches!(
        error,
        RunsError::Unknown { .. }
            | RunsError::Ambiguous { .. }
            | RunsError::Whole { .. }
            | RunsError::InUse { .. }
    );
    let kind = if mistaken { Kind::Usage } else { Kind::Failed };
    let hint = worded(error.hint(), error.remedy());
    let said = CommandError::new(kind, error.to_string()).hint(hint);
    match std::error::Error::source(&error).map(ToString::to_string) {
        // A folder error already contains its cause in the message.
        Some(cause) if !error.to_string().contains(&cause) => said.because(cause),
        Some(_) | None => said,
    }
}
