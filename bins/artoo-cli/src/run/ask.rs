//! Asking the person at the terminal: a line on standard error, an answer from standard input.

use std::io::BufRead;
use std::sync::Arc;

use artoo_runtime::Answerer;
use tokio::sync::oneshot;

use crate::terminal::{Streams, Terminal};

/// The most bytes of an answer: one line that a person types.
const MAX_BYTES: u64 = 16 * 1024;

/// Waits for a line that the person types.
pub(super) type ReadLine = Arc<dyn Fn() -> String + Send + Sync>;

/// Asks the person, one round of questions at a time.
pub(super) struct Asking {
    answerer: Answerer,
    read: ReadLine,
    /// The round that is asked, and where its answer comes from.
    open: Option<(u32, oneshot::Receiver<String>)>,
}

/// Whether somebody is there to be asked: standard input and standard error are terminals, and the run is shown to a person.
pub(super) fn person_present(streams: Streams, json: bool, quiet: bool) -> bool {
    streams.stdin && streams.stderr && !json && !quiet
}

/// Standard input. What was typed before the question is not an answer to it.
pub(super) fn from_stdin() -> ReadLine {
    Arc::new(|| {
        // Without a terminal behind it there is nothing to throw away.
        let _ = rustix::termios::tcflush(std::io::stdin(), rustix::termios::QueueSelector::IFlush);
        line(&mut std::io::stdin().lock())
    })
}

/// One line; nothing at the end of the input, or where it is not text.
fn line(input: &mut dyn BufRead) -> String {
    let mut bytes = Vec::new();
    // What cannot be read is no answer, which means: go ahead.
    let _ = std::io::Read::take(input, MAX_BYTES).read_until(b'\n', &mut bytes);
    String::from_utf8(bytes).map(|text| text.trim().to_owned()).unwrap_or_default()
}

impl Asking {
    /// Asks by this way.
    pub(super) fn new(answerer: Answerer, read: ReadLine) -> Self {
        Self { answerer, read, open: None }
    }

    /// Whether an answer is awaited: the last line of the terminal is the person's then.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Begins to wait for the answer to a round, whose questions are on the screen.
    pub(super) fn begin(&mut self, round: u32, terminal: &mut Terminal) {
        terminal.prompt("answer (empty: go ahead) > ");
        let (send, receive) = oneshot::channel();
        let read = Arc::clone(&self.read);
        // A thread of its own: reading cannot be cancelled, and must not keep the program.
        std::thread::spawn(move || {
            // The run may have ended meanwhile.
            let _ = send.send(read());
        });
        self.open = Some((round, receive));
    }

    /// Waits for the answer and passes it on; for ever where nothing is asked. Cancel-safe.
    pub(super) async fn answered(&mut self) {
        let Some((round, receive)) = &mut self.open else { return std::future::pending().await };
        let answer = receive.await.unwrap_or_default();
        self.answerer.answer(*round, answer);
        self.open = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_one_line_of_text() {
        let read = |input: &[u8]| line(&mut &*input);
        assert_eq!(read(" 报告.txt \nmore\n".as_bytes()), "报告.txt");
        assert_eq!((read(b""), read(b"\n"), read(b"\xff\n")), (String::new(), String::new(), String::new()));
        assert_eq!(read(&[b'a'; 20_000]).len(), 16 * 1024);
    }

    #[test]
    fn only_a_person_at_a_terminal_is_asked() {
        let terminal = Streams { stdin: true, stdout: false, stderr: true };
        assert!(person_present(terminal, false, false));
        assert!(!person_present(terminal, true, false) && !person_present(terminal, false, true));
        assert!(!person_present(Streams { stdin: false, ..terminal }, false, false));
        assert!(!person_present(Streams { stderr: false, ..terminal }, false, false));
    }
}
