//! Detection of a terminal that disappears without a SIGHUP from the kernel.

use std::io;

use nix::sys::termios::tcgetsid;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::retry_on_intr;
use rustix::process::{Signal, getpid, kill_process};

/// Sends SIGHUP to this process when the terminal is gone. The kernel does this only for
/// processes whose controlling terminal it is; any other process, for example in a test's or
/// container's terminal, would poll for keys forever.
pub(super) fn watch() -> io::Result<()> {
    // `tcgetsid` succeeds only for the controlling terminal. The returned number is not checked: it is 0 for
    // a session outside of the container's PID namespace.
    let hears_it = tcgetsid(io::stdin()).is_ok();
    if hears_it {
        return Ok(());
    }
    let thread = std::thread::Builder::new().name("artoo-terminal".to_owned());
    thread.spawn(|| {
        let stdin = io::stdin();
        // No events are requested, so `poll` returns only on hang-up.
        let mut end = [PollFd::new(&stdin, PollFlags::empty())];
        if retry_on_intr(|| poll(&mut end, None)).is_ok() {
            // The target is this process, so `kill` cannot fail.
            let _ = kill_process(getpid(), Signal::HUP);
        }
    })?;
    Ok(())
}
