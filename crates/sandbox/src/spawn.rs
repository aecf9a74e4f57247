//! Process creation with `clone(CLONE_VM)` instead of `fork`.
//!
//! The standard library forks if a new session or a death signal is requested: the kernel then copies the
//! page tables, and every page that any thread touches afterwards, with an interrupt to every core. In a
//! process with many threads that costs more than the command itself. Here the child shares this process's
//! memory until it executes the program, as in libc's `posix_spawn`, which sets no death signal, and in the
//! Go runtime.
//!
//! Two processes are created. The first one ([`crate::init_process`]) enters the command's namespaces and
//! never executes a program: it starts the second one, which does, waits for it, and kills everything else
//! when it ends. It shares our memory as long as it lives, so [`Child`] holds all its data until it is
//! reaped.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString, c_int, c_void};
use std::io;
use std::os::fd::{OwnedFd, RawFd};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ChildStderr, ChildStdin, ChildStdout, ExitStatus};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use rustix::io::{Errno, read};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Resource, Rlimit, Signal, WaitOptions, kill_process, waitpid};

use crate::child_data::{Ends, Prepared, Stage};
use crate::child_namespace::ChildNamespace;
use crate::child_restrictions::ChildRules;
use crate::init_process;
use crate::signals::BlockedSignals;

/// Stack size of a child before `exec`, or while it waits: a few calls deep, with small buffers only.
const STACK: usize = 64 * 1024;

/// What a program reads from its standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    /// Nothing: `/dev/null`.
    Nothing,
    /// What this process writes into [`Streams::stdin`].
    Pipe,
}

/// A program to start.
#[derive(Debug)]
pub(crate) struct Start<'s, 'a> {
    pub(crate) program: &'s OsStr,
    pub(crate) arguments: &'s [OsString],
    pub(crate) folder: &'s Path,
    pub(crate) environment: &'s BTreeMap<OsString, OsString>,
    pub(crate) input: Input,
    /// Its resource limits.
    pub(crate) limits: &'s [(Resource, Rlimit)],
    /// Where it enters the control group that bounds its memory.
    pub(crate) memory_group: Option<RawFd>,
    pub(crate) namespace: Option<&'a ChildNamespace>,
    pub(crate) rules: Option<&'a ChildRules>,
}

/// Why a program did not start.
#[derive(Debug)]
pub(crate) enum NotStarted {
    /// The program or the folder does not exist or is not accessible, or no process could be created.
    Program(io::Error),
    /// The kernel refused its namespaces.
    Namespace(io::Error),
    /// The kernel refused its rules.
    Rules(io::Error),
}

/// A started program. It is killed if dropped before it is reaped.
#[derive(Debug)]
pub(crate) struct Child<'a> {
    /// The pid of the first process.
    pub(crate) pid: Pid,
    prepared: Box<Prepared<'a>>,
    _stacks: [Stack; 2],
    is_reaped: bool,
}

/// The command's streams.
#[derive(Debug)]
pub(crate) struct Streams {
    /// Only with [`Input::Pipe`].
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

/// Starts a program in its own session (no terminal for prompts). It ends, with everything
/// it has started, when the calling thread ends.
///
/// # Errors
///
/// See [`NotStarted`].
pub(crate) fn spawn<'a>(start: &Start<'_, 'a>) -> Result<(Child<'a>, Streams), NotStarted> {
    let mut stacks = [Stack::new(), Stack::new()];
    let [first, second] = &mut stacks;
    let (prepared, streams, started, ends) = prepare(start, second.top()).map_err(NotStarted::Program)?;
    let flags = prepared.namespace.map_or(0, ChildNamespace::flags);
    let argument = ptr::from_ref(&*prepared).cast_mut().cast::<c_void>();
    let born =
        born(in_first_process, first.top(), flags, argument).map_err(|error| match prepared.namespace {
            Some(_) => NotStarted::Namespace(error),
            None => NotStarted::Program(error),
        })?;
    // If these ends stayed open here, we would not see when the children close theirs.
    drop(ends);
    let child = Child { pid: born, prepared, _stacks: stacks, is_reaped: false };
    child.has_started(started).map(|()| (child, streams))
}

/// Whether a child can enter these namespaces, tested with one that does nothing else.
pub(crate) fn try_namespace(namespace: &ChildNamespace) -> io::Result<()> {
    let (program, arguments, environment) = (OsStr::new("/"), [], BTreeMap::new());
    let start = Start {
        program,
        arguments: &arguments,
        folder: Path::new("/"),
        environment: &environment,
        input: Input::Nothing,
        limits: &[],
        memory_group: None,
        namespace: Some(namespace),
        rules: None,
    };
    match spawn(&start) {
        // A folder cannot be executed, and this error occurs only after the namespaces were entered.
        Err(NotStarted::Program(error)) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        Ok(_) => Err(io::ErrorKind::Other.into()),
        Err(NotStarted::Program(error) | NotStarted::Namespace(error) | NotStarted::Rules(error)) => {
            Err(error)
        }
    }
}

