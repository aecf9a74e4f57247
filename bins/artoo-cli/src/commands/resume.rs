//! `artoo resume`: begins a run again that was cut off, or goes on with a conversation.

use artoo_redaction::Redactor;
use artoo_runtime::journal::RunState;
use artoo_runtime::runs::RunsError;
use artoo_runtime::sessions::{Session, SessionError, Sessions};
use artoo_runtime::{resume, runs};

use super::Loaded;
use super::runs::{explained, folder};
use crate::args::{PermissionArgs, ResumeArgs, RunArgs};
use crate::config::Given;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::terminal::neutral_line;
use crate::view::counted;

/// Begins the named run again. Of a run that ended by itself, and of a session, the conversation goes on.
pub(crate) fn run(context: &mut Context<'_>, args: &ResumeArgs) -> Result<Exit, CommandError> {
    let data_dir = Loaded::load(context, Given::default())?.settings.data_dir;
    let sessions = Sessions::new(&data_dir, Redactor::new());
    let folder = match (args.of.as_str(), runs::find(&data_dir, &args.of)) {
        ("last", _) => folder(&data_dir, "last")?,
        (_, Ok(folder)) => folder,
        (name, Err(RunsError::Unknown { .. })) => {
            let session = sessions.find(name).map_err(|error| {
                if matches!(error, SessionError::Unknown { .. }) {
                    CommandError::usage(format!("there is no run and no session {name:?}"))
                        .hint("list them: artoo runs list, artoo sessions list")
                } else {
                    crate::run::explained(error)
                }
            })?;
            return go_on(context, &session);
        }
        (_, Err(error)) => return Err(explained(error)),
    };
    match resume::resumable(&folder) {
        Ok(run) => crate::run::resume(context, &folder, run),
        Err(RunsError::Whole { state: RunState::Finished }) => {
            let run = folder.file_name().and_then(|name| name.to_str()?.parse().ok());
            let session = run.map(|run| sessions.of_run(run)).transpose().map_err(crate::run::explained)?;
            let session =
                session.flatten().ok_or_else(|| explained(RunsError::Whole { state: RunState::Finished }))?;
            go_on(context, &sessions.read(session).map_err(crate::run::explained)?)
        }
        Err(error @ RunsError::Whole { .. }) => {
            Err(explained(error).hint("look at it: artoo runs attach; end it: artoo stop"))
        }
        Err(error) => Err(explained(error)),
    }
}

/// Opens the conversation of a session, in its folder. Nothing is asked of a model until the next request.
fn go_on(context: &mut Context<'_>, session: &Session) -> Result<Exit, CommandError> {
    if !session.folder.is_dir() {
        return Err(CommandError::usage(format!("its folder {} is gone", session.folder.display()))
            .hint(format!("read it: artoo sessions show {}", session.id)));
    }
    let turns = counted(session.turns.len() as u64, "turn", "turns");
    context.terminal.note(&format!("session {:?} of {turns}", neutral_line(session.title())));
    let permissions = PermissionArgs { cwd: Some(session.folder.clone()), ..PermissionArgs::default() };
    let args = RunArgs { session: Some(session.id.to_string()), permissions, ..RunArgs::default() };
    crate::repl::run(context, args)
}
