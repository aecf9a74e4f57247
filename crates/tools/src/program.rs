//! Runs a program that artoo starts for itself, with arguments and an environment that it made.

use std::ffi::OsString;
use std::time::Duration;

use artoo_sandbox::{Capture, Ending, Invocation, SandboxMode, run_unconfined, scrub};

use crate::shell::confinement;
use crate::shell::reach::Reach;
use crate::writable_folders::Granted;
use crate::{SystemProgram, ToolContext, ToolError};

/// Where a program of the system finds others.
const PATH: &str = "/usr/bin:/bin:/usr/sbin:/sbin";

/// The output and ending of a program.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) ending: Ending,
    pub(crate) output: Vec<u8>,
    /// The output was truncated.
    pub(crate) cut: bool,
    pub(crate) stderr: String,
}

/// Runs a program in the home folder, without input and without a shell. It can write nothing but temporary files, has no network,
/// and protected places are hidden from it. Only on systems without the kernel's rules (macOS, where the programs are `mdfind`,
/// `osascript` and `shortcuts`) it runs without them.
pub(crate) async fn run(
    program: &SystemProgram,
    arguments: Vec<OsString>,
    timeout: Duration,
    cx: &ToolContext,
) -> Result<Said, ToolError> {
    let mut environment = scrub(&cx.environment);
    environment.insert("PATH".into(), PATH.into());
    let invocation = Invocation {
        program: program.path().into(),
        arguments,
        folder: cx.home.clone(),
        environment,
        timeout,
        keep: cx.limits.kept,
    };
    let (mut output, mut stderr) = (Vec::new(), Vec::new());
    let capture = Capture { stdout: &mut output, stderr: &mut stderr, on_chunk: None };
    let outcome = if cfg!(target_os = "linux") {
        let held = confinement(cx, (SandboxMode::ReadOnly, Reach::NOTHING), &Granted::default());
        artoo_sandbox::run(&invocation, &held, capture, &cx.cancel).await?
    } else {
        run_unconfined(&invocation, capture, &cx.cancel).await?
    };
    Ok(Said {
        ending: outcome.ending,
        cut: outcome.stdout.truncated(),
        output,
        stderr: String::from_utf8_lossy(&stderr).trim().to_owned(),
    })
}
