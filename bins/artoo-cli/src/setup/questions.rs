//! Questions of setup at the terminal. Ctrl+C ends setup at each of them, and while something is waited for.

use std::io::{self, BufRead as _, Read as _, stdin};
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::task::spawn_blocking;

use crate::error::{CommandError, Exit};
use crate::run::deaf;
use crate::signals::{self, Caught};
use crate::terminal::{Terminal, input_or_its_end_follows, wrap_whole_words};

/// Limit of an answer in bytes: one line typed by a person.
const MAX_BYTES: u64 = 16 * 1024;
/// How soon a thread that waits for an answer ends once nobody waits for it any more.
const POLL: Duration = Duration::from_millis(200);
/// Longer lines are hard to read.
const MOST_COLUMNS: usize = 100;

/// The person at the terminal.
pub(super) struct Questions<'a> {
    threads: &'a Runtime,
    caught: Caught,
}

/// Why setup ends without a choice.
#[derive(Debug)]
pub(super) enum Stop {
    /// The person leaves.
    Left,
    /// The end of the input: Ctrl+D.
    EndOfInput,
    /// A signal at a question: Ctrl+C.
    Interrupted(Exit),
    /// A signal in a download. What has arrived is kept.
    DownloadInterrupted(Exit),
    /// Setup cannot go on.
    Failed(CommandError),
}

impl From<CommandError> for Stop {
    fn from(error: CommandError) -> Self {
        Self::Failed(error)
    }
}

impl<'a> Questions<'a> {
    /// Listens for signals from now on.
    pub(super) fn begin(threads: &'a Runtime) -> Result<Self, CommandError> {
        let _inside = threads.enter();
        Ok(Self { threads, caught: signals::catch().map_err(deaf)? })
    }

    /// Asks, and waits for the answer, which comes without blanks around it.
    pub(super) fn ask(&mut self, terminal: &mut Terminal, prompt: &str) -> Result<String, Stop> {
        terminal.prompt(&format!("{prompt} > "));
        let answer = self
            .wait(line())
            .inspect_err(|_| terminal.note(""))?
            .map_err(|error| CommandError::failed("cannot read the answer").because(error))?;
        match answer {
            None => {
                terminal.note("");
                Err(Stop::EndOfInput)
            }
            Some(text) if text.eq_ignore_ascii_case("q") => Err(Stop::Left),
            Some(text) => Ok(text),
        }
    }

    /// Waits for this work, or for a signal.
    pub(super) fn wait<T>(&mut self, work: impl Future<Output = T>) -> Result<T, Stop> {
        let caught = &mut self.caught;
        self.threads.block_on(async {
            tokio::select! {
                biased;
                exit = caught.ended() => Err(Stop::Interrupted(exit)),
                done = work => Ok(done),
            }
        })
    }
}

/// The next line of standard input; `None` at its end. Dropping the future reads nothing: the line is still there
/// for whoever reads next.
async fn line() -> io::Result<Option<String>> {
    while !spawn_blocking(|| input_or_its_end_follows(POLL)).await? {}
    // The terminal hands over whole lines, so this does not wait.
    let mut bytes = Vec::new();
    let read = stdin().lock().take(MAX_BYTES).read_until(b'\n', &mut bytes)?;
    Ok((read > 0).then(|| String::from_utf8_lossy(&bytes).trim().to_owned()))
}

/// Writes a text to the terminal, wrapped at words and indented.
pub(super) fn tell(terminal: &mut Terminal, indent: usize, text: &str) {
    for line in paragraph(indent, text, terminal.look().columns) {
        terminal.note(&line);
    }
}

/// The lines of a text that is wrapped at words and indented.
pub(super) fn paragraph(indent: usize, text: &str, columns: usize) -> Vec<String> {
    // The last column stays free: some terminals wrap when it is filled.
    let room = columns.min(MOST_COLUMNS).saturating_sub(indent + 1);
    wrap_whole_words(text, room).into_iter().map(|line| format!("{}{line}", " ".repeat(indent))).collect()
}
