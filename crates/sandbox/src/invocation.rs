//! What to run, and where its output goes.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Bytes kept of each stream unless the caller says otherwise: 16 MiB.
pub const DEFAULT_KEEP: u64 = 16 * 1024 * 1024;

/// One program with its arguments and limits. See the [crate example](crate).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// A path, or a name that is looked up in the `PATH` of [`environment`](Self::environment).
    pub program: OsString,
    /// The arguments, without the program's own name. No shell reads them.
    pub arguments: Vec<OsString>,
    /// The working folder. It must exist.
    pub folder: PathBuf,
    /// The available variables. [`run`](crate::run()) filters them, [`run_unconfined`](crate::run_unconfined)
    /// passes them on unchanged; the environment of this process is never inherited.
    pub environment: BTreeMap<OsString, OsString>,
    /// After this time the process tree gets SIGTERM, and half a second later SIGKILL.
    pub timeout: Duration,
    /// Bytes kept of each stream; the rest is read and counted, but dropped.
    pub keep: u64,
}

/// Which of the two output streams a chunk came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Where the output goes: each stream to its own writer, and both to a live view.
///
/// The writers (files of the evidence store, or plain vectors) receive every kept byte in order. They are
/// called from async code, so they must be local and fast. If one fails, its stream is still drained and
/// counted, and the failure is reported in [`StreamReport::write_error`](crate::StreamReport::write_error).
pub struct Capture<'a> {
    /// Receives standard output.
    pub stdout: &'a mut (dyn io::Write + Send),
    /// Receives standard error.
    pub stderr: &'a mut (dyn io::Write + Send),
    /// Called with each kept chunk as it arrives; a chunk may end in the middle of a character. Must not
    /// block.
    pub on_chunk: Option<&'a OnChunk<'a>>,
}

/// A live view of the output.
pub type OnChunk<'a> = dyn Fn(Channel, &[u8]) + Send + Sync + 'a;

impl fmt::Debug for Capture<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Capture").field("on_chunk", &self.on_chunk.is_some()).finish_non_exhaustive()
    }
}
