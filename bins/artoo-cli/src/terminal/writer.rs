//! The one writer: nothing else in the program writes to standard output, and to standard error nothing but the log, by the same
//! [`ErrorStream`].

use std::io::{self, Write};
use std::sync::Arc;

use super::{ErrorStream, Look, Paint, Size, Style, clip, neutral_line};
use crate::error::{CommandError, Kind};

/// The owner of both streams. A status line at the bottom is wiped before anything else is written and drawn again by its owner.
pub(crate) struct Terminal {
    out: Box<dyn Write + Send>,
    errors: Arc<ErrorStream>,
    /// How to write for standard error.
    look: Look,
    /// How to write for standard output.
    data_look: Look,
    /// Asks the terminal for its size.
    size: fn() -> Option<Size>,
    /// The commands that a person types with a slash where they are.
    slashed: Vec<&'static str>,
}

impl Terminal {
    /// Owns these streams.
    pub(crate) fn new(
        out: Box<dyn Write + Send>,
        err: Box<dyn Write + Send>,
        data_look: Look,
        look: Look,
        size: fn() -> Option<Size>,
    ) -> Self {
        let errors = Arc::new(ErrorStream::new(err, size));
        Self { out, errors, look, data_look, size, slashed: Vec::new() }
    }

    /// One that nobody sees.
    #[cfg(test)]
    pub(crate) fn for_nobody() -> Self {
        let look = Look { columns: 80, colour: false, live: true, words: false };
        Self::new(Box::new(io::sink()), Box::new(io::sink()), look, look, || None)
    }

    /// Writes for a screen reader from now on.
    pub(crate) fn speak(&mut self) {
        self.look = self.look.spoken();
        self.data_look = self.data_look.spoken();
    }

    /// From now on these commands are typed with a slash, at the prompt of a conversation.
    pub(crate) fn converse(&mut self, commands: impl Iterator<Item = &'static str>) {
        self.slashed = commands.collect();
    }

    /// Standard error, for the log and for what is typed.
    pub(crate) fn errors(&self) -> Arc<ErrorStream> {
        Arc::clone(&self.errors)
    }

    /// How to write for standard error, with its width of this moment.
    pub(crate) fn look(&self) -> Look {
        let columns = if self.look.live { (self.size)().and_then(|size| size.columns) } else { None };
        Look { columns: columns.unwrap_or(self.look.columns), ..self.look }
    }

    /// The lines that the terminal of standard error shows at this moment, where it tells.
    pub(crate) fn rows(&self) -> Option<usize> {
        (self.size)()?.rows
    }

    /// How to write for standard output.
    pub(crate) fn data_look(&self) -> Look {
        self.data_look
    }

    /// Writes data, which is to be neutral already, to standard output.
    ///
    /// # Errors
    /// [`Kind::BrokenPipe`] when the reader has left, [`Kind::Failed`] when the disk is full.
    pub(crate) fn data(&mut self, text: &str) -> Result<(), CommandError> {
        self.data_bytes(text.as_bytes())
    }

    /// Writes bytes to standard output as they are: what is there is no terminal.
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

    /// Writes a line, which is to be neutral already, to standard error.
    pub(crate) fn note(&mut self, line: &str) {
        self.errors.line(line);
    }

    /// Writes the beginning of a line, which is to be neutral already; the person goes on with it.
    pub(crate) fn prompt(&mut self, text: &str) {
        self.errors.question(text);
    }

    /// Shows a line at the bottom until something else is written. Nothing where the cursor cannot be moved.
    pub(crate) fn status(&mut self, line: &str) {
        let look = self.look();
        if !look.live {
            return;
        }
        // The last column stays free: some terminals go to the next line when it is filled.
        let line = clip(line, look.columns.saturating_sub(1));
        let painted = Paint::new(look.colour).text(Style::Faint, &line);
        self.errors.status(&painted, &line);
    }

    /// Removes the status line.
    pub(crate) fn wipe(&mut self) {
        self.errors.wipe();
    }

    /// Says what went wrong and what to do about it.
    pub(crate) fn error(&mut self, error: &CommandError) {
        if error.kind() == Kind::BrokenPipe {
            return;
        }
        let paint = Paint::new(self.look.colour);
        let message = neutral_line(&error.to_string());
        self.note(&format!("{} {message}", paint.text(Style::Bad, "error:")));
        if let Some(hint) = error.next_step() {
            self.hint(hint);
        }
    }

    /// Says what to do next.
    pub(crate) fn hint(&mut self, hint: &str) {
        let paint = Paint::new(self.look.colour);
        self.advice(&format!("{} {}", paint.text(Style::Strong, "hint:"), neutral_line(hint)));
    }

    /// Writes a line of ours that names commands, as they are typed where the person is.
    pub(crate) fn advice(&mut self, line: &str) {
        let typed = self.slashed.iter().fold(line.to_owned(), |line, name| {
            line.replace(&format!("artoo {name} "), &format!("/{name} "))
        });
        self.note(&typed);
    }

    /// Calls the person, who may look elsewhere: by the bell, and with these words, which are to be our own, where they are given. Nothing
    /// where nobody is at the terminal.
    pub(crate) fn call(&mut self, words: Option<&str>) {
        if self.look.live || self.look.words {
            let words = words.map(|words| format!("\x1b]9;{words}\x07")).unwrap_or_default();
            self.errors.signal(&format!("{words}\x07"));
        }
    }

    /// Says what is worth knowing.
    pub(crate) fn warning(&mut self, message: &str) {
        let paint = Paint::new(self.look.colour);
        self.note(&format!("{} {}", paint.text(Style::Notice, "warning:"), neutral_line(message)));
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
    use super::super::errors::ERASE;
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
