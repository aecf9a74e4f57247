//! Runs a program on systems other than Linux: unconfined, in a process group that is killed at the end.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::pump::{Drain, pump};
use crate::{
    Capture, Channel, Confinement, Ending, Invocation, NoConfinement, Outcome, SandboxError, SandboxMode,
    StreamReport, scrub,
};

/// Time between SIGTERM to the group and SIGKILL.
const GRACE: Duration = Duration::from_millis(500);
/// How long to read output after the group is gone, in case a process outside it holds a pipe.
const DRAIN: Duration = Duration::from_secs(2);

/// See [`crate::run()`]; without a confinement, [`crate::run_unconfined`]. Any mode but full access is
/// refused. A process that leaves the group outlives the run.
pub(crate) async fn run(
    invocation: &Invocation,
    confinement: Option<&Confinement>,
    capture: Capture<'_>,
    cancel: &CancellationToken,
) -> Result<Outcome, SandboxError> {
    let begin = Instant::now();
    let mut command = command(invocation, confinement)?;
    let name = || invocation.program.to_string_lossy().into_owned();
    let lost = |source: io::Error| SandboxError::Watch { program: name(), source };
    if cancel.is_cancelled() {
        return Ok(outcome(Ending::Cancelled, begin, StreamReport::default(), StreamReport::default(), true));
    }
    let mut child = command.spawn().map_err(|source| SandboxError::Start {
        program: name(),
        folder: invocation.folder.clone(),
        source,
    })?;
    let group = Group::of(&child);
    let pipes = child.stdout.take().zip(child.stderr.take());
    let (stdout, stderr) = pipes.ok_or_else(|| lost(io::Error::other("it has no pipes")))?;

    let (mut out, mut err) = (StreamReport::default(), StreamReport::default());
    let (ended, drained) = {
        let Capture { stdout: out_writer, stderr: err_writer, on_chunk } = capture;
        let keep = invocation.keep;
        let out = Drain { channel: Channel::Stdout, writer: out_writer, on_chunk, keep, report: &mut out };
        let err = Drain { channel: Channel::Stderr, writer: err_writer, on_chunk, keep, report: &mut err };
        let mut pumps = pin!(async { tokio::join!(pump(stdout, out), pump(stderr, err)) });
        let mut wait = pin!(wait(&mut child, &group, invocation.timeout, cancel));
        let mut drained = false;
        let ended = loop {
            tokio::select! {
                // The end comes first: a flood of output must not delay a timeout.
                biased;
                ended = &mut wait => break ended,
                _ = &mut pumps, if !drained => drained = true,
            }
        };
        // Background processes end with it.
        group.signal(Signal::KILL);
        (ended, drained || timeout(DRAIN, pumps).await.is_ok())
    };
    Ok(outcome(ended.map_err(lost)?, begin, out, err, drained))
}

fn outcome(
    ending: Ending,
    begin: Instant,
    stdout: StreamReport,
    stderr: StreamReport,
    drained: bool,
) -> Outcome {
    // Survivors are not counted here.
    Outcome { ending, duration: begin.elapsed(), stdout, stderr, survivors: 0, drained }
}

fn command(invocation: &Invocation, confinement: Option<&Confinement>) -> Result<Command, SandboxError> {
    let mut environment = invocation.environment.clone();
    if let Some(confinement) = confinement {
        match confinement.mode {
            SandboxMode::FullAccess => {}
            mode @ (SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite) => {
                let program = invocation.program.to_string_lossy().into_owned();
                return Err(SandboxError::Unsupported { program, mode, reason: NoConfinement::NotLinux });
            }
        }
        environment = scrub(&environment);
        let tmp = &confinement.private_tmp;
        std::fs::create_dir_all(tmp).map_err(|source| SandboxError::Grant {
            program: invocation.program.to_string_lossy().into_owned(),
            path: tmp.clone(),
            source,
        })?;
        environment.insert("TMPDIR".into(), tmp.into());
    }
    let mut command = Command::new(&invocation.program);
    command
        .args(&invocation.arguments)
        .current_dir(&invocation.folder)
        .env_clear()
        .envs(environment)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    Ok(command)
}

/// A process group that is killed on drop.
struct Group(Option<Pid>);

