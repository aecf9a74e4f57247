//! The signals of a process that is about to start another one, and of that one.

use std::io;
use std::mem::MaybeUninit;
use std::ptr;

/// Every signal that this process handles gets its usual effect back, and so does the ignored SIGPIPE of Rust programs.
pub(crate) fn forget_handlers() {
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
pub(crate) fn unblock_signals() {
    let none = signal_set(false);
    #[expect(unsafe_code, reason = "a system call without a safe wrapper")]
    // SAFETY: `none` is a whole set; the old one is not asked for.
    let _ = unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut()) };
}

/// All signals are blocked for this thread until it is dropped.
pub(crate) struct BlockedSignals {
    before: libc::sigset_t,
}

impl BlockedSignals {
    pub(crate) fn block() -> io::Result<Self> {
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

/// Waits for any signal. All of them must be blocked: then each is kept until it is asked for, also one that would be ignored.
pub(crate) fn next_signal() -> libc::c_int {
    let all = signal_set(true);
    loop {
        #[expect(unsafe_code, reason = "a system call without a safe wrapper")]
        // SAFETY: `all` is a whole set, and nothing more is asked for.
        let signal = unsafe { libc::sigwaitinfo(&raw const all, ptr::null_mut()) };
        if signal > 0 {
            return signal;
        }
    }
}
