//! The thread that starts a command and waits for its end.
//!
//! The death signal of a command's first process is sent when the thread that started it ends, so each
//! command has its own thread.

use std::io;
use std::os::fd::RawFd;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{ChildStderr, ChildStdin, ChildStdout, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

use tokio::sync::oneshot;

use crate::child_namespace::{self, ChildNamespace, LateFolders, namespace_error};
use crate::child_restrictions::ChildRules;
use crate::disk_limit::DiskLimit;
use crate::memory_limit::MemoryLimit;
use crate::network_namespace::NetworkNamespace;
use crate::preview::OverlayDirs;
use crate::process_guard::{Alive, ProcessGuard};
use crate::process_limit::{self, Excess, ProcessLimit, Watched};
use crate::socket_reach::SocketReach;
use crate::spawn::{Child, Input, NotStarted, Start, Streams, spawn};
use crate::veils::{Shown, try_out};
use crate::{
    Confinement, Invocation, Network, ResourceLimits, SandboxError, SandboxMode, Support, landlock_rules,
    probe, real_paths, rlimits, scrub,
};

/// The thread needs little; the default of 2 MiB would count against a memory limit.
const STACK: usize = 256 * 1024;

/// A running command.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) guard: ProcessGuard,
    /// Only with [`Input::Pipe`].
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
    /// Received when all its processes are gone.
    pub(crate) ended: oneshot::Receiver<Ended>,
}

/// A finished command.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: io::Result<ExitStatus>,
    /// The limit that it exceeded, if it was killed for that.
    pub(crate) excess: Option<Excess>,
    pub(crate) survivors: u32,
}

/// Starts the thread, which answers once the command runs or failed to start. It holds the layers of a
/// preview until all processes are gone, because dropping the last reference removes them.
pub(crate) fn start(
    (invocation, input): (&Invocation, Input),
    confinement: Option<&Confinement>,
    overlay_dirs: Option<Arc<OverlayDirs>>,
) -> Result<oneshot::Receiver<Result<Started, SandboxError>>, SandboxError> {
    let (answer, started) = oneshot::channel();
    let (invocation, confinement) = (invocation.clone(), confinement.cloned());
    let program = name(&invocation);
    thread::Builder::new()
        .name("artoo-command".to_owned())
        .stack_size(STACK)
        .spawn(move || supervise((&invocation, input), confinement.as_ref(), overlay_dirs, answer))
        .map_err(|source| SandboxError::Watch { program, source })?;
    Ok(started)
}

/// The program's name for messages.
pub(crate) fn name(invocation: &Invocation) -> String {
    invocation.program.to_string_lossy().into_owned()
}

/// Where the start of a command is answered.
type Answer = oneshot::Sender<Result<Started, SandboxError>>;

fn supervise(
    command: (&Invocation, Input),
    confinement: Option<&Confinement>,
    overlay_dirs: Option<Arc<OverlayDirs>>,
    answer: Answer,
) {
    let unstarted = attempt(command, confinement, (overlay_dirs, answer), is_worth_another);
    if let Some(unstarted) = unstarted {
        try_out();
        // The veils that this machine refuses are left out now.
        let _ = attempt(command, confinement, unstarted, |_| false);
    }
}

/// Whether the command did not start because its veils could not be mounted: another attempt may do without some.
fn is_worth_another(binding: &Binding) -> bool {
    binding.namespace.as_ref().is_some_and(ChildNamespace::failed_at_veils)
}

/// Starts the command and sees to its end. Gives back what it was given if it did not start and is worth another attempt.
fn attempt(
    (invocation, input): (&Invocation, Input),
    confinement: Option<&Confinement>,
    (overlay_dirs, answer): (Option<Arc<OverlayDirs>>, Answer),
    is_worth_another: impl FnOnce(&Binding) -> bool,
) -> Option<(Option<Arc<OverlayDirs>>, Answer)> {
    let refused = |overlay_dirs, answer: Answer, error| {
        drop(overlay_dirs);
        // The receiver may be gone; nothing has to be undone then.
        drop(answer.send(Err(error)));
        None
    };
    let binding = match Binding::of(invocation, confinement, overlay_dirs.as_deref()) {
        Ok(binding) => binding,
        Err(error) => return refused(overlay_dirs, answer, error),
    };
    let memory =
        bounded(confinement).map(|limits| MemoryLimit::new(limits.memory_bytes, limits.available_bytes));
    let entrance = memory.as_ref().and_then(MemoryLimit::entrance);
    let started = start_command((invocation, input), confinement, &binding, entrance);
    let (child, Streams { stdin, stdout, stderr }) = match started {
        Ok(started) => started,
        Err(_) if is_worth_another(&binding) => return Some((overlay_dirs, answer)),
        Err(error) => return refused(overlay_dirs, answer, error),
    };
    let (guard, alive) = ProcessGuard::new(child.pid);
    let (report, ended) = oneshot::channel();
    // Fails if the caller has gone in between; the value is then dropped, and its guard kills the command.
    drop(answer.send(Ok(Started { guard, stdin, stdout, stderr, ended })));
    let ended = see_to_the_end(child, &alive, confinement, memory);
    drop(overlay_dirs);
    drop(report.send(ended)); // refused when the caller has gone
    None
}

