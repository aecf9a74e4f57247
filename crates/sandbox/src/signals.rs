//! Signal handling around process creation.

use std::io;
use std::mem::MaybeUninit;
use std::ptr;

/// Resets every handled signal to its default, including the SIGPIPE that Rust programs ignore.
pub(crate) fn forget_handlers() {
    for signal in 1..=libc::SIGRTMAX() {
        let mut action = MaybeUninit::<libc::sigaction>::zeroed();
        #[expect(unsafe_code, reason = "a system call without a safe wrapper")]
        // SAFETY: only queries, and writes to `action`. Invalid signal numbers give an error.
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
            // SAFETY: the child has its own handler table (no `CLONE_SIGHAND`), so the parent keeps its own.
            let _ = unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) };
        }
    }
}

/// Unblocks all signals, as a program expects at its start.
pub(crate) fn unblock_signals() {
    let none = signal_set(false);
    #[expect(unsafe_code, reason = "a system call without a safe wrapper")]
    // SAFETY: `none` is a whole set; the old one is not requested.
    let _ = unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut()) };
}

/// Blocks all signals for this thread until dropped.
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
        // SAFETY: `before` is the set that `block` got. The call cannot fail with a valid set and a known
        // `how`.
        let _ = unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, ptr::null_mut()) };
    }
}

/// No signal, or every signal.
fn signal_set(all: bool) -> libc::sigset_t {
    let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
    let pointer = set.as_mut_ptr();
    #[expect(unsafe_code, reason = "sets of signals are made by libc")]
    // SAFETY: both initialise the whole set they are given.
    let _ = if all { unsafe { libc::sigfillset(pointer) } } else { unsafe { libc::sigemptyset(pointer) } };
    #[expect(unsafe_code, reason = "sets of signals are made by libc")]
    // SAFETY: all zeroes are a set already, and the call filled in the wanted one.
    unsafe {
        set.assume_init()
    }
}

/// Waits for any signal. All must be blocked: then each stays pending until it is waited for, even one that
/// would be ignored.
pub(crate) fn next_signal() -> libc::c_int {
    let all = signal_set(true);
    loop {
        #[expect(unsafe_code, reason = "a system call without a safe wrapper")]
        // SAFETY: `all` is a whole set, and no further information is requested.
        let signal = unsafe { libc::sigwaitinfo(&raw const all, ptr::null_mut()) };
        if signal > 0 {
            return signal;
        }
    }
}
