//! Starts a program without a copy of this process.
//!
//! The standard library forks where a new session or a death signal is wanted: the kernel then copies the page tables, and every page
//! that any thread touches afterwards, with a message to every core. In a process with many threads that costs more than the command
//! itself. Here the child borrows the memory of the waiting thread until it executes the program, as in libc's `posix_spawn`, which
//! sets no death signal, and in the runtime of Go.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ffi::{CString, OsStr, OsString, c_char, c_int, c_void};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ChildStderr, ChildStdout, ExitStatus};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitOptions, chdir, getpid, getppid, set_parent_process_death_signal,
    setrlimit, setsid, waitpid,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use crate::preview::World;
use crate::seal::Seal;
use crate::walls::Walls;

/// What the child needs between its birth and the program: a few calls deep, no buffers.
const STACK: usize = 64 * 1024;
/// Where programs lie when the environment has no `PATH`.
const DEFAULT_PATH: &str = "/usr/bin:/bin";

/// What to start.
#[derive(Debug)]
pub(crate) struct Start<'a> {
    pub(crate) program: &'a OsStr,
    pub(crate) arguments: &'a [OsString],
    pub(crate) folder: &'a Path,
    pub(crate) environment: &'a BTreeMap<OsString, OsString>,
    /// What it may use up.
    pub(crate) limits: &'a [(Resource, Rlimit)],
    /// What it binds itself by, where the calling thread is not bound for it.
    pub(crate) binding: Option<Binding<'a>>,
}

/// What a child does to itself before it becomes the program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Binding<'a> {
    /// It seals parts of the granted folders.
    Walls(&'a Walls),
    /// It goes where each granted folder is an overlay.
    World(&'a World),
}

impl Binding<'_> {
    /// The namespaces into which it is born.
    fn namespaces(self) -> c_int {
        match self {
            Self::Walls(walls) => walls.seal.namespaces(),
            Self::World(_) => World::NAMESPACES,
        }
    }
}

/// Why a program did not start.
#[derive(Debug)]
pub(crate) enum NotStarted {
    /// The program or the folder is not there, may not be used, or the system has no process to give.
    Program(io::Error),
    /// The kernel did not take the child's rules.
    Walls(io::Error),
}

/// A started program. Whoever has it must wait for it.
#[derive(Debug)]
pub(crate) struct Child {
    pub(crate) pid: Pid,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

/// Starts it in a session of its own (no terminal to ask a question on, and a group that can be signalled as a whole), without input,
/// and with the kernel's promise to kill it when the calling thread ends.
///
/// # Errors
///
/// See [`NotStarted`].
pub(crate) fn spawn(start: &Start<'_>) -> Result<Child, NotStarted> {
    let (prepared, stdout, stderr) = prepare(start).map_err(NotStarted::Program)?;
    let pid = prepared.start()?;
    Ok(Child { pid, stdout, stderr })
}

fn prepare<'a>(start: &Start<'a>) -> io::Result<(Prepared<'a>, ChildStdout, ChildStderr)> {
    let (stdout, stdout_end) = pipe_with(PipeFlags::CLOEXEC)?;
    let (stderr, stderr_end) = pipe_with(PipeFlags::CLOEXEC)?;
    let stdin = std::fs::File::open("/dev/null")?.into();
    let prepared = Prepared::new(start, [stdin, stdout_end, stderr_end])?;
    Ok((prepared, stdout.into(), stderr.into()))
}

