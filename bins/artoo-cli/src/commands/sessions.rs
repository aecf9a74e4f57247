//! `artoo sessions`: lists, shows, names, exports and deletes conversations.

use std::io::Write as _;
use std::path::Path;

use artoo_bus::{Clock as _, SystemClock};
use artoo_redaction::Redactor;
use artoo_runtime::sessions::{Session, Sessions};
use artoo_types::RunId;

use super::runs::{as_json, place};
use super::{Loaded, delete_runs};
use crate::args::{DeleteHow, SessionsCommand};
use crate::config::Given;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::run::explained;
use crate::terminal::worded;
use crate::view::{Frame, id_digits, session_list, session_markdown, session_page};

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
        SessionsCommand::Delete { session, with_runs, yes } => {
            let session = find(&sessions, session)?;
            if *with_runs {
                let runs: Vec<RunId> = session.turns.iter().map(|turn| turn.run_id).collect();
                let how = DeleteHow { dry_run: false, yes: *yes };
                if !delete_runs::delete(context, &data_dir, runs, how)? {
                    return Ok(Exit::OK);
                }
            }
            sessions.delete(session.id).map_err(explained)?;
            let stay = "; its runs stay: artoo runs list (with --with-runs they go, too)";
            let runs = if *with_runs { "" } else { stay };
            context.terminal.note(&format!("deleted: {}{runs}", session.id));
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
    // An unreadable session does not hide the others.
    let (readable, unreadable): (Vec<_>, Vec<_>) = found.into_iter().partition(Result::is_ok);
    let readable: Vec<Session> = readable.into_iter().flatten().collect();
    let text = if json {
        readable
            .iter()
            .map(|session| Ok(as_json(session)? + "\n"))
            .collect::<Result<String, CommandError>>()?
    } else {
        let ids: Vec<String> = readable.iter().map(|session| session.id.to_string()).collect();
        session_list(&readable, id_digits(&ids).max(8), SystemClock::new().now(), place(context))
    };
    context.terminal.data(&text)?;
    let mut exit = Exit::OK;
    for error in unreadable.into_iter().filter_map(Result::err) {
        context.terminal.warning(&error.to_string());
        context.terminal.hint(&worded(error.hint(), error.remedy()));
        exit = Exit::FAILED;
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
