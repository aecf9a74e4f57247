//! Starts a program without a copy of this process.
//!
//! The standard library forks where a new session or a death signal is wanted: the kernel then copies the page tables, and every page
//! that any thread touches afterwards, with a message to every core. In a process with many threads that costs more than the command
//! itself. Here the child borrows the memory of the waiting thread until it executes the program, as in libc's `posix_spawn`, which
//! sets no death signal, and in the runtime of Go.
//!
//! Two processes are born. The first one ([`crate::first_process`]) goes where the command is to be and becomes no program: it starts the
//! second one, which does, waits for it, and takes everything with it when it ends. It borrows our memory as long as it lives, so what it uses
//! is held by [`Child`] until it is reaped.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString, c_int, c_void};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ChildStderr, ChildStdout, ExitStatus};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use rustix::io::{Errno, read};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Resource, Rlimit, Signal, WaitOptions, kill_process, waitpid};

use crate::child_namespace::ChildNamespace;
use crate::child_rules::ChildRules;
use crate::first_process;
use crate::prepared::{Ends, Prepared, Stage};
use crate::signals::BlockedSignals;

/// What a child needs before it becomes the program, or while it waits for it: a few calls deep, no buffers but small ones.
const STACK: usize = 64 * 1024;
/// What to start.
#[derive(Debug)]
pub(crate) struct Start<'s, 'a> {
    pub(crate) program: &'s OsStr,
    pub(crate) arguments: &'s [OsString],
    pub(crate) folder: &'s Path,
    pub(crate) environment: &'s BTreeMap<OsString, OsString>,
    /// What it may use up.
    pub(crate) limits: &'s [(Resource, Rlimit)],
    pub(crate) namespace: Option<&'a ChildNamespace>,
    pub(crate) rules: Option<&'a ChildRules>,
}

/// Why a program did not start.
#[derive(Debug)]
pub(crate) enum NotStarted {
    /// The program or the folder is not there, may not be used, or the system has no process to give.
    Program(io::Error),
    /// The kernel did not give it its namespaces.
    Namespace(io::Error),
    /// The kernel did not take its rules.
    Rules(io::Error),
}

/// A started program. Dropped before it is reaped, it is killed.
#[derive(Debug)]
pub(crate) struct Child<'a> {
    /// Of the first process.
    pub(crate) pid: Pid,
    prepared: Box<Prepared<'a>>,
    _stacks: [Stack; 2],
    is_reaped: bool,
}

/// Its output.
#[derive(Debug)]
pub(crate) struct Streams {
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

/// Starts it in a session of its own (no terminal to ask a question on), without input. It ends, with all that it has started, when the calling
/// thread ends.
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
    // What is still open here would hide the end of the children from us.
    drop(ends);
    let child = Child { pid: born, prepared, _stacks: stacks, is_reaped: false };
    child.has_started(started).map(|()| (child, streams))
}

/// Whether children can have such namespaces, in one that does nothing else.
pub(crate) fn try_namespace(namespace: &ChildNamespace) -> io::Result<()> {
    let (program, arguments, environment) = (OsStr::new("/"), [], BTreeMap::new());
    let start = Start {
        program,
        arguments: &arguments,
        folder: Path::new("/"),
        environment: &environment,
        limits: &[],
        namespace: Some(namespace),
        rules: None,
    };
    match spawn(&start) {
        // A folder is no program, and that is found out behind the namespaces.
        Err(NotStarted::Program(error)) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        Ok(_) => Err(io::ErrorKind::Other.into()),
        Err(NotStarted::Program(error) | NotStarted::Namespace(error) | NotStarted::Rules(error)) => {
            Err(error)
        }
    }
}

impl Child<'_> {
    /// Waits until the program runs, or could not.
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

    /// Waits for the end of the first process and lets go of its number. How the program ended.
    pub(crate) fn reap(mut self) -> io::Result<ExitStatus> {
        let ended = self.wait()?;
        Ok(self.prepared.ended().unwrap_or(ended))
    }

    /// Processes that could not be ended.
    pub(crate) fn survivors(&self) -> Arc<AtomicU32> {
        self.prepared.survivors()
    }

    fn wait(&mut self) -> io::Result<ExitStatus> {
        loop {
            match waitpid(Some(self.pid), WaitOptions::empty()) {
                Ok(Some((_, status))) => {
                    self.is_reaped = true;
                    return Ok(ExitStatus::from_raw(status.as_raw()));
                }
                Ok(None) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl Drop for Child<'_> {
    fn drop(&mut self) {
        if !self.is_reaped {
            end(self.pid);
            // It uses memory that is about to go. There is nothing to do about an error: then there is no such process.
            let _ = self.wait();
        }
    }
}

/// Tells a first process, which may be gone already, to end all others and itself.
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
    let stdin = std::fs::File::open("/dev/null")?.into();
    let ends = Ends { stdin, stdout: stdout_end, stderr: stderr_end, report };
    let prepared = Prepared::new(start, &ends, second_stack)?;
    Ok((Box::new(prepared), Streams { stdout: stdout.into(), stderr: stderr.into() }, started, ends))
}

/// Memory for the calls of a child.
#[derive(Debug)]
struct Stack(Vec<u128>);

impl Stack {
    /// Uninitialised, as every stack is.
    fn new() -> Self {
        Self(Vec::with_capacity(STACK / size_of::<u128>()))
    }

    /// Its aligned end, from which it grows downwards.
    fn top(&mut self) -> *mut c_void {
        self.0.spare_capacity_mut().as_mut_ptr_range().end.cast::<c_void>()
    }
}

/// Makes a child that borrows this process's memory, in new namespaces where flags name them.
fn born(
    function: extern "C" fn(*mut c_void) -> c_int,
    stack: *mut c_void,
    namespaces: c_int,
    argument: *mut c_void,
) -> io::Result<Pid> {
    // No handler of this process may run in the child: it would act on this process's memory. The child keeps them blocked.
    let signals = BlockedSignals::block()?;
    let flags = libc::CLONE_VM | libc::SIGCHLD | namespaces;
    #[expect(unsafe_code, reason = "there is no safe way to start a process that borrows memory")]
    // SAFETY: `function` gets a stack of its own, and `argument` is a `Prepared`; both belong to a `Child`, which reaps the process before it
    // lets go of them. This thread waits for its report before it runs on, and afterwards the child makes no call that uses
    // the C library's memory of this thread (`errno`) where it could succeed.
    let born = unsafe { libc::clone(function, stack, flags, argument) };
    let born = if born < 0 { Err(io::Error::last_os_error()) } else { Ok(born) };
    drop(signals);
    Pid::from_raw(born?).ok_or_else(|| io::Error::other("a process without a number"))
}

/// The first function of the first process.
extern "C" fn in_first_process(prepared: *mut c_void) -> c_int {
    #[expect(unsafe_code, reason = "the kernel hands over a raw pointer")]
    // SAFETY: `spawn` passes a pointer to a `Prepared` that `Child` holds until this process is gone.
    let prepared = unsafe { &*prepared.cast_const().cast::<Prepared<'_>>() };
    first_process::run(prepared);
    end_at_once()
}

pub(crate) fn end_at_once() -> ! {
    #[expect(unsafe_code, reason = "an ordinary end would run this process's exit handlers")]
    // SAFETY: ends the child at once; nothing of the parent's is flushed or dropped.
    unsafe {
        libc::_exit(127)
    }
}

#[cfg(test)]
#[path = "spawn_tests.rs"]
mod tests;