/// Whether a child can seal what it should, in a child that does nothing else.
pub(crate) fn try_seal(seal: &Seal) -> io::Result<()> {
    let argument = ptr::from_ref(seal).cast_mut().cast::<c_void>();
    let pid = give_birth(in_trial, seal.namespaces(), argument)?;
    match reap(pid)?.code() {
        Some(0) => Ok(()),
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// Waits for the end of a child and lets go of its number.
pub(crate) fn reap(pid: Pid) -> io::Result<ExitStatus> {
    loop {
        match waitpid(Some(pid), WaitOptions::empty()) {
            Ok(Some((_, status))) => return Ok(ExitStatus::from_raw(status.as_raw())),
            Ok(None) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// All that the child uses, made before it is born: it must not allocate.
struct Prepared<'a> {
    /// Where the program may lie, in the order in which they are tried.
    candidates: Vec<CString>,
    arguments: Strings,
    environment: Strings,
    folder: CString,
    streams: [OwnedFd; 3],
    limits: &'a [(Resource, Rlimit)],
    binding: Option<Binding<'a>>,
    parent: Pid,
    /// The child's error number; 0 while there is none.
    failure: AtomicI32,
    /// Whether it is about the walls.
    walls_failed: AtomicBool,
}

impl<'a> Prepared<'a> {
    fn new(start: &Start<'a>, streams: [OwnedFd; 3]) -> io::Result<Self> {
        // The standard library keeps 0 to 2 open. Where an embedder closed one, copying a stream onto itself would leave it closed.
        if streams.iter().any(|stream| stream.as_raw_fd() < 3) {
            return Err(io::Error::other("a standard stream of this process is closed"));
        }
        let arguments = std::iter::once(start.program).chain(start.arguments.iter().map(OsString::as_os_str));
        let arguments = arguments.map(|argument| c_string(argument.as_bytes()));
        let variables = start
            .environment
            .iter()
            .map(|(name, value)| c_string(&[name.as_bytes(), b"=", value.as_bytes()].concat()));
        Ok(Self {
            candidates: candidates(start.program, start.environment.get(OsStr::new("PATH")))?,
            arguments: Strings::new(arguments.collect::<io::Result<_>>()?),
            environment: Strings::new(variables.collect::<io::Result<_>>()?),
            folder: c_string(start.folder.as_os_str().as_bytes())?,
            streams,
            limits: start.limits,
            binding: start.binding,
            parent: getpid(),
            failure: AtomicI32::new(0),
            walls_failed: AtomicBool::new(false),
        })
    }

    /// Returns when the child runs the program, or could not.
    fn start(&self) -> Result<Pid, NotStarted> {
        let argument = ptr::from_ref(self).cast_mut().cast::<c_void>();
        if let Some(Binding::World(world)) = self.binding {
            world.begin();
        }
        let namespaces = self.binding.map_or(0, Binding::namespaces);
        let pid = give_birth(in_child, namespaces, argument).map_err(NotStarted::Program)?;
        let error = match self.failure.load(Ordering::Relaxed) {
            0 => return Ok(pid),
            error => io::Error::from_raw_os_error(error),
        };
        reap(pid).map_err(NotStarted::Program)?;
        let of_the_walls = self.walls_failed.load(Ordering::Relaxed);
        Err(if of_the_walls { NotStarted::Walls(error) } else { NotStarted::Program(error) })
    }

    /// Notes that what failed are the walls.
    fn of_the_walls<T>(&self, result: Result<T, Errno>) -> Result<T, Errno> {
        self.walls_failed.store(result.is_err(), Ordering::Relaxed);
        result
    }

    /// In the child: becomes the program. Only bare system calls, for the memory is the parent's, whose other threads go on and may hold
    /// any lock.
    fn become_the_program(&self) -> Result<Infallible, Errno> {
        setsid()?;
        // The keeper outlives the command unless artoo is killed, and then the command goes with it.
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // artoo may have died before the line above.
        if getppid() != Some(self.parent) {
            return Err(Errno::INTR);
        }
        let [stdin, stdout, stderr] = &self.streams;
        dup2_stdin(stdin)?;
        dup2_stdout(stdout)?;
        dup2_stderr(stderr)?;
        match self.binding {
            Some(Binding::Walls(walls)) => self.of_the_walls(walls.seal.apply())?,
            Some(Binding::World(world)) => world.enter()?,
            None => {}
        }
        // After the mounts: a folder that was entered before them is not the one that they changed.
        chdir(self.folder.as_c_str())?;
        for (resource, limit) in self.limits {
            setrlimit(*resource, *limit)?;
        }
        if let Some(Binding::Walls(walls)) = self.binding {
            self.of_the_walls(walls.raise())?;
        }
        forget_handlers();
        unblock_signals();
        let mut denied = None;
        for candidate in &self.candidates {
            #[expect(unsafe_code, reason = "the libc call takes raw strings")]
            // SAFETY: all three are strings, or null-terminated arrays of strings, that live in `self`.
            let _ = unsafe {
                libc::execve(candidate.as_ptr(), self.arguments.as_ptr(), self.environment.as_ptr())
            };
            match last_error() {
                // A later folder of the `PATH` may have one that can be executed.
                Errno::ACCESS => denied = Some(Errno::ACCESS),
                Errno::NOENT | Errno::NOTDIR => {}
                other => return Err(other),
            }
        }
        Err(denied.unwrap_or(Errno::NOENT))
    }
}

/// Makes a child that borrows this process's memory, in new namespaces where flags name them. Returns when it runs a program or ended.
fn give_birth(
    first: extern "C" fn(*mut c_void) -> c_int,
    namespaces: c_int,
    argument: *mut c_void,
) -> io::Result<Pid> {
    // Uninitialised, as every stack is.
    let mut stack = Vec::<u128>::with_capacity(STACK / size_of::<u128>());
    let top = stack.spare_capacity_mut().as_mut_ptr_range().end.cast::<c_void>();
    // No handler of this process may run in the child: it would act on this process's memory.
    let signals = BlockedSignals::block()?;
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD | namespaces;
    #[expect(unsafe_code, reason = "there is no safe way to start a process that borrows memory")]
    // SAFETY: `first` gets a stack of its own, of which `top` is the aligned end, and `argument`, which the callers in this file take from a
    // reference that they hold. Both outlive it: with `CLONE_VFORK` this thread waits until the child has executed a program or
    // ended, so nothing is used by two at a time either.
    let born = unsafe { libc::clone(first, top, flags, argument) };
    let born = if born < 0 { Err(io::Error::last_os_error()) } else { Ok(born) };
    drop(signals);
    Pid::from_raw(born?).ok_or_else(|| io::Error::other("a process without a number"))
}

/// The first and only function of a child that tries whether it can seal.
extern "C" fn in_trial(seal: *mut c_void) -> c_int {
    #[expect(unsafe_code, reason = "the kernel hands over a raw pointer")]
    // SAFETY: `try_seal` passes a pointer to a `Seal` that it holds until this child is gone.
    let seal = unsafe { &*seal.cast_const().cast::<Seal>() };
    let status = c_int::from(seal.apply().is_err());
    #[expect(unsafe_code, reason = "an ordinary end would run the parent's exit handlers")]
    // SAFETY: ends this process at once; nothing of the parent's is flushed or dropped.
    unsafe {
        libc::_exit(status)
    }
}

/// The first function of the child.
extern "C" fn in_child(prepared: *mut c_void) -> c_int {
    #[expect(unsafe_code, reason = "the kernel hands over a raw pointer")]
    // SAFETY: `start` passes a pointer to a `Prepared` that it holds until this child is gone or a program.
    let prepared = unsafe { &*prepared.cast_const().cast::<Prepared<'_>>() };
    let Err(error) = prepared.become_the_program();
    prepared.failure.store(error.raw_os_error(), Ordering::Relaxed);
    #[expect(unsafe_code, reason = "an ordinary end would run the parent's exit handlers")]
    // SAFETY: ends this process at once; nothing of the parent's is flushed or dropped.
    unsafe {
        libc::_exit(127)
    }
}

/// Every signal that this process handles gets its usual effect back, and so does the ignored SIGPIPE of Rust programs.
fn forget_handlers() {
    for signal in 1..=libc::SIGRTMAX() {
        let mut action = MaybeUninit::<libc::sigaction>::zeroed();
        #[expect(unsafe_code, reason = "a system call without a safe wrapper")]
        // SAFETY: asks, and writes into `action` only. Numbers that cannot be asked about give an error.
        let asked = unsafe { libc::sigaction(signal, ptr::null(), action.as_mut_ptr()) };
        #[expect(unsafe_code, reason = "the libc call fills in a raw structure")]
        // SAFETY: all zeroes are a valid `sigaction`, and the call wrote a valid one or nothing.
        let mut action = unsafe { action.assume_init() };
        let usual = match action.sa_sigaction {
            libc::SIG_DFL => true,
            libc::SIG_IGN => signal != libc::SIGPIPE,
            _ => false,
        };
        if asked == 0 && !usual {
            action.sa_sigaction = libc::SIG_DFL;
            #[expect(unsafe_code, reason = "a system call without a safe wrapper")]
            // SAFETY: the child has its own table of handlers (no `CLONE_SIGHAND`), so the parent keeps its own.
            let _ = unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) };
        }
    }
}

/// A program starts with no signal blocked.
fn unblock_signals() {
    let none = signal_set(false);
    #[expect(unsafe_code, reason = "a system call without a safe wrapper")]
    // SAFETY: `none` is a whole set; the old one is not asked for.
    let _ = unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut()) };
}

/// All signals are blocked for this thread until it is dropped.
struct BlockedSignals {
    before: libc::sigset_t,
}

impl BlockedSignals {
    fn block() -> io::Result<Self> {
        let all = signal_set(true);
        let mut before = signal_set(false);
        #[expect(unsafe_code, reason = "a system call without a safe wrapper")]
        // SAFETY: both are whole sets, and `before` may be written to.
        let error = unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before) };
        if error == 0 { Ok(Self { before }) } else { Err(io::Error::from_raw_os_error(error)) }
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        #[expect(unsafe_code, reason = "a system call without a safe wrapper")]
        // SAFETY: `before` is the set that `block` got. It cannot fail with a valid set and a known wish.
        let _ = unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, ptr::null_mut()) };
    }
}

