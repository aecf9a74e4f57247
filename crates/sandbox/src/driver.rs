//! Drives one run from the async side: output, timeout, cancellation.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::piped::{Piped, PipedEnd, Process};
use crate::preview::OverlayDirs;
use crate::process_guard::ProcessGuard;
use crate::process_limit::Excess;
use crate::pump::{Drain, pump};
use crate::spawn::Input;
use crate::supervisor_thread::{self, Ended, Started};
use crate::{
    Capture, Channel, Confinement, Ending, Invocation, Outcome, SandboxError, SandboxMode, StreamReport,
    Support, probe,
};

/// Time between SIGTERM and SIGKILL. Short, because a person may be waiting after Ctrl+C.
const GRACE: Duration = Duration::from_millis(500);
/// How long all processes may take to end after the kill.
const REPORT: Duration = Duration::from_secs(3);
/// How long to read output after the process tree is gone, in case a process outside it holds a pipe.
const DRAIN: Duration = Duration::from_secs(2);

/// See [`crate::run()`]; without a confinement, [`crate::run_unconfined`].
pub(crate) async fn run(
    invocation: &Invocation,
    confinement: Option<&Confinement>,
    capture: Capture<'_>,
    cancel: &CancellationToken,
) -> Result<Outcome, SandboxError> {
    drive(invocation, confinement, None, capture, cancel).await
}

/// The same with overlays on folders.
pub(crate) async fn run_on(
    overlay_dirs: Arc<OverlayDirs>,
    invocation: &Invocation,
    confinement: &Confinement,
    capture: Capture<'_>,
    cancel: &CancellationToken,
) -> Result<Outcome, SandboxError> {
    drive(invocation, Some(confinement), Some(overlay_dirs), capture, cancel).await
}

async fn drive(
    invocation: &Invocation,
    confinement: Option<&Confinement>,
    overlay_dirs: Option<Arc<OverlayDirs>>,
    capture: Capture<'_>,
    cancel: &CancellationToken,
) -> Result<Outcome, SandboxError> {
    let begin = Instant::now();
    refuse_what_cannot_be_enforced(invocation, confinement)?;
    if cancel.is_cancelled() {
        return Ok(never_started());
    }
    let lost =
        |source: io::Error| SandboxError::Watch { program: supervisor_thread::name(invocation), source };
    let command = (invocation, Input::Nothing);
    let started = supervisor_thread::start(command, confinement, overlay_dirs)?
        .await
        .map_err(|_| lost(io::Error::other("its thread died")))?;
    let Started { guard, stdin: _, stdout, stderr, ended } = started?;
    let stdout = ChildStdout::from_std(stdout).map_err(lost)?;
    let stderr = ChildStderr::from_std(stderr).map_err(lost)?;

    let (mut out, mut err) = (StreamReport::default(), StreamReport::default());
    let (finish, drained) = {
        let Capture { stdout: out_writer, stderr: err_writer, on_chunk } = capture;
        let keep = invocation.keep;
        let out = Drain { channel: Channel::Stdout, writer: out_writer, on_chunk, keep, report: &mut out };
        let err = Drain { channel: Channel::Stderr, writer: err_writer, on_chunk, keep, report: &mut err };
        let mut pumps = pin!(async { tokio::join!(pump(stdout, out), pump(stderr, err)) });
        let mut finish = pin!(finish(&guard, ended, invocation.timeout, cancel));
        let mut drained = false;
        let finish = loop {
            tokio::select! {
                // The end comes first: a flood of output must not delay a timeout.
                biased;
                finish = &mut finish => break finish,
                _ = &mut pumps, if !drained => drained = true,
            }
        };
        (finish, drained || timeout(DRAIN, pumps).await.is_ok())
    };
    Ok(Outcome {
        ending: ending(&finish).map_err(lost)?,
        duration: begin.elapsed(),
        stdout: out,
        stderr: err,
        // Without a report, the first process itself hangs in the kernel.
        survivors: finish.ended.as_ref().map_or(1, |ended| ended.survivors),
        drained,
    })
}

