//! Standard error as the terminal and the log share it: lines of either come whole, and not into the status line or a question.

use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Erases the line that the cursor is on and goes to its first column.
pub(super) const ERASE: &str = "\r\x1b[2K";

/// The stream, and what stands on its last line.
pub(crate) struct ErrorStream {
    stream: Mutex<Stream>,
    /// Lines of the log that were said while the stream could not take them: a question is open, or somebody writes. No role of a
    /// run waits for a terminal.
    waiting: Mutex<Vec<String>>,
}

struct Stream {
    out: Box<dyn Write + Send>,
    last: Last,
}

/// What stands on the last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    Nothing,
    Status,
    /// A question, which the person answers there.
    Question,
}

impl ErrorStream {
    pub(super) fn new(out: Box<dyn Write + Send>) -> Self {
        Self { stream: Mutex::new(Stream { out, last: Last::Nothing }), waiting: Mutex::default() }
    }

    /// Writes a line, in place of the status line.
    pub(super) fn line(&self, line: &str) {
        let mut stream = self.lock();
        stream.clear();
        self.deliver(&mut stream);
        stream.tell(&format!("{line}\n"));
    }

    /// Writes the beginning of a line; the person goes on with it.
    pub(super) fn question(&self, text: &str) {
        let mut stream = self.lock();
        stream.clear();
        self.deliver(&mut stream);
        stream.tell(text);
        stream.last = Last::Question;
    }

    /// Draws the status line.
    pub(super) fn status(&self, line: &str) {
        let mut stream = self.lock();
        if self.has_waiting() {
            stream.clear();
            self.deliver(&mut stream);
        }
        stream.tell(&format!("{ERASE}{line}"));
        stream.last = Last::Status;
    }

    /// Removes the status line.
    pub(super) fn wipe(&self) {
        let mut stream = self.lock();
        stream.clear();
        self.deliver(&mut stream);
    }

    /// Writes a line of the log, now or as soon as it fits in.
    pub(crate) fn log(&self, line: String) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        if let Ok(mut stream) = self.stream.try_lock()
            && stream.last != Last::Question
        {
            stream.clear();
            self.deliver(&mut stream);
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
    /// After a question the person's answer has ended the line.
    fn clear(&mut self) {
        match std::mem::replace(&mut self.last, Last::Nothing) {
            Last::Status => self.tell(ERASE),
            Last::Nothing | Last::Question => {}
        }
    }

    /// Nobody can be told that standard error is gone.
    fn tell(&mut self, text: &str) {
        let _ = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
    }
}
