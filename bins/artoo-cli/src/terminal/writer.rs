//! The single writer of both output streams.
//!
//! Nothing else writes to standard output; to standard error only the log does, through the same
//! [`StderrWriter`].

use std::io::{self, Write};
use std::sync::Arc;

use super::{Look, Paint, Size, StderrWriter, Style, clip, neutral_line, wrap};
use crate::error::{CommandError, Kind};
use crate::machine::limits;

/// Owner of both streams. The status line at the bottom is cleared before other output; its owner redraws it.
pub(crate) struct Terminal {
    out: Box<dyn Write + Send>,
    errors: Arc<StderrWriter>,
    /// Look of standard error.
    look: Look,
    /// Look of standard output.
    data_look: Look,
    /// Queries the terminal's size.
    size: fn() -> Option<Size>,
    /// Commands that the user types with a slash in the current context.
    slashed: Vec<&'static str>,
    /// Whether requests are typed at this terminal, so that they are on the screen already.
    has_requests: bool,
}

impl Terminal {
    /// Takes ownership of the streams.
    pub(crate) fn new(
        out: Box<dyn Write + Send>,
        err: Box<dyn Write + Send>,
        data_look: Look,
        look: Look,
        size: fn() -> Option<Size>,
    ) -> Self {
        let errors = Arc::new(StderrWriter::new(err, size));
        Self { out, errors, look, data_look, size, slashed: Vec::new(), has_requests: false }
    }

    /// A terminal that discards its output.
    #[cfg(test)]
    pub(crate) fn for_nobody() -> Self {
        let look = Look { columns: 80, colour: false, live: true, words: false };
        Self::new(Box::new(io::sink()), Box::new(io::sink()), look, look, || None)
    }

    /// Switches to screen reader mode.
    pub(crate) fn speak(&mut self) {
        self.look = self.look.spoken();
        self.data_look = self.data_look.spoken();
    }

    /// From now on, hints name these commands with a slash, as they are typed in the REPL.
    pub(crate) fn converse(&mut self, commands: impl Iterator<Item = &'static str>) {
        self.slashed = commands.collect();
    }

    /// From now on, requests are typed at this terminal.
    pub(crate) fn shows_requests(&mut self) {
        self.has_requests = true;
    }

    /// Whether a request is on the screen before its run begins.
    pub(crate) fn has_requests(&self) -> bool {
        self.has_requests
    }

    /// Standard error, shared with the log and the input line.
    pub(crate) fn errors(&self) -> Arc<StderrWriter> {
        Arc::clone(&self.errors)
    }

    /// The look of standard error, with the current width.
    pub(crate) fn look(&self) -> Look {
        let columns = if self.look.live { (self.size)().and_then(|size| size.columns) } else { None };
        Look { columns: columns.unwrap_or(self.look.columns), ..self.look }
    }

    /// Height of the terminal at standard error, if it reports one.
    pub(crate) fn rows(&self) -> Option<usize> {
        (self.size)()?.rows
    }

    /// The look of standard output.
    pub(crate) fn data_look(&self) -> Look {
        self.data_look
    }

    /// Writes data, which has to be neutral already, to standard output.
    ///
    /// # Errors
    /// [`Kind::BrokenPipe`] if the reader is gone, [`Kind::Failed`] if the disk is full.
    pub(crate) fn data(&mut self, text: &str) -> Result<(), CommandError> {
        self.data_bytes(text.as_bytes())
    }

    /// Writes bytes to standard output unchanged; only for a standard output that is not a terminal.
    ///
    /// # Errors
    /// As [`Self::data`].
    pub(crate) fn data_bytes(&mut self, bytes: &[u8]) -> Result<(), CommandError> {
        let out = &mut self.out;
        let written = self.errors.aside(|| out.write_all(bytes).and_then(|()| out.flush()));
        written.map_err(|error| {
            if error.kind() == io::ErrorKind::BrokenPipe {
                CommandError::new(Kind::BrokenPipe, "standard output was closed")
            } else {
                CommandError::failed("cannot write to standard output").because(error)
            }
        })
    }

    /// Writes a line, which has to be neutral already, to standard error.
    pub(crate) fn note(&mut self, line: &str) {
        self.errors.line(line);
    }

    /// Writes a prompt, which has to be neutral already; the user answers on the same line.
    pub(crate) fn prompt(&mut self, text: &str) {
        self.errors.question(text);
    }

    /// Shows a status line at the bottom until something else is written. No
    /// effect if the cursor cannot be moved.
    pub(crate) fn status(&mut self, line: &str) {
        let look = self.look();
        if !look.live {
            return;
        }
        // The last column stays free: some terminals wrap when it is filled.
        let line = clip(line, look.columns.saturating_sub(1));
        let painted = Paint::new(look.colour).text(Style::Faint, &line);
        self.errors.status(&painted, &line);
    }

    /// Removes the status line.
    pub(crate) fn wipe(&mut self) {
        self.errors.wipe();
    }

    /// Prints an error with its hint.
    pub(crate) fn error(&mut self, error: &CommandError) {
        if error.kind() == Kind::BrokenPipe {
            return;
        }
        let message = neutral_line(&error.to_string());
        self.labelled(Style::Bad, "error:", &message);
        // Where that limit is in the way, nothing else helps.
        let limit = error.cause().and_then(limits::hint_of_files);
        if let Some(hint) = limit.as_deref().or(error.next_step()) {
            self.hint(hint);
        }
    }

