//! Output of a run: JSON Lines for programs, or the live view for people.

use std::path::Path;

use artoo_redaction::{JsonWriter, Redactor};
use artoo_runtime::events::{Event, Line, ProgressLine};
use artoo_runtime::runs::undo_state;

use artoo_types::Role;
use serde::Serialize;

use crate::args::RunArgs;
use crate::error::CommandError;
use crate::terminal::{Style, Terminal, neutral_json};
use crate::view::{
    Frame, Live, Moment, Outcome, Story, footer, left_behind, result, structured, undo_line, unstructured,
};

/// The recipient of the output.
pub(super) enum Show {
    /// A program. It gets the lines of the record, redacted as in the journal.
    Json(Box<JsonWriter>),
    /// A person.
    Person {
        /// The state of the view.
        live: Box<Live>,
        /// Whether to show only the result.
        quiet: bool,
        /// Whether to show everything in full.
        verbose: bool,
        /// Whether standard output is a terminal.
        at_terminal: bool,
        /// Whether standard output gets only JSON of the schema.
        schema: bool,
    },
    /// The user of `artoo sandbox`: shows questions and warnings, or everything if verbose.
    Command {
        /// The state of the view.
        live: Box<Live>,
        /// Whether to show everything.
        verbose: bool,
    },
}

impl Show {
    /// Chooses the output by the options.
    pub(super) fn new(args: &RunArgs, verbose: bool, at_terminal: bool, redactor: &Redactor) -> Self {
        if args.json {
            return Self::Json(Box::new(JsonWriter::new(redactor.clone())));
        }
        let schema = args.output_schema.is_some();
        Self::Person { live: Box::default(), quiet: args.quiet, verbose, at_terminal, schema }
    }

    /// Output of `artoo sandbox`.
    pub(super) fn of_command(verbose: bool) -> Self {
        Self::Command { live: Box::default(), verbose }
    }

    /// The default view.
    pub(super) fn for_person(verbose: bool, at_terminal: bool) -> Self {
        Self::Person { live: Box::default(), quiet: false, verbose, at_terminal, schema: false }
    }

    /// Shows one line.
    pub(super) fn line(&mut self, terminal: &mut Terminal, line: &Line) -> Result<(), CommandError> {
        match self {
            Self::Json(writer) => json_line(writer, line, terminal),
            Self::Person { live, quiet, verbose, .. } => {
                let frame = Frame::new(terminal.look(), *verbose);
                let mut rows = live.on(line, frame);
                if !*verbose && terminal.has_requests() && matches!(line.event, Event::RunStarted { .. }) {
                    rows.drain(..rows.len().min(1));
                }
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

    /// Shows a finding of the auditor during the run.
    pub(super) fn notice(&self, terminal: &mut Terminal, notice: &str) {
        match self {
            Self::Person { quiet: false, verbose, .. } => {
                let frame = Frame::new(terminal.look(), true);
                let (code, said) = match verbose {
                    true => (Role::Auditor.code(), notice.to_owned()),
                    false => ("", format!("the auditor: {notice}")),
                };
                terminal.note(&frame.line(code, 0, Some(Style::Notice), &said));
            }
            Self::Person { .. } | Self::Command { .. } | Self::Json(_) => {}
        }
    }

    /// What the run did, as far as it was shown to a person.
    pub(super) fn story(&self) -> Story {
        match self {
            Self::Json(_) => Story::default(),
            Self::Person { live, .. } | Self::Command { live, .. } => live.story().clone(),
        }
    }

    /// Draws the status line; where nothing can be redrawn, says now and then what is waited for.
    pub(super) fn status(&mut self, terminal: &mut Terminal, beat: usize, now: Moment<'_>) {
        let look = terminal.look();
        match self {
            Self::Person { live, quiet: false, .. } | Self::Command { live, .. } if look.live => {
                terminal.status(&live.status(beat, now, look.columns));
            }
            Self::Person { live, quiet: false, verbose, .. } => {
                let row = live.waiting_row(now, Frame::new(look, *verbose));
                row.iter().for_each(|row| terminal.note(row));
            }
            // What a command puts out is its own.
            Self::Command { .. } | Self::Person { .. } | Self::Json(_) => {}
        }
    }

    /// Tells a program what goes on.
    pub(super) fn progress(
        &mut self,
        terminal: &mut Terminal,
        line: Option<&ProgressLine>,
    ) -> Result<(), CommandError> {
        match (self, line) {
            (Self::Json(writer), Some(line)) => json_line(writer, line, terminal),
            (Self::Json(_), None) | (Self::Person { .. } | Self::Command { .. }, _) => Ok(()),
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
                let (story, undo) = (live.story(), undo_state(folder));
                if !*quiet && let Some(left) = left_behind(outcome, story, undo, errors) {
                    terminal.advice(&left);
                }
                let written = match structured(outcome) {
                    Some(json) if *schema => terminal.data(&json),
                    None if *schema => {
                        // Standard output gets the requested JSON or nothing.
                        let instead = result(outcome, story, errors, outcome.exit_code != 0);
                        for row in
                            unstructured(outcome, errors).iter().map(String::as_str).chain(instead.lines())
                        {
                            terminal.note(row);
                        }
                        Ok(())
                    }
                    Some(_) | None => terminal.data(&result(outcome, story, frame, !*at_terminal)),
                };
                if !*quiet {
                    let tick = crate::view::tick(outcome, story, errors);
                    tick.filter(|_| !*at_terminal || *schema).iter().for_each(|tick| terminal.note(tick));
                    let undo = undo_line(outcome, undo, errors);
                    for row in footer(outcome, story, folder, errors).into_iter().chain(undo) {
                        terminal.advice(&row);
                    }
                }
                written
            }
        }
    }
}

/// Writes a line for a program, redacted as in the journal.
fn json_line(
    writer: &mut JsonWriter,
    line: &impl Serialize,
    terminal: &mut Terminal,
) -> Result<(), CommandError> {
    let failed = "cannot write an event as JSON";
    let mut json = Vec::new();
    writer.write(line, &mut json).map_err(|error| CommandError::failed(failed).because(error))?;
    let json = String::from_utf8(json).map_err(|error| CommandError::failed(failed).because(error))?;
    terminal.data(&format!("{}\n", neutral_json(&json)))
}

/// Whether an event of a `sandbox` command is shown to the user.
fn concerns_the_person(event: &Event) -> bool {
    matches!(event, Event::ApprovalRequested { .. } | Event::ApprovalDecided { .. } | Event::Warning { .. })
}
