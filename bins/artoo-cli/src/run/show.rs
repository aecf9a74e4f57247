//! Showing a run: JSON Lines for programs, or the live view for people.

use std::path::Path;
use std::time::Duration;

use artoo_redaction::{JsonWriter, Redactor};
use artoo_runtime::events::{Event, Line};
use artoo_runtime::runs::undo_state;

use artoo_types::Role;

use crate::args::RunArgs;
use crate::error::CommandError;
use crate::terminal::{Style, Terminal, neutral_json};
use crate::view::{Frame, Live, Outcome, footer, result, structured, undo_line, unstructured};

/// Who is shown the run.
pub(super) enum Show {
    /// A program. What it gets is a record: without secrets, as in the journal.
    Json(Box<JsonWriter>),
    /// A person.
    Person {
        /// The view so far.
        live: Box<Live>,
        /// Only the result.
        quiet: bool,
        /// Nothing shortened.
        verbose: bool,
        /// Whether standard output is a terminal.
        at_terminal: bool,
        /// Whether standard output takes JSON of a schema, and nothing else.
        schema: bool,
    },
    /// A person whose own command runs: what is asked and what goes wrong, unless more is wanted.
    Command {
        /// The view so far.
        live: Box<Live>,
        /// All of it.
        verbose: bool,
    },
}

impl Show {
    /// As the options say.
    pub(super) fn new(args: &RunArgs, verbose: bool, at_terminal: bool, redactor: &Redactor) -> Self {
        if args.json {
            return Self::Json(Box::new(JsonWriter::new(redactor.clone())));
        }
        let schema = args.output_schema.is_some();
        Self::Person { live: Box::default(), quiet: args.quiet, verbose, at_terminal, schema }
    }

    /// For a command by itself.
    pub(super) fn of_command(verbose: bool) -> Self {
        Self::Command { live: Box::default(), verbose }
    }

    /// The usual view.
    pub(super) fn for_person(verbose: bool, at_terminal: bool) -> Self {
        Self::Person { live: Box::default(), quiet: false, verbose, at_terminal, schema: false }
    }

    /// Shows one line.
    pub(super) fn line(&mut self, terminal: &mut Terminal, line: &Line) -> Result<(), CommandError> {
        match self {
            Self::Json(writer) => {
                let failed = "cannot write an event as JSON";
                let mut json = Vec::new();
                writer.write(line, &mut json).map_err(|error| CommandError::failed(failed).because(error))?;
                let json =
                    String::from_utf8(json).map_err(|error| CommandError::failed(failed).because(error))?;
                terminal.data(&format!("{}\n", neutral_json(&json)))
            }
            Self::Person { live, quiet, verbose, .. } => {
                let frame = Frame::new(terminal.look(), *verbose);
                let rows = live.on(line, frame);
                if !*quiet {
                    for row in rows {
                        terminal.note(&row);
                    }
                }
                Ok(())
            }
            Self::Command { live, verbose } => {
                let rows = live.on(line, Frame::new(terminal.look(), *verbose));
                if *verbose || concerns_the_person(&line.event) {
                    rows.iter().for_each(|row| terminal.note(row));
                }
                Ok(())
            }
        }
    }

    /// Shows what the auditor says of the run while it goes on.
    pub(super) fn notice(&self, terminal: &mut Terminal, notice: &str) {
        match self {
            Self::Person { quiet: false, .. } => {
                let frame = Frame::new(terminal.look(), true);
                terminal.note(&frame.line(Role::Auditor.code(), 0, Some(Style::Notice), notice));
            }
            Self::Person { .. } | Self::Command { .. } | Self::Json(_) => {}
        }
    }

    /// Shows who is at work.
    pub(super) fn status(&self, terminal: &mut Terminal, beat: usize, elapsed: Duration) {
        match self {
            Self::Person { live, quiet: false, .. } | Self::Command { live, .. } => {
                terminal.status(&live.status(beat, elapsed))
            }
            Self::Person { .. } | Self::Json(_) => {}
        }
    }

    /// Shows the end: the result on standard output, the rest on standard error.
    pub(super) fn end(
        &self,
        terminal: &mut Terminal,
        outcome: &Outcome,
        folder: &Path,
    ) -> Result<(), CommandError> {
        match self {
            Self::Json(_) | Self::Command { .. } => Ok(()),
            Self::Person { live, quiet, verbose, at_terminal, schema } => {
                if !*quiet {
                    terminal.note("");
                }
                let errors = Frame::new(terminal.look(), *verbose);
                let frame = Frame::new(terminal.data_look(), *verbose);
                let frame = if *at_terminal && !live.is_quoted(outcome) { frame.rendering() } else { frame };
                if let Some(tick) = crate::view::tick(outcome, errors)
                    && (!*at_terminal || *schema)
                    && !*quiet
                {
                    terminal.note(&tick);
                }
                let written = match structured(outcome) {
                    Some(json) if *schema => terminal.data(&json),
                    None if *schema => {
                        // Whoever reads standard output wants this JSON or nothing.
                        let instead = result(outcome, errors, outcome.exit_code != 0);
                        for row in
                            unstructured(outcome, errors).iter().map(String::as_str).chain(instead.lines())
                        {
                            terminal.note(row);
                        }
                        Ok(())
                    }
                    Some(_) | None => terminal.data(&result(outcome, frame, !*at_terminal)),
                };
                if !*quiet {
                    let undo = undo_line(outcome, undo_state(folder), errors);
                    for row in footer(outcome, folder, errors).into_iter().chain(undo) {
                        terminal.advice(&row);
                    }
                }
                written
            }
        }
    }
}

/// Whether an event of the person's own command is for the person to see.
fn concerns_the_person(event: &Event) -> bool {
    matches!(event, Event::ApprovalRequested { .. } | Event::ApprovalDecided { .. } | Event::Warning { .. })
}