impl Group {
    /// The group's id is the id of its first process.
    fn of(child: &Child) -> Self {
        Self(child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw))
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = self.0 {
            // A group that is gone needs no signal.
            let _ = kill_process_group(group, signal);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}

async fn wait(
    child: &mut Child,
    group: &Group,
    limit: Duration,
    cancel: &CancellationToken,
) -> io::Result<Ending> {
    let stopped = tokio::select! {
        biased;
        status = child.wait() => return Ok(ending(status?)),
        () = cancel.cancelled() => Ending::Cancelled,
        () = sleep(limit) => Ending::TimedOut,
    };
    group.signal(Signal::TERM);
    if timeout(GRACE, child.wait()).await.is_err() {
        group.signal(Signal::KILL);
        child.wait().await?;
    }
    Ok(stopped)
}

fn ending(status: ExitStatus) -> Ending {
    status.code().map(Ending::Exited).or(status.signal().map(Ending::Signaled)).unwrap_or(Ending::Exited(0))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    async fn sh(
        script: &str,
        mode: Option<SandboxMode>,
        limit: Duration,
        cancel: &CancellationToken,
    ) -> Result<(Outcome, String), SandboxError> {
        let tmp = tempfile::tempdir().unwrap();
        let invocation = Invocation {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            folder: tmp.path().to_owned(),
            environment: BTreeMap::from([
                ("PATH".into(), "/usr/bin:/bin".into()),
                ("OPENAI_API_KEY".into(), "canary".into()),
            ]),
            timeout: limit,
            keep: 100,
        };
        let confinement = mode.map(|mode| Confinement::new(mode, tmp.path().join("t")));
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let capture = Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
        let outcome = run(&invocation, confinement.as_ref(), capture, cancel).await?;
        Ok((outcome, String::from_utf8(out).unwrap()))
    }

    const LONG: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn a_program_runs_and_its_end_is_told() {
        let cancel = CancellationToken::new();
        let (outcome, out) = sh("echo $OPENAI_API_KEY; exit 3", None, LONG, &cancel).await.unwrap();
        assert_eq!((outcome.ending, out.as_str(), outcome.drained), (Ending::Exited(3), "canary\n", true));
        let (outcome, out) =
            sh("echo $OPENAI_API_KEY; test -d $TMPDIR", Some(SandboxMode::FullAccess), LONG, &cancel)
                .await
                .unwrap();
        assert_eq!((outcome.ending, out.as_str()), (Ending::Exited(0), "\n"));
        let (outcome, _) = sh("kill -9 $$", None, LONG, &cancel).await.unwrap();
        assert_eq!(outcome.ending, Ending::Signaled(9));
        let (outcome, out) =
            sh("i=0; while [ $i -lt 99 ]; do echo 0123456789; i=$((i+1)); done", None, LONG, &cancel)
                .await
                .unwrap();
        assert_eq!((out.len(), outcome.stdout.total, outcome.stdout.kept), (100, 99 * 11, 100));
    }

    #[tokio::test]
    async fn modes_that_cannot_be_kept_are_refused() {
        for mode in [SandboxMode::ReadOnly, SandboxMode::WorkspaceWrite] {
            let refused = sh("true", Some(mode), LONG, &CancellationToken::new()).await;
            assert!(matches!(refused, Err(SandboxError::Unsupported { .. })), "{refused:?}");
        }
    }

    /// A child holds the pipe, so the output only ends when that child is killed.
    #[tokio::test]
    async fn the_group_ends_with_the_time_the_token_and_the_first_process() {
        let cancel = CancellationToken::new();
        let (outcome, _) =
            sh("sleep 600 & sleep 600", None, Duration::from_millis(50), &cancel).await.unwrap();
        assert_eq!((outcome.ending, outcome.drained), (Ending::TimedOut, true));
        let (outcome, _) =
            sh("trap '' TERM; sleep 600", None, Duration::from_millis(50), &cancel).await.unwrap();
        assert_eq!((outcome.ending, outcome.drained), (Ending::TimedOut, true));
        let (outcome, out) = sh("sleep 600 & echo done", None, LONG, &cancel).await.unwrap();
        assert_eq!((outcome.ending, out.as_str(), outcome.drained), (Ending::Exited(0), "done\n", true));
        let soon = cancel.clone();
        let (ended, ()) =
            tokio::join!(sh("sleep 600 & sleep 600", None, LONG, &cancel), async move { soon.cancel() });
        assert_eq!(ended.unwrap().0.ending, Ending::Cancelled);
    }
}
