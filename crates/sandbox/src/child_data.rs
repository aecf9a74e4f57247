//! Data for the child processes of a start, prepared before `clone` because a child must not allocate.

use std::convert::Infallible;
use std::ffi::{CString, OsStr, OsString, c_char, c_int, c_void};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU8, AtomicU32, Ordering};

use rustix::io::{Errno, write};
use rustix::process::{
    Pid, Resource, Rlimit, Signal, chdir, set_parent_process_death_signal, setrlimit, setsid,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use crate::child_namespace::ChildNamespace;
use crate::child_restrictions::ChildRules;
use crate::descriptors::{self, FIRST_AFTER_STREAMS};
use crate::signals::{forget_handlers, unblock_signals};
use crate::spawn::{Start, end_at_once};

/// Where programs are looked up if the environment has no `PATH`.
const DEFAULT_PATH: &str = "/usr/bin:/bin";

/// The stage at which a start failed, as reported by the children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Stage {
    Program = 0,
    Namespace = 1,
    Rules = 2,
}

/// Everything that the children use, prepared before they exist: they must not allocate.
#[derive(Debug)]
pub(crate) struct Prepared<'a> {
    /// Paths at which the program may be, in the order in which they are tried.
    candidates: Vec<CString>,
    arguments: Strings,
    environment: Strings,
    folder: CString,
    /// File descriptors in the children, whose tables are copies of ours from when the first child was
    /// created.
    streams: [RawFd; 3],
    limits: Vec<(Resource, Rlimit)>,
    /// A file descriptor, too.
    memory_group: Option<RawFd>,
    pub(crate) namespace: Option<&'a ChildNamespace>,
    rules: Option<&'a ChildRules>,
    /// Where the first process reports that the program runs or failed to start. A file descriptor, too.
    report: RawFd,
    second_stack: AtomicPtr<c_void>,
    /// The `errno` of the children; 0 while there is none.
    failure: AtomicI32,
    /// A [`Stage`].
    stage: AtomicU8,
    /// The program's wait status; negative while it runs.
    status: AtomicI32,
    survivors: Arc<AtomicU32>,
}

