//! Inquiries of a front end, answered by the commands of the command line: their output is the reply.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use artoo_front_end::{Form, Inquiry, Reply};

use crate::args::{Command, MemoryCommand, RunName, RunPage, RunsCommand, UndoArgs};
use crate::dispatch::{Context, dispatch};
use crate::error::{CommandError, Exit};
use crate::terminal::{Look, Streams, Terminal};

/// How wide a reply for a person is.
const COLUMNS: usize = 100;

/// Answers an inquiry. What is asked for and not found is an error.
pub(super) fn answer(context: &mut Context<'_>, inquiry: Inquiry, form: Form) -> Result<Reply, CommandError> {
    let (out, errors) = (Captured::default(), Captured::default());
    let look = Look { columns: COLUMNS, colour: false, live: false, words: false };
    let mut terminal = Terminal::new(Box::new(out.clone()), Box::new(errors.clone()), look, look, || None);
    let exit = dispatch(
        &mut Context {
            words: &[],
            environment: context.environment,
            folders: context.folders,
            common: context.common.clone(),
            streams: Streams { stdin: false, stdout: false, stderr: false },
            piped_configuration: context.piped_configuration.clone(),
            log_secrets: context.log_secrets.clone(),
            terminal: &mut terminal,
        },
        command(inquiry, form),
    )?;
    drop(terminal);
    let mut text = out.text();
    match form {
        Form::Text => text.push_str(&errors.text()),
        // What is wrong stands in the object as well.
        Form::Json => {}
    }
    Ok(Reply { text: text.trim_end().to_owned(), done: exit == Exit::OK })
}

fn command(inquiry: Inquiry, form: Form) -> Command {
    let json = form == Form::Json;
    let page = |run: String| RunPage { of: RunName { run }, json };
    match inquiry {
        Inquiry::Runs { most } => Command::Runs(RunsCommand::List { json, limit: most }.into()),
        Inquiry::Run(run) => Command::Runs(RunsCommand::Show { of: RunName { run }, json }.into()),
        Inquiry::Explanation(run) => Command::Explain(page(run)),
        Inquiry::Changes(run) => Command::Diff(page(run)),
        Inquiry::Recall(about) => Command::Memory(MemoryCommand::Why { about, json }.into()),
        Inquiry::Undo(run) => {
            Command::Undo(UndoArgs { of: RunName { run }, dry_run: false, as_it_is: false, json })
        }
    }
}

/// An output that is kept, shared by its clones.
#[derive(Clone, Default)]
struct Captured(Arc<Mutex<Vec<u8>>>);

impl Captured {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

impl Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
