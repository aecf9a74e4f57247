//! What became of a command, as a value.

use std::io;
use std::time::Duration;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ending {
    /// It ended by itself, with this exit status (0 to 255).
    Exited(i32),
    /// This signal ended it; not one that this crate sent.
    Signaled(i32),
    /// It ran longer than it was allowed to, and its tree was killed.
    TimedOut,
    /// The caller cancelled it, and its tree was killed.
    Cancelled,
    /// It had more processes at the same time than [`ResourceLimits::processes`](crate::ResourceLimits::processes) grants, and its tree
    /// was killed.
    Crowded,
    /// Less was free where it may write than [`ResourceLimits::free_bytes`](crate::ResourceLimits::free_bytes) wants, and its tree was
    /// killed.
    OutOfRoom,
}

/// What came out of one stream.
#[derive(Debug, Default)]
pub struct StreamReport {
    /// Bytes that the command wrote, as far as they were read.
    pub total: u64,
    /// Bytes that were passed on. Less than [`total`](Self::total) when the cap was reached or a write failed.
    pub kept: u64,
    /// The first error of the caller's writer, after which nothing more was passed on.
    pub write_error: Option<io::Error>,
}

impl StreamReport {
    /// Whether bytes were dropped.
    ///
    /// ```
    /// use artoo_sandbox::StreamReport;
    ///
    /// assert!(StreamReport { total: 20, kept: 16, write_error: None }.truncated());
    /// assert!(!StreamReport::default().truncated());
    /// ```
    pub const fn truncated(&self) -> bool {
        self.kept < self.total
    }
}

/// Everything that is known about a finished command.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// From the start to the moment when its tree was gone and its output read.
    pub duration: Duration,
    /// Standard output.
    pub stdout: StreamReport,
    /// Standard error.
    pub stderr: StreamReport,
    /// Processes of the tree that could not be ended: they belong to another user, or hang in the kernel.
    pub survivors: u32,
    /// Whether both streams were read to their end. False when somebody outside the tree held a pipe open for
    /// longer than two seconds after the tree was gone.
    pub drained: bool,
}