/// The confinement of a command, prepared before the start.
struct Binding {
    namespace: Option<ChildNamespace>,
    rules: Option<ChildRules>,
}

impl Binding {
    fn of(
        invocation: &Invocation,
        confinement: Option<&Confinement>,
        overlay_dirs: Option<&OverlayDirs>,
    ) -> Result<Self, SandboxError> {
        let none = Self { namespace: None, rules: None };
        let Some(confinement) = confinement else { return Ok(none) };
        let program = name(invocation);
        let private_tmp = &confinement.private_tmp;
        landlock_rules::prepare_private_tmp(private_tmp).map_err(|source| SandboxError::Grant {
            program: program.clone(),
            path: private_tmp.clone(),
            source,
        })?;
        match confinement.mode {
            SandboxMode::FullAccess => return Ok(none),
            SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite => {}
        }
        let has_namespaces = child_namespace::works();
        let Support::Enforced { abi, .. } = probe() else {
            let source = io::ErrorKind::Unsupported.into();
            return Err(SandboxError::Rules { program, source });
        };
        let network = own_network(confinement);
        let reach = SocketReach::of(confinement, abi, has_namespaces, network.is_some());
        let bound = reach.bound_now();
        let reach = reach.unless_moved(&bound, &confinement.writable);
        reach.refuse_unless_held(&program)?;
        if !has_namespaces {
            if overlay_dirs.is_some() {
                let source = io::ErrorKind::Unsupported.into();
                return Err(namespace_error(&program, "making its namespaces", source));
            }
            refuse_what_needs_mounts(&program, confinement)?;
            let rules = ChildRules::build(&program, confinement, LateFolders::default(), reach)?;
            return Ok(Self { rules: Some(rules), ..none });
        }
        let command = (program.as_str(), invocation.folder.as_path());
        let shown = Shown { granted: granted(confinement, overlay_dirs), start: invocation.folder.clone() };
        let sockets = reach.to_keep_away(&bound, shown, &hidden(confinement));
        let namespace = ChildNamespace::build(command, confinement, overlay_dirs, (sockets, network))?;
        let rules = ChildRules::build(&program, confinement, namespace.late(), reach)?;
        Ok(Self { namespace: Some(namespace), rules: Some(rules) })
    }
}

/// The folders that a command changes, and those of the layers that take its changes, by their real paths.
fn granted(confinement: &Confinement, overlay_dirs: Option<&OverlayDirs>) -> Vec<PathBuf> {
    let layers = overlay_dirs.into_iter().flat_map(|overlay_dirs| &overlay_dirs.layers);
    let stores = layers.clone().filter_map(|layer| layer.upper.parent()?.canonicalize().ok());
    let granted = confinement.granted().filter_map(|folder| folder.canonicalize().ok());
    granted.chain(layers.map(|layer| layer.root.clone())).chain(stores).collect()
}

/// Its hidden places, by the paths that were given and by the real ones.
fn hidden(confinement: &Confinement) -> Vec<PathBuf> {
    let real = real_paths(&confinement.hidden);
    real.into_iter().chain(confinement.hidden.iter().cloned()).collect()
}

/// The network of the command's run. Where it cannot be made, the command has none.
fn own_network(confinement: &Confinement) -> Option<Arc<NetworkNamespace>> {
    match confinement.network {
        Network::Granted => None,
        Network::Denied => confinement.own_network.as_ref()?.namespace().ok(),
    }
}