impl Child<'_> {
    /// Waits until the program runs or failed to start.
    fn has_started(&self, started: OwnedFd) -> Result<(), NotStarted> {
        let mut byte = [0_u8];
        let reported = loop {
            match read(&started, &mut byte) {
                Err(Errno::INTR) => {}
                other => break other,
            }
        };
        let error = match (reported, self.prepared.failure()) {
            (Ok(1), None) => return Ok(()),
            (Ok(1), Some(error)) => error.into(),
            (Ok(_), _) => io::Error::other("it was killed before it began"),
            (Err(error), _) => error.into(),
        };
        Err(match self.prepared.stage() {
            Stage::Program => NotStarted::Program(error),
            Stage::Namespace => NotStarted::Namespace(error),
            Stage::Rules => NotStarted::Rules(error),
        })
    }

    /// Waits for the first process and releases its pid. Returns the program's exit status.
    pub(crate) fn reap(mut self) -> io::Result<ExitStatus> {
        let ended = self.wait()?;
        Ok(self.prepared.ended().unwrap_or(ended))
    }

    /// The number of processes that could not be killed.
    pub(crate) fn survivors(&self) -> Arc<AtomicU32> {
        self.prepared.survivors()
    }

    fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = reap(self.pid)?;
        self.is_reaped = true;
        Ok(status)
    }
}

impl Drop for Child<'_> {
    fn drop(&mut self) {
        if !self.is_reaped {
            end(self.pid);
            // It uses memory that is about to be freed. An error can be ignored: it means that the process
            // does not exist.
            let _ = self.wait();
        }
    }
}

/// Waits for a child of this process, and releases its pid.
pub(crate) fn reap(pid: Pid) -> io::Result<ExitStatus> {
    loop {
        match waitpid(Some(pid), WaitOptions::empty()) {
            Ok(Some((_, status))) => return Ok(ExitStatus::from_raw(status.as_raw())),
            Ok(None) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Tells a first process, which may be gone already, to kill all others and exit.
pub(crate) fn end(first: Pid) {
    let _ = kill_process(first, Signal::HUP);
}

fn prepare<'a>(
    start: &Start<'_, 'a>,
    second_stack: *mut c_void,
) -> io::Result<(Box<Prepared<'a>>, Streams, OwnedFd, Ends)> {
    let (stdout, stdout_end) = pipe_with(PipeFlags::CLOEXEC)?;
    let (stderr, stderr_end) = pipe_with(PipeFlags::CLOEXEC)?;
    let (started, report) = pipe_with(PipeFlags::CLOEXEC)?;
    let (stdin_end, stdin) = match start.input {
        Input::Nothing => (std::fs::File::open("/dev/null")?.into(), None),
        Input::Pipe => {
            let (end, stdin) = pipe_with(PipeFlags::CLOEXEC)?;
            (end, Some(stdin.into()))
        }
    };
    let ends = Ends { stdin: stdin_end, stdout: stdout_end, stderr: stderr_end, report };
    let prepared = Prepared::new(start, &ends, second_stack)?;
    Ok((Box::new(prepared), Streams { stdin, stdout: stdout.into(), stderr: stderr.into() }, started, ends))
}

/// Stack memory of a child.
#[derive(Debug)]
pub(crate) struct Stack(Vec<u128>);

impl Stack {
    /// Uninitialised, like every stack.
    pub(crate) fn new() -> Self {
        Self(Vec::with_capacity(STACK / size_of::<u128>()))
    }

    /// Its aligned end, from which it grows downwards.
    pub(crate) fn top(&mut self) -> *mut c_void {
        self.0.spare_capacity_mut().as_mut_ptr_range().end.cast::<c_void>()
    }
}

/// Creates a child that shares this process's memory, and what else the flags say: new namespaces, the table of
/// files, this thread's time.
pub(crate) fn born(
    function: extern "C" fn(*mut c_void) -> c_int,
    stack: *mut c_void,
    more: c_int,
    argument: *mut c_void,
) -> io::Result<Pid> {
    // No signal handler of this process may run in the child: it would act on this process's memory. The
    // child keeps them blocked.
    let signals = BlockedSignals::block()?;
    let flags = libc::CLONE_VM | libc::SIGCHLD | more;
    #[expect(unsafe_code, reason = "there is no safe way to start a process that borrows memory")]
    // SAFETY: `function` gets its own stack and knows the type of `argument`. Both belong to the caller, who
    // reaps the process before it releases them. This thread waits for the child's report, or with
    // `CLONE_VFORK` for its end, before it continues, and afterwards the child makes no call that uses the C
    // library's memory of this thread (`errno`) where it could succeed.
    let born = unsafe { libc::clone(function, stack, flags, argument) };
    let born = if born < 0 { Err(io::Error::last_os_error()) } else { Ok(born) };
    drop(signals);
    Pid::from_raw(born?).ok_or_else(|| io::Error::other("a process without a number"))
}

/// The entry point of the first process.
extern "C" fn in_first_process(prepared: *mut c_void) -> c_int {
    #[expect(unsafe_code, reason = "the kernel hands over a raw pointer")]
    // SAFETY: `spawn` passes a pointer to a `Prepared` that `Child` holds until this process is gone.
    let prepared = unsafe { &*prepared.cast_const().cast::<Prepared<'_>>() };
    init_process::run(prepared);
    end_at_once()
}

pub(crate) fn end_at_once() -> ! {
    #[expect(unsafe_code, reason = "an ordinary end would run this process's exit handlers")]
    // SAFETY: ends the child immediately; nothing of the parent is flushed or dropped.
    unsafe {
        libc::_exit(127)
    }
}

#[cfg(test)]
#[path = "spawn_tests.rs"]
mod tests;
