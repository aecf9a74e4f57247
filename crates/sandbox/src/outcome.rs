//! The result of a command.

use std::io;
use std::time::Duration;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ending {
    /// It exited with this status (0 to 255).
    Exited(i32),
    /// It was ended by this signal, which this crate did not send.
    Signaled(i32),
    /// It exceeded its time limit, and its process tree was killed.
    TimedOut,
    /// The caller cancelled it, and its process tree was killed.
    Cancelled,
    /// It had more processes at the same time than
    /// [`ResourceLimits::processes`](crate::ResourceLimits::processes) grants, and its process tree was
    /// killed.
    Crowded,
    /// The free space where it may write fell below
    /// [`ResourceLimits::free_bytes`](crate::ResourceLimits::free_bytes), and its process tree was killed.
    OutOfRoom,
    /// Its processes together used more memory than
    /// [`ResourceLimits::memory_bytes`](crate::ResourceLimits::memory_bytes) grants, or hardly any was left on
    /// the machine, and its process tree was killed.
    OutOfMemory,
}

/// What was read from one stream.
#[derive(Debug, Default)]
pub struct StreamReport {
    /// Bytes that were read from the command.
    pub total: u64,
    /// Bytes that were passed on. Less than [`total`](Self::total) if the cap was reached or a write failed.
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

/// The result of a finished command.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// From the start until the process tree was gone and its output read.
    pub duration: Duration,
    /// Standard output.
    pub stdout: StreamReport,
    /// Standard error.
    pub stderr: StreamReport,
    /// Processes of the tree that could not be killed: they belong to another user, or hang in the kernel.
    pub survivors: u32,
    /// Whether both streams were read to their end. False if a process outside the tree held a pipe open for
    /// longer than two seconds after the tree was gone.
    pub drained: bool,
}
