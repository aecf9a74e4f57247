//! `artoo sessions`: lists, shows, names, exports and deletes conversations.

use std::io::Write as _;
use std::path::Path;

use artoo_redaction::Redactor;
use artoo_runtime::sessions::{Session, Sessions};

use super::Loaded;
use super::runs::as_json;
use crate::args::SessionsCommand;
use crate::config::Given;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::run::explained;
use crate::terminal::worded;
use crate::view::{Frame, session_markdown, session_page, session_row};

/// Dispatches to the subcommand.
pub(crate) fn run(context: &mut Context<'_>, command: &SessionsCommand) -> Result<Exit, CommandError> {
    let data_dir = Loaded::load(context, Given::default())?.settings.data_dir;
    // Stored text is already redacted, and a name is the user's own text, so the redactor is empty.
    let sessions = Sessions::new(&data_dir, Redactor::new());
    match command {
        SessionsCommand::List { json, limit } => list(context, &sessions, *json, *limit, &data_dir),
        SessionsCommand::Show { session, json } => {
            let session = find(&sessions, session)?;
            let text = if *json {
                as_json(&session)? + "\n"
            } else {
                session_page(&session, Frame::new(context.terminal.data_look(), false))
            };
            context.terminal.data(&text)?;
            warn(context, &session);
            Ok(Exit::OK)
        }
        SessionsCommand::Rename { session, name } => {
            let session = find(&sessions, session)?;
            sessions.rename(session.id, name).map_err(explained)?;
            context.terminal.note(&format!("renamed: {}", session.id));
            Ok(Exit::OK)
        }
        SessionsCommand::Export { session, output } => {
            let session = find(&sessions, session)?;
            match output {
                None => context.terminal.data(&session_markdown(&session))?,
                Some(file) => {
                    save(&session, &context.folders.whole(file)?)?;
                    context.terminal.note(&format!("written: {}", file.display()));
                }
            }
            warn(context, &session);
            Ok(Exit::OK)
        }
        SessionsCommand::Delete { session } => {
            let session = find(&sessions, session)?;
            sessions.delete(session.id).map_err(explained)?;
            context
                .terminal
                .note(&format!("deleted: {}; its runs are still in `artoo runs list`", session.id));
            Ok(Exit::OK)
        }
    }
}

/// Writes a session as Markdown to a new file.
pub(crate) fn save(session: &Session, file: &Path) -> Result<(), CommandError> {
    let written = std::fs::OpenOptions::new().create_new(true).write(true).open(file);
    written.and_then(|mut file| file.write_all(session_markdown(session).as_bytes())).map_err(|error| {
        CommandError::usage(format!("cannot write {}", file.display()))
            .because(error)
            .hint("name a file that is not there yet, in a folder that is")
    })
}

/// The session that the user names; `last` is the most recently used one.
pub(crate) fn find(sessions: &Sessions, part: &str) -> Result<Session, CommandError> {
    if part != "last" {
        return sessions.find(part).map_err(explained);
    }
    match sessions.list(1).map_err(explained)?.into_iter().next() {
        Some(newest) => newest.map_err(explained),
        None => Err(CommandError::usage("there is no session yet").hint("begin one: artoo run \"REQUEST\"")),
    }
}

fn list(
    context: &mut Context<'_>,
    sessions: &Sessions,
    json: bool,
    limit: usize,
    data_dir: &Path,
) -> Result<Exit, CommandError> {
    let found = sessions.list(limit).map_err(explained)?;
    if found.is_empty() && !json {
        context.terminal.note(&format!("no sessions are kept in {}", data_dir.display()));
    }
    let frame = Frame::new(context.terminal.data_look(), false);
    let mut exit = Exit::OK;
    for session in found {
        match session {
            Ok(session) => {
                let row = if json { as_json(&session)? } else { session_row(&session, frame) };
                context.terminal.data(&format!("{row}\n"))?;
            }
            // An unreadable session does not hide the others.
            Err(error) => {
                context.terminal.warning(&error.to_string());
                context.terminal.hint(&worded(error.hint(), error.remedy()));
                exit = Exit::FAILED;
            }
        }
    }
    Ok(exit)
}

fn warn(context: &mut Context<'_>, session: &Session) {
    if session.unreadable > 0 {
        context.terminal.warning(&format!(
            "{} of the session cannot be read, and are left out",
            crate::view::counted(session.unreadable as u64, "line", "lines")
        ));
    }
}
