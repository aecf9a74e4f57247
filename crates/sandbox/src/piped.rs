//! A command that is talked to while it runs.

use std::time::Duration;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::task::JoinHandle;

use crate::{Ending, SandboxError};

/// A running command with its streams. See [`start`](crate::start()), which has the example.
#[derive(Debug)]
pub struct Piped {
    /// What is written here is what it reads.
    pub stdin: ChildStdin,
    /// Its standard output.
    pub stdout: ChildStdout,
    /// Its standard error. A program that fills it waits until it is read.
    pub stderr: ChildStderr,
    /// The process tree.
    pub process: Process,
}

/// The process tree of a [`Piped`] command. Dropping it kills all of it, in the background.
#[derive(Debug)]
pub struct Process {
    watch: JoinHandle<Result<PipedEnd, SandboxError>>,
}

/// How a [`Piped`] command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PipedEnd {
    /// How its program ended.
    pub ending: Ending,
    /// From the start until the process tree was gone.
    pub duration: Duration,
    /// Processes of the tree that could not be killed: they belong to another user, or hang in the kernel.
    pub survivors: u32,
}

impl Process {
    /// Watched by this future, which kills the tree when it is dropped.
    #[cfg(target_os = "linux")]
    pub(crate) fn watched(
        watch: impl Future<Output = Result<PipedEnd, SandboxError>> + Send + 'static,
    ) -> Self {
        Self { watch: tokio::spawn(watch) }
    }

    /// Waits until the whole process tree is gone: by itself, by the time limit, or by a cancellation.
    /// Cancel-safe: it may be called again after it was dropped, but not after it returned.
    ///
    /// ```
    /// # async fn example(mut server: artoo_sandbox::Piped) -> Result<(), artoo_sandbox::SandboxError> {
    /// drop(server.stdin); // most programs end then
    /// println!("it ended: {:?}", server.process.ended().await?.ending);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`SandboxError::Watch`] if it could not be watched to its end.
    pub async fn ended(&mut self) -> Result<PipedEnd, SandboxError> {
        match (&mut self.watch).await {
            Ok(ended) => ended,
            Err(lost) => Err(SandboxError::Watch {
                program: "the command".to_owned(),
                source: std::io::Error::other(lost),
            }),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.watch.abort();
    }
}