    /// Prints a hint about the next step.
    pub(crate) fn hint(&mut self, hint: &str) {
        let hint = self.as_typed(&neutral_line(hint));
        self.labelled(Style::Strong, "hint:", &hint);
    }

    /// Writes a line of artoo's that names commands, in the form in which the user types them here.
    pub(crate) fn advice(&mut self, line: &str) {
        let typed = self.as_typed(line);
        self.note(&typed);
    }

    /// Names commands in the form in which the user types them here.
    fn as_typed(&self, line: &str) -> String {
        self.slashed
            .iter()
            .fold(line.to_owned(), |line, name| line.replace(&format!("artoo {name} "), &format!("/{name} ")))
    }

    /// A message behind its label. A terminal would break it within words, so it is broken at words here.
    fn labelled(&mut self, style: Style, label: &str, message: &str) {
        let look = self.look();
        let whole = format!("{label} {message}");
        // The last column stays free: some terminals wrap when it is filled.
        let columns = if look.live { look.columns.saturating_sub(1) } else { usize::MAX };
        let broken = wrap(&whole, columns).join("\n");
        let paint = Paint::new(self.look.colour);
        let painted = match broken.strip_prefix(label) {
            Some(rest) => format!("{}{rest}", paint.text(style, label)),
            None => broken,
        };
        self.note(&painted);
    }

    /// Says how something ended that the user ended: it is no error.
    pub(crate) fn ended_by_user(&mut self, message: &str, hint: &str) {
        self.note(&Paint::new(self.look.colour).text(Style::Notice, &neutral_line(message)));
        self.hint(hint);
    }

    /// Gets the user's attention by the bell, and by a desktop notification if `words`, which have to be
    /// artoo's own, are given. No effect without a terminal.
    pub(crate) fn call(&mut self, words: Option<&str>) {
        if self.look.live || self.look.words {
            let words = words.map(|words| format!("\x1b]9;{words}\x07")).unwrap_or_default();
            self.errors.signal(&format!("{words}\x07"));
        }
    }

    /// Prints a warning.
    pub(crate) fn warning(&mut self, message: &str) {
        self.labelled(Style::Notice, "warning:", &neutral_line(message));
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.wipe();
    }
}

#[cfg(test)]
mod tests {
    use super::super::Seen;
    use super::super::stderr::ERASE;
    use super::*;

    struct Gone;

    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_status_line_gives_way_to_everything_else() {
        let seen = Seen::default();
        let look = Look { columns: 12, colour: false, live: true, words: false };
        let mut terminal = Terminal::new(Box::new(Gone), Box::new(seen.clone()), look, look, || None);
        terminal.status("planner 3 s");
        terminal.note("a line");
        terminal.status("planner 4 s");
        drop(terminal);
        let text = String::from_utf8(seen.0.lock().unwrap().clone()).unwrap();
        assert_eq!(text, format!("{ERASE}planner 3 s{ERASE}a line\n{ERASE}planner 4 s{ERASE}"));
    }

    #[test]
    fn lines_of_the_log_come_whole_and_not_into_a_question() {
        let seen = Seen::default();
        let look = Look { columns: 40, colour: false, live: true, words: false };
        let mut terminal = Terminal::new(Box::new(Gone), Box::new(seen.clone()), look, look, || None);
        let log = terminal.errors();
        terminal.status("planner 3 s");
        log.log("warning: one".to_owned());
        terminal.status("planner 4 s");
        terminal.prompt("sure? ");
        log.log("warning: two".to_owned());
        terminal.note("answered");
        log.log("warning: three".to_owned());
        drop(terminal);
        let text = String::from_utf8(seen.0.lock().unwrap().clone()).unwrap();
        let expected = format!(
            "{ERASE}planner 3 s{ERASE}warning: one\n{ERASE}planner 4 s{ERASE}sure? warning: two\nanswered\nwarning: three\n"
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn commands_are_named_as_they_are_typed() {
        let seen = Seen::default();
        let look = Look { columns: 80, colour: false, live: true, words: false };
        let mut terminal = Terminal::new(Box::new(Gone), Box::new(seen.clone()), look, look, || None);
        let line = "see: artoo runs show last, or artoo run --help";
        terminal.advice(line);
        terminal.converse(["runs"].into_iter());
        terminal.advice(line);
        drop(terminal);
        let text = String::from_utf8(seen.0.lock().unwrap().clone()).unwrap();
        assert_eq!(text, format!("{line}\nsee: /runs show last, or artoo run --help\n"));
    }

    #[test]
    fn a_person_is_called_where_one_is() {
        let called = |look: Look| {
            let seen = Seen::default();
            let mut terminal = Terminal::new(Box::new(Gone), Box::new(seen.clone()), look, look, || None);
            terminal.call(Some("artoo: accept"));
            terminal.call(None);
            drop(terminal);
            String::from_utf8(seen.0.lock().unwrap().clone()).unwrap()
        };
        let terminal = Look { columns: 40, colour: false, live: true, words: false };
        assert_eq!(called(terminal), "\u{1b}]9;artoo: accept\u{7}\u{7}\u{7}");
        assert_eq!(called(Look { live: false, ..terminal }), "");
    }

    #[test]
    fn a_reader_that_left_is_no_failure() {
        let look = Look { columns: 80, colour: false, live: false, words: false };
        let mut terminal = Terminal::new(Box::new(Gone), Box::new(Gone), look, look, || None);
        let error = terminal.data("x").unwrap_err();
        assert_eq!(error.kind().exit(), crate::error::Exit::OK);
        terminal.error(&CommandError::failed("nobody sees this"));
    }
}
