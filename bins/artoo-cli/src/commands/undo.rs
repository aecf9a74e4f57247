//! `artoo undo`: restores the files that a run changed, and takes its commits back.

use std::path::Path;

use artoo_runtime::runs::{self, RunsError};
use artoo_snapshot::{
    Deviation, NotCovered, Obstacle, Present, TakenBack, Uncovered, Undo, UndoError, Undoable,
};
use artoo_tools::{CommitTakenBack, CommitsUndo};
use artoo_types::MegramId;
use serde::Serialize;

use super::memory::wait;
use super::rejected_run;
use super::runs::{as_json, explained};
use crate::args::UndoArgs;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::view::{commit_taken_back_line, obstacle_line, taken_back_line};

/// Output of `--json`.
#[derive(Debug, Default, Serialize)]
struct Page<'a> {
    run_id: &'a str,
    /// Whether every compared path is as the run found it, in content, mode, times, attributes and links;
    /// compared after the last step.
    undone: bool,
    /// What could not be restored.
    deviations: Vec<Deviation>,
    dry_run: bool,
    /// Whether an interrupted undo was continued.
    resumed: bool,
    changes: Vec<TakenBack>,
    /// The commits, the newest of each repository first.
    commits: Vec<CommitTakenBack>,
    /// What memory wrote against the experiences of the run.
    revoked: Vec<MegramId>,
    /// What prevents the undo. Nothing was changed then.
    obstacles: Vec<Obstacle>,
    not_covered: Vec<NotCovered>,
}

/// Undoes a run.
pub(super) fn run(
    context: &mut Context<'_>,
    folder: &Path,
    options: &UndoArgs,
) -> Result<Exit, CommandError> {
    let run_id = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let mut page = Page { run_id, dry_run: options.dry_run, ..Page::default() };
    if runs::undo_state(folder) == Undoable::Nothing {
        if options.json {
            context.terminal.data(&format!("{}\n", as_json(&page)?))?;
        } else {
            context.terminal.note(&format!(
                "run {run_id} changed no files and made no commit, so there is nothing to undo"
            ));
        }
        return Ok(Exit::OK);
    }
    let present = if options.as_it_is { Present::AsItIs } else { Present::AsRecorded };
    let (undo, commits) = match prepare(folder, present)? {
        Ok(prepared) => prepared,
        Err(obstacles) => return refused(context, page, obstacles, options),
    };
    page.changes = undo.changes();
    page.commits = commits.as_ref().map(CommitsUndo::commits).unwrap_or_default();
    page.not_covered = undo.not_covered().to_vec();
    page.resumed = undo.is_resumed();
    if !options.dry_run {
        // The branches first: what they held is in the repository still if a file cannot be put back.
        if let Some(commits) = commits {
            wait(commits.apply())?.map_err(|error| explained(error.into()))?;
        }
        page.deviations = undo.apply().map_err(|error| explained(error.into()))?;
        page.undone = page.deviations.is_empty();
        if !page.changes.is_empty() || !page.commits.is_empty() {
            page.revoked = rejected_run::undone(context, folder);
        }
    }
    if options.json {
        context.terminal.data(&format!("{}\n", as_json(&page)?))?;
        return Ok(exit(&page));
    }
    let commits = page.commits.iter().map(|commit| commit_taken_back_line(commit, options.dry_run));
    let files = page.changes.iter().map(|change| taken_back_line(change, options.dry_run));
    let lines: String = commits.chain(files).map(|line| line + "\n").collect();
    context.terminal.data(&lines)?;
    for one in &page.not_covered {
        let place = one.path.display();
        let words = match one.why {
            // If the run had changed it, it would be an obstacle, so the run did not change it.
            Uncovered::NoRoom { .. } | Uncovered::Unsteady => {
                format!("{place} was not kept: {}; the run did not change its content", one.why)
            }
            Uncovered::TooMany { .. }
            | Uncovered::Unreadable { .. }
            | Uncovered::TooDeep
            | Uncovered::Elsewhere => {
                format!("nobody looked at {place}: {}; what the run changed there stays", one.why)
            }
        };
        context.terminal.warning(&words);
    }
    if options.dry_run {
        context.terminal.advice(&format!("nothing was changed; to do it: artoo undo {run_id}"));
    } else {
        for one in &page.deviations {
            let words = format!(
                "{} is not as the run found it: {} could not be put back",
                one.path.display(),
                one.aspect
            );
            context.terminal.warning(&words);
        }
        let found = match (page.deviations.is_empty(), page.not_covered.iter().any(is_unseen)) {
            (true, false) => "everything is as the run found it",
            (true, true) => "what was looked at is as the run found it",
            (false, true | false) => "everything else that was looked at is as the run found it",
        };
        context.terminal.note(&format!("{found}; what was taken away lies in the run's folder:"));
        context.terminal.note(&folder.join("undo/taken").display().to_string());
        if !page.revoked.is_empty() {
            context.terminal.note("memory no longer recommends what this run did");
        }
    }
    Ok(exit(&page))
}

/// What is to be taken back.
type Prepared = (Undo, Option<CommitsUndo>);

/// Everything that is to be taken back, or everything that is in the way.
fn prepare(folder: &Path, present: Present) -> Result<Result<Prepared, Vec<Obstacle>>, CommandError> {
    let files = or_obstacles(runs::prepare_undo(folder, present))?;
    let commits = or_obstacles(wait(runs::prepare_commits(folder))?)?;
    Ok(match (files, commits) {
        (Ok(undo), Ok(commits)) => Ok((undo, commits)),
        (files, commits) => Err([files.err(), commits.err()].into_iter().flatten().flatten().collect()),
    })
}

/// A refusal is no error of the command: what is in the way of files and of commits is said together.
fn or_obstacles<T>(prepared: Result<T, RunsError>) -> Result<Result<T, Vec<Obstacle>>, CommandError> {
    match prepared {
        Ok(prepared) => Ok(Ok(prepared)),
        Err(RunsError::Undo(UndoError::Refused { obstacles })) => Ok(Err(obstacles)),
        Err(error) => Err(explained(error)),
    }
}

fn exit(page: &Page<'_>) -> Exit {
    if page.deviations.is_empty() { Exit::OK } else { Exit::FAILED }
}

/// Whether the run may have changed something that was not compared.
fn is_unseen(one: &NotCovered) -> bool {
    match one.why {
        Uncovered::TooMany { .. }
        | Uncovered::Unreadable { .. }
        | Uncovered::TooDeep
        | Uncovered::Elsewhere => true,
        Uncovered::NoRoom { .. } | Uncovered::Unsteady => false,
    }
}

fn refused(
    context: &mut Context<'_>,
    mut page: Page<'_>,
    obstacles: Vec<Obstacle>,
    options: &UndoArgs,
) -> Result<Exit, CommandError> {
    if options.json {
        page.obstacles = obstacles;
        context.terminal.data(&format!("{}\n", as_json(&page)?))?;
        return Ok(Exit::FAILED);
    }
    for obstacle in &obstacles {
        context.terminal.note(&obstacle_line(obstacle));
    }
    Err(explained(UndoError::Refused { obstacles }.into()))
}
