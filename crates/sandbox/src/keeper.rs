//! The thread that starts a command, lives in its domain, and ends its tree.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{ChildStderr, ChildStdout, ExitStatus};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use rustix::process::{Pid, WaitId, WaitIdOptions, getpid, waitid};
use tokio::sync::oneshot;

use crate::capabilities;
use crate::leash::{Fastened, Leash};
use crate::process_table;
use crate::rules::{self, Rules};
use crate::spawn::{Child, Start, reap, spawn};
use crate::tree::{Swept, Tree};
use crate::witness::{BeforeBinding, Witness};
use crate::{Confinement, Invocation, SandboxError, SandboxMode, scrub};

/// The variable by which processes of an unconfined command are recognised.
const MARKER: &str = "ARTOO_COMMAND";

/// The keeper's own needs are small; the default of 2 MiB would count against a limit on memory.
const STACK: usize = 256 * 1024;

/// A command that runs.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) leash: Leash,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
    /// Arrives when the tree is gone.
    pub(crate) ended: oneshot::Receiver<Ended>,
}

/// A command that ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: io::Result<ExitStatus>,
    pub(crate) swept: Swept,
}

/// Starts the keeper, which answers when the command runs or could not be started.
pub(crate) fn start(
    invocation: &Invocation,
    confinement: Option<&Confinement>,
) -> Result<oneshot::Receiver<Result<Started, SandboxError>>, SandboxError> {
    let (answer, started) = oneshot::channel();
    let (invocation, confinement) = (invocation.clone(), confinement.cloned());
    let program = name(&invocation);
    thread::Builder::new()
        .name("artoo-keeper".to_owned())
        .stack_size(STACK)
        .spawn(move || keep(&invocation, confinement.as_ref(), answer))
        .map_err(|source| SandboxError::Watch { program, source })?;
    Ok(started)
}

/// The program as messages name it.
pub(crate) fn name(invocation: &Invocation) -> String {
    invocation.program.to_string_lossy().into_owned()
}

fn keep(
    invocation: &Invocation,
    confinement: Option<&Confinement>,
    answer: oneshot::Sender<Result<Started, SandboxError>>,
) {
    let marker = next_marker();
    let begun = bind(invocation, confinement).and_then(|witness| {
        let child = start_command(invocation, confinement, &marker)?;
        Ok((witness, child))
    });
    let (witness, Child { pid, stdout, stderr }) = match begun {
        Ok(begun) => begun,
        // Nobody listens any more: there is nothing to take back either.
        Err(error) => return drop(answer.send(Err(error))),
    };
    let (leash, fastened) = Leash::new(pid);
    let (report, ended) = oneshot::channel();
    // Refused when the caller went away in between; what comes back is dropped, and its leash kills the command.
    drop(answer.send(Ok(Started { leash, stdout, stderr, ended })));
    let ended = see_to_the_end(pid, &fastened, witness, format!("{MARKER}={}", marker.to_string_lossy()));
    drop(report.send(ended)); // refused when the caller has gone
}

/// Binds this thread, and says how the kernel will recognise what it starts.
fn bind(invocation: &Invocation, confinement: Option<&Confinement>) -> Result<Witness, SandboxError> {
    let Some(confinement) = confinement else { return Ok(Witness::None) };
    let program = name(invocation);
    rules::prepare_private_tmp(&confinement.private_tmp).map_err(|source| SandboxError::Grant {
        program: program.clone(),
        path: confinement.private_tmp.clone(),
        source,
    })?;
    match confinement.mode {
        SandboxMode::FullAccess => Ok(Witness::None),
        SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite => {
            let rules = Rules::build(&program, confinement)?;
            let before = BeforeBinding::observe();
            let scopes_signals = rules.bind_this_thread(&program)?;
            capabilities::reduce().map_err(|source| SandboxError::Rules { program, source })?;
            Ok(before.compare(scopes_signals))
        }
    }
}

fn start_command(
    invocation: &Invocation,
    confinement: Option<&Confinement>,
    marker: &OsString,
) -> Result<Child, SandboxError> {
    let mut environment = match confinement {
        Some(confinement) => {
            let mut environment = scrub(&invocation.environment);
            environment.insert("TMPDIR".into(), confinement.private_tmp.clone().into());
            environment
        }
        None => invocation.environment.clone(),
    };
    environment.insert(MARKER.into(), marker.clone());
    let start = Start {
        program: &invocation.program,
        arguments: &invocation.arguments,
        folder: &invocation.folder,
        environment: &environment,
    };
    spawn(&start).map_err(|source| SandboxError::Start {
        program: name(invocation),
        folder: invocation.folder.clone(),
        source,
    })
}

/// Waits for the first process, ends all others, and reaps the first only then: as long as it is not reaped, its
/// number, its group and its session cannot be anybody else's.
fn see_to_the_end(pid: Pid, fastened: &Fastened, witness: Witness, marker: String) -> Ended {
    let first = process_table::entry(pid);
    while let Err(rustix::io::Errno::INTR) =
        waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
    {}
    // Without `/proc` there is no tree to walk; the group is still ended by the leash.
    let swept = first.map(|first| Tree::new(first, witness, marker).end()).unwrap_or_default();
    fastened.release();
    Ended { status: reap(pid), swept }
}

/// A value that no other command of this machine has at the same time.
fn next_marker() -> OsString {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{}-{}", getpid(), NEXT.fetch_add(1, Ordering::Relaxed)).into()
}

/// How the first process ended: its exit status, or the number of the signal.
pub(crate) fn code_or_signal(status: ExitStatus) -> Result<i32, i32> {
    status.code().ok_or_else(|| status.signal().unwrap_or_default())
}
