//! Standard error, shared by the terminal writer, the log and the user's input line.
//!
//! Output lines never end up inside of the status line, a question, or the input line.

use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use unicode_segmentation::UnicodeSegmentation;

use super::{Size, clip, width};

/// Erases the cursor's line and moves to its first column.
pub(super) const ERASE: &str = "\r\x1b[2K";
/// Erases from the cursor's line down and moves to the first column.
const ERASE_BELOW: &str = "\r\x1b[J";
/// Prompt of an answer whose question has a line of its own.
const ANSWER: &str = "answer › ";
/// Assumed width of a terminal that does not report one.
const USUAL_COLUMNS: usize = 80;

/// The stream, with what is drawn on its last lines.
pub(crate) struct StderrWriter {
    stream: Mutex<Stream>,
    /// Log lines that wait because a question is open or another thread is writing.
    /// No role of a run waits for the terminal.
    waiting: Mutex<Vec<String>>,
}

/// The user's input line, drawn below all other output. Its texts are already neutral.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Field {
    /// Text before the cursor.
    pub(crate) before: String,
    /// Text after the cursor.
    pub(crate) after: String,
}

struct Stream {
    out: Box<dyn Write + Send>,
    size: fn() -> Option<Size>,
    last: Last,
    /// The status line as painted, to draw it again.
    status: Option<String>,
    /// The input line with its prompt.
    field: Option<(String, Field)>,
    /// Width of each line drawn at the bottom, from the top. The cursor is on the last one.
    drawn: Vec<usize>,
}

/// Content of the last line while no input line is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    Nothing,
    Status,
    /// A question; the user answers on the same line.
    Question,
}

impl StderrWriter {
    pub(super) fn new(out: Box<dyn Write + Send>, size: fn() -> Option<Size>) -> Self {
        let stream = Stream { out, size, last: Last::Nothing, status: None, field: None, drawn: Vec::new() };
        Self { stream: Mutex::new(stream), waiting: Mutex::default() }
    }

    /// Writes a line, replacing the status line, above the input line.
    pub(super) fn line(&self, line: &str) {
        let mut stream = self.lock();
        stream.clear();
        self.deliver(&mut stream);
        stream.tell(&format!("{line}\n"));
        stream.draw();
    }

    /// Writes the question that the user answers on the same line.
    pub(super) fn question(&self, text: &str) {
        let mut stream = self.lock();
        stream.clear();
        self.deliver(&mut stream);
        let room = stream.columns() / 2;
        if let Some((prompt, _)) = &mut stream.field {
            // A question that leaves no room for the answer gets a line of its own.
            let fits = width(text) <= room;
            prompt.clear();
            prompt.push_str(if fits { text } else { ANSWER });
            stream.status = None;
            if !fits {
                stream.tell(&format!("{text}\n"));
            }
            return stream.draw();
        }
        stream.tell(text);
        stream.last = Last::Question;
    }

    /// Draws the status line; `plain` is the text without escape sequences.
    pub(super) fn status(&self, line: &str, plain: &str) {
        let mut stream = self.lock();
        if stream.field.is_some() {
            if self.has_waiting() || stream.status.as_deref() != Some(line) {
                stream.clear();
                self.deliver(&mut stream);
                stream.status = Some(line.to_owned());
                stream.draw_with(width(plain));
            }
            return;
        }
        if self.has_waiting() {
            stream.clear();
            self.deliver(&mut stream);
        }
        stream.tell(&format!("{ERASE}{line}"));
        stream.last = Last::Status;
    }