/// Sealing a part of a granted folder needs mounts.
fn refuse_what_needs_mounts(program: &str, confinement: &Confinement) -> Result<(), SandboxError> {
    let granted = confinement.granted().filter_map(|root| root.canonicalize().ok()).collect::<Vec<_>>();
    let is_granted = |path: &&std::path::PathBuf| {
        path.canonicalize().is_ok_and(|real| granted.iter().any(|root| real.starts_with(root)))
    };
    match confinement.sealed.iter().chain(&confinement.read_only).chain(&confinement.hidden).find(is_granted)
    {
        Some(path) => Err(SandboxError::Seal {
            program: program.to_owned(),
            path: path.clone(),
            source: io::ErrorKind::Unsupported.into(),
        }),
        None => Ok(()),
    }
}

/// The resource limits of a command; `None` if it is unconfined.
fn bounded(confinement: Option<&Confinement>) -> Option<ResourceLimits> {
    confinement.and_then(|confinement| match confinement.mode {
        SandboxMode::FullAccess => None,
        SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite => Some(confinement.limits),
    })
}

fn start_command<'a>(
    (invocation, input): (&Invocation, Input),
    confinement: Option<&Confinement>,
    binding: &'a Binding,
    memory_group: Option<RawFd>,
) -> Result<(Child<'a>, Streams), SandboxError> {
    let environment = match confinement {
        Some(confinement) => {
            let mut environment = scrub(&invocation.environment);
            environment.extend(confinement.variables.all());
            environment.insert("TMPDIR".into(), confinement.private_tmp.clone().into());
            environment
        }
        None => invocation.environment.clone(),
    };
    let limits = bounded(confinement).map(rlimits::of_a_command).unwrap_or_default();
    let start = Start {
        program: &invocation.program,
        arguments: &invocation.arguments,
        folder: &invocation.folder,
        environment: &environment,
        input,
        limits: &limits,
        memory_group,
        namespace: binding.namespace.as_ref(),
        rules: binding.rules.as_ref(),
    };
    spawn(&start).map_err(|error| match error {
        NotStarted::Program(source) => {
            SandboxError::Start { program: name(invocation), folder: invocation.folder.clone(), source }
        }
        NotStarted::Namespace(source) => {
            let step =
                binding.namespace.as_ref().map_or("making its namespaces", ChildNamespace::failed_step);
            namespace_error(&name(invocation), step, source)
        }
        NotStarted::Rules(source) => SandboxError::Rules { program: name(invocation), source },
    })
}

/// Waits for the first process, which ends after all others, and reaps it: until then its pid cannot be
/// reused.
fn see_to_the_end(
    child: Child<'_>,
    alive: &Alive,
    confinement: Option<&Confinement>,
    memory: Option<MemoryLimit>,
) -> Ended {
    let limits =
        bounded(confinement).zip(confinement).zip(memory).map(|((limits, confinement), memory)| Watched {
            processes: ProcessLimit::new(child.pid, limits.processes),
            disk: DiskLimit::of(confinement),
            memory,
        });
    let excess = process_limit::wait(child.pid, limits);
    alive.clear();
    let survivors = child.survivors();
    let status = child.reap();
    Ended { status, excess, survivors: survivors.load(Ordering::Acquire) }
}

/// How the first process ended: its exit status, or the signal number.
pub(crate) fn code_or_signal(status: ExitStatus) -> Result<i32, i32> {
    status.code().ok_or_else(|| status.signal().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn invocation(program: &str) -> Invocation {
        Invocation {
            program: program.into(),
            arguments: Vec::new(),
            folder: "/".into(),
            environment: Default::default(),
            timeout: Duration::from_secs(60),
            keep: 0,
        }
    }

    #[test]
    fn what_was_not_started_is_started_by_another_attempt_and_answered_once() {
        let (answer, mut started) = oneshot::channel();
        let missing = invocation("/no such program");
        let unstarted =
            attempt((&missing, Input::Nothing), None, (None, answer), |_| true).expect("what it was given");
        assert!(started.try_recv().is_err(), "nothing is answered yet");
        assert!(attempt((&invocation("/bin/true"), Input::Nothing), None, unstarted, |_| false).is_none());
        assert!(started.try_recv().expect("an answer").is_ok());
    }

    #[test]
    fn a_failure_that_is_worth_no_other_attempt_is_answered() {
        let (answer, mut started) = oneshot::channel();
        supervise((&invocation("/no such program"), Input::Nothing), None, None, answer);
        assert!(matches!(started.try_recv(), Ok(Err(SandboxError::Start { .. }))));
    }
}