/// See [`crate::start()`].
pub(crate) async fn start(
    invocation: &Invocation,
    confinement: &Confinement,
    cancel: &CancellationToken,
) -> Result<Piped, SandboxError> {
    let begin = Instant::now();
    refuse_what_cannot_be_enforced(invocation, Some(confinement))?;
    let program = supervisor_thread::name(invocation);
    let lost = |source: io::Error| SandboxError::Watch { program: program.clone(), source };
    let started = supervisor_thread::start((invocation, Input::Pipe), Some(confinement), None)?
        .await
        .map_err(|_| lost(io::Error::other("its thread died")))?;
    let Started { guard, stdin, stdout, stderr, ended } = started?;
    let stdin = stdin.ok_or_else(|| lost(io::Error::other("it has no standard input")))?;
    let stdin = ChildStdin::from_std(stdin).map_err(lost)?;
    let stdout = ChildStdout::from_std(stdout).map_err(lost)?;
    let stderr = ChildStderr::from_std(stderr).map_err(lost)?;
    let (limit, cancel) = (invocation.timeout, cancel.clone());
    let watch = async move {
        let finish = finish(&guard, ended, limit, &cancel).await;
        let survivors = finish.ended.as_ref().map_or(1, |ended| ended.survivors);
        let ending = ending(&finish).map_err(|source| SandboxError::Watch { program, source })?;
        Ok(PipedEnd { ending, duration: begin.elapsed(), survivors })
    };
    Ok(Piped { stdin, stdout, stderr, process: Process::watched(watch) })
}

fn never_started() -> Outcome {
    Outcome {
        ending: Ending::Cancelled,
        duration: Duration::ZERO,
        stdout: StreamReport::default(),
        stderr: StreamReport::default(),
        survivors: 0,
        drained: true,
    }
}

fn refuse_what_cannot_be_enforced(
    invocation: &Invocation,
    confinement: Option<&Confinement>,
) -> Result<(), SandboxError> {
    let mode = confinement.map_or(SandboxMode::FullAccess, |confinement| confinement.mode);
    match (mode, probe()) {
        (SandboxMode::FullAccess, _) | (_, Support::Enforced { .. }) => Ok(()),
        (SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite, Support::Missing(reason)) => {
            Err(SandboxError::Unsupported { program: supervisor_thread::name(invocation), mode, reason })
        }
    }
}

/// Result of waiting for a command.
#[derive(Debug)]
struct Finish {
    /// Why this crate stopped the command, if it did.
    stopped: Option<Ending>,
    /// The supervisor thread's report. Missing if the first process survived being killed.
    ended: Option<Ended>,
}

/// Waits for the supervisor thread's report; on a timeout or a cancellation, ends the command first.
async fn finish(
    guard: &ProcessGuard,
    mut ended: oneshot::Receiver<Ended>,
    limit: Duration,
    cancel: &CancellationToken,
) -> Finish {
    let stopped = tokio::select! {
        biased;
        report = &mut ended => return Finish { stopped: None, ended: report.ok() },
        () = cancel.cancelled() => Ending::Cancelled,
        () = sleep(limit) => Ending::TimedOut,
    };
    guard.ask();
    let report = match timeout(GRACE, &mut ended).await {
        Ok(report) => report.ok(),
        Err(_) => {
            guard.end();
            timeout(REPORT, ended).await.ok().and_then(Result::ok)
        }
    };
    Finish { stopped: Some(stopped), ended: report }
}

fn ending(finish: &Finish) -> io::Result<Ending> {
    if let Some(stopped) = finish.stopped {
        return Ok(stopped);
    }
    let ended = finish.ended.as_ref().ok_or_else(|| io::Error::other("its thread died"))?;
    match ended.excess {
        Some(Excess::Processes) => return Ok(Ending::Crowded),
        Some(Excess::Disk) => return Ok(Ending::OutOfRoom),
        Some(Excess::Memory) => return Ok(Ending::OutOfMemory),
        None => {}
    }
    match &ended.status {
        Ok(status) => Ok(match supervisor_thread::code_or_signal(*status) {
            Ok(code) => Ending::Exited(code),
            Err(signal) => Ending::Signaled(signal),
        }),
        Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
    }
}