/// No signal, or every signal.
fn signal_set(all: bool) -> libc::sigset_t {
    let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
    let pointer = set.as_mut_ptr();
    #[expect(unsafe_code, reason = "sets of signals are made by libc")]
    // SAFETY: both make a whole set of the memory they get.
    let _ = if all { unsafe { libc::sigfillset(pointer) } } else { unsafe { libc::sigemptyset(pointer) } };
    #[expect(unsafe_code, reason = "sets of signals are made by libc")]
    // SAFETY: all zeroes are a set already, and the call made it the wanted one.
    unsafe {
        set.assume_init()
    }
}

/// What the last call of libc said.
pub(crate) fn last_error() -> Errno {
    // Reads a number and makes a plain value of it: no memory is allocated.
    Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO)
}

/// Strings as the kernel takes them.
struct Strings {
    /// What the pointers point to.
    _held: Vec<CString>,
    pointers: Vec<*const c_char>,
}

impl Strings {
    fn new(held: Vec<CString>) -> Self {
        let pointers = held.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect();
        Self { _held: held, pointers }
    }

    fn as_ptr(&self) -> *const *const c_char {
        self.pointers.as_ptr()
    }
}

/// The places where a program may lie: itself where it is a path, else in each folder of the `PATH`.
fn candidates(program: &OsStr, path: Option<&OsString>) -> io::Result<Vec<CString>> {
    if program.as_bytes().contains(&b'/') {
        return Ok(vec![c_string(program.as_bytes())?]);
    }
    let path = path.map_or(OsStr::new(DEFAULT_PATH), OsString::as_os_str);
    std::env::split_paths(path).map(|folder| c_string(folder.join(program).as_os_str().as_bytes())).collect()
}

pub(crate) fn c_string(bytes: &[u8]) -> io::Result<CString> {
    CString::new(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a zero byte in it"))
}

#[cfg(test)]
#[path = "spawn_tests.rs"]
mod tests;