impl<'a> Prepared<'a> {
    pub(crate) fn new(start: &Start<'_, 'a>, ends: &Ends, second_stack: *mut c_void) -> io::Result<Self> {
        let streams = [&ends.stdin, &ends.stdout, &ends.stderr].map(AsRawFd::as_raw_fd);
        // The standard library keeps 0 to 2 open. If an embedder closed one, duplicating a stream onto itself
        // would leave it closed.
        if streams.iter().any(|stream| *stream < 3) {
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
            limits: start.limits.to_vec(),
            memory_group: start.memory_group,
            namespace: start.namespace,
            rules: start.rules,
            report: ends.report.as_raw_fd(),
            second_stack: AtomicPtr::new(second_stack),
            failure: AtomicI32::new(0),
            stage: AtomicU8::new(Stage::Program as u8),
            status: AtomicI32::new(-1),
            survivors: Arc::new(AtomicU32::new(0)),
        })
    }

    /// The stage at which the start failed.
    pub(crate) fn stage(&self) -> Stage {
        let stages = [Stage::Namespace, Stage::Rules];
        let found = stages.into_iter().find(|stage| *stage as u8 == self.stage.load(Ordering::Acquire));
        found.unwrap_or(Stage::Program)
    }

    /// The program's exit status, once it has ended.
    pub(crate) fn ended(&self) -> Option<ExitStatus> {
        let status = self.status.load(Ordering::Acquire);
        (status >= 0).then(|| ExitStatus::from_raw(status))
    }

    /// In a child: enters this stage.
    pub(crate) fn enter_stage(&self, stage: Stage) {
        self.stage.store(stage as u8, Ordering::Release);
    }

    /// In a child: records the error.
    pub(crate) fn fail(&self, error: Errno) {
        self.failure.store(error.raw_os_error(), Ordering::Release);
    }

    /// In the first process: records the program's wait status.
    pub(crate) fn note_end(&self, status: c_int) {
        self.status.store(status, Ordering::Release);
    }

    /// In the first process: records how many processes could not be killed.
    pub(crate) fn note_survivors(&self, count: u32) {
        self.survivors.store(count, Ordering::Release);
    }

    /// In the first process: starts the second one. Returns when it executes the program or fails.
    pub(crate) fn start_second(&self) -> Result<Pid, Errno> {
        let argument = ptr::from_ref(self).cast_mut().cast::<c_void>();
        let stack = self.second_stack.load(Ordering::Relaxed);
        #[expect(unsafe_code, reason = "there is no safe way to start a process that borrows memory")]
        // SAFETY: the stack is the second one of `Child`, aligned and used by nothing else, and `self` is
        // held by the same `Child`; both outlive this process. With `CLONE_VFORK` this process waits until
        // the second one has executed a program or ended.
        let born = unsafe {
            libc::clone(
                in_second_process,
                stack,
                libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD,
                argument,
            )
        };
        if born < 0 {
            return Err(last_error());
        }
        Pid::from_raw(born).ok_or(Errno::SRCH)
    }

    /// In the first process: the descriptor for reporting that the program runs or failed to start.
    pub(crate) fn report(&self) -> BorrowedFd<'static> {
        in_this_process(self.report)
    }

    /// Why the start failed, if it did.
    pub(crate) fn failure(&self) -> Option<Errno> {
        let error = self.failure.load(Ordering::Acquire);
        (error != 0).then(|| Errno::from_raw_os_error(error))
    }

    /// The number of processes that could not be killed.
    pub(crate) fn survivors(&self) -> Arc<AtomicU32> {
        Arc::clone(&self.survivors)
    }

    /// In the second process: executes the program. Only bare system calls, because the memory belongs to
    /// another process, whose threads continue and may hold any lock.
    fn become_the_program(&self) -> Result<Infallible, Errno> {
        setsid()?;
        // In case the first process is killed without being the first one of a PID namespace.
        set_parent_process_death_signal(Some(Signal::KILL))?;
        let [stdin, stdout, stderr] = self.streams.map(in_this_process);
        dup2_stdin(stdin)?;
        dup2_stdout(stdout)?;
        dup2_stderr(stderr)?;
        chdir(self.folder.as_c_str())?;
        if let Some(group) = self.memory_group {
            write(in_this_process(group), b"0")?;
        }
        for (resource, limit) in &self.limits {
            setrlimit(*resource, *limit)?;
        }
        if let Some(rules) = self.rules {
            self.enter_stage(Stage::Rules);
            rules.apply()?;
            self.enter_stage(Stage::Program);
        }
        // Whatever artoo or its parent left open would bypass every rule about paths. Nothing above the
        // streams is needed from here on: the end of `report` is the first process's.
        descriptors::close_between(FIRST_AFTER_STREAMS, u32::MAX)?;
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
                // A later folder of the `PATH` may contain an executable one.
                Errno::ACCESS => denied = Some(Errno::ACCESS),
                Errno::NOENT | Errno::NOTDIR => {}
                other => return Err(other),
            }
        }
        Err(denied.unwrap_or(Errno::NOENT))
    }
}

/// The children's ends of the pipes. Ours are closed as soon as the first child has its copies.
#[derive(Debug)]
pub(crate) struct Ends {
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
    pub(crate) report: OwnedFd,
}

/// A file descriptor of this child.
fn in_this_process(number: RawFd) -> BorrowedFd<'static> {
    #[expect(unsafe_code, reason = "a number is all that a child gets of its files")]
    // SAFETY: the child was created with this descriptor open, and closes it only when it is done with it.
    unsafe {
        BorrowedFd::borrow_raw(number)
    }
}

/// The entry point of the second process.
extern "C" fn in_second_process(prepared: *mut c_void) -> c_int {
    #[expect(unsafe_code, reason = "the kernel hands over a raw pointer")]
    // SAFETY: `start_second` passes a pointer to a `Prepared` that is held until this process is gone or has
    // executed a program.
    let prepared = unsafe { &*prepared.cast_const().cast::<Prepared<'_>>() };
    let Err(error) = prepared.become_the_program();
    prepared.fail(error);
    end_at_once()
}

/// The error of the last libc call.
pub(crate) fn last_error() -> Errno {
    // Reads `errno` and builds a plain value: no memory is allocated.
    Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO)
}

/// A null-terminated array of C strings, as `execve` takes it.
#[derive(Debug)]
struct Strings {
    /// Owns what the pointers point to.
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

/// Where the program may be: the path itself if it is one, otherwise in each folder of the `PATH`.
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
