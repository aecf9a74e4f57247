//! The thread that starts a command, lives in its domain, and ends its tree.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{ChildStderr, ChildStdout, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use rustix::process::{Pid, Signal, getpid, kill_process_group};
use tokio::sync::oneshot;

use crate::crowd::{self, Crowd};
use crate::leash::{Fastened, Leash};
use crate::preview::{Ground, Mounts, World};
use crate::process_table;
use crate::rules::{self, Rules};
use crate::spawn::{Child, Start, reap, spawn};
use crate::tree::{Manner, Swept, Tree};
use crate::witness::{BeforeBinding, Witness};
use crate::{Confinement, Invocation, ResourceLimits, SandboxError, SandboxMode, scrub};
use crate::{call_filter, capabilities, limits};

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
    /// Whether it had more processes than it was granted, and was killed for that.
    pub(crate) crowded: bool,
    pub(crate) swept: Swept,
}

/// Starts the keeper, which answers when the command runs or could not be started. It holds the ground of a preview until the tree
/// is gone, because the last who lets go of it removes it.
pub(crate) fn start(
    invocation: &Invocation,
    confinement: Option<&Confinement>,
    ground: Option<Arc<Ground>>,
) -> Result<oneshot::Receiver<Result<Started, SandboxError>>, SandboxError> {
    let (answer, started) = oneshot::channel();
    let (invocation, confinement) = (invocation.clone(), confinement.cloned());
    let program = name(&invocation);
    thread::Builder::new()
        .name("artoo-keeper".to_owned())
        .stack_size(STACK)
        .spawn(move || keep(&invocation, confinement.as_ref(), ground, answer))
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
    ground: Option<Arc<Ground>>,
    answer: oneshot::Sender<Result<Started, SandboxError>>,
) {
    let marker = next_marker();
    let begun = bind(invocation, confinement, ground.as_deref()).and_then(|bound| {
        let child = start_command(invocation, confinement, bound.world(), &marker)?;
        Ok((bound.witness(child.pid, invocation)?, child))
    });
    let ((witness, mounts), Child { pid, stdout, stderr }) = match begun {
        Ok(begun) => begun,
        // Nobody listens any more: there is nothing to take back either.
        Err(error) => {
            drop(ground);
            return drop(answer.send(Err(error)));
        }
    };
    let (leash, fastened) = Leash::new(pid);
    let (report, ended) = oneshot::channel();
    // Refused when the caller went away in between; what comes back is dropped, and its leash kills the command.
    drop(answer.send(Ok(Started { leash, stdout, stderr, ended })));
    let marker = format!("{MARKER}={}", marker.to_string_lossy());
    let most = bounded(confinement).map(|limits| limits.processes);
    let ended = see_to_the_end(pid, &fastened, witness, marker, most);
    drop((mounts, ground));
    drop(report.send(ended)); // refused when the caller has gone
}

/// What binds the command.
#[derive(Debug)]
enum Bound {
    /// This thread, if anything, and so the command from its birth on.
    ByKeeper(Witness),
    /// The command itself: mounts come first, and no bound thread can mount.
    ByItself(World),
}

impl Bound {
    fn world(&self) -> Option<&World> {
        match self {
            Self::ByKeeper(_) => None,
            Self::ByItself(world) => Some(world),
        }
    }

    /// How the kernel recognises what was started, and what has to be held meanwhile.
    fn witness(self, pid: Pid, invocation: &Invocation) -> Result<(Witness, Option<Mounts>), SandboxError> {
        match self {
            Self::ByKeeper(witness) => Ok((witness, None)),
            Self::ByItself(world) => match world.mounts() {
                Ok(mounts) => Ok((Witness::Mounts(mounts.identity.0, mounts.identity.1), Some(mounts))),
                Err(source) => {
                    // Nobody would find its tree. It may have ended by itself.
                    let _ = kill_process_group(pid, Signal::KILL);
                    let _ = reap(pid);
                    Err(SandboxError::Watch { program: name(invocation), source })
                }
            },
        }
    }
}

/// Binds this thread, or prepares what the command binds itself by.
fn bind(
    invocation: &Invocation,
    confinement: Option<&Confinement>,
    ground: Option<&Ground>,
) -> Result<Bound, SandboxError> {
    let Some(confinement) = confinement else { return Ok(Bound::ByKeeper(Witness::None)) };
    let program = name(invocation);
    rules::prepare_private_tmp(&confinement.private_tmp).map_err(|source| SandboxError::Grant {
        program: program.clone(),
        path: confinement.private_tmp.clone(),
        source,
    })?;
    if let Some(ground) = ground {
        return World::build(&program, confinement, ground).map(Bound::ByItself);
    }
    match confinement.mode {
        SandboxMode::FullAccess => Ok(Bound::ByKeeper(Witness::None)),
        SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite => {
            let rules = Rules::build(&program, confinement)?;
            let before = BeforeBinding::observe();
            let scopes_signals = rules.bind_this_thread(&program)?;
            capabilities::reduce()
                .map_err(|source| SandboxError::Rules { program: program.clone(), source })?;
            call_filter::bind_this_thread(&program, confinement.network)?;
            Ok(Bound::ByKeeper(before.compare(scopes_signals)))
        }
    }
}

/// What bounds a command; nothing where no rules bind it.
fn bounded(confinement: Option<&Confinement>) -> Option<ResourceLimits> {
    confinement.and_then(|confinement| match confinement.mode {
        SandboxMode::FullAccess => None,
        SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite => Some(confinement.limits),
    })
}

fn start_command(
    invocation: &Invocation,
    confinement: Option<&Confinement>,
    world: Option<&World>,
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
    let limits = bounded(confinement).map(limits::of_a_command).unwrap_or_default();
    let start = Start {
        program: &invocation.program,
        arguments: &invocation.arguments,
        folder: &invocation.folder,
        environment: &environment,
        limits: &limits,
        world,
    };
    spawn(&start).map_err(|source| match world.and_then(World::failed_step) {
        Some(step) => SandboxError::Overlay { program: name(invocation), step, source },
        None => SandboxError::Start { program: name(invocation), folder: invocation.folder.clone(), source },
    })
}

/// Waits for the first process, ends all others, and reaps the first only then: as long as it is not reaped, its
/// number, its group and its session cannot be anybody else's.
fn see_to_the_end(
    pid: Pid,
    fastened: &Fastened,
    witness: Witness,
    marker: String,
    most: Option<u32>,
) -> Ended {
    // Without `/proc` there is no tree to walk; the group is still ended by the leash.
    let tree = process_table::entry(pid).map(|first| Tree::new(first, witness, marker));
    let crowd = most.zip(tree.as_ref()).map(|(most, tree)| Crowd::new(tree, most));
    let crowded = crowd::wait(pid, crowd);
    let swept = tree.map(|tree| tree.end(if crowded { Manner::AtOnce } else { Manner::Politely }));
    fastened.release();
    Ended { status: reap(pid), crowded, swept: swept.unwrap_or_default() }
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
