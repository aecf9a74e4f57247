//! Runs a system program that artoo chose, with arguments that artoo built.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use artoo_sandbox::{Capture, Ending, Invocation, run_unconfined, scrub};

use crate::{ToolContext, ToolError};

/// The output and ending of a program.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) ending: Ending,
    pub(crate) output: Vec<u8>,
    /// The output was truncated.
    pub(crate) cut: bool,
    pub(crate) stderr: String,
}

/// Runs a program in the home folder, with the scrubbed environment, no input, and no shell. It is a program
/// of the operating system, so it runs without confinement; some of these programs do not work under it.
pub(crate) async fn run(
    program: &Path,
    arguments: Vec<OsString>,
    timeout: Duration,
    cx: &ToolContext,
) -> Result<Said, ToolError> {
    let invocation = Invocation {
        program: program.into(),
        arguments,
        folder: cx.home.clone(),
        environment: scrub(&cx.environment),
        timeout,
        keep: cx.limits.kept,
    };
    let (mut output, mut stderr) = (Vec::new(), Vec::new());
    let capture = Capture { stdout: &mut output, stderr: &mut stderr, on_chunk: None };
    let outcome = run_unconfined(&invocation, capture, &cx.cancel).await?;
    Ok(Said {
        ending: outcome.ending,
        cut: outcome.stdout.truncated(),
        output,
        stderr: String::from_utf8_lossy(&stderr).trim().to_owned(),
    })
}

/// The first program of this name in these folders. Relative folders are ignored: their meaning depends on
/// the current folder.
pub(crate) fn find(name: &str, search_path: &[PathBuf]) -> Option<PathBuf> {
    let folders = search_path.iter().filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|file| is_program(file))
}

pub(crate) fn is_program(file: &Path) -> bool {
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