    /// Runs `write` while the bottom lines are cleared.
    pub(super) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        let mut stream = self.lock();
        stream.clear();
        self.deliver(&mut stream);
        let done = write();
        stream.draw();
        done
    }

    /// Sends an escape sequence that takes no room on the screen.
    pub(super) fn signal(&self, sequence: &str) {
        self.lock().tell(sequence);
    }

    /// Removes the status line.
    pub(super) fn wipe(&self) {
        let mut stream = self.lock();
        stream.clear();
        stream.status = None;
        self.deliver(&mut stream);
        stream.draw();
    }

    /// Redraws the input line. Without a prompt, the current one is kept.
    pub(crate) fn type_into(&self, prompt: Option<String>, field: Field) {
        let mut stream = self.lock();
        stream.clear();
        let before = stream.field.take().map(|(prompt, _)| prompt);
        stream.field = Some((prompt.or(before).unwrap_or_default(), field));
        self.deliver(&mut stream);
        stream.draw();
    }

    /// Redraws the bottom lines after another program has written to the terminal.
    pub(crate) fn draw_anew(&self) {
        let mut stream = self.lock();
        stream.drawn.clear();
        stream.draw();
    }

    /// Removes the input line.
    pub(crate) fn nothing_to_type(&self) {
        let mut stream = self.lock();
        stream.clear();
        (stream.field, stream.status) = (None, None);
        self.deliver(&mut stream);
    }

    /// Writes a log line, at once or as soon as possible.
    pub(crate) fn log(&self, line: String) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        if let Ok(mut stream) = self.stream.try_lock()
            && stream.last != Last::Question
        {
            stream.clear();
            self.deliver(&mut stream);
            stream.draw();
        }
    }

    fn has_waiting(&self) -> bool {
        !self.waiting.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    fn deliver(&self, stream: &mut Stream) {
        let lines = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        for line in lines {
            stream.tell(&format!("{line}\n"));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Stream> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stream {
    /// Clears the bottom lines. A question needs no clearing: the user's answer has ended its line.
    fn clear(&mut self) {
        match std::mem::replace(&mut self.last, Last::Nothing) {
            Last::Status => self.tell(ERASE),
            Last::Nothing | Last::Question => {}
        }
        let Some((_, above)) =
            std::mem::take(&mut self.drawn).split_last().map(|(last, above)| (*last, above.to_vec()))
        else {
            return;
        };
        // A terminal that has become narrower has wrapped the lines.
        let columns = self.columns().max(1);
        let rows: usize = above.iter().map(|width| width.div_ceil(columns).max(1)).sum();
        let up = if rows > 0 { format!("\x1b[{rows}A") } else { String::new() };
        self.tell(&format!("{up}{ERASE_BELOW}"));
    }

    fn draw(&mut self) {
        let columns = self.columns();
        self.draw_with(columns.saturating_sub(1));
    }

    /// Draws the bottom: the status line, at most `status_width` wide, and the input line.
    fn draw_with(&mut self, status_width: usize) {
        let Some((prompt, field)) = &self.field else { return };
        let (line, columns, back) = fitted(prompt, field, self.columns());
        let mut text = String::new();
        self.drawn.clear();
        if let Some(status) = &self.status {
            text.push_str(status);
            text.push('\n');
            self.drawn.push(status_width);
        }
        text.push_str(&line);
        if back > 0 {
            text.push_str(&format!("\x1b[{back}D"));
        }
        self.drawn.push(columns);
        self.tell(&text);
    }

    fn columns(&self) -> usize {
        (self.size)().and_then(|size| size.columns).unwrap_or(USUAL_COLUMNS)
    }

    /// A write error is ignored: there is no other stream to report it on.
    fn tell(&mut self, text: &str) {
        let _ = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
    }
}

/// The part of a field that fits into a line, its width, and the width after
/// the cursor. The last column stays free.
fn fitted(prompt: &str, field: &Field, columns: usize) -> (String, usize, usize) {
    let room = columns.saturating_sub(1);
    let prompt = clip(prompt, room / 2);
    let room = room.saturating_sub(width(&prompt));
    // The most recent text takes precedence; a third of the width is left for the text after the cursor.
    let after = clip(&field.after, room / 3);
    let room = room.saturating_sub(width(&after));
    let mut start = field.before.len();
    let mut used = 0;
    for (at, piece) in field.before.grapheme_indices(true).rev() {
        used += width(piece);
        if used > room {
            break;
        }
        start = at;
    }
    let before = field.before.get(start..).unwrap_or_default();
    let line = format!("{prompt}{before}{after}");
    let (columns, back) = (width(&line), width(&after));
    (line, columns, back)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_shows_what_was_typed_last() {
        let check = |before: &str, after: &str, columns: usize, expected: (&str, usize, usize)| {
            let field = Field { before: before.to_owned(), after: after.to_owned() };
            let (line, wide, back) = fitted("› ", &field, columns);
            assert_eq!((line.as_str(), wide, back), expected);
            assert!(wide < columns.max(1));
        };
        check("short", "", 20, ("› short", 7, 0));
        check("a longer request than that", "", 20, ("› request than that", 19, 0));
        check("数一数文件数一数文件", "", 11, ("› 一数文件", 10, 0));
        check("before", "after", 40, ("› beforeafter", 13, 5));
        check("", "", 1, ("", 0, 0));
    }
}
