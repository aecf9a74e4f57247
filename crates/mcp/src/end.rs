//! How a connection ends: whoever notices first says why.

use std::collections::VecDeque;
use std::sync::{Mutex, OnceLock, PoisonError};

use artoo_redaction::Redactor;
use artoo_sandbox::Ending;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Bytes of standard error that are kept: the last ones, where a program says why it ends.
const KEPT: usize = 4 * 1024;

/// The end of one connection, told once.
#[derive(Debug)]
pub(crate) struct End {
    why: OnceLock<Why>,
    /// Cancelled when it is over.
    pub(crate) over: CancellationToken,
    /// Told when a program has closed its output: how it ended may be known in a moment.
    pub(crate) silent: Notify,
    /// Whether a program is behind it, which is waited for.
    pub(crate) has_process: bool,
    complaints: Mutex<VecDeque<u8>>,
    redactor: Redactor,
}

/// Why a connection is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// Its program ended.
    Exited(Ending),
    /// It closed the stream.
    Closed,
    /// It sent a message that is too long.
    TooLong(usize),
    /// It sent nothing but notifications or requests.
    Flood(u32),
    /// artoo ended it.
    Stopped,
}

impl End {
    pub(crate) fn new(has_process: bool, redactor: Redactor) -> Self {
        Self {
            why: OnceLock::new(),
            over: CancellationToken::new(),
            silent: Notify::new(),
            has_process,
            complaints: Mutex::default(),
            redactor,
        }
    }

    /// Ends it. Only the first reason counts.
    pub(crate) fn say(&self, why: Why) {
        // The same end is noticed in several ways.
        let _ = self.why.set(why);
        self.over.cancel();
    }

    /// The stream has ended.
    pub(crate) fn stream_ended(&self) {
        if self.has_process {
            self.silent.notify_one();
        } else {
            self.say(Why::Closed);
        }
    }

    /// Notes what a program wrote to standard error.
    pub(crate) fn complained(&self, bytes: &[u8]) {
        let mut complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        complaints.extend(bytes.iter().skip(bytes.len().saturating_sub(KEPT)));
        let more = complaints.len().saturating_sub(KEPT);
        complaints.drain(..more);
    }

    /// Whether it is over.
    pub(crate) fn is_over(&self) -> bool {
        self.why.get().is_some()
    }

    /// Why it is over, with the end of what its program complained about.
    pub(crate) fn words(&self) -> String {
        let why = match self.why.get() {
            Some(Why::Exited(ending)) => ended(*ending),
            Some(Why::Closed) => "it closed the connection".to_owned(),
            Some(Why::TooLong(most)) => {
                format!("it sent a message of more than {} MiB in one line", most / (1024 * 1024))
            }
            Some(Why::Flood(count)) => format!("it sent {count} messages of its own and no answer"),
            Some(Why::Stopped) => "it was stopped".to_owned(),
            None => "nobody has said why".to_owned(),
        };
        match self.complaints() {
            Some(said) => format!("{why}; the last that it wrote to standard error: {said}"),
            None => why,
        }
    }

    /// The end of what its program complained about, on one line and without secrets.
    pub(crate) fn complaints(&self) -> Option<String> {
        const SHOWN: usize = 600;
        let complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = complaints.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let text = self.redactor.apply(&text).into_owned();
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let plain: Vec<char> = words.chars().filter(|c| !c.is_control()).collect();
        let last: String = plain.iter().skip(plain.len().saturating_sub(SHOWN)).collect();
        (!last.is_empty()).then_some(last)
    }

    /// A text of the server for an error, on one line and without secrets.
    pub(crate) fn told(&self, text: &str) -> String {
        crate::definition::short(&self.redactor.apply(text))
    }
}

fn ended(ending: Ending) -> String {
    match ending {
        Ending::Exited(status) => format!("its program ended with exit status {status}"),
        Ending::Signaled(signal) => format!("its program was ended by signal {signal}"),
        Ending::TimedOut => "its program took too long".to_owned(),
        Ending::Cancelled => "it was stopped".to_owned(),
        Ending::Crowded => "its program started too many processes".to_owned(),
        Ending::OutOfRoom => "its program left too little room on the disk".to_owned(),
        Ending::OutOfMemory => "its program used too much memory".to_owned(),
    }
}
